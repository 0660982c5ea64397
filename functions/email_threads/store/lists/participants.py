"""Access patterns of the rows of people, by which the lists of threads find theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store.items import Participant
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table


def is_participant(table: Table, conversation_id: str, address_hash: str) -> bool:
    """Whether an address is a participant by a separate item in a thread, and is not being erased."""
    item = table.get(Participant.key(conversation_id, address_hash))
    excluded = (Participant.name_of("erased"), Participant.name_of("is_weak"))
    return item is not None and not any(item.get(name) for name in excluded)


def is_being_erased(table: Table, conversation_id: str, address_hash: str) -> bool:
    """Whether an erasure of a person has begun to remove their row of a thread."""
    item = table.get(Participant.key(conversation_id, address_hash))
    return item is not None and bool(item.get(Participant.name_of("erased")))


def put(table: Table, thread: Thread, address: str, address_hash: str) -> None:
    """Write the row of a person in the lists, unless a later change of the thread has written it. Idempotent."""
    row = _row_of(thread, address, address_hash)
    older = Participant.attr("last_seq").not_exists() | Participant.attr("last_seq").lte(thread.seq)
    weak = Participant.attr("is_weak").exists()
    try:
        table.put(row.attributes(), when=older | weak)
    except ConditionFailed:
        return


def list_weak_author(table: Table, thread: Thread, address: str, address_hash: str) -> None:
    """
    List the thread for an author who is no participant, unless the address has a row. Idempotent.

    A row that an erasure has begun to remove is replaced: it admits no mail either.
    """
    row = _row_of(thread, address, address_hash).model_copy(update={"is_weak": True})
    try:
        table.put(
            row.attributes(),
            when=Participant.attr("conversation_id").not_exists()
            | Participant.attr("erased").exists(),
        )
    except ConditionFailed:
        return


def weaken(table: Table, conversation_id: str, address_hash: str) -> None:
    """Let the row of a person list a thread only: it makes them no participant any more. Idempotent."""
    try:
        table.update(
            Participant.key(conversation_id, address_hash),
            put=Participant.named(is_weak=True),
            when=Participant.attr("conversation_id").exists(),
        )
    except ConditionFailed:
        return


def _row_of(thread: Thread, address: str, address_hash: str) -> Participant:
    return Participant(
        conversation_id=Participant.key(thread.conversation_id, address_hash)["conversation_id"],
        company_status=Participant.list_of(thread.company_id, address),
        participant=address if address != thread.participant else None,
        mailbox=thread.mailbox,
        updated_at=thread.updated_at,
        subject=thread.subject,
        last_seq=thread.seq,
    )


def remove(table: Table, conversation_id: str, address_hash: str) -> None:
    """Remove a person from a thread. Idempotent."""
    table.delete(Participant.key(conversation_id, address_hash))
