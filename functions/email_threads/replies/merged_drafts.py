"""Moves the open drafts of a thread with the mails that move to another one. Idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store import drafts, threads
from email_threads.store.items import Draft, DraftStatus
from email_threads.store.items.replies.draft import FINAL, NO_MAIL, WAITING
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from email_threads.store.items import Alias, Thread
    from shared.aws.dynamodb import Table

MERGED: Final = "merged"
_HOPS: Final = 4  # a thread, and three that it was merged into
_MOVED: Final = WAITING | {DraftStatus.APPROVED}


def move(table: Table, loser: Thread) -> None:
    """
    Copy each open draft to the winner, where a person reviews it again, and close it here.

    A draft that is being sent stays: its mail is appended to the winner. Raises Transient if a draft has just changed.
    """
    if loser.merged_into is not None:
        _move(table, loser, loser.merged_into, lambda _: True)


def move_to(table: Table, source: Thread, target_id: str) -> None:
    """
    Move the open drafts of a thread to another one to which mails were moved: those that answer them, and those that a
    merge had moved here. Idempotent. Raises Transient if a draft has just changed.
    """

    def goes(draft: Draft) -> bool:
        earlier = drafts.get(table, target_id, draft.reply_id)
        if earlier is not None and earlier.reason == MERGED:
            return True
        answered = _alias_of(table, draft)
        return answered is not None and answered.thread == target_id

    _move(table, source, target_id, goes)


def _move(table: Table, source: Thread, target_id: str, goes: Callable[[Draft], bool]) -> None:
    for draft in drafts.get_many(table, source.conversation_id, source.open_drafts):
        if draft.asks_satisfaction and draft.draft_status in _MOVED:
            _end(table, draft)
        elif draft.draft_status in _MOVED and goes(draft):
            copy = _move_one(table, draft, target_id)
            drafts.list_in_thread(table, copy)
            drafts.unlist_in_thread(table, draft)
        elif draft.draft_status in FINAL:  # An earlier step died before the lists were changed.
            if draft.reason == MERGED:
                _list_copy(table, draft, target_id)
            drafts.unlist_in_thread(table, draft)


def follow(table: Table, draft: Draft) -> Draft:
    """
    Return a draft where it is reviewed: in the thread that its own has become part of, or to which a person moved the
    mail that it answers. No thread lists it yet. Idempotent. Raises Transient if it has just changed.
    """
    answered = _alias_of(table, draft)
    target_id = answered.thread if answered is not None else _winner_of(table, draft.thread)
    is_moved = target_id != draft.thread and draft.draft_status in _MOVED
    return _move_one(table, draft, target_id) if is_moved else draft


def where_moved(table: Table, draft: Draft) -> Draft:
    """Return a draft that has followed its mail to another thread as it is there, any other one as it is."""
    answered = _alias_of(table, draft) if draft.reason == MERGED else None
    if answered is None or draft.draft_status is not DraftStatus.SUPERSEDED:
        return draft
    return drafts.get(table, answered.thread, draft.reply_id) or draft


def _winner_of(table: Table, thread_id: str) -> str:
    """Return the thread that a thread has become part of, or the thread itself."""
    for _ in range(_HOPS):
        thread = threads.get(table, thread_id)
        if thread is None or thread.merged_into is None:
            break
        thread_id = thread.merged_into
    return thread_id


def _move_one(table: Table, draft: Draft, target_id: str) -> Draft:
    copy = _copy(table, draft, target_id)
    if not drafts.replace(table, draft, copy, reason=MERGED):
        raise Transient("draft_contended")
    return copy


def _list_copy(table: Table, draft: Draft, target_id: str) -> None:
    copy = drafts.get(table, target_id, draft.reply_id)
    if copy is not None and copy.draft_status not in FINAL:
        drafts.list_in_thread(table, copy)


def find(table: Table, conversation_id: str, reply_id: str) -> Draft | None:
    """Return a draft by the thread in which it was sent, also after it was moved."""
    for _ in range(_HOPS):
        draft = drafts.get(table, conversation_id, reply_id)
        if draft is None or (draft.draft_status, draft.reason) != (DraftStatus.SUPERSEDED, MERGED):
            return draft
        thread = threads.get(table, conversation_id)
        if thread is None or thread.merged_into is None:
            return draft
        conversation_id = thread.merged_into
    return None


def _copy(table: Table, draft: Draft, winner_id: str) -> Draft:
    alias = _alias_of(table, draft)
    was_approved = draft.draft_status is DraftStatus.APPROVED
    return draft.model_copy(
        update={
            "conversation_id": Draft.key(winner_id, draft.reply_id)["conversation_id"],
            "draft_status": DraftStatus.AMENDED if was_approved else draft.draft_status,
            "reason": MERGED if was_approved else draft.reason,
            "in_reply_to_n": (alias.n if alias is not None else None) or NO_MAIL,
            "composed_n": None,  # Mails are numbered per thread.
            "confirmed_n": None,
            "reviewed_by": None,
            "send_at": None,
        }
    )


def _alias_of(table: Table, draft: Draft) -> Alias | None:
    """Return the alias of the mail that a draft answers."""
    return threads.aliases(table, [draft.email_id]).get(draft.email_id) if draft.email_id else None


def _end(table: Table, draft: Draft) -> None:
    """End a question of a thread whose mails move. Raises Transient if it has just changed."""
    ended = drafts.move(table, draft, draft_status=DraftStatus.SUPERSEDED, reason=MERGED)
    if ended is None:
        raise Transient("draft_contended")
    drafts.unlist_in_thread(table, draft)
