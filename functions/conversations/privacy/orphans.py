"""Erases data of a person outside of conversations: unmatched messages and parked events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.configuration.folders import parked_events
from conversations.privacy import mail_files, subjects
from conversations.store import erasures, messages, routes, states
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import first_of_company
from conversations.store.items.records import Parked, ParkReason, Unmatched
from conversations.store.recovery import unhandled
from shared.aws.stored_objects import FORBIDDEN, MISSING, ObjectUnusable, Pointer, record
from shared.events.recovery import over_quota
from shared.identity.addresses import USER_ID_PREFIX
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.store.erasures import Name
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from shared.aws.stored_objects import Folder

_PARKED = Parked.partition("-")[:-1]


@dataclass(slots=True, eq=False)
class Strays:
    """Counts of erased items."""

    unmatched: int = 0
    parked: int = 0


@dataclass(frozen=True, slots=True)
class _Person:
    company_id: str
    addresses: frozenset[str]

    def has(self, *texts: object) -> bool:
        """Whether one of these texts is an address of the person, in any spelling."""
        return any(
            spelling in self.addresses for text in texts for spelling in subjects.readings(text)
        )


def erase(
    log: Table,
    bucket: Bucket,
    company_id: str,
    *,
    addresses: Collection[str],
    refs: Collection[str],
    at: str,
) -> Strays:
    """
    Erase the orphans of the person's *addresses* and of their conversations *refs*. Idempotent.

    Reads only the items indexed under this person's subjects and the unreadable ones, however many others there are.
    """
    person = _Person(company_id, frozenset(addresses))
    by_address = {subject for address in addresses for subject in subjects.of_address(address)}
    done = Strays()
    for subject in [*sorted(by_address), *refs, subjects.UNREADABLE]:
        for item_key in list(unhandled.indexed(log, subject)):
            orphan = _IndexedOrphan(subject, item_key, at)
            if item_key[PARTITION_KEY] == Unmatched.partition(company_id):
                _erase_unmatched(log, bucket, orphan, person, done)
            elif item_key[PARTITION_KEY].startswith(_PARKED):
                done.parked += _erase_parked(log, bucket, orphan, person)
        done.parked += _erase_over_quota(log, bucket, subject, person)
    return done


def erase_of_message(log: Table, bucket: Bucket, name: Name, at: str) -> int:
    """Erase the parked statuses and files of an erased message and return their number. Idempotent."""
    subject = messages.hash_of(*name)
    item_keys = list(unhandled.indexed(log, subject))
    listed = sum(
        _erase_parked(log, bucket, _IndexedOrphan(subject, item_key, at), None)
        for item_key in item_keys
    )
    return listed + _erase_over_quota(log, bucket, subject, None)


@dataclass(frozen=True, slots=True)
class _IndexedOrphan:
    """The key of an item, the subject that it was found by, and the start time of the erasure."""

    subject: str
    item_key: Attributes
    at: str

    def remove(self, log: Table, led_by: Collection[str]) -> None:
        """Delete the item and its subject entries; the entry of this subject last, since a retry finds it there."""
        unhandled.forget_entries(log, {*led_by} - {self.subject}, self.item_key)
        erasures.remove(log, self.item_key[PARTITION_KEY], self.item_key[SORT_KEY])
        unhandled.forget_entries(log, [self.subject], self.item_key)

    def end(self, log: Table) -> None:
        """Delete the subject entry of a missing item. A parked item newer than *at* may not be written yet: kept."""
        is_parked = self.item_key[PARTITION_KEY].startswith(_PARKED)
        if not is_parked or self.item_key[SORT_KEY] < self.at:
            unhandled.forget_entries(log, [self.subject], self.item_key)


def _erase_unmatched(
    log: Table, bucket: Bucket, orphan: _IndexedOrphan, person: _Person, done: Strays
) -> None:
    item = erasures.read_item(log, orphan.item_key)
    if item is None:
        orphan.end(log)
        return
    unmatched = Unmatched.read(item)
    event = unmatched.event
    is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
    # A message attached to one of their conversations is erased regardless of its sender address.
    if is_theirs or (unmatched.attached_to and states.is_erased(log, unmatched.attached_to)):
        name = (str(event["provider"]), str(event["provider_message_id"]))
        done.parked += erase_of_message(log, bucket, name, orphan.at)
        mail_files.delete(bucket, person.company_id, event.get("media"))
        erasures.mark_message_erased(log, name, orphan.at)
        orphan.remove(log, {*subjects.of_event(event), *filter(None, [unmatched.attached_to])})
        done.unmatched += 1


def _erase_parked(
    log: Table, bucket: Bucket, orphan: _IndexedOrphan, person: _Person | None
) -> int:
    """Erase a parked event if it concerns *person* (None: always); return how many were erased."""
    item = erasures.read_item(log, orphan.item_key)
    if item is None:
        orphan.end(log)
        return 0
    parked, folder = Parked.read(item), parked_events(bucket)
    if parked.body_object is None or not _is_theirs(log, person, folder, parked):
        return 0
    if person is not None and parked.reason != ParkReason.ERASED:
        event = json_object(folder.get(Pointer.read(parked.body_object)).decode("utf-8", "replace"))
        mail_files.delete(bucket, person.company_id, (event or {}).get("media"))
    # Marked first: once the text is deleted, a retry could not tell that the event concerns this person.
    erasures.mark_parked_erased(log, orphan.item_key)
    folder.delete(Pointer.read(parked.body_object))
    orphan.remove(log, parked.subjects)
    return 1


def _erase_over_quota(log: Table, bucket: Bucket, subject: str, person: _Person | None) -> int:
    """Erase parked S3 events without items of *person* (None: of all people). Return the count."""
    folder, erased = parked_events(bucket), 0
    for stored_event, body in over_quota.of_subject(folder, subject):
        if person is None or _is_about(log, person, body.decode("utf-8", "replace")):
            event = json_object(body.decode("utf-8", "replace")) or {}
            if person is not None:
                mail_files.delete(bucket, person.company_id, event.get("media"))
            over_quota.delete(folder, stored_event)
            erased += 1
    return erased


def _is_theirs(log: Table, person: _Person | None, folder: Folder, parked: Parked) -> bool:
    """
    Whether a parked event is to be erased; False if the bucket's lifecycle has removed its text.

    Also False if the text is damaged, since its person is then unknown; this is logged and counted. Raises
    ObjectUnusable if access to the text is denied.
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
    """Whether a parked event concerns the person at this company, or at a company that cannot be determined."""
    event = json_object(body)
    if event is None:
        # Unparseable, so its company is unknown: erased if the text contains one of the addresses.
        return any(address.removeprefix(USER_ID_PREFIX) in body for address in person.addresses)
    if "ref" in event:
        return states.is_erased(log, str(event["ref"]))
    if "conversation_data" in event:
        return _is_request_of(person, event)
    if "customer_address" in event or "customer_user_id" in event:
        is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
        return is_theirs and _may_be_for(log, person.company_id, event)
    name = (str(event.get("provider")), str(event.get("provider_message_id")))
    return erasures.is_message(log, *name)


def _is_request_of(person: _Person, event: dict[str, Any]) -> bool:
    held = event["conversation_data"]
    conversation_id = str(held.get("conversation_id")) if isinstance(held, dict) else ""
    if not conversation_id.startswith(first_of_company(person.company_id)):
        return False
    return subjects.recipient_of(event) in {subjects.bare(address) for address in person.addresses}


def _may_be_for(log: Table, company_id: str, event: dict[str, Any]) -> bool:
    """Whether the business address belongs to the company or to no company."""
    channel, business = event.get("channel_method"), event.get("business_address")
    owners = routes.owners(log, str(channel), str(business)) if channel and business else []
    return not owners or any(owner.company_id == company_id for owner in owners)
