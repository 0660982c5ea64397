"""Pages of a thread with other people: mails by or naming the person, drafts to the person, the person's row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy import fence
from email_threads.privacy.findings import (
    DRAFT,
    PARTICIPANT,
    ThreadPage,
    files_of,
    part_of,
    raw_of,
    row_key,
    subject_hash,
    uploads_of,
)
from email_threads.store import threads
from email_threads.store.items import Draft
from email_threads.store.items.privacy.privacy import MAIL, PART, THREAD, Place
from email_threads.store.privacy import erasure, retention
from shared.privacy.inventory import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from email_threads.privacy.findings import StoredData
    from email_threads.store.items import Mail, Thread

MAILS_A_PAGE: Final = 10  # each with up to a hundred files
MAILS_AT_ONCE: Final = 100
MOST_SUBJECTS: Final = 50


def subjects(stored: StoredData, head: Thread, place: Place) -> ThreadPage:
    """Learn the subjects of mails that are not the person's, which stay, and whether a mail names the person."""
    last = place.n + MAILS_AT_ONCE
    read = threads.mails(stored.table, head.conversation_id, range(place.n + 1, last + 1))
    person = stored.person
    of_others = (mail for mail in read if not mail.erased and not person.wrote(mail))
    known = {*place.subjects, *(subject_hash(mail.subject) for mail in of_others)}
    learnt = tuple(sorted(known)[:MOST_SUBJECTS])
    # The blanked mails of an interrupted run name no one any more.
    is_named = place.is_named or any(
        mail.erased or person.wrote(mail) or person.received(mail) for mail in read
    )
    if last < head.email_count:
        return ThreadPage([], Place(place.source, last, learnt, is_named))
    if not (is_named or person.address in {head.participant, *head.participants}):
        return ThreadPage([])
    return ThreadPage([], Place(place.source + 1, 0, learnt, is_named))


def mails(stored: StoredData, head: Thread, place: Place) -> ThreadPage:
    """Return a page of mails that the person wrote, and of mails that name the person."""
    last = place.n + MAILS_A_PAGE
    read = threads.mails(stored.table, head.conversation_id, range(place.n + 1, last + 1))
    found = [one for mail in read for one in _of_mail(stored, mail, place)]
    if last < head.email_count:
        return ThreadPage(found, Place(place.source, last, place.subjects, place.is_named))
    # The end compares the position with the number of mails by then.
    return ThreadPage(
        found, Place(place.source + 1, head.email_count, place.subjects, place.is_named)
    )


def drafts(stored: StoredData, head: Thread, place: Place) -> ThreadPage:
    """Return the drafts to the person, each after the files that were uploaded for it."""
    listed = [Draft.read(one) for one in erasure.items(stored.table, erasure.draft_keys(head))]
    found = [
        one
        for draft in listed
        if stored.person.is_addressed_by(draft)
        for one in (*uploads_of(draft), Found(DRAFT, draft.conversation_id, PART))
    ]
    return ThreadPage(found, Place(place.source + 1, place.n, place.subjects, place.is_named))


def end(stored: StoredData, head: Thread, place: Place) -> ThreadPage:
    """Return the heads that name the person, and their row; the first page again if mails have come meanwhile."""
    if head.email_count > place.n and not stored.for_export:
        return ThreadPage([], Place())
    if fence.stays(stored.table, stored.person, head) and not _has_erased(stored, head):
        return ThreadPage([])  # The thread began after the request.
    live = [one for one in [*stored.merged_into(head), head] if not retention.is_expired(one)]
    key = row_key(head.conversation_id, stored.person.address)
    rows = [Found(PARTICIPANT, key, PART) for _ in erasure.items(stored.table, [key])]
    parts = [
        Found(THREAD, one.conversation_id, part_of(one.subject, place.subjects)) for one in live
    ]
    return ThreadPage([*parts, *rows])


def _of_mail(stored: StoredData, mail: Mail, place: Place) -> Iterator[Found]:
    person = stored.person
    is_theirs = person.wrote(mail)
    is_out = mail.erased or mail.received_at > person.until
    if is_out or not (is_theirs or person.received(mail)):
        return
    yield from raw_of(mail)
    if is_theirs or stored.for_export:
        yield from files_of(mail)
    yield Found(MAIL, mail.conversation_id, part_of(mail.subject, place.subjects))


def _has_erased(stored: StoredData, head: Thread) -> bool:
    numbers = [entry.n for entry in head.email_history]
    return any(mail.erased for mail in threads.mails(stored.table, head.conversation_id, numbers))
