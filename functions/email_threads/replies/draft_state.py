"""The state of a draft: whether it is still the answer to its thread, and the event that sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.inbound.events import EmailSend
from email_threads.store.items import DraftKind
from email_threads.store.items.threads.thread import Direction
from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Mail, Thread


_ID_CHARACTERS: Final = 16


def answer_id(mail: Mail, evidence_seq: int) -> str:
    """
    Return the id of the model's draft of an answer to a mail.

    A person who changes the mails that count (*evidence_seq* of the thread) makes another draft necessary.
    """
    if evidence_seq == 0:
        return mail.email_id[:_ID_CHARACTERS]
    return digest("answer", mail.email_id, str(evidence_seq))[:_ID_CHARACTERS]


def is_stale(thread: Thread, draft: Draft) -> bool:
    """Whether the customer has written since the mail that a draft answers, or that its approval accepted."""
    accepted = max(draft.in_reply_to_n, draft.confirmed_n or 0)
    return (thread.last_inbound_n or 0) > accepted


def is_answered(thread: Thread, draft: Draft) -> bool:
    """Whether another sent mail has answered the mail since the draft was made."""
    known = max(draft.in_reply_to_n, draft.composed_n or 0)
    return draft.kind is DraftKind.REPLY and any(
        entry.direction is Direction.OUTBOUND and entry.n > known for entry in thread.email_history
    )


def send_event(draft: Draft, *, cause: str | None = None) -> EmailSend:
    """Return the event that sends an approved draft, or with a *cause* completes an attempt of it."""
    return EmailSend(
        conversation_id=draft.thread,
        reply_id=draft.reply_id,
        version=draft.version,
        attempt=draft.attempt,
        cause=cause,
    )
