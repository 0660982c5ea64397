"""
Data about a person outside threads: lists of the company, and events for which no company is proven.

    waiting, closed drafts    to the person; that answer or forward an erased mail; whose thread is gone
    parked events             the person's mails, announcements of mails to the person, SES's events about such mails
    of no company             the same, of senders that are no mailbox: by a keyed hash of the person
    counts                    of automatic answers to the person
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.inbound.events import FEEDBACK, SENT
from email_threads.privacy.findings import (
    ANSWER_COUNT,
    DRAFT,
    PARKED_EVENT,
    PARKED_MAIL,
    uploads_of,
)
from email_threads.recovery import claims
from email_threads.replies.automatic import count_keys
from email_threads.store import drafts, parked, threads
from email_threads.store.items import AliasKind, Draft
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.privacy.privacy import PART
from email_threads.store.privacy import erasure
from shared.privacy.inventory import Found, Page
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from email_threads.privacy.findings import StoredData
    from email_threads.store.items import ParkedEvent
    from shared.aws.dynamodb import Attributes

DRAFTS_A_PAGE: Final = 100
EVENTS_A_PAGE: Final = 10


def waiting_drafts(stored: StoredData, start: Attributes | None) -> Page:
    """Return a page of the person's drafts that wait, and where the next page starts."""
    return _drafts(stored, Draft.list_of(stored.person.company_id), start)


def closed_drafts(stored: StoredData, start: Attributes | None) -> Page:
    """Return a page of the person's drafts that are final, and where the next page starts."""
    return _drafts(stored, Draft.closed_list_of(stored.person.company_id), start)


def parked_events(stored: StoredData, start: Attributes | None) -> Page:
    """Return the person's among a page of the company's parked events, and where the next page starts."""
    events, last = parked.of_company(
        stored.table, stored.person.company_id, limit=EVENTS_A_PAGE, start=start
    )
    return Page([found for event in events for found in _of_event(stored, event)], last)


def unclaimed_events(stored: StoredData, start: Attributes | None) -> Page:
    """
    Return the person's parked events for which no company is proven, except events that belong to another
    company today, and where the next page starts.
    """
    person = stored.person
    subjects = claims.subjects_of(person.address)
    position = dict(start) if start is not None else {}
    number = int(position.pop("subject", 0))
    events, last = parked.of_subject(
        stored.table, subjects[number], limit=EVENTS_A_PAGE, start=position or None
    )
    found = [
        one
        for event in events
        if claims.owner_today(
            stored.table, stored.owners, stored.bucket, json_object(event.body) or {}
        )
        in {None, person.company_id}
        for one in _of_event(stored, event)
    ]
    if last is not None:
        return Page(found, {**last, "subject": number})
    return Page(found, {"subject": number + 1} if number + 1 < len(subjects) else None)


def answer_counts(stored: StoredData, _: Attributes | None) -> Page:
    """Return the counts of automatic answers to the person."""
    keys = count_keys(stored.person.company_id, stored.person.address)
    items = erasure.items(stored.table, keys)
    return Page([Found(ANSWER_COUNT, str(item[PARTITION_KEY])) for item in items])


LISTS: Final[Mapping[str, Callable[[StoredData, Attributes | None], Page]]] = {
    "waiting_drafts": waiting_drafts,
    "closed_drafts": closed_drafts,
    "parked_events": parked_events,
    "unclaimed_events": unclaimed_events,
    "answer_counts": answer_counts,
}


def _drafts(stored: StoredData, partition: str, start: Attributes | None) -> Page:
    table = stored.table
    page, last = drafts.page(table, partition, limit=DRAFTS_A_PAGE, start=start)
    heads = threads.get_many(table, [draft.thread for draft in page])
    known = threads.aliases(table, [draft.email_id for draft in page if draft.email_id])
    erased = {one for one, alias in known.items() if alias.kind is AliasKind.ERASED}

    def is_theirs(draft: Draft) -> bool:
        head = heads.get(draft.thread)
        if stored.for_export:
            is_listed = head is not None and draft.reply_id in head.open_drafts
            return stored.person.is_addressed_by(draft) and not is_listed
        return head is None or stored.person.is_addressed_by(draft) or draft.email_id in erased

    found = [
        one
        for draft in page
        if draft.company_id == stored.person.company_id and is_theirs(draft)
        for one in (*uploads_of(draft), Found(DRAFT, draft.conversation_id, PART))
    ]
    return Page(found, last)


def _of_event(stored: StoredData, event: ParkedEvent) -> Iterator[Found]:
    person = stored.person
    if (event.received_at or event.parked_at) > person.until:
        return
    fields = json_object(event.body) or {}
    if event.kind in {SENT, FEEDBACK}:
        named = [fields.get("customer_address"), *_texts(fields.get("recipients"))]
        if any(isinstance(one, str) and one.casefold() == person.address for one in named):
            yield Found(PARKED_EVENT, event.event_id)
        return
    key = claims.raw_key_of(fields)
    if key is not None and _is_theirs(stored, fields):
        yield Found(PARKED_MAIL, key)
        yield Found(PARKED_EVENT, event.event_id)


def _is_theirs(stored: StoredData, event: dict[str, Any]) -> bool:
    """Whether a raw mail is the person's: from them, or from the company to them alone. False if it is unreadable."""
    person = stored.person
    senders = claims.senders_of(stored.bucket, event)
    if person.address in senders or person.own.isdisjoint(senders):
        return person.address in senders
    return {*claims.recipients_of(stored.bucket, event)} - person.own == {person.address}


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else []
