"""
Merges a thread into another one, when a mail shows that they are one.

    1 consent         if refused, the winner has it refused first: no        repeated
                      model reads the moved mails
    2 metadata        the winner gets the tags, earlier due times, and the    repeated: nothing differs any more
                      priority, the assignee and the reminder if it has
                      none, with an audit entry
    3 mails           each is appended to the winner with its alias, or       killed: not moved, or skipped and removed
                      returns to its place there, and is then removed
                      from the loser
    4 head            of a winner to which a split is undone: derived again   made once
    5 participants    rows of the winner are written, the loser's deleted     repeated
    6 head            the loser is archived, names the winner, leaves lists   repeated; refused if a mail came meanwhile

Lookups by the loser's remaining ids follow `merged_into`. The loser keeps what the merge has changed (`MergeEffects`),
so that a person can undo it: `separation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import Kind
from email_threads.store import changes, merges, threads
from email_threads.store.changes import Change
from email_threads.store.deadlines.service_levels import is_open
from email_threads.store.items.parked import ParkReason
from email_threads.store.items.threads.merge import MergeEffects
from email_threads.store.items.threads.thread import SPAM
from email_threads.store.lists import participants
from email_threads.store.threads import Refusal
from email_threads.threading import ids, people
from email_threads.threading.head import heads, rebuilt, service_level
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from email_threads.store.items import Mail, Thread
    from shared.aws.dynamodb import Table

MOST_MAILS: Final = 50  # of a thread that is merged without a person
TRIES: Final = 8
ACTOR: Final = "merge"


def winner_of(one: Thread, other: Thread) -> tuple[Thread, Thread]:
    """Return the thread that stays, which is the older one, and the one that is merged into it."""
    first, second = sorted(
        (one, other), key=lambda thread: (thread.created_at, thread.conversation_id)
    )
    return first, second


def merge(table: Table, loser_id: str, winner_id: str) -> bool:
    """
    Move the mails of a thread to another one, in their order. Idempotent.

    Returns False if one of them does not exist any more. Raises Permanent (`other_company`) for threads of two
    companies, Transient if mails keep arriving.
    """
    for _ in range(TRIES):
        loser, winner = threads.get(table, loser_id), threads.get(table, winner_id)
        if loser is None or winner is None:
            return False
        if loser.company_id != winner.company_id:
            raise Permanent(ParkReason.OTHER_COMPANY)
        if loser.merged_into == winner_id:
            return True
        if winner_id in loser.kept_apart:
            return False
        merges.note_effects(table, loser, effects_of(winner, loser))
        if loser.gdpr_consent is False:
            threads.refuse_consent(table, winner_id)
        _merge_metadata(table, loser, winner_id)
        _move_mails(table, loser, winner_id)
        if loser.split_from == winner_id:
            _restore(table, winner_id, loser_id)
        _move_participants(table, loser, winner_id)
        merges.note_merged(table, winner_id, loser)
        _note_end(table, loser, winner_id)
        if merges.close(table, loser, winner_id):
            return True
    raise Transient("thread_contended")


def _move_mails(table: Table, loser: Thread, winner_id: str) -> None:
    """Move the mails of the loser, and remove their places, also those that an earlier step has left."""
    for mail in threads.places(table, loser.conversation_id, range(1, loser.email_count + 1)):
        if mail.moved_to is None:
            _move(table, mail, winner_id)
            _move_weak_author(table, mail, winner_id)
        if mail.moved_to in {None, winner_id}:
            merges.remove_mail(table, mail)


def effects_of(winner: Thread, loser: Thread) -> MergeEffects:
    """Return what a merge changes. Pure."""
    own, theirs = winner.metadata, loser.metadata
    return MergeEffects(
        status=loser.status,
        tags=_carried(theirs.tags) - own.tags,
        has_priority=own.priority is None and theirs.priority is not None,
        has_assignee=own.assigned_to is None and theirs.assigned_to is not None,
        has_reminder=winner.reminder is None and loser.reminder is not None,
        has_consent=winner.gdpr_consent is not False and loser.gdpr_consent is False,
        consent=winner.gdpr_consent,
        service_level=winner.service_level,
        created_at=winner.created_at,
    )


def _carried(tags: set[str]) -> set[str]:
    """Return the tags that stay with mails that move: not those that say how their thread began."""
    return tags - {SPAM, *(kind.value for kind in Kind)}


def _note_end(table: Table, loser: Thread, winner_id: str) -> None:
    """Keep the number that the winner has after the merge: an undo restores it exactly if it is still the same."""
    winner = threads.get(table, winner_id)
    if winner is not None:
        merges.note_end(table, loser, winner.seq)


def _restore(table: Table, thread_id: str, returned_from: str) -> None:
    """Derive the head of a thread again whose mails have come back. Raises Transient after eight lost races."""
    for _ in range(TRIES):
        thread = threads.get(table, thread_id)
        cause = digest(ACTOR, "restore", returned_from, thread_id)[:20]
        if thread is None or thread.has_made(cause):
            return
        mails = threads.mails(table, thread_id, range(1, thread.email_count + 1))
        made = Change(
            fields={
                **rebuilt.head_of(thread, mails),
                **rebuilt.without_findings(thread, [mail.n for mail in mails]),
                "service_level": thread.service_level,
                "kept_apart": thread.kept_apart - {returned_from},
            },
            at=clock.to_text(clock.now_ms()),
            actor=ACTOR,
            action="return",
            detail=f"of {returned_from}",
            cause=cause,
            is_marked=True,
        )
        if changes.change(table, thread, made) is not None:
            return
    raise Transient("thread_contended")


def _merge_metadata(table: Table, loser: Thread, winner_id: str) -> None:
    """Give the winner the values that people set on the loser's head. Raises Transient after eight lost races."""
    for _ in range(TRIES):
        winner = threads.get(table, winner_id)
        if winner is None:
            return
        theirs, own = loser.metadata, winner.metadata
        merged = own.model_copy(
            update={
                "tags": own.tags | _carried(theirs.tags),
                "priority": own.priority or theirs.priority,
                "assigned_to": own.assigned_to or theirs.assigned_to,
            }
        )
        level = service_level.joined(winner, loser)
        reminder = winner.reminder or (loser.reminder if is_open(winner) else None)
        if merged == own and level == winner.service_level and reminder == winner.reminder:
            return
        made = Change(
            fields={"metadata": merged, "service_level": level, "reminder": reminder},
            at=clock.to_text(clock.now_ms()),
            actor=ACTOR,
            action="metadata",
            detail=f"of {loser.conversation_id}",
            cause=digest(ACTOR, loser.conversation_id, winner_id)[:20],
        )
        if changes.change(table, winner, made) is not None:
            return
    raise Transient("thread_contended")


def _move_participants(table: Table, loser: Thread, winner_id: str) -> None:
    winner = threads.get(table, winner_id)
    if winner is None:
        return
    for address in sorted(loser.participants - {loser.mailbox}):
        hashed = ids.address_hash(address)
        participants.put(table, winner, address, hashed)
        participants.remove(table, loser.conversation_id, hashed)


def _move_weak_author(table: Table, mail: Mail, winner_id: str) -> None:
    """List the winner for the author of a moved mail who is no participant."""
    author = people.weak_author(mail)
    winner = threads.get(table, winner_id) if author is not None else None
    if author is None or winner is None:
        return
    hashed = ids.address_hash(author)
    participants.list_weak_author(table, winner, author, hashed)
    participants.remove(table, mail.thread, hashed)


def _move(table: Table, mail: Mail, winner_id: str) -> None:
    """
    Append a mail to the winner, unless its alias leads there already; one that a person has moved away from there
    returns to its place. Raises Transient after eight lost races.
    """
    for _ in range(TRIES):
        winner = threads.get(table, winner_id)
        alias = threads.aliases(table, [mail.email_id]).get(mail.email_id)
        if alias is not None and alias.thread == winner_id:
            return
        if winner is None:
            raise Transient("thread_expired")  # The mail stays where it is.
        if mail.home == winner_id:
            if merges.place(table, mail, mail.at_home()):
                return
            continue
        moved = mail.at(winner_id, winner.email_count + 1)
        write = heads.append_of(
            winner,
            winner,
            moved,
            participants=people.added_by(mail, winner.mailbox),
            references=[*mail.references, mail.message_id],
            alias_kind=merges.alias_of(moved, alias).kind,
            is_moved=True,
        )
        if threads.append(table, write, from_thread=mail.thread) is not Refusal.THREAD_CHANGED:
            return
    raise Transient("thread_contended")
