"""Processes one event of `email-threads.fifo`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter

from email_threads.inbound.events import (
    EmailAnalyse,
    EmailDue,
    EmailErase,
    EmailEvaluate,
    EmailFeedback,
    EmailMerge,
    EmailPrivacy,
    EmailReceived,
    EmailSend,
    EmailSeparate,
    EmailShadow,
    Event,
    entry,
)
from email_threads.replies import merged_drafts
from email_threads.store import merges, parked, threads
from email_threads.store.items import Automation
from email_threads.threading import expiry
from email_threads.threading.links import merge, separation
from email_threads.worker import due_times, forwarder, reception, sent_mails
from shared.events.exchange import OutboundMessage
from shared.events.record_body import parse_body
from shared.events.versions import NewerVersion
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from email_threads.configuration.resources import Run, SendingResources

EVENTS: Final[TypeAdapter[Event | OutboundMessage]] = TypeAdapter(
    Annotated[
        EmailReceived
        | EmailAnalyse
        | EmailSend
        | EmailFeedback
        | EmailMerge
        | EmailSeparate
        | EmailErase
        | EmailDue
        | EmailPrivacy
        | EmailEvaluate
        | EmailShadow
        | OutboundMessage,
        Field(discriminator="type"),
    ]
)


class Outcome(StrEnum):
    """The outcome of an event."""

    PERSISTED = "persisted"
    DUPLICATE = "duplicate"
    IGNORED = "ignored"  # its object or its thread is gone
    PARKED = "parked"
    POSTPONED = "postponed"  # its company is above its share


@dataclass(frozen=True, slots=True)
class Handled:
    """The logged and measured result of an event. *reason* is set when it was parked, *kind* is the mail's kind."""

    outcome: Outcome
    conversation_id: str | None = None
    company: str | None = None
    kind: str | None = None
    reason: str | None = None


def process(resources: SendingResources, body: str, run: Run) -> Handled:
    """Process one queue record. Raises Permanent if no retry can succeed; after other errors it is delivered again."""
    event = parse_body(body, EVENTS)
    match event:
        case OutboundMessage():
            return _record(resources, event)
        case EmailReceived():
            handled = _receive(resources, event)
        case EmailPrivacy():
            handled = _continue_job(resources, event)
        case EmailAnalyse() | EmailEvaluate() | EmailShadow():
            handled = _result_of(event, is_done=_ask_model(resources, event, run))
        case EmailSend():
            handled = _result_of(event, is_done=_send(resources, event, run))
        case EmailFeedback():
            handled = _result_of(event, is_done=_apply_feedback(resources, event))
        case EmailMerge() | EmailSeparate():
            handled = _result_of(event, is_done=_move_mails(resources, event))
        case EmailErase():
            handled = _result_of(event, is_done=expiry.remove(resources, event))
        case EmailDue():
            handled = _result_of(event, is_done=due_times.look(resources.table, event))
    parked.events_of(resources.table).resolve(event)
    return handled


def _result_of(event: Event, *, is_done: bool) -> Handled:
    outcome = Outcome.PERSISTED if is_done else Outcome.IGNORED
    return Handled(outcome, getattr(event, "conversation_id", None), kind=event.type)


# Imported lazily: a mailbox without a model neither analyses nor sends.


def _ask_model(
    resources: SendingResources, event: EmailAnalyse | EmailEvaluate | EmailShadow, run: Run
) -> bool:
    if isinstance(event, EmailEvaluate):
        from email_threads.worker import evaluations  # noqa: PLC0415 - see above

        return evaluations.play(resources, event, run)
    from email_threads.analysis import mail_analysis  # noqa: PLC0415 - see above

    if isinstance(event, EmailShadow):
        return mail_analysis.draft_in_shadow(resources, event, run)
    return mail_analysis.analyse(resources, event, run)


def give_up(resources: SendingResources, body: str, reason: str) -> None:
    """Show the last failed attempt at a record where people wait for its result: in the run of an evaluation."""
    try:
        event = parse_body(body, EVENTS)
    except (Permanent, NewerVersion):
        return
    if isinstance(event, EmailEvaluate):
        from email_threads.worker import evaluations  # noqa: PLC0415 - see above

        evaluations.give_up(resources, event, reason)


def _apply_feedback(resources: SendingResources, event: EmailFeedback) -> bool:
    from email_threads.replies import feedback  # noqa: PLC0415 - see above

    return feedback.apply(resources, event)


def _send(resources: SendingResources, event: EmailSend, run: Run) -> bool:
    from email_threads.replies.delivery import approved_drafts  # noqa: PLC0415 - see above

    finished = approved_drafts.send(resources, event, run)
    if finished is None:
        return False
    is_answer = not finished.asks_satisfaction
    if is_answer and finished.appended.automation is Automation.CONVERSATIONS:
        # A person has answered: the AI conversation stops.
        forwarder.forward(resources, finished.incoming, finished.appended)
    return True


def _move_mails(resources: SendingResources, event: EmailMerge | EmailSeparate) -> bool:
    if isinstance(event, EmailMerge):
        return _merge(resources, event)
    return _separate(resources, event)


def _merge(resources: SendingResources, event: EmailMerge) -> bool:
    is_merged = merge.merge(resources.table, event.loser, event.winner)
    loser = threads.get(resources.table, event.loser) if is_merged else None
    if loser is not None:
        merged_drafts.move(resources.table, loser)
        if loser.split_from == event.winner:
            _read_again(resources, event.winner, loser.conversation_id)
    return is_merged


def _separate(resources: SendingResources, event: EmailSeparate) -> bool:
    is_separated = separation.separate(resources.table, resources.bucket, event)
    source = threads.get(resources.table, event.source) if is_separated else None
    if source is None:
        return is_separated
    merged_drafts.move_to(resources.table, source, event.target)
    for thread_id in (event.source, event.target):
        _read_again(resources, thread_id, event.cause)
    merges.forget_effects(resources.table, event.target)
    return True


def _read_again(resources: SendingResources, thread_id: str, cause: str) -> None:
    """Queue the analysis of a thread whose mails were moved, if its model has not read it as it is now."""
    thread = threads.get(resources.table, thread_id)
    if thread is None or thread.automation is not Automation.EMAIL_THREADS:
        return
    if thread.last_inbound_n is not None and thread.ai_analysis is None and thread.waiting_since:
        again = EmailAnalyse(conversation_id=thread_id, n=thread.last_inbound_n, cause=cause)
        resources.queue.send([entry(again)])


def _record(resources: SendingResources, sent: OutboundMessage) -> Handled:
    appended = sent_mails.record(resources, sent)
    if appended is None:
        return Handled(Outcome.IGNORED, company=sent.company, kind=sent.type)
    return Handled(
        Outcome.DUPLICATE if appended.is_duplicate else Outcome.PERSISTED,
        conversation_id=appended.conversation_id,
        company=sent.company,
        kind=sent.type,
    )


def _continue_job(resources: SendingResources, event: EmailPrivacy) -> Handled:
    from email_threads.privacy import jobs  # noqa: PLC0415 - of rare events

    job = jobs.work(resources, event)
    if job is None:
        return Handled(Outcome.DUPLICATE, kind=event.type)
    return Handled(Outcome.PERSISTED, company=job.company_id, kind=event.type)


def _receive(resources: SendingResources, event: EmailReceived) -> Handled:
    received = reception.receive(resources, event)
    if received is None:
        return Handled(Outcome.IGNORED)
    return Handled(
        Outcome.DUPLICATE if received.is_duplicate else Outcome.PERSISTED,
        conversation_id=received.conversation_id,
        company=received.company_id,
        kind=received.kind,
    )
