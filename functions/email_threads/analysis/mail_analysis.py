"""
Analyses the newest mail of a customer and drafts an answer.

    1 answer       of the model, stored at the mail            repeated: the stored one is used
    2 draft        put if absent                               repeated
    3 head         requirements, analysis, open draft, and     refused if analysed otherwise: read and merged again
                   if it changed known values or completed
                   the thread, with an audit entry
    4 approval     without a person, where it is allowed       repeated

Only the newest mail of a thread is analysed: a burst of mails costs one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis import bounds, drafts, kept_answers, model_call, prompt, requirements
from email_threads.analysis.read_mails import mails_that_count
from email_threads.analysis.schema import MOST_SUMMARY, Answer
from email_threads.analysis.trials import counts, versions
from email_threads.configuration.resources import owns
from email_threads.replies import automatic, recipients
from email_threads.store import analyses, threads
from email_threads.store import drafts as stored_drafts
from email_threads.store.changes import Change
from email_threads.store.configuration import mailboxes
from email_threads.store.items import (
    AiAnalysis,
    AnalysisState,
    Automation,
    SentimentEntry,
    Status,
    Thread,
)
from email_threads.threading.head.heads import touched, with_status
from shared.ai.spending.budget import REASON
from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from email_threads.analysis.trials.versions import Given
    from email_threads.configuration.resources import Run, SendingResources
    from email_threads.inbound.events import EmailAnalyse, EmailShadow
    from email_threads.store.items import Mail, Mailbox

TRIES: Final = 8
# The attempt after which a model that does not answer is left to people; one more is left for a dead letter's reason.
LAST_ATTEMPT: Final = 4
ACTOR: Final = "analysis"


def analyse(resources: SendingResources, event: EmailAnalyse, run: Run) -> bool:
    """Analyse a mail. Idempotent. False if it is not the newest of its thread, or is gone. Raises Transient."""
    thread = threads.get(resources.table, event.conversation_id)
    if run.attempt > 1 or event.replay:
        _repair(resources, event, thread)
    if thread is None or thread.merged_into is not None or thread.last_inbound_n != event.n:
        return False
    mailbox = _mailbox_of(resources, thread)
    refusal = _refusal(resources, thread, mailbox)
    if refusal is not None or mailbox is None or mailbox.ai is None:
        if not _is_analysed(thread, event.n):
            _leave(resources, thread, AnalysisState.SKIPPED, refusal or "no_mailbox")
        return True
    mails = mails_that_count(resources.table, thread, thread.last_inbound_n or 0)
    if not mails or mails[-1].n != event.n:
        return False
    given = versions.given(resources, thread, mailbox)
    thread = given.thread
    if not _is_analysed(thread, event.n):
        analysed = _try(resources, given, mails, run, is_asked=event.cause is not None)
        if analysed is None:
            return False
        thread = analysed
    # The analysis of an earlier mail must not answer this one.
    if _is_analysed(thread, event.n):
        automatic.approve(resources, thread, given.mailbox, mails[-1])
        versions.ask_for_shadow(resources, given, mails[-1])
    return True


def draft_in_shadow(resources: SendingResources, event: EmailShadow, run: Run) -> bool:
    """Let the version on trial draft an answer to a mail, if a model may still read its thread. Idempotent."""
    thread = threads.get(resources.table, event.conversation_id)
    if thread is None or thread.merged_into is not None:
        return False
    mailbox = _mailbox_of(resources, thread)
    if mailbox is None or _refusal(resources, thread, mailbox) is not None:
        return False
    from email_threads.analysis.trials import shadow  # noqa: PLC0415 - of mailboxes with a trial

    return shadow.write(resources, event, thread, mailbox, run)


def _mailbox_of(resources: SendingResources, thread: Thread) -> Mailbox | None:
    """Return the mailbox of a thread. Its address may have a new owner, whose model does not read the thread."""
    mailbox = mailboxes.get(resources.table, thread.mailbox)
    if mailbox and (mailbox.company_id != thread.company_id or not owns(resources, mailbox)):
        return None
    return mailbox


def _repair(resources: SendingResources, event: EmailAnalyse, thread: Thread | None) -> None:
    """
    Complete what an earlier delivery began: queue the send that it approved, which decides whether it is still right,
    and close the draft that it stored if the customer has written again.
    """
    has_newer = thread is not None and thread.last_inbound_n != event.n
    evidence_seq = (thread.evidence_seq or 0) if thread is not None else 0
    for mail in threads.mails(resources.table, event.conversation_id, [event.n]):
        automatic.resume(resources, mail, evidence_seq)
        if has_newer:
            drafts.withdraw(resources.table, mail, evidence_seq)


def _is_analysed(thread: Thread, n: int) -> bool:
    """Whether the model has read mail *n*, with the mails before it that count now."""
    analysis, seq = thread.ai_analysis, thread.evidence_seq or 0
    return (
        analysis is not None
        and (analysis.analysed_n or 0) >= n
        and (analysis.evidence_seq or 0) == seq
    )


def _try(
    resources: SendingResources, given: Given, mails: list[Mail], run: Run, *, is_asked: bool
) -> Thread | None:
    """
    Return the head with the analysis, or with the reason why there is none; None if it is out of date. *is_asked*: a
    person has asked for it.

    Raises Transient if the model may answer a later attempt.
    """
    try:
        return _analysed(resources, given, mails, is_asked=is_asked)
    except model_call.NoAnswer as failure:
        if failure.may_repeat and run.attempt < LAST_ATTEMPT:
            raise Transient("model_unavailable") from None
        is_refused = failure.code == REASON
        state = AnalysisState.SKIPPED if is_refused else AnalysisState.FAILED
        return _leave(resources, given.thread, state, failure.code)
    except ConditionFailed:  # The mail was moved to another thread, or removed.
        return None


def _refusal(resources: SendingResources, thread: Thread, mailbox: Mailbox | None) -> str | None:
    """Return the reason why no model may read this thread."""
    reasons = {
        "other_automation": thread.automation is not Automation.EMAIL_THREADS,
        "no_consent": thread.gdpr_consent is False,
        "no_mailbox": mailbox is None or not mailbox.enabled,
        "no_model": mailbox is not None and mailbox.ai is None,
    }
    reason = next((name for name, stands in reasons.items() if stands), None)
    if reason is None and not resources.switches.in_force().automation:
        return "automation_off"
    return reason


def _leave(
    resources: SendingResources, thread: Thread, state: AnalysisState, reason: str
) -> Thread | None:
    """
    Leave the newest mail to people, with the reason. The analysis of an earlier mail stays, its draft does not.

    None if the customer has written again meanwhile. Raises Transient after eight lost races.
    """
    newest, table = thread.last_inbound_n, resources.table
    for _ in range(TRIES):
        drafts.supersede(table, thread)
        known = thread.ai_analysis or AiAnalysis(state=state)
        noted = known.model_copy(
            update={"state": state, "reason": reason, "analysed_at": clock.to_text(clock.now_ms())}
        )
        saved = analyses.save(table, thread, ai_analysis=noted)
        if saved is not None:
            return saved
        read = threads.get(table, thread.conversation_id)
        if read is None or read.last_inbound_n != newest:
            return None
        thread = read
    raise Transient("thread_contended")


def _analysed(
    resources: SendingResources, given: Given, mails: list[Mail], *, is_asked: bool
) -> Thread | None:
    """
    Return the head with the analysis; None if the customer has written again meanwhile.

    Raises NoAnswer, ConditionFailed if the mail is gone, and Transient after eight lost races.
    """
    thread, mailbox = given.thread, given.mailbox
    newest, fields = mails[-1], model_call.fields_of(mailbox)
    kept, seq = newest.analysis, thread.evidence_seq or 0
    if kept is None or kept.get("evidence_seq", 0) != seq:
        asked = requirements.recently_asked(thread, clock.now_ms())
        content = prompt.input_of(thread, mails, fields, asked, mailbox.facts)
        answered, reserved = bounds.answer(
            resources, mailbox, newest, content, fields, is_bounded=not is_asked
        )
        stored = answered.stored_by(mailbox.ai_version)
        kept = analyses.keep_answer(resources.table, newest, stored, evidence_seq=seq)
        if reserved is not None:
            bounds.settle(resources, mailbox, reserved, answered.usage)
    answer = Answer.parse(kept["answer"])
    table, copies = resources.table, recipients.copies_of(resources.table, newest)
    for _ in range(TRIES):
        merged = requirements.merge(thread, answer, mails, fields, clock.now_ms())
        draft = drafts.draft_of(thread, newest, answer, merged, kept, copies=copies)
        if draft is not None and given.trial is not None:
            draft = draft.model_copy(update={"trial": given.trial.trial_id, "arm": given.arm})
        closed = drafts.closed(
            table, thread, except_for=draft.reply_id if draft is not None else None
        )
        if draft is not None:
            stored_drafts.create(table, draft)
        saved = analyses.save(
            table,
            thread,
            draft=draft.reply_id if draft is not None else None,
            closed=frozenset(one.reply_id for one in closed),
            made=_change_of(thread, mailbox, merged, newest.n),
            counted=counts.of_answer(
                table, given, draft, kept, needs_human=answer.analysis.needs_human
            ),
            **_head_of(thread, newest, answer, merged, kept),
        )
        if saved is not None:
            return saved
        read = threads.get(table, thread.conversation_id)
        is_current = read is not None and (read.evidence_seq or 0) == seq
        if read is None or read.last_inbound_n != newest.n or not is_current:
            drafts.withdraw(table, newest, seq)
            return None
        thread = read
    raise Transient("thread_contended")


def _head_of(
    thread: Thread,
    newest: Mail,
    answer: Answer,
    merged: requirements.Merged,
    kept: Mapping[str, Any],
) -> dict[str, Any]:
    facts = answer.analysis
    is_new = merged.requirements != plain(thread.requirements)
    cost = kept_answers.cost_of(kept)
    sentiment = SentimentEntry(
        n=newest.n,
        email_id=newest.email_id,
        label=answer.sentiment.label,
        score=answer.sentiment.score,
    )
    others = [one for one in thread.sentiment_scores if one.n != newest.n]
    return {
        "requirements": merged.requirements,
        "requirements_version": (thread.requirements_version or 0) + (1 if is_new else 0),
        "sentiment_scores": [*others, sentiment][-analyses.MOST_SENTIMENTS :],
        **({"ai_cost_micros": (thread.ai_cost_micros or 0) + cost} if cost is not None else {}),
        "ai_analysis": AiAnalysis(
            state=AnalysisState.DONE,
            analysed_n=newest.n,
            evidence_seq=thread.evidence_seq,
            analysed_at=clock.to_text(clock.now_ms()),
            model=str(kept.get("model", "")) or None,
            ai_version=kept_answers.version_of(kept),
            summary=facts.summary[:MOST_SUMMARY],
            intent=facts.intent,
            language=facts.language,
            urgency=facts.urgency,
            needs_human=facts.needs_human,
            needs_human_reason=facts.reason,
            confidence=facts.confidence,
            is_complete=merged.is_complete,
            changed=list(merged.changed),
            unconfirmed=merged.unconfirmed,
            pending_info=merged.questions,
        ),
    }


def _change_of(
    thread: Thread, mailbox: Mailbox, merged: requirements.Merged, n: int
) -> Change | None:
    """
    Return the change of an analysis that changed known values or completes the thread; None for others.

    Its entry names fields: their earlier values stand in the analyses of the earlier mails.
    """
    is_open = thread.status in {Status.ACTIVE, Status.PENDING_INFO}
    completes = merged.is_complete and mailbox.auto_complete and is_open
    if not (completes or merged.changed):
        return None
    words = [*(f"changed={name}" for name in merged.changed), *(["completed"] * completes)]
    return Change(
        fields=with_status(thread, Status.COMPLETED) | touched(thread) if completes else {},
        at=clock.to_text(clock.now_ms()),
        actor=ACTOR,
        action="analyse",
        detail=f"mail {n}: {' '.join(words)}",
        cause=digest(ACTOR, thread.conversation_id, str(n))[:20],
    )
