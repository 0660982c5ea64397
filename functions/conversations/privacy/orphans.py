"""Erases data of a person outside of conversations: unmatched messages and parked events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.folders import parked_events
from conversations.privacy import subjects
from conversations.store import erasures, messages, orphans, routes, states
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import first_of_company
from conversations.store.items.records import Parked, ParkReason, Unmatched
from shared.addresses import USER_ID_PREFIX
from shared.aws.stored_objects import FORBIDDEN, MISSING, ObjectUnusable, Pointer, record
from shared.recovery import over_quota

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.store.erasures import Name
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from shared.aws.stored_objects import Folder

_PARKED = Parked.partition("-")[:-1]


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
        return any(one in self.known for text in given for one in subjects.readings(text))


def erase(
    log: Table,
    bucket: Bucket,
    company_id: str,
    *,
    everybody: Collection[str],
    refs: Collection[str],
    at: str,
) -> Strays:
    """
    Erase them: those of the person's addresses, and those of their conversations *refs*. Safe to repeat.

    Reads what the subjects of this person lead to, and none of others' events, however many there are.
    """
    person = _Person(company_id, frozenset(everybody))
    by_address = {subject for address in everybody for subject in subjects.of_address(address)}
    done = Strays()
    for subject in [*sorted(by_address), *refs, subjects.UNREADABLE]:
        for place in list(orphans.of(log, subject)):
            way = _Way(subject, place, at)
            if place[PARTITION_KEY] == Unmatched.partition(company_id):
                _erase_unmatched(log, bucket, way, person, done)
            elif place[PARTITION_KEY].startswith(_PARKED):
                done.parked += _erase_parked(log, bucket, way, person)
        done.parked += _erase_over_quota(log, bucket, subject, person)
    return done


def erase_of_message(log: Table, bucket: Bucket, name: Name, at: str) -> int:
    """Erase parked statuses and files of an erased message; how many those were. Safe to repeat."""
    subject = messages.hash_of(*name)
    found = list(orphans.of(log, subject))
    listed = sum(_erase_parked(log, bucket, _Way(subject, place, at), None) for place in found)
    return listed + _erase_over_quota(log, bucket, subject, None)


@dataclass(frozen=True, slots=True)
class _Way:
    """An item, the subject that it was found by, and when the erasure began."""

    subject: str
    place: Attributes
    at: str

    def remove(self, log: Table, led_by: Collection[str]) -> None:
        """Remove the item, and what leads to it: last the subject that a repetition finds it by."""
        orphans.forget(log, {*led_by} - {self.subject}, self.place)
        erasures.remove(log, self.place[PARTITION_KEY], self.place[SORT_KEY])
        orphans.forget(log, [self.subject], self.place)

    def end(self, log: Table) -> None:
        """Forget the way to an item that a run before has removed. What began since may not be written yet."""
        is_parked = self.place[PARTITION_KEY].startswith(_PARKED)
        if not is_parked or self.place[SORT_KEY] < self.at:
            orphans.forget(log, [self.subject], self.place)


def _erase_unmatched(log: Table, bucket: Bucket, way: _Way, person: _Person, done: Strays) -> None:
    item = erasures.one(log, way.place)
    if item is None:
        way.end(log)
        return
    unmatched = Unmatched.read(item)
    event = unmatched.event
    is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
    # Or it was placed in a conversation of theirs, whoever wrote it.
    if is_theirs or (unmatched.attached_to and states.is_erased(log, unmatched.attached_to)):
        name = (str(event["provider"]), str(event["provider_message_id"]))
        done.parked += erase_of_message(log, bucket, name, way.at)
        erasures.bury_message(log, name, way.at)
        way.remove(log, {*subjects.of_event(event), *filter(None, [unmatched.attached_to])})
        done.unmatched += 1


def _erase_parked(log: Table, bucket: Bucket, way: _Way, person: _Person | None) -> int:
    """Erase a parked event if it is of *person*, or with None in any case; how many those were."""
    item = erasures.one(log, way.place)
    if item is None:
        way.end(log)
        return 0
    parked, folder = Parked.read(item), parked_events(bucket)
    if parked.body_object is None or not _is_theirs(log, person, folder, parked):
        return 0
    # Without its text nobody could tell any more that it was of this person.
    erasures.condemn(log, way.place)
    folder.delete(Pointer.read(parked.body_object))
    way.remove(log, parked.subjects)
    return 1


def _erase_over_quota(log: Table, bucket: Bucket, subject: str, person: _Person | None) -> int:
    """Erase parked events without items if they are of *person*, or with None in any case; how many those were."""
    folder, erased = parked_events(bucket), 0
    for kept, body in over_quota.of_subject(folder, subject):
        if person is None or _is_about(log, person, body.decode("utf-8", "replace")):
            over_quota.delete(folder, kept)
            erased += 1
    return erased


def _is_theirs(log: Table, person: _Person | None, folder: Folder, parked: Parked) -> bool:
    """
    Whether a parked event is to be erased; False where the bucket's lifecycle has removed its text.

    False as well where the text is damaged, since it does not say whose it is: that is recorded. Raises ObjectUnusable
    where the text may not be read.
    """
    try:
        pointer = Pointer.read(parked.body_object)
        if person is None or parked.reason == ParkReason.ERASED:
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
    event = subjects.read(body)
    if event is None:
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
    return subjects.recipient_of(event) in {subjects.bare(address) for address in person.known}


def _may_be_for(log: Table, company_id: str, event: dict[str, Any]) -> bool:
    """Whether the business address is the company's, or nobody's."""
    channel, business = event.get("channel_method"), event.get("business_address")
    owners = routes.owners(log, str(channel), str(business)) if channel and business else []
    return not owners or any(owner.company_id == company_id for owner in owners)
