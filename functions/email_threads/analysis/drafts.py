"""Stores and closes drafts of the model's answers; open questions are added below the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis.kept_answers import cost_of, version_of
from email_threads.replies import composition, recipients
from email_threads.replies.draft_state import answer_id
from email_threads.store import drafts
from email_threads.store.items import Draft, DraftKind, DraftStatus
from email_threads.store.items.replies.draft import FINAL, MODEL
from email_threads.store.items.threads.thread import Direction
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from email_threads.analysis.requirements import Merged
    from email_threads.analysis.schema import Answer
    from email_threads.store.items import Mail, Thread
    from shared.aws.dynamodb import Table

AI: Final = MODEL
NEWER_MAIL: Final = "newer_mail"
OTHER_AUTOMATION: Final = "other_automation"


def draft_of(
    thread: Thread,
    newest: Mail,
    answer: Answer,
    merged: Merged,
    kept: Mapping[str, Any],
    *,
    copies: Sequence[str] = (),
) -> Draft | None:
    """Return the draft of an answer to the newest mail with *copies* as its Cc; None if a person must write it."""
    recipient = recipients.answer_address(newest)
    text = text_of(answer, merged)
    if text is None or recipient is None or newest.direction is not Direction.INBOUND:
        return None
    reply_id = answer_id(newest, thread.evidence_seq or 0)
    return Draft(
        conversation_id=Draft.key(thread.conversation_id, reply_id)["conversation_id"],
        reply_id=reply_id,
        company_id=thread.company_id,
        mailbox=thread.mailbox,
        updated_at=clock.to_text(clock.now_ms()),
        draft_status=DraftStatus.PENDING,
        kind=DraftKind.REPLY,
        origin=AI,
        in_reply_to_n=newest.n,
        email_id=newest.email_id,
        author=recipients.author_behind(newest),
        to=[recipient],
        cc=list(copies),
        subject=composition.reply_subject(newest.subject),
        body_text=text,
        questions=[one.field for one in merged.to_ask],
        model=str(kept.get("model", "")) or None,
        ai_version=version_of(kept),
        ai_cost_micros=cost_of(kept),
        usage={name: int(kept.get(name, 0)) for name in ("tokens_in", "tokens_out")},
        ttl=Draft.lifetime(),
    )


def supersede(table: Table, thread: Thread, *, reason: str = NEWER_MAIL) -> None:
    """Close the model's drafts that were not approved. Idempotent. A person's drafts stay."""
    for draft in closed(table, thread, reason=reason):
        drafts.unlist_in_thread(table, draft)


def closed(
    table: Table, thread: Thread, *, reason: str = NEWER_MAIL, except_for: str | None = None
) -> list[Draft]:
    """Close drafts as `supersede` does, and return the drafts that the head must no longer name. Idempotent."""
    found = drafts.get_many(table, thread.conversation_id, thread.open_drafts)
    present = [_closed(table, one, reason) for one in found if one.reply_id != except_for]
    # Also drafts that a crashed step closed before it removed them from the list.
    return [draft for draft in present if draft.draft_status in FINAL]


def withdraw(table: Table, mail: Mail, evidence_seq: int) -> None:
    """Close the model's draft of an answer to a mail that is out of date by now. Idempotent."""
    draft = drafts.get(table, mail.thread, answer_id(mail, evidence_seq))
    if draft is not None and _closed(table, draft, NEWER_MAIL).draft_status in FINAL:
        drafts.unlist_in_thread(table, draft)


def _closed(table: Table, draft: Draft, reason: str) -> Draft:
    """Return the present draft: a waiting one of the model is closed, unless a person was faster."""
    if draft.origin != AI or draft.draft_status not in {DraftStatus.PENDING, DraftStatus.AMENDED}:
        return draft
    moved = drafts.move(table, draft, draft_status=DraftStatus.SUPERSEDED, reason=reason)
    # A write whose response was lost is refused, too.
    return moved or drafts.get(table, draft.thread, draft.reply_id) or draft


def text_of(answer: Answer, merged: Merged) -> str | None:
    """Return the reply with the questions to ask; None if the model wrote none and nothing is asked."""
    questions = [one.question for one in merged.to_ask]
    parts = [answer.reply.strip()] if answer.reply and answer.reply.strip() else []
    if not parts and (answer.analysis.needs_human or not questions):
        return None
    if questions:
        parts.append("\n".join(f"- {question}" for question in questions))
    return "\n\n".join(parts)
