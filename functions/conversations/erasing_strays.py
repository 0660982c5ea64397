"""What lies outside of conversations and holds something of a person: messages of nobody, and parked events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.folders import parked_events
from conversations.items.books import Parked, ParkReason, Unmatched
from conversations.items.conversation import first_of_company
from conversations.store import erasures, routes, states
from shared import addresses, clock
from shared.addresses import USER_ID_PREFIX, AddressInvalid
from shared.stored_objects import FORBIDDEN, MISSING, ObjectUnusable, Pointer, record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from shared.dynamodb import Table
    from shared.objects import Bucket
    from shared.stored_objects import Folder

_DAY = len("2026-03-01")


@dataclass(slots=True)
class Strays:
    """How much was erased."""

    unmatched: int = 0
    parked: int = 0


@dataclass(frozen=True, slots=True)
class _Person:
    company_id: str
    known: frozenset[str]

    def has(self, *given: object) -> bool:
        """Whether one of these texts is an address of the person."""
        return any(one in self.known for text in given for one in _readings(text))


def erase(
    log: Table, bucket: Bucket, company_id: str, everybody: Collection[str], at: str
) -> Strays:
    """Erase them. Safe to repeat."""
    person = _Person(company_id, frozenset(everybody))
    done = Strays()
    for sk, unmatched in erasures.unmatched(log, company_id):
        event = unmatched.event
        is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
        # Or it was placed in a conversation of theirs, whoever wrote it.
        if is_theirs or (unmatched.attached_to and states.is_erased(log, unmatched.attached_to)):
            name = (str(event["provider"]), str(event["provider_message_id"]))
            erasures.bury_message(log, name, at)
            erasures.remove(log, Unmatched.partition(company_id), sk)
            done.unmatched += 1
    folder = parked_events(bucket)
    for day in _days():
        for sk, parked in erasures.parked(log, day):
            if parked.body_object is None or not _is_theirs(log, person, folder, parked):
                continue
            # Without its text nobody could tell any more that it was of this person.
            erasures.condemn(log, day, sk)
            folder.delete(Pointer.read(parked.body_object))
            erasures.remove(log, Parked.partition(day), sk)
            done.parked += 1
    return done


def _days() -> Iterator[str]:
    """The days of which parked events may be left, the oldest first, since what is parked now comes last."""
    now = clock.now_ms()
    for age in range((Parked.ttl_days or 0) + 1, -1, -1):
        yield clock.to_text(now - age * clock.DAY_SECONDS * clock.SECOND_MS)[:_DAY]


def _is_theirs(log: Table, person: _Person, folder: Folder, parked: Parked) -> bool:
    """
    Whether a parked event is to be erased; False where the bucket's lifecycle has removed its text.

    False as well where the text is damaged, since it does not say whose it is: that is recorded. Raises ObjectUnusable
    where the text may not be read.
    """
    try:
        pointer = Pointer.read(parked.body_object)
        if parked.reason == ParkReason.ERASED:
            return folder.holds(pointer.key)
        body = folder.get(pointer)
    except ObjectUnusable as fault:
        if fault.reason == FORBIDDEN:
            raise
        if fault.reason != MISSING:
            record(fault, "parked event")
        return False
    return _is_about(log, person, body.decode("utf-8", "replace"))


def _is_about(log: Table, person: _Person, body: str) -> bool:
    """Whether a parked event is of the person and their company, or of nobody's that can be told."""
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        # Nobody can read it, nor say whose it is: where it shows the address, it goes.
        return any(address.removeprefix(USER_ID_PREFIX) in body for address in person.known)
    if "ref" in event:
        return states.is_erased(log, str(event["ref"]))
    if "conversation_data" in event:
        return _is_asked_of(person, event)
    if "customer_address" in event or "customer_user_id" in event:
        is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
        return is_theirs and _may_be_for(log, person.company_id, event)
    name = (str(event.get("provider")), str(event.get("provider_message_id")))
    return erasures.is_message(log, *name)


def _is_asked_of(person: _Person, event: dict[str, Any]) -> bool:
    held = event["conversation_data"]
    conversation_id = str(held.get("conversation_id")) if isinstance(held, dict) else ""
    if not conversation_id.startswith(first_of_company(person.company_id)):
        return False
    recipients = {
        address.removeprefix("+").removeprefix(USER_ID_PREFIX) for address in person.known
    }
    return conversation_id.split("#", 3)[-1] in recipients


def _may_be_for(log: Table, company_id: str, event: dict[str, Any]) -> bool:
    """Whether the business address is the company's, or nobody's."""
    channel, business = event.get("channel_method"), event.get("business_address")
    owners = routes.owners(log, str(channel), str(business)) if channel and business else []
    return not owners or any(owner.company_id == company_id for owner in owners)


def _readings(text: object) -> Iterator[str]:
    """The addresses that a text may be, each in its one form."""
    if not isinstance(text, str):
        return
    for read in (addresses.phone_number, addresses.user_id, addresses.email_address):
        try:
            yield read(text)
        except AddressInvalid:
            continue
