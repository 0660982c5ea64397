"""Hourly and daily counts of accounts and campaigns, and the progress of counting."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem


class Analytics(WhatsAppItem):
    """
    One day of an account: the sum of its hours, set, never incremented. Contract item 19; fields below the gap are
    ours.
    """

    item_type: ClassVar[str] = "ANALYTICS"
    pk_pattern: ClassVar[str] = "ANALYTICS#{wabaId}#{date}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    waba_meta_id: str
    date: str  # YYYY-MM-DD, UTC
    messages_sent: int = 0  # sent on that day ...
    messages_delivered: int = 0  # ... and their furthest status: read counts as delivered
    messages_read: int = 0
    messages_failed: int = 0
    templates_used: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)

    messages_received: int = 0
    messages_replied: int = 0  # inbound replies to a template or campaign
    billable: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)  # by category
    ad_sources: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    replies: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)  # by template
    phones: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)  # sent, by number
    counted_at: str | None = None  # when its hours were read


class Hour(WhatsAppItem):
    """
    One hour of an account or campaign, recounted on every pass, so it is exact despite duplicates and late events.

    `counts` are totals (sent, delivered, read, failed, received, replied); the maps are by name.
    """

    item_type: ClassVar[str] = "HOUR"
    pk_pattern: ClassVar[str] = "HOUR#{of}#{hour}"
    ttl_days: ClassVar[int | None] = 400

    counts: Annotated[dict[str, int], AtMost(10)] = Field(default_factory=dict)
    templates: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    billable: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    ad_sources: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    replies: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    phones: Annotated[dict[str, int], AtMost(101)] = Field(default_factory=dict)
    counted_at: str  # start of the count: the count that started last is kept
    summed: bool | None = None  # whether the account's day includes it; campaigns have no days

    @classmethod
    def of(cls, account_or_campaign: str, hour: str) -> str:
        """Return the key of an hour, `yyyymmddHH` in UTC."""
        return cls.key(account_or_campaign, hour)


class Counting(WhatsAppItem):
    """The progress of counting hours. An idle deployment writes it once an hour."""

    item_type: ClassVar[str] = "COUNTING"
    pk_pattern: ClassVar[str] = "COUNTING"

    version: int = 0  # incremented by every run that writes it
    closed: str | None = None  # the last hour that was over, with its notes of changed hours
    is_large: bool | None = None  # whether the current hour has too many messages for every run
    hours: Annotated[list[str], AtMost(220)] = Field(default_factory=list)  # to be counted
    waiting_since: str | None = None  # since when there have been any after each run
    # Hours with a change that are counted again at their next age.
    changed: Annotated[list[str], AtMost(220)] = Field(default_factory=list)
    # The hour that the last run did not finish: where to continue, and the sums so far.
    hour: str | None = None
    began_at: str | None = None
    inbox: str | None = None  # the partition of the next number, and where its next page starts
    start: Annotated[dict[str, Any], AtMost(5)] | None = None
    partial: str | None = None
    partial_parts: int = 0


class CountingPart(WhatsAppItem):
    """Part of the sums of a partially counted hour, as JSON text."""

    item_type: ClassVar[str] = "COUNTING_PART"
    pk_pattern: ClassVar[str] = "COUNTING#{name}#{n}"
    ttl_days: ClassVar[int | None] = 2

    sums: str

    @classmethod
    def of(cls, name: str, number: int) -> str:
        """Return the key of part *number*, counted from 0, in six digits."""
        return cls.key(name, f"{number:06d}")
