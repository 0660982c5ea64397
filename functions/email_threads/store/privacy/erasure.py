"""Access patterns of an erasure: threads and mails that lose a person, or are removed with one. Each is idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store.deadlines.service_levels import next_look
from email_threads.store.items import (
    Alias,
    AliasKind,
    Deadline,
    Draft,
    Expiry,
    Mail,
    Participant,
    Thread,
)
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.threads import is_unchanged
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import stored
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes, Table

# Attributes of the contract that are derived from the text of the mails. The next mail derives them again.
DERIVED: Final = ("requirements", "ai_analysis", "sentiment_scores")


def draft_keys(thread: Thread) -> list[str]:
    """Return the keys of the drafts that a head lists."""
    keys = (Draft.key(thread.conversation_id, one) for one in sorted(thread.open_drafts))
    return [str(key[PARTITION_KEY]) for key in keys]


def items(table: Table, keys: Iterable[str]) -> list[Attributes]:
    """Return the stored items with these keys, in their order."""
    wanted = list(dict.fromkeys(keys))
    found = {
        str(item[PARTITION_KEY]): item
        for item in table.get_many([{PARTITION_KEY: key} for key in wanted])
    }
    return [found[key] for key in wanted if key in found]


def close(table: Table, thread: Thread) -> bool:
    """
    End the life of a thread at once: no mail joins it, and no list shows it. False if it has changed meanwhile.

    Without `ttl_date` the removal of expired threads does not find it before the erasure has.
    """
    table.delete(Expiry.key(thread.conversation_id))
    if next_look(thread) is not None:
        table.delete(Deadline.key(thread.conversation_id))
    try:
        table.update(
            Thread.key(thread.conversation_id),
            put={"ttl": clock.now_ms() // clock.SECOND_MS},
            add={"last_seq": 1},
            drop=("ttl_date", "company_status", "participant", "participant_name"),
            when=is_unchanged(thread),
        )
    except ConditionFailed:
        return False
    return True


def rewrite(table: Table, before: Thread, after: Thread, *, without: Iterable[str] = ()) -> bool:
    """
    Write a head as it is without a person; unchanged, it is not written. False if it has changed meanwhile.

    The sequence number grows: an append that has read the head before must not write it back.
    """
    was = stored(before)
    values = {name: value for name, value in stored(after).items() if name not in set(without)}
    if values == was:
        return True
    try:
        table.update(
            Thread.key(before.conversation_id),
            put={name: value for name, value in values.items() if was.get(name) != value},
            add={"last_seq": 1},
            drop=[name for name in was if name not in values],
            when=is_unchanged(before),
        )
    except ConditionFailed:
        return False
    return True


def exclude_participant(table: Table, thread: Thread, address_hash: str) -> None:
    """Mark the row of a person: it admits no further mail, and still lists the thread until `remove_row`."""
    try:
        table.update(
            Participant.key(thread.conversation_id, address_hash),
            put=Participant.named(erased=True),
            when=Participant.attr("last_seq").lte(thread.seq),
        )
    except ConditionFailed:
        return


def remove_row(table: Table, thread: Thread, address_hash: str) -> None:
    """Remove the row of a person, unless a later change of the thread has written it again."""
    try:
        table.delete(
            Participant.key(thread.conversation_id, address_hash),
            when=Participant.attr("last_seq").lte(thread.seq),
        )
    except ConditionFailed:
        return


def put_erased(table: Table, mail: Mail) -> None:
    """Replace a mail by its erased form, unless it was moved or removed."""
    try:
        table.put(mail.attributes(), when=Mail.attr("email_id").eq(mail.email_id))
    except ConditionFailed:
        return


def put_recipients(table: Table, mail: Mail) -> None:
    """Write the recipients of a mail, and delete its raw form; concurrent changes of other attributes stay."""
    lists = Mail.named(to=mail.to, cc=mail.cc)
    empty = [name for name, value in lists.items() if not value]
    if mail.other_reply_to is None:
        empty.append(Mail.name_of("other_reply_to"))
    try:
        table.update(
            {PARTITION_KEY: mail.conversation_id},
            put={name: value for name, value in lists.items() if value},
            drop=[*empty, Mail.name_of("raw_key")],
            when=Mail.attr("email_id").eq(mail.email_id),
        )
    except ConditionFailed:
        return


def write_tombstone(table: Table, mail: Mail) -> None:
    """Replace the alias of an erased mail, so that a redelivery stores nothing; a moved mail keeps its alias."""
    kind = AliasKind.ERASED
    tombstone = Alias(
        conversation_id=Alias.key(mail.email_id)["conversation_id"],
        thread=mail.thread,
        kind=kind,
        email_id=mail.email_id,
        fingerprint=mail.fingerprint,
        ttl=Alias.lifetime(kind),
    )
    is_of_thread = Alias.attr("thread").not_exists() | Alias.attr("thread").eq(mail.thread)
    try:
        table.put(tombstone.attributes(), when=is_of_thread)
    except ConditionFailed:
        return


def delete(table: Table, key: str) -> None:
    """Delete an item."""
    table.delete({PARTITION_KEY: key})


def delete_thread(table: Table, conversation_id: str) -> None:
    """Delete the head of a closed thread, and the item that would outlive it."""
    table.delete(Expiry.key(conversation_id))
    table.delete(Thread.key(conversation_id))
