"""Starts, stops and ends campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.campaigns.inputs import OfCampaign, StopCampaign
from whatsapp.actions.campaigns.pages import audiences
from whatsapp.actions.campaigns.progress import counters, job_events
from whatsapp.actions.campaigns.trials import course
from whatsapp.actions.campaigns.views import CampaignView, campaign_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.store.campaigns import audience_readings
from whatsapp.store.campaigns import campaigns as records

if TYPE_CHECKING:
    from whatsapp.store.items.sending.campaigns import Campaign

CONTROL = Group("campaign_control")
PAUSED_BY_PERSON = "paused"


def own(call: Call[Any], campaign_id: str) -> Campaign:
    """Return a campaign of the company. Raises NotFound."""
    campaign = records.get(call.table, campaign_id)
    if campaign is None or campaign.company != call.company:
        raise NotFound("campaignId: campaign not found")
    return campaign


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def start_campaign(call: Call[OfCampaign]) -> CampaignView:
    """
    Start a draft or scheduled campaign; a second start is the same run. Refused while its list is being read. An
    audience is read first: until `totalRecipients` is known nothing is sent.
    """
    campaign = own(call, call.input.campaign_id)
    if campaign.total_recipients is None and not campaign.reads_audience:
        raise StateConflict("campaignId: its recipients are still being read")
    if campaign.status == "paused":
        raise StateConflict("campaignId: is paused; use resume_campaign")
    if campaign.is_tested:
        return _testing(call, campaign)
    return _reading(call, campaign) if campaign.reads_audience else _running(call, campaign)


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def resume_campaign(call: Call[OfCampaign]) -> CampaignView:
    """Continue a paused campaign where each page stopped. No recipient gets the message twice."""
    campaign = own(call, call.input.campaign_id)
    if campaign.status == "paused" and campaign.is_tested:
        return _testing(call, campaign)
    if campaign.reads_audience and campaign.status == "paused":
        return _reading(call, campaign)
    if campaign.status not in {"paused", "running"} or campaign.total_recipients is None:
        raise StateConflict(f"campaignId: is {campaign.status}")
    return _running(call, campaign)


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def pause_campaign(call: Call[StopCampaign]) -> CampaignView:
    """Pause a running or scheduled campaign. Workers stop within ten recipients; a send in progress is finished."""
    campaign = own(call, call.input.campaign_id)
    paused = records.change(
        call.table, campaign.campaign_id, ["running", "scheduled", "paused"], status="paused",
        pause_reason=call.input.reason or PAUSED_BY_PERSON,
    )  # fmt: skip
    if paused is None:
        raise StateConflict(f"campaignId: is {campaign.status}")
    return campaign_view(counters.current(call.table, paused))


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def cancel_campaign(call: Call[StopCampaign]) -> CampaignView:
    """
    End a campaign: `completed`, outcome `cancelled`. Recipients that were not reached are counted as cancelled. The
    variants of its test are cancelled with it, unless they are completed.
    """
    campaign = own(call, call.input.campaign_id)
    if campaign.status == "completed" and campaign.outcome is None:
        raise StateConflict("campaignId: is completed")
    # First: a call that is killed leaves a campaign that is not cancelled yet, and is repeated.
    _cancel_variants(call, campaign)
    ended = _cancelled(call, campaign)
    _cancel_variants(call, ended)  # The test may have begun meanwhile.
    return campaign_view(counters.current(call.table, ended))


def _cancelled(call: Call[StopCampaign], campaign: Campaign) -> Campaign:
    if campaign.reads_audience:
        campaign = _ended(call, campaign)
    if campaign.total_recipients is None:
        raise StateConflict("campaignId: its recipients are still being read")
    _opened(call, campaign)  # until the recipients of its pages are deleted
    cancelled = records.change(
        call.table, campaign.campaign_id, ["draft", "scheduled", "running", "paused", "completed"],
        status="completed", outcome="cancelled", pause_reason=call.input.reason,
        completed_at=campaign.completed_at or _now(),
        cancelled_by=campaign.cancelled_by or call.caller.principal,
    )  # fmt: skip
    ended = cancelled or campaign
    job_events.enqueue_pages(call.table, call.resources.campaigns, ended, ended.window)
    return ended


def _cancel_variants(call: Call[StopCampaign], rest: Campaign) -> None:
    """Cancel the variants of a test that has begun, unless they are completed. Safe to repeat."""
    for variant in course.variants_of(call.table, rest):
        seen = counters.refresh(call.table, variant)
        if seen.status != "completed":
            _cancelled(call, seen)


def _reading(call: Call[Any], campaign: Campaign) -> CampaignView:
    """Let a job read the audience of a campaign, which starts afterwards. Safe to repeat."""
    _opened(call, campaign)
    begun = records.change(
        call.table, campaign.campaign_id, ["draft", "scheduled", "paused"], status="draft",
        auto_start=True, pause_reason=None, stopped_at=None,
    )  # fmt: skip
    if begun is None:
        raise StateConflict("campaignId: has just been started or cancelled")
    _opened(call, begun)  # The schedule may have closed it before the change.
    job_events.enqueue_cut(call.table, call.resources.campaigns, begun)
    return campaign_view(begun)


def _testing(call: Call[Any], campaign: Campaign) -> CampaignView:
    """Begin the test of a campaign, or continue it. Safe to repeat."""
    try:
        begun = course.begin(call.table, call.resources.campaigns, campaign)
    except records.TooMany as full:
        raise StateConflict(str(full)) from None
    if begun is None:
        raise StateConflict("campaignId: its test has just been changed")
    return campaign_view(begun)


def _ended(call: Call[StopCampaign], campaign: Campaign) -> Campaign:
    """End the reading of an audience: the people who are in pages are the recipients."""
    _opened(call, campaign)  # Pages that a killed call leaves are the schedule's.
    ended = audience_readings.end(call.table, campaign, call.input.reason, call.caller.principal)
    if ended is None:
        raise StateConflict("campaignId: its recipients are being read; cancel it again")
    audiences.drop_begun(call.resources, ended)
    return ended


def _running(call: Call[Any], campaign: Campaign) -> CampaignView:
    if campaign.is_cancelled and campaign.status == "paused":
        raise StateConflict("campaignId: its list could not be read; create another campaign")
    if campaign.is_all_invalid:
        raise StateConflict("campaignId: none of its recipients is valid; create another campaign")
    try:
        started = job_events.start(call.resources, campaign)
    except records.TooMany as full:
        raise StateConflict(str(full)) from None
    if started is None:
        raise StateConflict(f"campaignId: is {campaign.status}")
    return campaign_view(started)


def _opened(call: Call[Any], campaign: Campaign) -> None:
    try:
        records.open_(call.table, campaign.campaign_id)
    except records.TooMany as full:
        raise StateConflict(str(full)) from None


def _now() -> str:
    return clock.to_text(clock.now_ms())
