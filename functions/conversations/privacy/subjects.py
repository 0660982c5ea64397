"""Derives from an event's text the subjects under which an unmatched or parked event is indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store.messages import hash_of
from shared.identity import addresses
from shared.identity.addresses import USER_ID_PREFIX, AddressInvalid
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Only a bug in Parley enqueues such a record: customers and companies cannot make this list long.
UNREADABLE = "unreadable"
_CONTEXT = "conversation_data"


def of_body(body: str) -> list[str]:
    """Return the subjects of a queue record; see `Stray`."""
    event = json_object(body)
    if event is None:
        return [UNREADABLE]
    if "ref" in event:
        return [str(event["ref"])] if event["ref"] else [UNREADABLE]
    if _CONTEXT in event:
        return [address_hash(recipient_of(event))]
    return of_event(event)


def of_event(event: Mapping[str, Any]) -> list[str]:
    """Return the subjects of a message by its addresses, or of a status or file by its message id."""
    named = (event.get("customer_address"), event.get("customer_user_id"))
    hashes = {address_hash(address) for text in named for address in readings(text)}
    if not hashes:
        hashes = {hash_of(str(event.get("provider")), str(event.get("provider_message_id")))}
    return sorted(hashes)


def of_company(company_id: str | None) -> str:
    """Return the subject of all parked events of a company; None stands for an unknown company."""
    return f"company#{company_id or ''}"


def of_address(address: str) -> set[str]:
    """Return the subjects of a normalised address, under every identifier key."""
    return {*address_hashes(address), *address_hashes(bare(address))}


def recipient_of(event: Mapping[str, Any]) -> str:
    """Return the recipient part of a request's conversation id, which has no prefix."""
    held = event.get(_CONTEXT)
    conversation_id = str(held.get("conversation_id")) if isinstance(held, dict) else ""
    return conversation_id.split("#", 3)[-1]


def bare(address: str) -> str:
    """Return an address as it appears in conversation ids: without `+` or user-id prefix."""
    return address.removeprefix("+").removeprefix(USER_ID_PREFIX)


def readings(text: object) -> Iterator[str]:
    """Yield the normalised addresses that a text may stand for: phone number, user id, e-mail address."""
    if not isinstance(text, str):
        return
    for form in (addresses.phone_number, addresses.user_id, addresses.email_address):
        try:
            yield form(text)
        except AddressInvalid:
            continue
