"""
The events of `email-threads.fifo`.

    email.received   a mail that SES has stored in the bucket        group: the root of its thread
    email.analyse    the newest mail of a customer                   group: the thread, apart from its mails
    email.send       an approved draft                               the same
    email.feedback   an event of SES about a sent mail               group: the sent mail
    email.merge      a thread that turned out to be part of another  group: the thread that stays
    email.erase      a thread whose retention is over                group: the thread
    email.privacy    an erasure or export of a person                group: the job

Analyses and sends have separate message groups: a slow model must not delay the mails of a thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.event_versions import VERSION

RECEIVED: Final = "email.received"
FEEDBACK: Final = "email.feedback"
SENT: Final = "outbound_message"  # of `shared.events`: the AI conversations have sent a mail


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailReceived:
    """
    A raw mail in the bucket of this deployment. *size* is in bytes, *received_at* is when SES stored it.

    *replay_of* is the id of the parked event that this one replays, *replay* the number of the replay. *is_released*: a
    person accepted the mail although another one with its Message-ID is stored. *cause* tells a repetition apart that a
    person asked for.
    """

    type: Literal["email.received"] = "email.received"
    v: int = VERSION
    key: str = field(repr=False)
    etag: str
    size: int
    received_at: str
    replay_of: str | None = None
    replay: int = 0
    is_released: bool = False
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailMerge:
    """The thread *loser* becomes part of *winner*."""

    type: Literal["email.merge"] = "email.merge"
    v: int = VERSION
    loser: str
    winner: str
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailErase:
    """The retention of a thread is over; *count* is the number of its mails that are removed already."""

    type: Literal["email.erase"] = "email.erase"
    v: int = VERSION
    conversation_id: str
    count: int = 0
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailPrivacy:
    """An erasure or export of a person continues; all else is in the item of the job."""

    type: Literal["email.privacy"] = "email.privacy"
    v: int = VERSION
    job_id: str
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailAnalyse:
    """Mail *n* of a thread is to be read by the model. *cause* tells a repeated request of a person apart."""

    type: Literal["email.analyse"] = "email.analyse"
    v: int = VERSION
    conversation_id: str
    n: int
    cause: str | None = None
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSend:
    """
    The draft *reply_id* of a thread was approved in this version; *attempt* grows after a failed send.

    *cause* tells events about the same attempt apart: a send, and later evidence about it.
    """

    type: Literal["email.send"] = "email.send"
    v: int = VERSION
    conversation_id: str
    reply_id: str
    version: int
    attempt: int
    cause: str | None = None
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailFeedback:
    """
    An event of SES about a mail that was sent from here. *event* is SES's word (`Delivery`, `Bounce`), *source* the
    sender, *recipients* the addresses that the event is about, *tags* the request's tags, *detail* types of a bounce
    or a complaint.
    """

    type: Literal["email.feedback"] = "email.feedback"
    v: int = VERSION
    event: str
    ses_id: str
    at: str
    source: str = field(default="", repr=False)
    recipients: list[str] = field(default_factory=list, repr=False)
    tags: dict[str, str] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    replay_of: str | None = None
    replay: int = 0


type Event = (
    EmailReceived
    | EmailAnalyse
    | EmailSend
    | EmailFeedback
    | EmailMerge
    | EmailErase
    | EmailPrivacy
)


def body_of(event: Event) -> str:
    """Serialise an event as a queue message body."""
    return to_json({name: getattr(event, name) for name in event.__dataclass_fields__})


def received_entry(event: EmailReceived, root: str | None) -> Entry:
    """Build the entry of a mail; *root* is the Message-ID that names its thread, None if it has no ids."""
    return Entry(
        body=body_of(event),
        group=digest("root", root) if root else digest(event.key),
        deduplication=digest(event.type, event.key, event.etag, *filter(None, [event.cause])),
    )


def entry(event: EmailAnalyse | EmailSend | EmailFeedback | EmailMerge | EmailErase) -> Entry:
    """Build the entry of an event other than a received mail."""
    body = body_of(event)
    return Entry(body=body, group=_group_of(event), deduplication=digest(body))


def privacy_entry(event: EmailPrivacy, *turn: str) -> Entry:
    """Build the entry of a job's next turn; *turn* differs for each, as the queue drops what it has seen just now."""
    group = digest(event.type, event.job_id)
    return Entry(body=body_of(event), group=group, deduplication=digest(group, *turn))


def _group_of(event: EmailAnalyse | EmailSend | EmailFeedback | EmailMerge | EmailErase) -> str:
    if isinstance(event, EmailFeedback):
        return digest("ses", event.ses_id)
    if isinstance(event, EmailMerge):
        return digest("thread", event.winner)
    if isinstance(event, EmailErase):
        return digest("thread", event.conversation_id)
    return digest("out", event.conversation_id)
