"""
The events of `email-threads.fifo`.

    email.received   a mail that SES has stored in the bucket        group: the root of its thread
    email.analyse    the newest mail of a customer                   group: the thread, apart from its mails
    email.send       an approved draft                               the same
    email.feedback   an event of SES about a sent mail               group: the sent mail
    email.merge      a thread that turned out to be part of another  group: the thread that stays
    email.separate   mails that move to another thread               group: the thread that they leave
    email.erase      a thread whose retention is over                group: the thread
    email.due        a thread whose alarm, reminder or end is due    group: the thread, apart from its mails and sends
    email.privacy    an erasure or export of a person                group: the job
    email.evaluate   a scenario of a run that an administrator began group: the mailbox, apart from its mails and sends
    email.shadow     the draft of a version on trial, never offered  group: one for all companies

Analyses and sends have separate message groups: a slow model must not delay the mails of a thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from shared.aws.sqs_fifo import Entry, digest
from shared.events import queued_events
from shared.events.queued_events import QueuedEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

RECEIVED: Final = "email.received"
ANALYSE: Final = "email.analyse"
SEND: Final = "email.send"
FEEDBACK: Final = "email.feedback"
EVALUATE: Final = "email.evaluate"
SENT: Final = (
    "outbound_message"  # of `shared.events.exchange`: the AI conversations have sent a mail
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailReceived(QueuedEvent):
    """
    A raw mail in the bucket of this deployment. *size* is in bytes, *received_at* is when SES stored it.

    *is_released*: a person accepted the mail although another one with its Message-ID is stored. *cause* tells a
    repetition apart that a person asked for.
    """

    type: Literal["email.received"] = "email.received"
    key: str = field(repr=False)
    etag: str
    size: int
    received_at: str
    is_released: bool = False
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailMerge(QueuedEvent):
    """The thread *loser* becomes part of *winner*. *cause* tells a merge after the undo of an earlier one apart."""

    type: Literal["email.merge"] = "email.merge"
    loser: str
    winner: str
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSeparate(QueuedEvent):
    """
    Mails of the thread *source* move to *target*: those with *numbers* to a new thread with this *subject*, in a split;
    without numbers those that came from it, in the undo of a merge, after which *target* had the number *seq*.

    *actor* is the principal who asked for it, *cause* a hash of the call.
    """

    type: Literal["email.separate"] = "email.separate"
    source: str
    target: str
    actor: str
    cause: str
    numbers: list[int] = field(default_factory=list)
    subject: str | None = field(default=None, repr=False)
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailErase(QueuedEvent):
    """The retention of a thread is over; *count* is the number of its mails that are removed already."""

    type: Literal["email.erase"] = "email.erase"
    conversation_id: str
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailDue(QueuedEvent):
    """An alarm, a breach, a reminder or the end of a thread is due at *look_at*."""

    type: Literal["email.due"] = "email.due"
    conversation_id: str
    look_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailPrivacy(QueuedEvent):
    """An erasure or export of a person continues; all else is in the item of the job."""

    type: Literal["email.privacy"] = "email.privacy"
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailAnalyse(QueuedEvent):
    """Mail *n* of a thread is to be read by the model. *cause* tells a repeated request of a person apart."""

    type: Literal["email.analyse"] = "email.analyse"
    conversation_id: str
    n: int
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSend(QueuedEvent):
    """
    The draft *reply_id* of a thread was approved in this version; *attempt* grows after a failed send.

    *cause* tells events about the same attempt apart: a send, and later evidence about it.
    """

    type: Literal["email.send"] = "email.send"
    conversation_id: str
    reply_id: str
    version: int
    attempt: int
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailEvaluate(QueuedEvent):
    """The scenario at *position* (from 0) of a run. The runs of a mailbox are played one after the other."""

    type: Literal["email.evaluate"] = "email.evaluate"
    company_id: str
    address: str
    run_id: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailShadow(QueuedEvent):
    """The version on trial is to draft an answer to mail *n* of a thread beside the live one."""

    type: Literal["email.shadow"] = "email.shadow"
    conversation_id: str
    n: int
    email_id: str
    trial_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailFeedback(QueuedEvent):
    """
    An event of SES about a mail that was sent from here. *event* is SES's word (`Delivery`, `Bounce`), *source* the
    sender, *recipients* the addresses that the event is about, *tags* the request's tags, *detail* types of a bounce
    or a complaint.
    """

    type: Literal["email.feedback"] = "email.feedback"
    event: str
    ses_id: str
    at: str
    source: str = field(default="", repr=False)
    recipients: list[str] = field(default_factory=list, repr=False)
    tags: dict[str, str] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)


type Event = (
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
)


def received_entry(event: EmailReceived, root: str | None) -> Entry:
    """Build the entry of a mail; *root* is the Message-ID that names its thread, None if it has no ids."""
    group = ("root", root) if root else (event.key,)
    causes = (event.cause,) if event.cause else ()
    return queued_events.entry(
        event, *group, deduplication=(event.type, event.key, event.etag, *causes)
    )


def entry(
    event: EmailAnalyse
    | EmailSend
    | EmailFeedback
    | EmailMerge
    | EmailSeparate
    | EmailErase
    | EmailDue,
) -> Entry:
    """Build the entry of an event other than a received mail."""
    return queued_events.entry(event, *_group_of(event))


def evaluation_entry(event: EmailEvaluate) -> Entry:
    """Build the entry of a scenario of a run."""
    return queued_events.entry(event, "evaluation", event.company_id, event.address)


def shadow_entry(event: EmailShadow) -> Entry:
    """
    Build the entry of a draft in shadow: one group for all companies, so that they take one of the concurrent runs, of
    which there are two at least, and delay no mail.
    """
    return queued_events.entry(event, "shadow")


def delayed_entry(body: str, event: Mapping[str, Any]) -> Entry:
    """Build the entry of a send or an analysis whose delay is over, from its body and its fields."""
    return Entry(body, digest("out", str(event.get("conversation_id"))), digest(body))


def _group_of(
    event: EmailAnalyse
    | EmailSend
    | EmailFeedback
    | EmailMerge
    | EmailSeparate
    | EmailErase
    | EmailDue,
) -> tuple[str, str]:
    match event:
        case EmailFeedback():
            return "ses", event.ses_id
        case EmailMerge():
            return "thread", event.winner
        case EmailSeparate():
            return "thread", event.source
        case EmailErase():
            return "thread", event.conversation_id
        case EmailDue():
            return "due", event.conversation_id
        case _:
            return "out", event.conversation_id
