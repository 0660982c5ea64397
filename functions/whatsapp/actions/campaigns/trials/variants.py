"""Makes the test of a campaign from the call that creates it: both templates with their values, and the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatsapp import transmission
from whatsapp.actions.campaigns import audience
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.sending.templates import approval, fit
from whatsapp.store.items.sending.campaign_tests import CampaignTest, Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.campaigns.inputs import CreateCampaign, TestedTemplate
    from whatsapp.store.items import Phone
    from whatsapp.store.items.sending.campaigns import Campaign

_PLACE = "test.template"


def tested(
    call: Call[CreateCampaign], phone: Phone, campaign: Campaign, id_of: Callable[[str], str]
) -> Campaign:
    """
    Return a campaign with the test that the call wants: its own template is variant a. *id_of* makes an id of a
    campaign. Raises InvalidInput, and as the look-up of a template.
    """
    wanted, of = call.input.test, campaign.audience
    if wanted is None or of is None:
        raise TypeError("the call wants no test")

    def own_id(part: str) -> str:
        parts = ("variant of campaign", call.company, campaign.campaign_id, part)
        return id_of(transmission.action_id(call.resources, *parts))

    first = Variant(
        campaign_id=own_id("a"), template_name=str(campaign.template_name),
        language=str(campaign.language), category=campaign.category,
        components=campaign.components, body_fields=of.body_fields,
    )  # fmt: skip
    test = CampaignTest(
        share=wanted.share, measure=wanted.measure, minimum=wanted.minimum,
        confidence=wanted.confidence, hours=wanted.hours, by_rule=wanted.decision == "rule",
        variants=[first, _second(call, phone, wanted.template, own_id("b"))],
    )  # fmt: skip
    return campaign.model_copy(update={"test": test, "part": "rest", "share": wanted.share})


def _second(
    call: Call[CreateCampaign], phone: Phone, given: TestedTemplate, campaign_id: str
) -> Variant:
    fit.check_values(given.components or [])
    known = approval.described(
        call.resources, call.resources.gate, phone, given.template_name, given.language_code
    )
    check_files(call, given.components or [], f"{_PLACE}.components")
    fields = audience.fields_of(call, given.body_fields, f"{_PLACE}.bodyFields")
    audience.check_variables(known.components, fields, f"{_PLACE}.bodyFields")
    return Variant(
        campaign_id=campaign_id, template_name=given.template_name,
        language=given.language_code, category=known.category,
        components=given.components, body_fields=fields,
    )  # fmt: skip
