"""Whose an event is, as far as its text says: the subjects that an unmatched or parked event is found by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conversations.store.messages import hash_of
from shared import addresses
from shared.addresses import USER_ID_PREFIX, AddressInvalid
from shared.keyed_hashes import address_hash, address_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Only a fault of ours puts such a record on a queue: customers and companies cannot make this list long.
UNREADABLE = "unreadable"
_CONTEXT = "conversation_data"


def of_body(body: str) -> list[str]:
    """The subjects of the record of a queue; see `Stray`."""
    event = read(body)
    if event is None:
        return [UNREADABLE]
    if "ref" in event:
        return [str(event["ref"])] if event["ref"] else [UNREADABLE]
    if _CONTEXT in event:
        return [address_hash(recipient_of(event))]
    return of_event(event)


def of_event(event: Mapping[str, Any]) -> list[str]:
    """The subjects of a message, or of a status or file, which names only a message."""
    named = (event.get("customer_address"), event.get("customer_user_id"))
    found = {address_hash(one) for text in named for one in readings(text)}
    if not found:
        found = {hash_of(str(event.get("provider")), str(event.get("provider_message_id")))}
    return sorted(found)


def of_company(company_id: str | None) -> str:
    """The subject of all parked events of a company; with None, of those whose company is not known."""
    return f"company#{company_id or ''}"


def of_address(address: str) -> set[str]:
    """The subjects that a person with this normalised address is found by, under every identifier key."""
    return {*address_hashes(address), *address_hashes(bare(address))}


def read(body: str) -> dict[str, Any] | None:
    """The event in the record of a queue, None where it is no JSON object."""
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def recipient_of(event: Mapping[str, Any]) -> str:
    """The recipient in the conversation's id of a request, without prefix."""
    held = event.get(_CONTEXT)
    conversation_id = str(held.get("conversation_id")) if isinstance(held, dict) else ""
    return conversation_id.split("#", 3)[-1]


def bare(address: str) -> str:
    """An address as a conversation's id has it."""
    return address.removeprefix("+").removeprefix(USER_ID_PREFIX)


def readings(text: object) -> Iterator[str]:
    """The addresses that a text may be, each in its one form."""
    if not isinstance(text, str):
        return
    for form in (addresses.phone_number, addresses.user_id, addresses.email_address):
        try:
            yield form(text)
        except AddressInvalid:
            continue
