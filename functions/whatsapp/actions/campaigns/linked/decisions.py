"""Shows how the test of two templates stands, and lets a person decide it."""

from typing import Any, Literal

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.campaigns.control import CONTROL, own
from whatsapp.actions.campaigns.inputs import OfCampaign
from whatsapp.actions.campaigns.trials import course, significance
from whatsapp.actions.campaigns.views import CampaignView, campaign_view
from whatsapp.sending.views import View
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import Campaign


class DecideTest(OfCampaign):
    """The campaign that has the test, and the variant that the rest of the audience gets."""

    winner: Literal["a", "b"]


class VariantResultView(View):
    """
    A variant so far: its campaign, absent before the test begins; the messages that were sent, and those of them that
    count by the measure.
    """

    part: Literal["a", "b"]
    template_name: str
    campaign_id: str | None = None
    status: str | None = None
    sent: int
    counted: int


class TestResultView(View):
    """
    Both variants so far. *is_significant*: whether they differ by the rule of the test, if this was one of its looks;
    below the minimum nothing is decided.
    """

    variants: list[VariantResultView]
    has_minimum: bool
    is_significant: bool


@CONTROL.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_campaign_test(call: Call[OfCampaign]) -> TestResultView:
    """Show how both variants of a campaign's test stand; the rule and the decision are in the campaign itself."""
    rest = _tested(call, call.input.campaign_id)
    test = course.test_of(rest)
    results: list[VariantResultView] = []
    for part, variant in zip(course.PARTS, test.variants, strict=True):
        found = records.get(call.table, variant.campaign_id)
        counted = course.counted(call.table, test, found) if found else significance.Counted(0, 0)
        results.append(
            VariantResultView(
                part=part,
                template_name=variant.template_name,
                campaign_id=found.campaign_id if found else None,
                status=found.status if found else None,
                sent=counted.sent,
                counted=counted.counted,
            )
        )
    one, other = (significance.Counted(of.sent, of.counted) for of in results)
    return TestResultView(
        variants=results,
        has_minimum=min(one.sent, other.sent) >= test.minimum,
        is_significant=significance.is_significant(one, other, test.confidence),
    )


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def decide_campaign_test(call: Call[DecideTest]) -> CampaignView:
    """
    Choose the variant that the rest of the audience gets, and send it, unless the campaign is paused. Possible from the
    beginning of the test on, also when the rule has found no winner. The same decision again changes nothing; another
    one is refused.
    """
    rest = _tested(call, call.input.campaign_id)
    test, winner = course.test_of(rest), call.input.winner
    if test.winner == winner:
        return campaign_view(rest)
    if (
        test.winner is not None
        or test.begun_at is None
        or rest.status not in {"scheduled", "paused"}
    ):
        raise StateConflict("campaignId: its test has not begun, or is decided or cancelled")
    number = course.PARTS.index(winner)
    try:
        decided = course.decide(
            call.table, call.resources.campaigns, rest, number, by=call.caller.principal
        )
    except records.TooMany as full:
        raise StateConflict(str(full)) from None
    if decided is None:
        raise StateConflict("campaignId: its test has just been changed")
    return campaign_view(decided)


def _tested(call: Call[Any], campaign_id: str) -> Campaign:
    rest = own(call, campaign_id)
    if rest.test is None:
        raise StateConflict("campaignId: has no test")
    return rest
