"""The data of a person outside of conversations: unmatched messages and parked events, which erasures remove."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from conversations.configuration.folders import parked_events
from conversations.privacy import subjects
from conversations.store import erasures, messages, routes, states
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import first_of_company
from conversations.store.items.records import Parked, ParkReason, Unmatched
from conversations.store.recovery import unhandled
from shared.aws.stored_objects import (
    FORBIDDEN,
    MISSING,
    ObjectUnusable,
    Pointer,
    mail_files_of,
    record,
)
from shared.events.recovery import over_quota
from shared.events.recovery.over_quota import OverQuotaEvent
from shared.identity.addresses import USER_ID_PREFIX
from shared.privacy.inventory import Found, Page
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from conversations.store.erasures import Name
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket

# The kinds of findings, as receipts count them.
UNMATCHED, PARKED, FILE, ENTRY = "unmatched", "parked", "files", "index_entries"
ABOVE_QUOTA = "over_quota"  # the act of an event that is an object without an item
AFTER_ITEMS: Final = {"after": "items"}  # the position after all indexed items of a subject
_PARKED = Parked.partition("-")[:-1]


@dataclass(frozen=True, slots=True)
class Person:
    """The person whose data is listed: the company and all addresses."""

    company_id: str
    addresses: frozenset[str]

    def has(self, *texts: object) -> bool:
        """Whether one of these texts is an address of the person, in any spelling."""
        return any(
            spelling in self.addresses for text in texts for spelling in subjects.readings(text)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphans:
    """
    The unmatched messages and parked events of a company's *person*; *at*: the time of the request. An erasure leaves
    unmatched messages that were received later.
    """

    log: Table
    bucket: Bucket
    person: Person
    at: str
    for_export: bool

    def page(self, subject: str, start: Attributes | None, limit: int | None) -> Page:
        """
        Return a page of the items that are indexed under a subject and are the person's; in the end the events above
        the quota. Without *limit* each is one page.
        """
        if start == AFTER_ITEMS:
            events = over_quota.of_subject(parked_events(self.bucket), subject)
            found = [
                one for event, body in events for one in self._theirs(body, None, _over(event))
            ]
            is_cut = limit is not None and len(found) > limit
            return Page(found[:limit], AFTER_ITEMS if is_cut else None)
        item_keys, last = unhandled.indexed_page(self.log, subject, limit=limit, start=start)
        orphans = [_IndexedOrphan(subject, item_key, self.at) for item_key in item_keys]
        return Page([one for each in orphans for one in self._indexed(each)], last or AFTER_ITEMS)

    def of_message(self, name: Name) -> list[Found]:
        """Return the parked statuses and files of a message of the person."""
        subject, found = messages.hash_of(*name), []
        for item_key in unhandled.indexed(self.log, subject):
            orphan = _IndexedOrphan(subject, item_key, self.at)
            item = erasures.read_item(self.log, item_key) if orphan.is_parked else None
            if item is not None:
                found += self._of_parked(orphan, Parked.read(item), is_known=True)
        events = over_quota.of_subject(parked_events(self.bucket), subject)
        return [*found, *(_over(event) for event, _ in events)]

    def remove(self, found: Found) -> None:
        """Remove a finding."""
        if found.act == ABOVE_QUOTA:
            over_quota.delete(parked_events(self.bucket), OverQuotaEvent(found.key))
            return
        orphan = _IndexedOrphan.of(found, self.at)
        item = erasures.read_item(self.log, orphan.item_key)
        if item is None:
            orphan.end(self.log)
        elif found.kind == UNMATCHED:
            unmatched = Unmatched.read(item)
            erasures.mark_message_erased(self.log, _name_of(unmatched), self.at)
            subjects_of = {*subjects.of_event(unmatched.event), unmatched.attached_to}
            orphan.remove(self.log, {one for one in subjects_of if one is not None})
        elif found.kind == PARKED:
            parked = Parked.read(item)
            # Marked first: once the text is deleted, a retry could not tell that the event concerns this person.
            erasures.mark_parked_erased(self.log, orphan.item_key)
            parked_events(self.bucket).delete(Pointer.read(parked.body_object))
            orphan.remove(self.log, parked.subjects)

    def export(self, found: Found) -> dict[str, object] | None:
        """Return a finding as a line; None if it is gone by now."""
        if found.act == ABOVE_QUOTA:
            body = over_quota.body_of(parked_events(self.bucket), found.key)
            return (
                None
                if body is None
                else {"kind": found.kind, "event": body.decode("utf-8", "replace")}
            )
        item = erasures.read_item(self.log, _IndexedOrphan.of(found, self.at).item_key)
        if item is None:
            return None
        line: dict[str, object] = {"kind": found.kind, "item": item}
        if found.kind == PARKED:
            body = self._body(Parked.read(item))
            line["event"] = body and body.decode("utf-8", "replace")
        return line

    def _body(self, parked: Parked) -> bytes | None:
        try:
            return parked_events(self.bucket).get(Pointer.read(parked.body_object))
        except ObjectUnusable as fault:
            record(fault, "parked event")
            return None

    def _indexed(self, orphan: _IndexedOrphan) -> list[Found]:
        item = erasures.read_item(self.log, orphan.item_key)
        if item is None:
            return [orphan.finding(ENTRY)]
        if orphan.is_parked:
            return self._of_parked(orphan, Parked.read(item), is_known=False)
        is_here = orphan.item_key[PARTITION_KEY] == Unmatched.partition(self.person.company_id)
        unmatched = Unmatched.read(item)
        is_since = not self.for_export and unmatched.received_at > self.at
        if not is_here or is_since or not self._is_theirs(unmatched, orphan.subject):
            return []
        files = self._files(unmatched.event.get("media"))
        return [*self.of_message(_name_of(unmatched)), *files, orphan.finding(UNMATCHED)]

    def _is_theirs(self, unmatched: Unmatched, subject: str) -> bool:
        """Whether a message names the person, or is attached to one of their conversations, from any sender."""
        event, attached = unmatched.event, unmatched.attached_to
        if self.person.has(event.get("customer_address"), event.get("customer_user_id")):
            return True
        return attached is not None and (
            attached == subject or states.is_erased(self.log, attached)
        )

    def _of_parked(self, orphan: _IndexedOrphan, parked: Parked, *, is_known: bool) -> list[Found]:
        """
        Return a parked event that is to be removed, after its files. *is_known*: by the message that it is about.

        None if the bucket's lifecycle has removed its text, or the text is damaged, since its person is then unknown;
        this is logged and counted. Raises ObjectUnusable if access to the text is denied.
        """
        if parked.body_object is None:
            return []
        folder = parked_events(self.bucket)
        try:
            pointer = Pointer.read(parked.body_object)
            if is_known or parked.reason == ParkReason.ERASED:
                return [orphan.finding(PARKED)] if folder.holds(pointer.key) else []
            body = folder.get(pointer)
        except ObjectUnusable as fault:
            if fault.reason == FORBIDDEN:
                raise
            if fault.reason != MISSING:
                record(fault, "parked event")
            return []
        return self._theirs(body, orphan.subject, orphan.finding(PARKED))

    def _theirs(self, body: bytes, subject: str | None, finding: Found) -> list[Found]:
        """Return a parked event with this text after its files, if it concerns the person."""
        text = body.decode("utf-8", "replace")
        if not _is_about(self.log, self.person, text, subject):
            return []
        return [*self._files((json_object(text) or {}).get("media")), finding]

    def _files(self, media: object) -> list[Found]:
        company = self.person.company_id
        return [Found(FILE, key) for key in mail_files(self.bucket, company, media)]


@dataclass(frozen=True, slots=True)
class _IndexedOrphan:
    """The key of an item, the subject that it was found by, and the start time of the erasure."""

    subject: str
    item_key: Attributes
    at: str

    @classmethod
    def of(cls, found: Found, at: str) -> _IndexedOrphan:
        """Return the orphan of a finding."""
        subject, pk, sk = json.loads(found.key)
        return cls(subject, {PARTITION_KEY: pk, SORT_KEY: sk}, at)

    @property
    def is_parked(self) -> bool:
        """Whether it is a parked event."""
        return str(self.item_key[PARTITION_KEY]).startswith(_PARKED)

    def finding(self, kind: str) -> Found:
        """Return the finding of the orphan."""
        parts = [self.subject, self.item_key[PARTITION_KEY], self.item_key[SORT_KEY]]
        return Found(kind, json.dumps(parts))

    def remove(self, log: Table, led_by: Collection[str]) -> None:
        """Delete the item and its subject entries; the entry of this subject last, since a retry finds it there."""
        unhandled.forget_entries(log, {*led_by} - {self.subject}, self.item_key)
        erasures.remove(log, self.item_key[PARTITION_KEY], self.item_key[SORT_KEY])
        unhandled.forget_entries(log, [self.subject], self.item_key)

    def end(self, log: Table) -> None:
        """Delete the subject entry of a missing item. A parked item newer than *at* may not be written yet: kept."""
        if not self.is_parked or self.item_key[SORT_KEY] < self.at:
            unhandled.forget_entries(log, [self.subject], self.item_key)


def mail_files(bucket: Bucket, company_id: str, media: object) -> Iterator[str]:
    """
    Yield the keys of the files of a mail that its threads have copied for the conversations. *media*: a value of a
    queued event.
    """
    folder = mail_files_of(bucket, company_id)
    for file in media if isinstance(media, list) else ():
        with suppress(ObjectUnusable):
            if isinstance(file, dict):
                yield folder.key_in(str(file.get("url") or f"s3://{bucket.name}/{file.get('key')}"))


def _name_of(unmatched: Unmatched) -> Name:
    event = unmatched.event
    return str(event["provider"]), str(event["provider_message_id"])


def _over(event: OverQuotaEvent) -> Found:
    return Found(PARKED, event.key, ABOVE_QUOTA)


def _is_about(log: Table, person: Person, body: str, subject: str | None) -> bool:
    """
    Whether a parked event concerns the person at this company, or at a company that cannot be determined. *subject*: by
    which it was found; the `ref` of a conversation is one of the person's.
    """
    event = json_object(body)
    if event is None:
        # Unparseable, so its company is unknown: erased if the text contains one of the addresses.
        return any(address.removeprefix(USER_ID_PREFIX) in body for address in person.addresses)
    if "ref" in event:
        return event["ref"] == subject or states.is_erased(log, str(event["ref"]))
    if "conversation_data" in event:
        return _is_request_of(person, event)
    if "customer_address" in event or "customer_user_id" in event:
        is_theirs = person.has(event.get("customer_address"), event.get("customer_user_id"))
        return is_theirs and _may_be_for(log, person.company_id, event)
    name = (str(event.get("provider")), str(event.get("provider_message_id")))
    return erasures.is_message(log, *name)


def _is_request_of(person: Person, event: dict[str, Any]) -> bool:
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
