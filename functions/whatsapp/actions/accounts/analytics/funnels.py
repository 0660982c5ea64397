"""Counts the customers at each step from a sent message to a conversion."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.accounts.analytics import counters
from whatsapp.actions.accounts.analytics.periods import Period
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, Input, TemplateName, Ulid, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import Campaign

ANALYTICS = Group("analytics")
type Name = Literal["sent", "delivered", "read", "replied", "converted"]


class FunnelInput(Input):
    """At most 93 days; without dates the last 30. At most one of `templateName` and `campaignId`."""

    meta_waba_id: WabaId
    template_name: TemplateName | None = None
    campaign_id: Ulid | None = None
    start_date: Day | None = None
    end_date: Day | None = None

    @model_validator(mode="after")
    def _names_one_subject(self) -> Self:
        if self.template_name is not None and self.campaign_id is not None:
            raise PydanticCustomError("subject", "must have one of templateName, campaignId")
        return self


class Step(View):
    """*drop*: the difference to the previous step; *rate*: the share of the previous step, 0 to 1."""

    name: Name
    count: Annotated[int, Field(ge=0)]
    drop: int | None = None
    rate: float | None = None


class Funnel(View):
    """
    The steps in order. *is_complete*: False if there are more conversions than are read at once.

    Of a template only `sent` and `replied` are counted; conversions are counted of the whole account only.
    """

    steps: list[Step]
    is_complete: bool = True


@ANALYTICS.reads("local", Scope.WHATSAPP_ANALYTICS)
def get_funnel_insights(call: Call[FunnelInput]) -> Funnel:
    """
    Show how many messages were sent, delivered, read and answered, and the conversions, with the drop at each step.

    Conversions are reported by `send_conversion_event` and kept for 30 days. Replies are all messages that answer a
    template or campaign, so a rate may be above 1.
    """
    given = call.input
    participants.account_of(call, given.meta_waba_id)
    period = Period.of(given.start_date, given.end_date)
    if given.campaign_id is not None:
        _check_campaign(call, given.campaign_id)
        totals = counters.of_campaign(call, given.campaign_id, period)
        return Funnel(steps=steps_of(_counts(totals)))
    days = counters.days(call, [given.meta_waba_id], period)
    if given.template_name is not None:
        sent = sum(day.templates_used.get(given.template_name, 0) for day in days)
        replied = sum(day.replies.get(given.template_name, 0) for day in days)
        return Funnel(steps=steps_of({"sent": sent, "replied": replied}))
    events, is_complete = counters.reported_in(call, "conversion", given.meta_waba_id, period)
    counts = _counts(counters.totals(days)) | {"converted": len(events)}
    return Funnel(steps=steps_of(counts), is_complete=is_complete)


def steps_of(counts: dict[Name, int]) -> list[Step]:
    """Return the steps of counts that are in order. Pure."""
    steps: list[Step] = []
    before: int | None = None
    for name, count in counts.items():
        step = Step(name=name, count=count)
        if before is not None:
            step.drop = before - count
            step.rate = round(count / before, 4) if before else None
        steps.append(step)
        before = count
    return steps


def _counts(totals: counters.Totals) -> dict[Name, int]:
    return {
        "sent": totals.sent,
        "delivered": totals.delivered,
        "read": totals.read,
        "replied": totals.replied,
    }


def _check_campaign(call: Call[FunnelInput], campaign_id: str) -> None:
    """Check that the campaign is of the company and the account. Raises NotFound."""
    item = call.table.get(pk(Campaign.key(campaign_id)))
    campaign = Campaign.read(item) if item else None
    if (
        campaign is None
        or campaign.company != call.company
        or campaign.waba_meta_id != call.input.meta_waba_id
    ):
        raise NotFound("campaignId: campaign not found")
