"""
Makes the campaign to those whose message of another campaign failed.

    the campaign, under an id made of the first one    ->    its id in the first one

A call that was killed between the two writes is repeated by the next one, with the same id: there is one retry of a
campaign, and a person whose message failed in the retry is a recipient of the retry of that one only.
"""

from typing import Annotated, Any

from pydantic import Field

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import transmission
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Text
from whatsapp.actions.campaigns.control import CONTROL, own
from whatsapp.actions.campaigns.creation import ulid_of
from whatsapp.actions.campaigns.inputs import OfCampaign
from whatsapp.actions.campaigns.views import CampaignView, campaign_view
from whatsapp.sending.templates import approval
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items import Phone
from whatsapp.store.items.sending.campaigns import AudienceOfCampaign, Campaign

_MOST_CHARACTERS = 100


class RetryCampaign(OfCampaign):
    """A campaign that is completed, and the name of the new one."""

    campaign_name: Annotated[Text, Field(max_length=_MOST_CHARACTERS)] | None = None


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def retry_campaign(call: Call[RetryCampaign]) -> CampaignView:
    """
    Make a draft to the recipients of a completed campaign whose message certainly failed, for a reason that a new
    attempt can remove: a rate limit, an error of the provider, or a problem of the account or template that a person
    solves. People whose outcome is in doubt, who have opted out or were erased are no recipients.

    The draft has the number, template and values of the first one, and its audience names it (`kind` is `failed`).
    `get_campaign_recipients` shows before the start who is reached, and who is left out and why. A campaign has one
    retry; a second call returns it, unless it was cancelled before it started. Those who fail again are the recipients
    of the retry of the retry.
    """
    first = own(call, call.input.campaign_id)
    if first.status != "completed" or first.open_from <= first.pages:
        raise StateConflict("campaignId: is not completed")
    phone = participants.phone_by_id(call, first.phone)
    found = _earlier(call, first)
    if found is not None:
        return campaign_view(found)
    made = records.add(call.table, _made(call, first, phone))
    if not records.name_retry(call.table, first, made.campaign_id):
        raise StateConflict("campaignId: another retry of it has just been made")
    return campaign_view(made)


def _earlier(call: Call[Any], first: Campaign) -> Campaign | None:
    """Return the retry of a campaign; None without one, or if it was cancelled before anything was sent."""
    found = records.get(call.table, first.retried_by) if first.retried_by else None
    was_dropped = found is not None and found.is_cancelled and found.started_at is None
    return None if was_dropped else found


def _made(call: Call[RetryCampaign], first: Campaign, phone: Phone) -> Campaign:
    parts = ("retry of campaign", call.company, first.campaign_id, first.retried_by or "")
    campaign_id = ulid_of(transmission.action_id(call.resources, *parts))
    category = first.category
    if first.kind == "template":
        category = approval.described(
            call.resources,
            call.resources.gate,
            phone,
            str(first.template_name),
            str(first.language),
        ).category
    of_first = first.audience.at if first.audience else None
    return Campaign(
        pk=Campaign.key(campaign_id),
        company=call.company,
        campaign_id=campaign_id,
        waba_meta_id=first.waba_meta_id,
        name=call.input.campaign_name or f"Retry of {first.name}"[:_MOST_CHARACTERS],
        template_name=first.template_name,
        status="draft",
        created_at=clock.to_text(clock.now_ms()),
        phone=first.phone,
        created_by=call.caller.principal,
        kind=first.kind,
        text=first.text,
        language=first.language,
        category=category,
        components=first.components,
        # The numbers were chosen by the first campaign: one that changed hands since is refused.
        audience=AudienceOfCampaign(
            kind="failed", id=first.campaign_id, at=of_first or first.created_at
        ),
        lanes=first.lanes,
        messages_per_second=first.messages_per_second,
    )
