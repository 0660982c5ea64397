"""Response models of issues."""

from typing import Literal

from pydantic import Field

from newsletters.store.items import IssueState, RecipientState
from newsletters.store.items.company import LowerLimit
from newsletters.store.items.recipients import TestOutcome
from shared.api.models.views import View


class VariantStatsView(View):
    """The counters of a variant in the sample of a test. `newsletter_code`: of its own text, null: the issue's."""

    variant: Literal["a", "b", "c", "d"]
    subject: str
    newsletter_code: str | None
    sent: int
    clicked: int
    complained: int
    unsubscribed: int


class ProviderStatsView(View):
    """
    The counters of the mails to one mailbox provider, by the domains of the addresses; `other`: at all other domains,
    also own domains at these providers.
    """

    mailbox_provider: Literal["google", "microsoft", "yahoo", "apple", "other"]
    waiting: int
    sent: int
    delivered: int
    delayed: int
    bounced: int
    complained: int


class WarmUpView(View):
    """
    The warm-up of a sender's domain. `limits`: the most mails of its days with mails, of which `provider_percent` go to
    one mailbox provider. `day_number`: of today's limit in them, from 1; null if the domain is warm, or has no limits.
    Of today's `limit` `sent_today` are sent (UTC). `reason`: why the limit is not higher than that of the day before:
    delays kept it, bounces or complaints lowered it. `bounced`, `complained` and `delayed`: what came today.
    """

    domain: str
    limits: list[int]
    provider_percent: int
    day_number: int | None
    limit: int | None
    sent_today: int
    bounced: int
    complained: int
    delayed: int
    reason: LowerLimit | None
    updated_at: str | None
    updated_by: str | None
    version: int


class WarmUps(View):
    """The warm-ups of a company's domains: of those that have sent an issue, or whose plan people have changed."""

    warm_ups: list[WarmUpView]


class IssueWarmUpView(View):
    """
    The limit of the sender's new domain on this day (UTC), over all issues. `ends_on`: the day of the last mail of this
    issue, unless other issues of the domain take places. `reason`: why the limit is not higher.
    """

    domain: str
    limit: int
    sent_today: int
    ends_on: str
    reason: LowerLimit | None


class StatsView(View):
    """
    The counters of an issue: sent + skipped + failed + unknown + waiting = audience. `delayed`: mails that the
    receiving side took later. `clicked`: people with a click, if clicks are counted; those with clicks within ten
    seconds of the delivery only, as programs that check mails make them, are `likely_automated`.
    """

    audience: int
    waiting: int
    sent: int
    skipped: int
    failed: int
    unknown: int
    delivered: int
    delayed: int
    bounced: int
    complained: int
    unsubscribed: int
    clicked: int
    likely_automated: int
    variants: list[VariantStatsView]
    mailbox_providers: list[ProviderStatsView]
    warm_up: IssueWarmUpView | None


class SubjectTestView(View):
    """Further subjects and texts, of which a sample of the readers decides; the issue's own ones are variant `a`."""

    subjects: list[str]
    newsletter_codes: list[str | None]
    sample_percent: int
    wait_minutes: int
    decided_by: Literal["clicks", "person"]


class IssueView(View):
    """An issue. `pause_reason` is the code of a rule of the issue or of the mail provider, or `person`."""

    issue_id: str
    newsletter_code: str
    state: IssueState
    subject: str
    preheader: str
    topics: list[str]
    sender: str
    sender_name: str
    reply_to: str | None
    postal_address: str
    permission_line: str
    list_ids: list[str]
    segment_ids: list[str]
    consent: Literal["recorded", "attested"]
    consent_statement: str | None
    template_id: str | None
    subject_test: SubjectTestView | None
    winner: Literal["a", "b", "c", "d"] | None
    decide_at: str | None
    created_at: str
    created_by: str
    updated_at: str
    approved_at: str | None
    approved_by: str | None
    scheduled_for: str | None
    timezone: str | None
    in_reader_zone: bool
    not_after: str | None
    started_at: str | None
    ended_at: str | None
    pause_reason: str | None
    version: int


class Issues(View):
    """A page of issues."""

    issues: list[IssueView]


class CheckView(View):
    """
    A finding before the start: one that `blocks` it, or a `warning`. `facts`: the values of the sentence `problem` by
    name. `variant`: whose text it is about.
    """

    code: str
    level: Literal["blocks", "warning"]
    problem: str
    facts: dict[str, str]
    variant: Literal["a", "b", "c", "d"] | None


class OutlookView(View):
    """
    What a new domain means for an issue: `limit` mails on this day (UTC), of which `sent_today` are sent, and the
    earliest day of the last mail to `people`. `is_all` is false if there are more of them: of each list 50,000 members
    are counted, and people of segments are not.
    """

    domain: str
    limit: int
    sent_today: int
    people: int
    is_all: bool
    ends_on: str
    reason: LowerLimit | None


class Checklist(View):
    """The findings of an issue; it may be approved and sent without any that blocks."""

    may_be_sent: bool
    bytes: int | None = Field(
        description="Size of the HTML part, of which Gmail shows 104448 bytes."
    )
    content_id: str | None = Field(
        description="The text and look that were looked at, which an approval names; null without a text."
    )
    checks: list[CheckView]
    warm_up: OutlookView | None


class RecipientView(View):
    """A recipient of an issue, by the id of the contact."""

    contact_id: str
    list_id: str | None
    state: RecipientState
    reason: str | None
    sent_at: str | None
    delivered_at: str | None
    delayed_at: str | None
    clicked_at: str | None
    likely_automated_at: str | None
    bounced_at: str | None
    complained_at: str | None
    unsubscribed_at: str | None


class Recipients(View):
    """A page of the ledger of an issue."""

    recipients: list[RecipientView]


class WelcomeView(View):
    """The mail to readers who have confirmed a sign-up."""

    subject: str
    text: str


class PublicListView(View):
    """
    What the public sees of a list of contacts. `subscribe_path`, `archive_path` and `feed_path` are below the address
    of the API; null: not public.
    """

    list_id: str
    title: str
    description: str
    language: str
    is_open: bool
    has_archive: bool
    topics: list[str]
    keeps_ip: bool
    welcome: WelcomeView | None
    sender: str
    sender_name: str
    reply_to: str | None
    postal_address: str
    subscribe_path: str | None
    archive_path: str | None
    feed_path: str | None
    updated_at: str
    updated_by: str
    version: int


class PublicLists(View):
    """The public lists of a company."""

    lists: list[PublicListView]


class RemovedList(View):
    """The id of a list that is not public any more."""

    list_id: str


class IssueTestView(View):
    """A test: the mails are sent within seconds. `subject`: of the mails."""

    test_id: str
    subject: str
    mails: int


class IssueTestMail(View):
    """
    A mail of a test. `skipped`: sending is off, or the sender's domain or the content has gone. `outcome`: what the
    provider has reported since.
    """

    state: RecipientState
    outcome: TestOutcome | None
    reason: str | None


class IssueTestMails(View):
    """The mails of a test in the order of their addresses; none after a day."""

    mails: list[IssueTestMail]


class RemovedIssue(View):
    """The id of a deleted issue."""

    issue_id: str
