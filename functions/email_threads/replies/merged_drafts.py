"""Moves the open drafts of a merged thread to the thread that it became part of. Idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store import drafts, threads
from email_threads.store.items import Draft, DraftStatus
from email_threads.store.items.draft import FINAL, NO_MAIL, WAITING
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table

MERGED: Final = "merged"
_HOPS: Final = 4  # a thread, and three that it was merged into
_MOVED: Final = WAITING | {DraftStatus.APPROVED}


def move(table: Table, loser: Thread) -> None:
    """
    Copy each open draft to the winner, where a person reviews it again, and close it here.

    A draft that is being sent stays: its mail is appended to the winner. Raises Transient if a draft has just changed.
    """
    winner_id = loser.merged_into
    if winner_id is None:
        return
    for draft in drafts.get_many(table, loser.conversation_id, loser.open_drafts):
        if draft.draft_status in _MOVED:
            copy = _copy(table, draft, winner_id)
            if not drafts.replace(table, draft, copy, reason=MERGED):
                raise Transient("draft_contended")
            drafts.list_in_thread(table, copy)
            drafts.unlist_in_thread(table, draft)
        elif draft.draft_status in FINAL:  # An earlier step died before the lists were changed.
            if draft.reason == MERGED:
                _list_copy(table, draft, winner_id)
            drafts.unlist_in_thread(table, draft)


def _list_copy(table: Table, draft: Draft, winner_id: str) -> None:
    copy = drafts.get(table, winner_id, draft.reply_id)
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
    alias = threads.aliases(table, [draft.email_id]).get(draft.email_id) if draft.email_id else None
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
