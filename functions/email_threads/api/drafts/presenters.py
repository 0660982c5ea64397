"""Shows drafts as the API returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.api.drafts import views
from email_threads.replies import recipients
from email_threads.replies.approval import second_answers
from email_threads.replies.draft_state import is_answered, is_stale
from email_threads.store.items import DraftFile
from email_threads.store.items.replies.draft import WAITING
from shared.ai.spending import prices

if TYPE_CHECKING:
    from collections.abc import Iterable

    from email_threads.store.items import Draft, Mail, Thread
    from email_threads.store.items.threads.thread import AttachmentEntry

_DECORATION_BYTES: Final = 10 << 10
_SAME = set(views.DraftView.model_fields) - {
    "conversation_id",
    "ai_dollars",
    "attachments",
    "is_stale",
    "recent_answer",
    "unknown_recipients",
}


def draft(
    stored: Draft, thread: Thread | None = None, others: Iterable[Draft] = ()
) -> views.DraftView:
    """Show a draft; with its thread, and *others* of it, also whether the thread has changed since."""
    has_gone_on: bool | None = None
    recent_answer: str | None = None
    if thread is not None and stored.draft_status in WAITING:
        has_gone_on = is_stale(thread, stored) or is_answered(thread, stored)
        recent_answer = second_answers.recent(thread, stored, others)
    return views.DraftView(
        **stored.model_dump(include=_SAME),
        conversation_id=stored.thread,
        ai_dollars=prices.shown(stored.ai_cost_micros),
        attachments=[
            views.DraftFileView(**one.model_dump(include=set(views.DraftFileView.model_fields)))
            for one in stored.attachments
        ],
        is_stale=has_gone_on,
        recent_answer=recent_answer,
        unknown_recipients=recipients.unknown(thread, stored) if thread is not None else None,
    )


def state(stored: Draft) -> views.DraftState:
    """Show the state of a draft after a step."""
    same = stored.model_dump(include=set(views.DraftState.model_fields) - {"conversation_id"})
    return views.DraftState(**same, conversation_id=stored.thread)


def _is_decoration(file: AttachmentEntry) -> bool:
    """Whether a file is a small image of the HTML, as a logo."""
    return bool(file.inline) and file.size < _DECORATION_BYTES


def files_of_mail(mail: Mail) -> list[DraftFile]:
    """Return the files of a mail that may be sent on with a forward, also images in its text, as screenshots."""
    return [
        DraftFile(
            s3_key=one.s3_key, filename=one.filename, content_type=one.content_type, size=one.size
        )
        for one in mail.attachments
        if one.s3_key is not None and not one.blocked and not _is_decoration(one)
    ]
