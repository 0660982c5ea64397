"""Campaigns: a message to many recipients."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from whatsapp.store.items.item import AtMost, WhatsAppItem
from whatsapp.store.items.sending.campaign_tests import BodyField, CampaignTest

type CampaignStatus = Literal["draft", "scheduled", "running", "completed", "paused"]
NO_VALID_RECIPIENTS = "no_valid_recipients"  # why a campaign is paused that can reach no customer


class AudienceOfCampaign(BaseModel):
    """
    The list or segment of contacts whose people a campaign reaches, or the campaign whose failed messages it repeats.
    They are read when it starts.

    *at*: when the reading began; a number that changes hands later is refused. *after*: how far it has come. *reader*
    has it in its turn until *reader_until* (ms since 1970).
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", hide_input_in_errors=True
    )

    kind: Literal["list", "segment", "failed"]
    id: str
    body_fields: Annotated[list[BodyField], AtMost(50)] = []
    at: str | None = None
    after: str | None = None
    is_read: bool | None = None  # to its end
    reader: str | None = None
    reader_turn: int | None = None
    reader_until: int | None = None

    def as_stored(self) -> Attributes:
        """Return it as the campaign's item has it."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Campaign(WhatsAppItem):
    """
    A message to many recipients. Contract item 15; fields below the gap are ours.

    Recipients are in S3 until their page is done. Counts are derived from the pages and from the counted hours, and
    set, never incremented. Campaigns never have `sentAt` or `templateLanguage`, the sort keys of message and template
    indexes. A cancelled campaign is `completed` with the outcome `cancelled`; one whose list could not be read is
    `paused` with it, and cannot go on.
    """

    item_type: ClassVar[str] = "CAMPAIGN"
    pk_pattern: ClassVar[str] = "CAMPAIGN#{campaignId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    campaign_id: str
    waba_meta_id: str
    name: str
    template_name: str | None = None  # absent for a text
    status: CampaignStatus
    total_recipients: int | None = None  # set when all recipients are in pages
    sent_count: int = 0
    delivered_count: int = 0
    read_count: int = 0
    created_at: str
    scheduled_at: str | None = None

    phone: str
    created_by: str  # principal of the API key
    kind: Literal["template", "text"]
    text: str | None = None
    language: str | None = None
    category: str | None = None  # of the template when the campaign was made
    components: Annotated[list[dict[str, Any]], AtMost(20)] | None = None
    source_key: str | None = None  # of the list in S3 that is being cut into pages
    position: int = 0  # bytes of that list that are in pages; reads of an audience
    rows: int = 0  # lines of the list so far, or people whom the audience has reached
    audience: AudienceOfCampaign | None = None
    # Of a test of two templates: the rule, in the campaign to the rest of the audience; and in all three of them the
    # part of the audience, and the percentage of it that get a variant.
    test: CampaignTest | None = None
    test_of: str | None = None  # the campaign that has the test, in both others
    part: Literal["a", "b", "rest"] | None = None
    share: int | None = None
    retried_by: str | None = None  # the campaign to those whose message of this one failed
    left_out: Annotated[dict[str, int], AtMost(10)] = Field(default_factory=dict)
    # Recipients in pages, by country, for the estimate of costs.
    countries: Annotated[dict[str, int], AtMost(300)] = Field(default_factory=dict)
    pages: int = 0
    auto_start: bool | None = None
    lanes: int = 1
    messages_per_second: int | None = None  # as the call that made it asked for
    invalid_lines: Annotated[list[int], AtMost(100)] | None = None
    invalid_count: int = 0
    # All pages below this one are done, and their tallies are summed up in `tallies`.
    open_from: int = 1
    tallies: Annotated[dict[str, int], AtMost(10)] = Field(default_factory=dict)
    failed_count: int = 0
    started_at: str | None = None
    running_since: str | None = None  # its start, or the last time that it was resumed
    completed_at: str | None = None
    pause_reason: str | None = None
    stopped_at: str | None = None  # when it paused by itself, since it last ran
    outcome: Literal["cancelled"] | None = None
    cancelled_by: str | None = None  # principal
    # Turn and expiry of the event that reads its list, as of the event of a page.
    turn: int | None = None
    queued_until: int | None = None  # milliseconds since 1970

    @property
    def is_cancelled(self) -> bool:
        """Whether nothing is sent any more, and its recipients are deleted."""
        return self.outcome == "cancelled" and self.status in {"completed", "paused"}

    @property
    def reads_audience(self) -> bool:
        """Whether its recipients are the people of an audience, and not all of them are in pages."""
        return self.audience is not None and self.total_recipients is None

    @property
    def once_id(self) -> str:
        """The id within which a person gets one message: of the test that it belongs to, else its own."""
        return self.test_of or self.campaign_id

    @property
    def is_tested(self) -> bool:
        """Whether it waits for the winner of its test, which has begun or begins with it."""
        return self.test is not None and self.test.winner is None

    @property
    def is_all_invalid(self) -> bool:
        """Whether all recipients are known, and none is valid."""
        invalid = self.invalid_count + self.tallies.get("invalid", 0)
        return self.total_recipients is not None and invalid >= self.total_recipients

    @property
    def window(self) -> range:
        """The numbers of the pages that are sent now: one for each lane, from the first that is not done."""
        return range(self.open_from, min(self.open_from + self.lanes, self.pages + 1))


class CampaignPage(WhatsAppItem):
    """
    A hundred recipients of a campaign, with the lease of the worker that processes them.

    `outcomes` has a recipient's line in the list -> outcome and reason, such as `refused:opted_out`; no number. The
    recipients themselves are deleted from S3 when the page is done.

    `turn` increases when a worker leaves the page unfinished: events of an earlier turn do nothing. Until
    `queued_until` an event of this turn is on the queue, unless it was lost.
    """

    item_type: ClassVar[str] = "CAMPAIGN_PAGE"
    pk_pattern: ClassVar[str] = "CAMPAIGN#{id}#PAGE#{n}"

    state: Literal["pending", "leased", "done"] = "pending"
    size: int
    cursor: int = 0
    owner: str | None = None
    lease_until: int | None = None  # milliseconds since 1970
    tallies: Annotated[dict[str, int], AtMost(10)] = Field(default_factory=dict)
    outcomes: Annotated[dict[str, str], AtMost(100)] = Field(default_factory=dict)
    turn: int | None = None  # None: the first one, 0
    queued_until: int | None = None  # milliseconds since 1970
    # Messages whose places in the rates were taken in an earlier turn, by rate.
    places: Annotated[dict[str, int], AtMost(2)] = Field(default_factory=dict)

    def is_free(self, now_ms: int) -> bool:
        """Whether neither a worker nor an event has the page."""
        is_leased = self.state == "leased" and (self.lease_until or 0) >= now_ms
        return self.state != "done" and not is_leased and (self.queued_until or 0) < now_ms

    @classmethod
    def of(cls, campaign: str, number: int) -> str:
        """Return the key of a campaign's page *number*, counted from 1, in six digits."""
        return cls.key(campaign, f"{number:06d}")


@audited("prices", maps=("prices",))
class MessagePrices(WhatsAppItem):
    """
    The prices of messages that a company has entered, by country (ISO 3166) and category, in millionths of the
    currency's unit. *set_at*: None for the table of Parley, which is not stored.
    """

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#PRICES#{company}"

    currency: str
    as_of: str  # the day from which they are valid
    source: str
    prices: Annotated[dict[str, dict[str, int]], AtMost(250)]
    set_at: str | None = None
    set_by: str | None = None  # principal


class OpenCampaigns(WhatsAppItem):
    """
    The work that the schedule finds with its one read a minute: the ids of campaigns that are cut, scheduled or
    running, and the minutes whose timers it has to read, `YYYY-MM-DDTHH:MM`, if `timers_from` is not after `timers_to`.
    """

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#CAMPAIGNS"
    most: ClassVar[int] = 500

    ids: Annotated[set[str], AtMost(500)] = Field(default_factory=set)
    timers_from: str | None = None
    timers_to: str | None = None

    @property
    def has_timers(self) -> bool:
        """Whether a timer may be left."""
        return (self.timers_from or "~") <= (self.timers_to or "")
