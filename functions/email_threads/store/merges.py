"""Access patterns of threads that are merged and separated, and of mails that move between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store.items import Alias, AliasKind, Mail, Status, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.threads import is_unchanged
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import stored

if TYPE_CHECKING:
    from email_threads.store.items.threads.merge import MergeEffects
    from shared.aws.dynamodb import Table


def remove_mail(table: Table, mail: Mail) -> None:
    """Remove a mail that was moved to another thread. Idempotent."""
    table.delete({PARTITION_KEY: mail.conversation_id})


def note_merged(table: Table, winner_id: str, loser: Thread) -> None:
    """
    Note in a thread which one became part of it, and those that had become part of that one: their files keep their
    keys. It asks to join no longer.
    """
    loser_id = loser.conversation_id
    table.update(
        Thread.key(winner_id),
        add={"merged_from": {loser_id, *loser.merged_from}},
        take_from_set={"join_requests": {loser_id}},
        when=Thread.attr("conversation_id").exists(),
    )


def note_effects(table: Table, loser: Thread, effects: MergeEffects) -> None:
    """Keep with a thread what its merge changes, unless an earlier step has. Raises ConditionFailed if it is gone."""
    table.update(
        Thread.key(loser.conversation_id),
        put_once={"merge_effects": stored(effects)},
        when=Thread.attr("conversation_id").exists(),
    )


def note_end(table: Table, loser: Thread, winner_seq: int) -> None:
    """Keep with a thread the number that the other one has after the merge."""
    item = table.get(Thread.key(loser.conversation_id))
    effects = Thread.read(item).merge_effects if item else None
    if effects is not None:
        effects = effects.model_copy(update={"winner_seq": winner_seq})
        table.update(
            Thread.key(loser.conversation_id),
            put={"merge_effects": stored(effects)},
            when=Thread.attr("merge_effects").exists(),
        )


def close(table: Table, loser: Thread, winner_id: str) -> bool:
    """Archive a merged thread and take it out of the lists of participants; False if it has changed meanwhile."""
    try:
        table.update(
            Thread.key(loser.conversation_id),
            put={"status": Status.ARCHIVED.value, "merged_into": winner_id},
            add={"last_seq": 1},
            drop=("participant", "participant_name", "company_status"),
            when=is_unchanged(loser),
        )
    except ConditionFailed:
        return False
    return True


def forget_effects(table: Table, conversation_id: str) -> None:
    """Remove from a thread what its merge changed, after the undo. Idempotent; a merged thread stays."""
    try:
        table.update(
            Thread.key(conversation_id),
            drop=("merge_effects",),
            when=Thread.attr("merge_effects").exists() & Thread.attr("merged_into").not_exists(),
        )
    except ConditionFailed:
        return


def set_participant(table: Table, conversation_id: str, participant: str) -> None:
    """Write the primary correspondent of a thread that has left it to another one, unless it has one. Idempotent."""
    try:
        table.update(
            Thread.key(conversation_id),
            put={"participant": participant},
            when=Thread.attr("conversation_id").exists()
            & Thread.attr("participant").not_exists()
            & Thread.attr("merged_into").not_exists(),
        )
    except ConditionFailed:
        return


def place(table: Table, mail: Mail, moved: Mail) -> bool:
    """
    Move a mail to a place of another thread, free or left by it, with its alias; False if it has moved meanwhile.

    Its former place keeps its number.
    """
    alias = Alias.read(item) if (item := table.get(Alias.key(mail.email_id))) else None
    is_free = Mail.attr("conversation_id").not_exists() | Mail.attr("moved_to").exists()
    leads_there = Alias.attr("conversation_id").not_exists() | Alias.attr("thread").eq(mail.thread)
    try:
        table.transact(
            table.to_put(moved.attributes(), when=is_free),
            table.to_put(alias_of(moved, alias).attributes(), when=leads_there),
            table.to_put(
                mail.left_for(moved.thread).attributes(),
                when=Mail.attr("email_id").eq(mail.email_id) & Mail.attr("moved_to").not_exists(),
            ),
        )
    except TransactionRefused:
        return False
    return True


def alias_of(mail: Mail, present: Alias | None) -> Alias:
    """Return the alias of a mail at its place; its kind stays."""
    kind = AliasKind.ERASED if mail.erased else AliasKind.MAIL
    if present is not None and present.kind is AliasKind.SENT and not mail.erased:
        kind = AliasKind.SENT
    return Alias(
        conversation_id=Alias.key(mail.email_id)["conversation_id"],
        thread=mail.thread,
        kind=kind,
        email_id=mail.email_id,
        n=mail.n,
        fingerprint=mail.fingerprint,
        ttl=Alias.lifetime(kind),
    )


def remove_places(table: Table, conversation_id: str, numbers: range) -> None:
    """Remove the empty places with these numbers. Idempotent."""
    for n in numbers:
        try:
            table.delete(Mail.number(conversation_id, n), when=Mail.attr("moved_to").exists())
        except ConditionFailed:
            continue
