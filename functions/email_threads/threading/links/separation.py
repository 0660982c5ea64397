"""
Moves mails out of a thread: into a new one (a split), or back into the one that was merged into it (the undo).

    1 target    a split creates the head, with as many places as     found: a split goes on, an undo does if it has
                mails; an undo opens the merged thread as it was     opened the thread
    2 mails     each with its alias; its former place stays empty;   killed: moved, or not
                files get keys of the new thread
    3 target    its head from its mails, rows of its people          repeated; the head once
    4 source    the same from the mails that are left                the same; refused if a mail came meanwhile: again
    5 files     in empty places they are removed                     repeated

No later mail that names both threads merges them again (`kept_apart`). Mails that came to a thread after a merge stay
there. A split is undone by a merge: mails return to their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from email_threads.store import changes, drafts, merges, objects, threads
from email_threads.store.changes import Change
from email_threads.store.items import Status, Thread
from email_threads.store.items.parked import ParkReason
from email_threads.store.lists import participants
from email_threads.threading import ids, people
from email_threads.threading.head import heads, rebuilt, service_level
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from email_threads.inbound.events import EmailSeparate
    from email_threads.store.items import Mail
    from email_threads.store.items.threads.merge import MergeEffects
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

MOST_MAILS: Final = 50  # of a split; fewer than the gap in which a removal looks for more
TRIES: Final = 8
SPLIT: Final = "split"
UNMERGE: Final = "unmerge"
MOVED: Final = "mails_moved"


def separate(table: Table, bucket: Bucket, event: EmailSeparate) -> bool:
    """
    Split a thread, or undo a merge. Idempotent. False if a thread is gone, or was merged again, or if people have moved
    mails of the merged one to other threads, which an undo would leave with gaps.

    Raises Permanent (`other_company`) for threads of two companies, Transient while mails keep arriving.
    """
    source = threads.get(table, event.source)
    if source is None or source.merged_into is not None:
        return False
    present = threads.get(table, event.target)
    if present is not None and present.company_id != source.company_id:
        raise Permanent(ParkReason.OTHER_COMPANY)
    is_split = bool(event.numbers)
    moves = _moves(table, source, event)
    is_merged = present is not None and present.merged_into is not None and present.email_count > 0
    if not is_split and is_merged and (not moves or moved_away(table, source, event.target)):
        return False
    opened = _created(table, source, present, event) if is_split else _reopened(table, event)
    if opened is None:
        return False
    target, effects = opened
    for mail, moved in moves:
        for key in objects.keys_of(mail):
            if (copy := objects.key_in(key, moved.thread)) != key:
                bucket.copy(key, copy)
        if not merges.place(table, mail, objects.with_keys_in(moved, moved.thread)):
            raise Transient("thread_contended")
    _finish_target(table, target.conversation_id, event)
    _finish_source(table, source, event, effects)
    in_drafts = _keys_in_drafts(table, source, event.target)
    for place in _left_places(table, source, event):
        objects.remove_of_mail(bucket, place.thread, place.email_id, except_for=in_drafts)
    return True


def _keys_in_drafts(table: Table, source: Thread, target_id: str) -> set[str]:
    """
    Return the keys of files that drafts send: of the thread, and of the other one, to which they may have moved.

    A draft is listed in the other thread before it leaves the list of its own.
    """
    found = drafts.get_many(table, source.conversation_id, source.open_drafts)
    target = threads.get(table, target_id)
    found += drafts.open_of(table, target) if target is not None else []
    return {file.s3_key for draft in found for file in draft.attachments}


def _moves(table: Table, source: Thread, event: EmailSeparate) -> list[tuple[Mail, Mail]]:
    """Return the mails that are still to be moved, and each as it is at its new place."""
    if event.numbers:
        found = threads.mails(table, source.conversation_id, event.numbers)
        return [(mail, mail.at(event.target, event.numbers.index(mail.n) + 1)) for mail in found]
    found = threads.mails(table, source.conversation_id, range(1, source.email_count + 1))
    return [(mail, mail.at_home()) for mail in found if mail.home == event.target]


def moved_away(table: Table, source: Thread, merged: str) -> set[str]:
    """Return the threads to which people have moved mails that a thread got by the merge of the thread *merged*."""
    places = threads.places(table, source.conversation_id, range(1, source.email_count + 1))
    left = {one.moved_to for one in places if one.moved_to and one.home == merged}
    return left - {merged}


def _left_places(table: Table, source: Thread, event: EmailSeparate) -> list[Mail]:
    """Return the places of a split whose files have copies in the new thread."""
    places = threads.places(table, source.conversation_id, event.numbers)
    return [one for one in places if one.moved_to == event.target]


def _created(
    table: Table, source: Thread, present: Thread | None, event: EmailSeparate
) -> tuple[Thread, MergeEffects | None] | None:
    """Return the thread of a split; None if it was merged since."""
    if present is not None:
        threads.put_expiry(table, present)
        return (present, None) if present.merged_into is None else None
    first = next(iter(threads.mails(table, source.conversation_id, event.numbers)), None)
    if first is None:
        return None
    now = clock.to_text(clock.now_ms())
    facts = source.metadata
    new = Thread(
        conversation_id=event.target,
        company_id=source.company_id,
        mailbox=source.mailbox,
        created_at=first.timestamp,
        updated_at=now,
        status=source.status,
        company_status=Thread.list_of(source.company_id, source.status),
        original_message_id=f"<{first.message_id}>",
        subject=event.subject or source.subject,
        participants={source.mailbox},
        email_count=len(event.numbers),
        automation=source.automation,
        reply_mode=source.reply_mode,
        gdpr_consent=source.gdpr_consent,
        data_retention_policy=source.data_retention_policy,
        last_seq=0,
        split_from=source.conversation_id,
        kept_apart={source.conversation_id},
        metadata=facts.model_copy(
            update={"notes": None, "client_info": type(facts.client_info)(), "tags": set()}
        ),
    )
    new = new.model_copy(update=heads.touched(new))
    threads.create(table, new)
    threads.put_expiry(table, new)
    return new, None


def _reopened(table: Table, event: EmailSeparate) -> tuple[Thread, MergeEffects] | None:
    """Open a merged thread with the status that it had; None if its merge is not the one that is undone."""
    for _ in range(TRIES):
        thread = threads.get(table, event.target)
        if thread is None or thread.merge_effects is None:
            return None
        effects = thread.merge_effects
        if thread.has_made(event.cause):
            return thread, effects
        if thread.merged_into != event.source or thread.seq != event.seq:
            return None
        fields = {
            "status": effects.status,
            "company_status": Thread.list_of(thread.company_id, effects.status),
            "merged_into": None,
            "kept_apart": thread.kept_apart | {event.source},
            **heads.touched(thread),
        }
        entry = _Entry(event, UNMERGE, event.source)
        after = changes.change(table, thread, entry.change(fields))
        if after is not None:
            threads.put_expiry(table, after)
            return after, effects
    raise Transient("thread_contended")


def _finish_target(table: Table, target_id: str, event: EmailSeparate) -> None:
    """
    Derive the head of the target from its mails, and list it for its people.

    A merge leaves the head of the merged thread as it is, but for its status and its participant.
    """

    def fields_of(thread: Thread, places: Sequence[Mail]) -> dict[str, Any]:
        fields = rebuilt.head_of(thread, _present(places))
        is_waiting = fields["waiting_since"] is not None
        status = Status.ACTIVE if is_waiting else thread.status
        return fields | {
            "status": status,
            "company_status": Thread.list_of(thread.company_id, status),
        }

    if event.numbers:
        entry = _Entry(event, f"{SPLIT}_from", event.source)
        thread = _rewritten(table, target_id, entry, fields_of)
    else:
        thread = threads.get(table, target_id)
    if thread is None:
        return
    mails = threads.mails(table, target_id, range(1, thread.email_count + 1))
    added = [one for mail in mails for one in people.added_by(mail, thread.mailbox)]
    if thread.participant is None:
        others = sorted(thread.participants - {thread.mailbox})
        if (participant := next(iter([*added, *others]), None)) is not None:
            merges.set_participant(table, target_id, participant)
            thread = thread.model_copy(update={"participant": participant})
    for address in sorted(set(added)):
        participants.put(table, thread, address, ids.address_hash(address))
    for author in sorted({one for mail in mails if (one := people.weak_author(mail))}):
        participants.list_weak_author(table, thread, author, ids.address_hash(author))


def _finish_source(
    table: Table, source: Thread, event: EmailSeparate, effects: MergeEffects | None
) -> None:
    """Derive the head of the source from the mails that are left, and remove the rows of people who are not."""
    target = threads.get(table, event.target)

    def fields_of(thread: Thread, places: Sequence[Mail]) -> dict[str, Any]:
        numbers = [one.n for one in places if one.moved_to == event.target]
        fields = rebuilt.head_of(thread, _present(places)) | rebuilt.without_findings(
            thread, numbers
        )
        if not event.numbers:  # Mails of a split may return to their places.
            last = max((one.n for one in places if one.moved_to != event.target), default=0)
            ending = range(last + 1, thread.email_count + 1)
            merges.remove_places(table, thread.conversation_id, ending)
            fields["email_count"] = last
        fields["kept_apart"] = thread.kept_apart | {event.target}
        if effects is not None and target is not None:
            fields |= _without_effects(thread, target, effects, fields)
        return fields

    entry = _Entry(event, MOVED, event.target)
    after = _rewritten(table, source.conversation_id, entry, fields_of)
    if after is None or target is None:
        return
    mails = threads.mails(table, target.conversation_id, range(1, target.email_count + 1))
    gone = {one for mail in mails for one in people.listed_by(mail, after.mailbox)}
    left = threads.mails(table, after.conversation_id, range(1, after.email_count + 1))
    gone -= {one for mail in left for one in people.listed_by(mail, after.mailbox)}
    for address in sorted(gone):
        participants.remove(table, after.conversation_id, ids.address_hash(address))


def _present(places: Sequence[Mail]) -> list[Mail]:
    """Return the mails of a thread without the empty places of moved ones."""
    return [one for one in places if one.moved_to is None]


def _without_effects(
    thread: Thread, target: Thread, effects: MergeEffects, fields: dict[str, Any]
) -> dict[str, Any]:
    """Return the head of the other thread without what the merge has brought; what people changed since stays."""
    own, theirs = thread.metadata, target.metadata
    facts: dict[str, Any] = {"tags": own.tags - effects.tags}
    if effects.has_priority and own.priority == theirs.priority:
        facts["priority"] = None
    if effects.has_assignee and own.assigned_to == theirs.assigned_to:
        facts["assigned_to"] = None
    is_unchanged = thread.seq == effects.winner_seq
    found = {
        "metadata": own.model_copy(update=facts),
        "merged_from": thread.merged_from - {target.conversation_id, *target.merged_from},
        "created_at": min(effects.created_at, fields.get("created_at", effects.created_at)),
    }
    if effects.has_reminder and thread.reminder == target.reminder:
        found["reminder"] = None
    if effects.has_consent and is_unchanged:
        found["gdpr_consent"] = effects.consent
    before = thread.model_copy(update={"service_level": effects.service_level})
    if thread.service_level == service_level.joined(before, target):
        found["service_level"] = effects.service_level
    return found


@dataclass(frozen=True, slots=True)
class _Entry:
    """The entry of a step in a record of changes: a word, and the other thread."""

    event: EmailSeparate
    action: str
    other: str

    def is_in(self, thread: Thread) -> bool:
        """Whether the step was made."""
        return any(
            (one.cause, one.action) == (self.event.cause, self.action) for one in thread.audit_log
        )

    def change(self, fields: dict[str, Any]) -> Change:
        """Return the change of a head."""
        return Change(
            fields=fields,
            at=clock.to_text(clock.now_ms()),
            actor=self.event.actor,
            action=self.action,
            detail=self.other,
            cause=self.event.cause,
            is_marked=True,
        )


def _rewritten(
    table: Table,
    thread_id: str,
    entry: _Entry,
    fields_of: Callable[[Thread, Sequence[Mail]], dict[str, Any]],
) -> Thread | None:
    """Write the head of a thread once, from its places; None if it is gone. Raises Transient after eight lost races."""
    for _ in range(TRIES):
        thread = threads.get(table, thread_id)
        if thread is None or entry.is_in(thread):
            return thread
        places = threads.places(table, thread_id, range(1, thread.email_count + 1))
        after = changes.change(table, thread, entry.change(fields_of(thread, places)))
        if after is not None:
            return after
    raise Transient("thread_contended")
