"""Second answers to a customer within a minute: people see them coming, and confirm one after another person's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store import drafts, threads
from email_threads.store.items import DraftStatus, ReplyMode
from email_threads.store.items.threads.thread import Direction
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from email_threads.store.items import Draft, HistoryEntry, Thread
    from shared.aws.dynamodb import Table

WITHIN_MS: Final = 60 * clock.SECOND_MS
_QUEUED: Final = frozenset({DraftStatus.APPROVED, DraftStatus.SENDING})


def recent(thread: Thread, draft: Draft, others: Iterable[Draft] = ()) -> str | None:
    """
    Return when another answer of the thread was sent in the last minute, or, of its drafts *others*, was approved then
    or will be sent within a minute; the latest time.
    """
    sent = _newest_sent(thread)
    times = [sent.timestamp] if sent is not None else []
    times += [at for one in _queued(draft, others) for at in (one.reviewed_at, one.send_at) if at]
    return max((at for at in times if _is_near(at)), default=None)


def is_by_another(table: Table, thread: Thread, draft: Draft, by: str) -> bool:
    """Whether another person than *by* has sent or approved an answer in the last minute, or sends one in the next."""
    ids = thread.open_drafts - {draft.reply_id}
    queued = _queued(draft, drafts.get_many(table, thread.conversation_id, ids) if ids else ())
    found = [one for one in queued if any(map(_is_near, (one.reviewed_at, one.send_at)))]
    sent = _newest_sent(thread)
    # It was perhaps approved earlier, for this time.
    if sent is not None and _is_near(sent.timestamp):
        stored = threads.mails(table, thread.conversation_id, [sent.n])
        reply_ids = [one.reply_id for one in stored if one.reply_id is not None]
        found += drafts.get_many(table, thread.conversation_id, reply_ids)
    return any(one.reviewed_by not in {by, ReplyMode.AUTO, None} for one in found)


def _queued(draft: Draft, others: Iterable[Draft]) -> list[Draft]:
    return [one for one in others if one.draft_status in _QUEUED and one.reply_id != draft.reply_id]


def _newest_sent(thread: Thread) -> HistoryEntry | None:
    sent = (one for one in reversed(thread.email_history) if one.direction is Direction.OUTBOUND)
    return next(sent, None)


def _is_near(at: str | None) -> bool:
    return at is not None and abs(clock.from_text(at) - clock.now_ms()) < WITHIN_MS
