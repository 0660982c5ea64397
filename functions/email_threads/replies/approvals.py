"""The approval of a draft: whether the customer has written since, and the event that sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.inbound.events import EmailSend

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Thread


def is_stale(thread: Thread, draft: Draft) -> bool:
    """Whether the customer has written since the mail that a draft answers, or that its approval accepted."""
    accepted = max(draft.in_reply_to_n, draft.confirmed_n or 0)
    return (thread.last_inbound_n or 0) > accepted


def send_event(draft: Draft, *, cause: str | None = None) -> EmailSend:
    """Return the event that sends an approved draft, or with a *cause* completes an attempt of it."""
    return EmailSend(
        conversation_id=draft.thread,
        reply_id=draft.reply_id,
        version=draft.version,
        attempt=draft.attempt,
        cause=cause,
    )
