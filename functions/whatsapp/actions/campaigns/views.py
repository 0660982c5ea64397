"""Views of campaigns."""

from whatsapp.actions.campaigns.costs.views import CostView
from whatsapp.actions.dispatch import error_meanings
from whatsapp.sending.views import View
from whatsapp.store.items.sending.campaign_tests import CampaignTest
from whatsapp.store.items.sending.campaigns import Campaign

# The reasons for which a campaign pauses or ends by itself.
_REASONS = {
    "audience_missing": "The list or segment was deleted before all of its people were read.",
    "failures": "More than a fifth of the recipients of a page failed. Read the codes, then resume or cancel.",
    "encoding_unreadable": "The list is encoded neither in UTF-8 nor in UTF-16.",
    "header_unreadable": "The first line of the list is no header in CSV, or has no column of the customer.",
    "line_too_long": "A row of the list is longer than 65,536 characters, or a quote is not closed.",
    "list_missing": "The list was deleted before it was read.",
    "no_valid_recipients": "No recipient is valid. Correct the recipients, or the values of the template, and create "
    "another campaign.",
    "not_configured": "The number has no access token.",
    "number_not_in_use": "The number is not in use any more.",
    "quality_low": "The number's quality is rated RED; marketing templates are paused.",
    "safe_mode": "Sending is switched off.",
    "sending_blocked": "The provider has blocked sending from this number.",
    "template_not_sendable": "The template is not approved any more.",
    "template_parameters": "The template needs other parameters.",
    "too_many_recipients": "The list has more than 1,000,000 recipients.",
}
_OF_PROVIDER = "provider:"
TALLIES = ("sent", "failed", "refused", "duplicate", "invalid", "cancelled", "in_doubt")


class AudienceView(View):
    """
    The list or segment of contacts whose people a campaign reaches, or for `failed` the campaign whose failed messages
    it repeats.
    """

    kind: str
    id: str


class VariantView(View):
    """A template of a test, and the campaign that sends it to its part of the audience once the test has begun."""

    campaign_id: str
    template_name: str
    language: str


class TestView(View):
    """
    The rule of a test of two templates and its course. *share*: percent of the audience that get a variant.
    *observed_from*: since when the messages of both are observed. *verdict*: why the comparison ended (`significant`,
    `not_significant`, `too_few` messages, `cancelled`); without a *winner* (`a`, `b`) a person decides.
    *decided_by*: that person, absent if it was the rule.
    """

    share: int
    measure: str
    minimum: int
    confidence: int
    hours: int
    decision: str
    variants: list[VariantView]
    begun_at: str | None = None
    observed_from: str | None = None
    verdict: str | None = None
    winner: str | None = None
    decided_at: str | None = None
    decided_by: str | None = None


class CampaignView(View):
    """
    A campaign. `totalRecipients` is absent until all recipients are in pages. At the end sent + failed + refused +
    duplicate + invalid + cancelled + inDoubt = total; delivered and read are of the sent ones.

    *failed*: refused by the provider at once; a later failure shows in the message. *in_doubt*: the provider's answer
    was lost. *invalid_lines*: the first hundred rows that name no customer, counted from 1 without the header and empty
    lines. *pause_reason*: a code, or the text of the person who paused it; *pause_meaning*: the meaning of the code,
    and advice. A paused campaign with the outcome `cancelled` cannot go on: its list could not be read.
    *left_out*: people of the audience who are no recipients, by reason: `no_address`, `address_withdrawn`, `opted_out`,
    `missing_value`, `erased`; of failed messages also `error_is_final` and `not_stored`; with `totalRecipients` they
    are all people of the audience. *test*: of two templates, in the campaign to the rest of the audience; *test_of*:
    that campaign, in those of both variants; *part*: the part of the audience, whose others are left out
    (`other_part`). *retried_by*: the campaign to those whose message of this one failed. *cost*: shown by
    `get_campaign` when all recipients are in pages.
    `provider:graph_131048` is also the reason if the provider reports that the portfolio's limit of customers in 24
    hours is reached.
    """

    campaign_id: str
    name: str
    status: str
    outcome: str | None = None
    pause_reason: str | None = None
    pause_meaning: str | None = None
    template_name: str | None = None
    audience: AudienceView | None = None
    total_recipients: int | None = None
    left_out: dict[str, int] | None = None
    cost: CostView | None = None
    sent: int = 0
    delivered: int = 0
    read: int = 0
    failed: int = 0
    refused: int = 0
    duplicate: int = 0
    invalid: int = 0
    cancelled: int = 0
    in_doubt: int = 0
    invalid_lines: list[int] | None = None
    test: TestView | None = None
    test_of: str | None = None
    part: str | None = None
    retried_by: str | None = None
    pages: int = 0
    created_at: str
    scheduled_at: str | None = None
    started_at: str | None = None
    completed_at: str | None = None


class CampaignsView(View):
    """A page of campaigns."""

    campaigns: list[CampaignView]


class CampaignStatsView(View):
    """
    Sums over campaigns. *billable*: messages by the provider's price category. *replied*: messages with which customers
    quoted a message of a campaign or chose one of its buttons, until eight days after its end. *complete*: whether all
    campaigns were read.
    """

    campaigns: int
    recipients: int
    sent: int
    delivered: int
    read: int
    failed: int
    refused: int
    duplicate: int
    invalid: int
    cancelled: int
    in_doubt: int
    replied: int
    billable: dict[str, int]
    complete: bool


class RecipientView(View):
    """
    One recipient: *line* of the list if it has no message, else the message; before an audience is read the contact.

    *reason*: a code of the send policy or of the provider, or why a person is left out.
    """

    outcome: str
    line: int | None = None
    reason: str | None = None
    message_id: str | None = None
    to: str | None = None
    to_text: str | None = None  # as people write it: `+44 7700 900101`
    contact_id: str | None = None


class RecipientsView(View):
    """
    A page of recipients. Before an audience is read, *counts* has the people of all pages so far, by `reached` and by
    the reasons for which the others are left out; those who are reached also by the part of a test (`part_a`, `part_b`,
    `part_rest`). *cost* is that of messages to those who are reached so far, and
    *exact* says whether these are all people of the audience.
    """

    recipients: list[RecipientView]
    counts: dict[str, int] | None = None
    cost: CostView | None = None
    exact: bool | None = None


def campaign_view(campaign: Campaign) -> CampaignView:
    """Return a campaign with the tallies that are summed up so far."""
    tallies = {name: campaign.tallies.get(name, 0) for name in TALLIES}
    tallies["invalid"] += campaign.invalid_count
    of = campaign.audience
    return CampaignView(
        campaign_id=campaign.campaign_id,
        name=campaign.name,
        status=campaign.status,
        outcome=campaign.outcome,
        pause_reason=campaign.pause_reason,
        pause_meaning=meaning_of(campaign.pause_reason or ""),
        template_name=campaign.template_name,
        audience=AudienceView(kind=of.kind, id=of.id) if of else None,
        total_recipients=campaign.total_recipients,
        left_out=campaign.left_out if of else None,
        delivered=campaign.delivered_count,
        read=campaign.read_count,
        invalid_lines=campaign.invalid_lines,
        test=_test_view(campaign.test) if campaign.test else None,
        test_of=campaign.test_of,
        part=campaign.part,
        retried_by=campaign.retried_by,
        pages=campaign.pages,
        created_at=campaign.created_at,
        scheduled_at=campaign.scheduled_at,
        started_at=campaign.started_at,
        completed_at=campaign.completed_at,
        **tallies,
    )


def _test_view(test: CampaignTest) -> TestView:
    facts = test.model_dump(include=set(TestView.model_fields) - {"variants", "decision"})
    variants = [
        VariantView(
            campaign_id=one.campaign_id, template_name=one.template_name, language=one.language
        )
        for one in test.variants
    ]
    return TestView(decision="rule" if test.by_rule else "person", variants=variants, **facts)


def meaning_of(reason: str) -> str | None:
    """Return the meaning of a reason, and advice; None for a person's text."""
    if not reason.startswith(_OF_PROVIDER):
        return _REASONS.get(reason)
    known = error_meanings.of_code(reason.removeprefix(_OF_PROVIDER))
    return f"{known.meaning} {known.advice}" if known else "The provider refuses further messages."
