"""
The question how satisfied the customer of a completed thread is: a mail with a signed link for each number of stars.

A draft of its own origin, approved by the setting of the mailbox: with the fence, policy, ledger and thread of every
sent mail. Its stored text has no links, so that only the customer can answer; a question that may not be sent is
superseded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.replies import composition
from email_threads.replies.composition import Composed
from email_threads.store.items import DraftKind, DraftStatus, ReplyMode, Status
from email_threads.store.items.replies.draft import SATISFACTION
from email_threads.store.items.threads.thread import SPAM
from shared.aws.sqs_fifo import digest
from shared.inbox.satisfaction.links import EMAIL, MOST_SCORE, VALID_DAYS, Link, urls_of
from shared.inbox.satisfaction.texts import language_of, texts_of
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Mail, Mailbox, Thread

CHANNEL: Final = EMAIL
_STAR: Final = "★"


def refusal(thread: Thread, mailbox: Mailbox | None) -> str | None:
    """Return the reason why the customer of a thread is not asked now, None if they are."""
    reasons = {
        "off": mailbox is None or mailbox.satisfaction_delay_hours is None,
        "not_completed": thread.status is not Status.COMPLETED or thread.merged_into is not None,
        "no_consent": thread.gdpr_consent is False,
        "spam": SPAM in thread.metadata.tags,
        "not_proven": thread.participant is None or thread.participant_proof is None,
        "not_answered": not thread.response_samples,
    }
    return next((name for name, stands in reasons.items() if stands), None)


def refusal_of(thread: Thread, newest: Mail | None) -> str | None:
    """Return the reason why the author of the customer's newest mail is not asked: a program, or another person."""
    if newest is None or not newest.counts or newest.sender != thread.participant:
        return "other_author"
    return newest.automatic_refusal


def draft_of(thread: Thread, newest: Mail, at: str) -> Draft:
    """Return the question, to be sent at once."""
    language = _language_of(thread, newest)
    texts = texts_of(language)
    stars = "\n\n".join(_STAR * score for score in range(MOST_SCORE, 0, -1))
    made = composition.draft_of(
        thread,
        newest,
        Composed(
            kind=DraftKind.REPLY,
            by=SATISFACTION,
            cause=digest(SATISFACTION, thread.conversation_id),
            body_text=f"{texts.question}\n\n{texts.one_click}\n\n{stars}",
        ),
    )
    return made.model_copy(
        update={
            "draft_status": DraftStatus.APPROVED,
            "reviewed_by": ReplyMode.AUTO.value,
            "reviewed_at": at,
            "confirmed_n": newest.n,
            "send_at": at,
            "language": language,
        }
    )


def with_links(draft: Draft, text: str, base_url: str) -> str:
    """Return the text that is sent: each line of stars with its link. Raises KeysUnreadable."""
    sent_ms = clock.from_text(draft.send_at or draft.updated_at)
    link = Link(
        channel=CHANNEL,
        conversation_id=draft.thread,
        language=draft.language or "",
        expires_at=sent_ms // clock.SECOND_MS + VALID_DAYS * clock.DAY_SECONDS,
    )
    urls = {_STAR * score: url for score, url in urls_of(link, base_url).items()}
    return "\n".join(
        f"{line} <{urls[line]}>" if line in urls else line for line in text.split("\n")
    )


def _language_of(thread: Thread, newest: Mail) -> str:
    analysis = thread.ai_analysis
    return language_of(newest.new_text, analysis.language if analysis is not None else None)
