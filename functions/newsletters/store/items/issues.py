"""Issues: newsletters that are sent to an audience."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import TableItem, has_dated_form
from newsletters.store.items.jobs import NO_OWNER, OPEN_WORK
from shared.aws.audited import audited
from shared.contacts.audience import Audience

ISSUES: Final = "ISSUE#"  # prefix of the sort keys of a company's issues
type Variant = Literal["a", "b", "c", "d"]
VARIANTS: Final[tuple[Variant, ...]] = ("a", "b", "c", "d")
SHARDS: Final = 16  # of the recipients and of the counters
_ID: Final = re.compile(r"IS-(\d{8})-[0-9A-Z]{8}", re.ASCII)


def is_issue_id(text: str) -> bool:
    """Return whether *text* has the form of an issue's id, `IS-YYYYMMDD-XXXXXXXX`, with a date that exists."""
    return has_dated_form(_ID, text)


class IssueState(StrEnum):
    """
    The state of an issue.

        draft -> approved -> scheduled -> sending <-> paused
                     |                  |     '-> sent | failed (an empty audience) | missed (too late to begin)
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


class SubjectTest(BaseModel):
    """
    Several subjects or texts of an issue, of which a sample of the recipients decides: variant `a` has the issue's own,
    the others those of *subjects*, and the text of the newsletter at the same place of *newsletter_codes*: the issue's
    own without an entry. *wait_minutes* after the sample has its mails the others get the variant with the most clicks
    per mail, or the one that a person chooses.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    subjects: list[str] = Field(repr=False)
    newsletter_codes: list[str | None] = Field(default_factory=list)
    sample_percent: int
    wait_minutes: int
    decided_by: Literal["clicks", "person"]


@audited()
class Issue(TableItem):
    """
    An issue of a newsletter. *consent* says on which ground its audience is written to: `recorded` opt-ins of each
    person, or `attested` by the company in *consent_statement*.

    *sealed* is the pointer to the approved HTML and text, *sealed_variants* those of variants with a text of their own,
    *content_hash* of the newsletter's content in it. *topics*: see `Choices`. *template_id*: of its look, None for the
    standard one. *version* grows with every change by people and every change of the state. While it is sent, *phase*,
    *position*, *after*, *shard* and *after_recipient* are the place from which the next turn goes on; *lease_owner* is
    the worker's invocation until *lease_until* (ms since 1970). *scheduled_for*: ms since 1970.

    With *in_reader_zone* the time *local* is meant in the zone of each reader, and in *timezone* for readers without
    one. An issue that cannot begin until *not_after* (ms since 1970) is missed. *waits_until*: the earliest time of the
    recipients that the present round has passed over. *tracks_clicks*: as in the settings at the approval.
    *ranks*: of its recipients, while the sender's domain is new; the present round sends to those up to *rank*.
    *decide_at*: the end of the wait of its subject test (ms since 1970); *winner*: the variant that all others get.
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
    template_id: str | None = None
    subject_test: SubjectTest | None = None
    winner: Variant | None = None
    decide_at: int | None = None
    created_at: str
    created_by: str
    updated_at: str
    cause: str  # hash of the request that made it
    approved_at: str | None = None
    approved_by: str | None = None
    content_hash: str | None = None
    tracks_clicks: bool = False
    sealed: dict[str, Any] | None = None
    sealed_variants: dict[str, dict[str, Any]] | None = None
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
    ranks: list[int] = Field(default_factory=list)
    rank: int = 0
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
    def subjects(self) -> dict[Variant, str]:
        """The subjects by variant; one without a subject test."""
        more = self.subject_test.subjects if self.subject_test else []
        return dict(zip(VARIANTS, [self.subject, *more], strict=False))

    @property
    def contents(self) -> dict[Variant, str]:
        """The newsletters whose texts variants have, where it is not the issue's own."""
        codes = self.subject_test.newsletter_codes if self.subject_test else []
        named = zip(VARIANTS[1:], codes, strict=False)
        return {name: code for name, code in named if code not in {None, self.newsletter_code}}

    @property
    def is_over(self) -> bool:
        """Whether nothing more is sent."""
        return self.state in {IssueState.SENT, IssueState.CANCELLED, IssueState.FAILED}


class IssueEntry(TableItem):
    """The place of an issue in the list of its company; all else is in the issue."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "ISSUE#{created_at}#{issue_id}"

    issue_id: str


class Senders(TableItem):
    """The companies that send issues now, each as `{until_ms}#{company_id}` (`store.senders`)."""

    partition: ClassVar[str] = "NLPACE#{account}"
    sort: ClassVar[str] = "HEAD"

    companies: set[str]
    ttl: int


class SendPace(TableItem):
    """The time from which a company's next mail may be sent (`shared.aws.tables.rate_limits.gcra`)."""

    partition: ClassVar[str] = "NLPACE#{company_id}"
    sort: ClassVar[str] = "HEAD"

    free_at: int
    ttl: int
