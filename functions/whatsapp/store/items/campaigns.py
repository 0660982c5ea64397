"""Campaigns, and items that throttle and schedule sending."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem


class Campaign(WhatsAppItem):
    """
    A template sent to many recipients. Contract item 15; fields below the gap are ours.

    Recipients are stored in S3, counts are derived. Campaigns never have `sentAt` or `templateLanguage`, the sort keys
    of message and template indexes. A cancelled campaign is `completed` with an `outcome`.
    """

    item_type: ClassVar[str] = "CAMPAIGN"
    pk_pattern: ClassVar[str] = "CAMPAIGN#{campaignId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    campaign_id: str
    waba_meta_id: str
    name: str
    template_name: str
    status: Literal["draft", "scheduled", "running", "completed", "paused"]
    total_recipients: int | None = None
    sent_count: int = 0
    delivered_count: int = 0
    read_count: int = 0
    created_at: str
    scheduled_at: str | None = None

    phone: str | None = None
    outcome: str | None = None
    pause_reason: str | None = None
    failed_count: int = 0


class CampaignPage(WhatsAppItem):
    """A hundred recipients of a campaign, with the lease of the worker that processes them."""

    item_type: ClassVar[str] = "CAMPAIGN_PAGE"
    pk_pattern: ClassVar[str] = "CAMPAIGN#{id}#PAGE#{n}"

    state: Literal["pending", "leased", "done"] = "pending"
    cursor: int = 0
    owner: str | None = None
    lease_until: int | None = None  # milliseconds since 1970
    tallies: Annotated[dict[str, int], AtMost(10)] = Field(default_factory=dict)

    @classmethod
    def of(cls, campaign: str, number: int) -> str:
        """Return the key of a campaign's page *number*, in six digits."""
        return cls.key(campaign, f"{number:06d}")


class Timer(WhatsAppItem):
    """Keys of the jobs due in one minute."""

    item_type: ClassVar[str] = "TIMER"
    pk_pattern: ClassVar[str] = "TIMER#{minute}#{n}"
    ttl_days: ClassVar[int | None] = 35

    jobs: Annotated[set[str], AtMost(100)] = Field(default_factory=set)


class Sequence(WhatsAppItem):
    """Messages sent automatically one after another, such as a welcome."""

    item_type: ClassVar[str] = "SEQUENCE"
    pk_pattern: ClassVar[str] = "SEQUENCE#{sequenceId}"

    name: str | None = None
    enabled: bool = True
    steps: Annotated[list[dict[str, str]], AtMost(20)] = Field(default_factory=list)


class Rate(WhatsAppItem):
    """The number of messages that a number sent in one second."""

    item_type: ClassVar[str] = "RATE"
    pk_pattern: ClassVar[str] = "RATE#{phone}#{second}"
    ttl_days: ClassVar[int | None] = 1

    n: int = 0


class Reach(WhatsAppItem):
    """Marks that a portfolio has written to a customer within the last day."""

    item_type: ClassVar[str] = "REACH"
    pk_pattern: ClassVar[str] = "REACH#{portfolio}#{contact}"
    ttl_days: ClassVar[int | None] = 1

    reached_at: str
