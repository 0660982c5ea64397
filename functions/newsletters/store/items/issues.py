"""Issues: newsletters that are sent to an audience, the ledger of their recipients, and their counters."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, TableItem, has_dated_form
from newsletters.store.items.jobs import NO_OWNER, OPEN_WORK
from shared.aws.tables.items import filled, shard_of
from shared.contacts.audience import Audience

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

ISSUES: Final = "ISSUE#"  # prefix of the sort keys of a company's issues
SHARDS: Final = 16  # of the recipients and of the counters
_ID: Final = re.compile(r"IS-(\d{8})-[0-9A-Z]{8}", re.ASCII)


def is_issue_id(text: str) -> bool:
    """Return whether *text* has the form of an issue's id, `IS-YYYYMMDD-XXXXXXXX`, with a date that exists."""
    return has_dated_form(_ID, text)


class IssueState(StrEnum):
    """
    The state of an issue.

        draft -> approved -> scheduled -> sending <-> paused
                     |           '-> missed   '-> sent | failed (an empty audience)
                     '------------------'     |
        cancelled from all before sent        '-- sent -> sending: people send unknown mails again
    """

    DRAFT = "draft"
    APPROVED = "approved"
    SCHEDULED = "scheduled"
    MISSED = "missed"
    SENDING = "sending"
    PAUSED = "paused"
    SENT = "sent"
    CANCELLED = "cancelled"
    FAILED = "failed"


type Phase = Literal["snapshot", "dispatch", "settlement", "again"]


class Issue(TableItem):
    """
    An issue of a newsletter. *consent* says on which ground its audience is written to: `recorded` opt-ins of each
    person, or `attested` by the company in *consent_statement*.

    *sealed* is the pointer to the approved HTML and text, *content_hash* of the newsletter's content in it. *topics*:
    see `Choices`. *version* grows with every change by people and every change of the state. While it is sent, *phase*,
    *position*, *after*, *shard* and *after_recipient* are the place from which the next turn goes on; *lease_owner* is
    the worker's invocation until *lease_until* (ms since 1970). *scheduled_for*: ms since 1970.

    With *in_reader_zone* the time *local* is meant in the zone of each reader, and in *timezone* for readers without
    one. An issue that cannot begin until *not_after* (ms since 1970) is missed. *waits_until*: the earliest time of the
    recipients that the present round has passed over. *tracks_clicks*: as in the settings at the approval.
    """

    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "HEAD"

    issue_id: str
    company_id: str
    newsletter_code: str
    state: IssueState = IssueState.DRAFT
    subject: str = Field(repr=False)
    preheader: str = Field(default="", repr=False)
    topics: list[str] = Field(default_factory=list)
    sender: str
    sender_name: str = Field(repr=False)
    reply_to: str | None = None
    postal_address: str = Field(repr=False)
    permission_line: str = Field(repr=False)
    list_ids: list[str] = Field(default_factory=list)
    segment_ids: list[str] = Field(default_factory=list)
    consent: Literal["recorded", "attested"] = "recorded"
    consent_statement: str | None = Field(default=None, repr=False)
    language: str = "en"
    created_at: str
    created_by: str
    updated_at: str
    cause: str  # hash of the request that made it
    approved_at: str | None = None
    approved_by: str | None = None
    content_hash: str | None = None
    tracks_clicks: bool = False
    sealed: dict[str, Any] | None = None
    scheduled_for: int | None = None
    timezone: str | None = None
    local: str | None = None
    in_reader_zone: bool = False
    not_after: int | None = None
    started_at: str | None = None
    ended_at: str | None = None
    pause_reason: str | None = None
    version: int = 1
    phase: Phase = "snapshot"
    position: int = 0
    after: str | None = None
    shard: int = 0
    after_recipient: str | None = None
    waits_until: int | None = None
    turn: int = 0
    lease_owner: str | None = NO_OWNER
    lease_until: int | None = 0
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None  # while it is scheduled or sent

    @property
    def audiences(self) -> list[Audience]:
        """The lists and segments in the order in which they are read."""
        listed = [Audience(kind="list", id=one) for one in self.list_ids]
        return [*listed, *(Audience(kind="segment", id=one) for one in self.segment_ids)]

    @property
    def is_over(self) -> bool:
        """Whether nothing more is sent."""
        return self.state in {IssueState.SENT, IssueState.CANCELLED, IssueState.FAILED}


class IssueEntry(TableItem):
    """The place of an issue in the list of its company; all else is in the issue."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "ISSUE#{created_at}#{issue_id}"

    issue_id: str


class RecipientState(StrEnum):
    """
    The state of one recipient.

        planned -> sending -> sent | failed | unknown
              '-> skipped
        sending -> planned: the provider certainly has not taken the mail
        unknown -> planned: a person sends it again
        unknown -> sent | failed: by a later event of the provider
    """

    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    SKIPPED = "skipped"
    FAILED = "failed"
    UNKNOWN = "unknown"


ENDED: Final = frozenset(
    {
        RecipientState.SENT,
        RecipientState.SKIPPED,
        RecipientState.FAILED,
        RecipientState.UNKNOWN,
    }
)


class Recipient(TableItem):
    """
    One recipient of an issue. *address_hash* is the keyed hash of the address at the time of the snapshot, which is
    the only one that this recipient's mail goes to; None without an address. The address itself is with the contact.
    *mailbox_provider*: of the address (`mailbox_providers`), None for those that share no limits.

    *attempt* is the number of the newest wire attempt, *owner* who makes it, *deadline_ms* (since 1970) when it is in
    doubt. *not_before* (ms since 1970): its time in the reader's zone. A click within seconds of the delivery is
    likely automated. Times of the provider's events are its own.
    """

    partition: ClassVar[str] = "NLISSUE#{issue_id}#{shard}"
    sort: ClassVar[str] = "RCPT#{recipient}"
    ttl_days: ClassVar[int] = 400

    recipient: str
    contact_id: str
    list_id: str | None = None  # None: of a segment
    address_hash: str | None = None
    mailbox_provider: str | None = None
    state: RecipientState = RecipientState.PLANNED
    reason: str | None = None
    not_before: int | None = None
    attempt: int = 0
    owner: str | None = None
    deadline_ms: int | None = None
    ses_id: str | None = None
    sent_at: str | None = None
    delivered_at: str | None = None
    delayed_at: str | None = None
    clicked_at: str | None = None
    likely_automated_at: str | None = None
    bounced_at: str | None = None
    complained_at: str | None = None
    unsubscribed_at: str | None = None
    ttl: int

    @property
    def is_in_doubt(self) -> bool:
        """Whether a mail may have been sent that the state does not show yet."""
        was_tried = self.state is RecipientState.PLANNED and self.attempt > 0
        return was_tried or self.state in {RecipientState.SENDING, RecipientState.UNKNOWN}

    @classmethod
    def shard_key(cls, issue_id: str, shard: int) -> str:
        """Return the partition of a shard of an issue's recipients."""
        return filled(cls.partition, issue_id, f"{shard:x}")

    @classmethod
    def key_of(cls, issue_id: str, recipient: str) -> Attributes:
        """Return the key of a recipient, by its name."""
        return {
            PARTITION_KEY: cls.shard_key(issue_id, shard_of(recipient, SHARDS)),
            SORT_KEY: filled(cls.sort, recipient),
        }

    def own_key(self) -> Attributes:
        """Return the key of this recipient."""
        return {PARTITION_KEY: self.PK, SORT_KEY: self.SK}


type Count = Literal[
    "audience", "sent", "skipped", "failed", "unknown", "delivered", "delayed", "bounced", "complained",
    "unsubscribed", "clicked", "likely_automated",
]  # fmt: skip


class IssueStats(TableItem):
    """A part of the counters of an issue, each the sum over all parts; written with the recipients that it counts."""

    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "STATS#{shard}"

    audience: int = 0
    sent: int = 0
    skipped: int = 0
    failed: int = 0
    unknown: int = 0
    delivered: int = 0
    delayed: int = 0
    bounced: int = 0
    complained: int = 0
    unsubscribed: int = 0
    clicked: int = 0
    likely_automated: int = 0

    @classmethod
    def key_for(cls, issue_id: str, recipient: str) -> Attributes:
        """Return the key of the part that counts a recipient, another one for recipients of the same shard."""
        return cls.key(issue_id, f"{shard_of(f'stats {recipient}', SHARDS):02}")


class TestMail(TableItem):
    """
    A mail of a test of an issue to a person of the company: counted nowhere. *sealed* is its content. States as of a
    recipient.
    """

    __test__ = False
    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "TEST#{test_id}#{number}"
    ttl_days: ClassVar[int] = 1

    test_id: str
    number: int
    address: str = Field(repr=False)
    sealed: dict[str, Any]
    state: RecipientState = RecipientState.PLANNED
    reason: str | None = None
    owner: str | None = None
    deadline_ms: int | None = None
    ttl: int


class SendPace(TableItem):
    """The time from which a company's next mail may be sent (`shared.aws.tables.rate_limits.gcra`)."""

    partition: ClassVar[str] = "NLPACE#{company_id}"
    sort: ClassVar[str] = "HEAD"

    free_at: int
    ttl: int
