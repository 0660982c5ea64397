"""Processes one event of `email-threads.fifo`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter

from email_threads.inbound.events import EmailErase, EmailMerge, EmailPrivacy, EmailReceived
from email_threads.recovery import parking
from email_threads.threading import expiry, merge
from email_threads.worker import reception, sent_mails
from shared.aws.record_body import parse_body
from shared.events import OutboundMessage

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources

type Event = EmailReceived | EmailMerge | EmailErase | EmailPrivacy | OutboundMessage

EVENTS: Final[TypeAdapter[Event]] = TypeAdapter(
    Annotated[
        EmailReceived | EmailMerge | EmailErase | EmailPrivacy | OutboundMessage,
        Field(discriminator="type"),
    ]
)


class Outcome(StrEnum):
    """What became of an event."""

    PERSISTED = "persisted"
    DUPLICATE = "duplicate"
    IGNORED = "ignored"  # its object or its thread is gone
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Handled:
    """The logged and measured result of an event. *reason* is set when it was parked, *kind* is that of a mail."""

    outcome: Outcome
    conversation_id: str | None = None
    company: str | None = None
    kind: str | None = None
    reason: str | None = None


def process(resources: Resources, body: str) -> Handled:
    """Process one queue record. Raises Permanent if no retry can succeed; after other errors it is delivered again."""
    event = parse_body(body, EVENTS)
    if isinstance(event, OutboundMessage):
        return _record(resources, event)
    if isinstance(event, EmailReceived):
        handled = _receive(resources, event)
    elif isinstance(event, EmailMerge):
        is_merged = merge.merge(resources.table, event.loser, event.winner)
        handled = Handled(Outcome.PERSISTED if is_merged else Outcome.IGNORED, event.winner)
    elif isinstance(event, EmailPrivacy):
        handled = _continue_job(resources, event)
    else:
        is_removed = expiry.remove(resources, event)
        handled = Handled(
            Outcome.PERSISTED if is_removed else Outcome.IGNORED, event.conversation_id
        )
    parking.resolve(resources.table, event)
    return handled


def _record(resources: Resources, sent: OutboundMessage) -> Handled:
    appended = sent_mails.record(resources, sent)
    if appended is None:
        return Handled(Outcome.IGNORED, company=sent.company, kind=sent.type)
    return Handled(
        Outcome.DUPLICATE if appended.is_duplicate else Outcome.PERSISTED,
        conversation_id=appended.conversation_id,
        company=sent.company,
        kind=sent.type,
    )


def _continue_job(resources: Resources, event: EmailPrivacy) -> Handled:
    from email_threads.privacy import jobs  # noqa: PLC0415 - of rare events

    job = jobs.work(resources, event)
    if job is None:
        return Handled(Outcome.DUPLICATE, kind=event.type)
    return Handled(Outcome.PERSISTED, company=job.company_id, kind=event.type)


def _receive(resources: Resources, event: EmailReceived) -> Handled:
    received = reception.receive(resources, event)
    if received is None:
        return Handled(Outcome.IGNORED)
    return Handled(
        Outcome.DUPLICATE if received.is_duplicate else Outcome.PERSISTED,
        conversation_id=received.conversation_id,
        company=received.company_id,
        kind=received.kind,
    )
