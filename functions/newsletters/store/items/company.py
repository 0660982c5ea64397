"""Items of a company: its settings, and the units of AI that it has used."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, Field

from newsletters.store.items.item import TableItem
from newsletters.store.items.recipients import MailboxProvider
from shared.ai.versions.stored import Version
from shared.aws.audited import audited


class MailboxPace(BaseModel):
    """
    What a company knows of a mailbox provider: the most mails *per_hour* of its issues (None: no bound), and the
    *domains* of others that the provider hosts.
    """

    per_hour: int | None = None
    domains: list[str] = Field(default_factory=list)


type MailboxPaces = dict[MailboxProvider, MailboxPace]


@audited(maps=("ai", "retrieval", "mailbox_providers"))
class CompanySettings(TableItem):
    """
    The settings of a company. *ai* is the model (`shared.ai.settings`), *retrieval* the retriever
    (`shared.ai.retrieval.settings`). *ai_daily_units* limits the calls of the model on a UTC day. With *four_eyes* an
    author cannot approve an own draft, with *check_claims* the model judges each statement of a draft by its passages.
    *track_clicks*: clicks of readers are counted. *ses_tenant*: mails are sent as a tenant of SES of its own.
    *mailbox_providers*: the pace of issues for each. *ai_version* is the live version of the model's settings.
    """

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "SETTINGS"

    company_id: str
    ai: dict[str, Any] | None = None
    retrieval: dict[str, Any] = Field(default_factory=dict)
    ai_daily_units: int = 200
    four_eyes: bool = False
    check_claims: bool = False
    track_clicks: bool = False
    ses_tenant: bool = False
    mailbox_providers: MailboxPaces | None = None
    ai_version: int | None = None
    updated_at: str
    updated_by: str
    version: int = 1


class SettingsVersion(TableItem, Version):
    """The settings of a company that its model depends on; never changed, but for the name of an erased author."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "VERSION#{number}"


# Facts: Reteno's documentation of its domain warm-up ("IP warmup", read 2026-11) begins with these days. Customer.io
# ("Safely warm up your sending domain") also says that no day has more than twice the mails of the day before.
DEFAULT_LIMITS: Final = (
    1_000, 2_000, 4_000, 7_000, 11_000, 18_000, 24_000, 40_000, 60_000, 90_000, 140_000, 180_000, 220_000, 300_000,
)  # fmt: skip


# What a day of a new domain was bad at: delays keep the limit for another day, the others lower it.
type LowerLimit = Literal["bounces", "complaints", "delays"]


@audited("limits")
class WarmUp(TableItem):
    """
    The warm-up of a sender's domain. *limits* are the most mails of its days with mails, one after the other; of a day
    at most *provider_percent* go to one mailbox provider. No limits, or all of them passed: the domain is warm.

    *day* (UTC, YYYY-MM-DD) is the newest day with mails, *step* its place in the limits, below 0 for parts of the first
    one; the numbers count its mails, and the events that came on it. *total_before*: the mails of the day with mails
    before it. *reason*: why its limit is not higher than that of the day before.
    *version* grows with changes by people, 0 for the default plan.
    """

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "WARMUP#{domain}"

    company_id: str
    domain: str
    limits: list[int] = Field(default_factory=lambda: [*DEFAULT_LIMITS])
    provider_percent: int = 50
    day: str | None = None
    step: int = 0
    total: int = 0
    google: int = 0
    microsoft: int = 0
    yahoo: int = 0
    apple: int = 0
    other: int = 0
    bounced: int = 0
    complained: int = 0
    delayed: int = 0
    total_before: int = 0
    reason: LowerLimit | None = None
    updated_at: str | None = None
    updated_by: str | None = None
    version: int = 0


class AiUse(TableItem):
    """Calls of the model by a company on a UTC day."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "AIUSE#{yyyymmdd}"
    ttl_days: ClassVar[int] = 90

    units: int = 0
    ttl: int
