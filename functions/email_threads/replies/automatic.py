"""Approves the model's draft without a person, where mailbox and thread allow it and every check passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from email_threads.inbound.events import entry
from email_threads.replies import policy
from email_threads.replies.checks import text_checks
from email_threads.replies.checks.withheld_text import readable
from email_threads.replies.draft_state import answer_id, send_event
from email_threads.store import changes, drafts, threads
from email_threads.store.changes import Change
from email_threads.store.items import Draft, DraftStatus, ReplyMode
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.replies.sends import AnswerCount
from email_threads.store.items.threads.thread import Direction
from shared.aws.sqs_fifo import digest
from shared.aws.tables.rate_limits.frequency_cap import Caps
from shared.aws.tables.rate_limits.limit import Limit
from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.replies.checks.withheld_text import Readable
    from email_threads.store.items import Mail, Mailbox, Thread
    from shared.aws.dynamodb import Attributes, Table


class Doubtful(Protocol):
    """What a model says about its answer."""

    @property
    def needs_human(self) -> bool:
        """Whether a person must write it."""

    @property
    def confidence(self) -> float | None:
        """How sure it is, 0 to 1."""


LEAST_CONFIDENCE: Final = 0.7
PER_THREAD: Final = (Limit(3, 3_600), Limit(10, clock.DAY_SECONDS))
PER_SENDER: Final = (Limit(20, clock.DAY_SECONDS),)
CAP_REACHED: Final = "answer_cap"
NEEDS_HUMAN: Final = "needs_human"
LOW_CONFIDENCE: Final = "low_confidence"
WITHHELD: Final = "withheld_text"
_KNOWN_MAILS: Final = 10
_ANSWERED: Final = "answered"


def approve(resources: SendingResources, thread: Thread, mailbox: Mailbox, newest: Mail) -> None:
    """
    Approve the draft of an answer to the newest mail and queue its send, or note the reason why it waits at the draft.
    Idempotent.

    Raises Transient and NotEnqueued.
    """
    if mode_of(thread, mailbox) is not ReplyMode.AUTO:
        return
    table = resources.table
    draft = drafts.get(table, thread.conversation_id, answer_id(newest, thread.evidence_seq or 0))
    if draft is None:
        return
    if draft.draft_status is DraftStatus.PENDING and draft.reason is None:
        reason = _refusal(table, thread, mailbox, newest, draft)
        moved = drafts.move(table, draft, **_decision(newest, reason))
        # None: a person was faster, or the response to this write was lost.
        draft = moved or drafts.get(table, draft.thread, draft.reply_id) or draft
    if draft.reason == CAP_REACHED:
        _to_manual(table, thread)
    elif draft.draft_status is DraftStatus.APPROVED and draft.is_automatic:
        resources.queue.send([entry(send_event(draft))])


def count_keys(company_id: str, address: str) -> list[str]:
    """Return the keys that the count of automatic answers to a sender may have: one for each key of the stage."""
    subjects = keyed_hashes(_ANSWERED, company_id, address)
    return [str(AnswerCount.key(one)[PARTITION_KEY]) for one in subjects]


def resume(resources: SendingResources, mail: Mail, evidence_seq: int) -> None:
    """Queue the send of an answer that an earlier delivery approved; the send checks what has changed. Idempotent."""
    draft = drafts.get(resources.table, mail.thread, answer_id(mail, evidence_seq))
    if draft is None:
        return
    if draft.draft_status is DraftStatus.APPROVED and draft.is_automatic:
        resources.queue.send([entry(send_event(draft))])


def mode_of(thread: Thread, mailbox: Mailbox) -> ReplyMode:
    """Return whether safe answers of a thread are sent without a person."""
    return thread.reply_mode or mailbox.reply_mode


def _decision(newest: Mail, reason: str | None) -> dict[str, Any]:
    """Return the changes of a draft that was approved, or that waits for a person because of *reason*."""
    if reason is not None:
        return {"reason": reason}
    return {
        "draft_status": DraftStatus.APPROVED,
        "reviewed_by": ReplyMode.AUTO.value,
        "reviewed_at": clock.to_text(clock.now_ms()),
        "confirmed_n": newest.n,
        "cc": [],  # Only people answer to addresses that SES has not proven.
    }


def _refusal(
    table: Table, thread: Thread, mailbox: Mailbox, newest: Mail, draft: Draft
) -> str | None:
    """Return the reason why a person must approve a draft. The caps are last, so that only sent answers are counted."""
    analysis = thread.ai_analysis
    if newest.automatic_refusal is not None:
        return newest.automatic_refusal
    if (reason := policy.automatic_refusal(thread)) is not None:
        return reason
    if analysis is None:
        return NEEDS_HUMAN
    if (reason := doubt_of(analysis)) is not None:
        return reason
    if (reason := _fault_of_text(table, thread, mailbox, newest, draft)) is not None:
        return reason
    return None if _takes_place(table, thread, newest, draft) else CAP_REACHED


def _fault_of_text(
    table: Table, thread: Thread, mailbox: Mailbox, newest: Mail, draft: Draft
) -> str | None:
    """Return the reason why the text of a draft is not sent without a person."""
    numbers = range(max(1, newest.n - _KNOWN_MAILS + 1), newest.n + 1)
    found = readable(
        threads.mails(table, thread.conversation_id, sorted({*numbers, *thread.withheld_mails}))
    )
    given = f"{draft.subject}\n{draft.body_text}"
    return fault_in(found, mailbox, given, draft.body_text, has_files=bool(draft.attachments))


def doubt_of(analysis: Doubtful) -> str | None:
    """Return the reason why the model's own judgement of its answer leaves it to a person."""
    if analysis.needs_human:
        return NEEDS_HUMAN
    return LOW_CONFIDENCE if (analysis.confidence or 0) < LEAST_CONFIDENCE else None


def fault_in(
    found: Readable, mailbox: Mailbox, whole: str, text: str, *, has_files: bool
) -> str | None:
    """
    Return the reason why the *text* of an answer is not sent without a person; *whole* is it with its subject. *found*
    are the mails of its thread.
    """
    # A customer's quotes are not the customer's text.
    own = [
        mail.body if mail.direction is Direction.OUTBOUND else f"{mail.subject}\n{mail.new_text}"
        for mail in found.mails
    ]
    known = [*own, *mailbox.facts]
    if found.gives_away(whole, known):
        return WITHHELD
    fault = text_checks.fault_of(
        text,
        hosts=mailbox.link_hosts,
        known_texts=known,
        has_files=has_files,
    )
    return fault.value if fault is not None else None


def _takes_place(table: Table, thread: Thread, newest: Mail, draft: Draft) -> bool:
    """Count an automatic answer of the thread and to its sender; False if one of the limits is reached."""
    caps = Caps(table, _key)
    sender = keyed_hash(_ANSWERED, thread.company_id, newest.sender or "")
    counted = (
        (thread.conversation_id, PER_THREAD),
        (sender, PER_SENDER),
    )
    return all(caps.take(subject, draft.reply_id, limits) is None for subject, limits in counted)


def _to_manual(table: Table, thread: Thread) -> None:
    """Let people answer a thread whose limit of automatic answers is reached. Raises Transient after a lost race."""
    made = Change(
        fields={"reply_mode": ReplyMode.MANUAL},
        at=clock.to_text(clock.now_ms()),
        actor=ReplyMode.AUTO.value,
        action="reply_mode",
        detail=f"manual: {CAP_REACHED}",
        cause=digest(CAP_REACHED, thread.conversation_id, str(thread.last_inbound_n))[:20],
    )
    if changes.change(table, thread, made) is None:
        raise Transient("thread_contended")


def _key(subject: str) -> Attributes:
    return AnswerCount.key(subject)
