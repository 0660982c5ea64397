"""Creates campaigns: recipients of the call at once, a list in S3 in steps of a job."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.runtime import clock
from shared.runtime.csv_files import Unreadable
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import BadEnvelope, StateConflict
from whatsapp.actions.campaigns import audience
from whatsapp.actions.campaigns.inputs import BulkSend, CreateCampaign
from whatsapp.actions.campaigns.pages import cutting, pacing, recipients
from whatsapp.actions.campaigns.progress import job_events
from whatsapp.actions.campaigns.trials import course, variants
from whatsapp.actions.campaigns.views import CampaignView, campaign_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media.company_files import file_of
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.sending.templates import approval, fit
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import Campaign

if TYPE_CHECKING:
    from whatsapp.store.items import Phone

LEGACY = Group("legacy")
LATEST_MS, EARLIEST_MS = 180 * clock.DAY_SECONDS * clock.SECOND_MS, 60 * clock.SECOND_MS
_CROCKFORD = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "ABCDEFGHJKMNPQRSTVWXYZ0123456789")


@LEGACY.changes("local", Scope.WHATSAPP_CAMPAIGNS, idempotent=False)
def create_campaign(call: Call[CreateCampaign]) -> CampaignView:
    """
    Create a campaign: a draft, scheduled, or started with `autoStart`.

    An `audience` is read when the campaign starts, each person once, at the newest number or user id; people whom
    WhatsApp does not reach, who have opted out, or who lack a value are left out and counted (`leftOut`, no part of
    `totalRecipients`). `get_campaign_recipients` shows both before the start. It needs the scope `contacts:read`, too.

    Recipients are at most 1,000 in the call, or 1,000,000 in a list (`recipientsS3Key`; a longer one is refused with
    `payload_too_large`), which is read by a job: until `totalRecipients` is known the campaign cannot start. A
    recipient that is listed twice gets the message once. A list that cannot be read is refused with line and column, a
    campaign without a valid recipient too; if the job finds that no row is valid, the campaign is paused and cannot
    start (`no_valid_recipients`), and if the list has changed and cannot be read any more, it is paused and cannot
    go on (outcome `cancelled`). Other invalid rows are counted, with their lines.

    With `test` the campaign tests two templates: a part of the audience gets one of them, the others the better one.
    Each template is a campaign of its own, made when the test begins; the campaign itself waits as `scheduled`, then
    goes to the rest. People are in the same part in every reading, and no person gets two messages of a test.

    All campaigns of a number together send at most 80 % of its rate, so that replies are not delayed, and one of them
    at most 100 messages a second; a higher `messagesPerSecond` is refused. It counts ten messages at once. Campaigns
    know no quiet hours: start or schedule one (`scheduledAt`) for a time at which all of its recipients may be written
    to. A customer to whom the provider refused marketing (131049) is refused for 24 hours (`frequency_cap`). Only the
    provider counts the portfolio's customers in 24 hours: when it reports that the limit is reached, the campaign
    pauses.
    """
    given, phone = call.input, participants.sender_of(call)
    _check_pace(phone, given.messages_per_second)
    campaign = _campaign(call, phone, given.type, given.campaign_name)
    campaign = campaign.model_copy(
        update={
            "scheduled_at": _scheduled(given),
            "status": "scheduled" if given.scheduled_at else "draft",
            "auto_start": given.auto_start or None,
            "lanes": pacing.lanes_of(phone, given.messages_per_second),
            "messages_per_second": given.messages_per_second,
        }
    )
    if given.recipients_s3_key is not None:
        source = _source(call, phone, given.recipients_s3_key)
        return _of_list(call, campaign.model_copy(update={"source_key": source}))
    if given.audience is not None:
        return _of_audience(call, phone, campaign)
    rows: list[Any] = [
        row.model_dump(by_alias=True, exclude_none=True) if not isinstance(row, str) else row
        for row in given.recipients or []
    ]
    return _of_rows(call, phone, campaign, rows)


def _check_pace(phone: Phone, own: int | None) -> None:
    """Raise InvalidInput for a pace that the number's campaigns cannot have."""
    fastest = pacing.fastest(phone)
    if own is not None and own > fastest:
        problem = f"must be at most {fastest}: four fifths of the number's rate, and at most 100"
        raise InvalidInput([{"field": "messagesPerSecond", "problem": problem}])


@LEGACY.changes("remote_eum", Scope.WHATSAPP_CAMPAIGNS, idempotent=False)
def bulk_send(call: Call[BulkSend]) -> CampaignView:
    """Create a campaign of up to 1,000 recipients and start it. A text reaches only customers whose window is open."""
    phone = participants.sender_of(call)
    campaign = _campaign(call, phone, call.input.type, call.input.name).model_copy(
        update={"auto_start": True, "lanes": pacing.lanes_of(phone, None)}
    )
    return _of_rows(call, phone, campaign, list(call.input.recipients))


def _of_rows(call: Call[Any], phone: Phone, campaign: Campaign, rows: list[Any]) -> CampaignView:
    """Make a campaign of the rows of the call. Safe to repeat: a repeated call continues an interrupted one."""
    resources = call.resources
    if not any(recipients.checked(row, 1, phone) for row in rows):
        problem = "none of them names a customer and keeps the limits of its values"
        raise InvalidInput([{"field": "recipients", "problem": problem}])
    stored = _added(call, campaign)
    if stored.total_recipients is None:
        part = cutting.Part.after(stored)
        for row in rows[stored.rows :]:
            part.take(row, phone)
            if len(part.rows) == recipients.PAGE:
                stored = cutting.saved(resources, stored, part, 0)
                part = cutting.Part.after(stored)
        stored = cutting.finish(resources, cutting.saved(resources, stored, part, 0))
    return campaign_view(stored)


def _of_list(call: Call[Any], campaign: Campaign) -> CampaignView:
    """Make a campaign of a list in S3, which a job reads."""
    stored = _added(call, campaign)
    if stored.source_key is not None:
        job_events.enqueue_cut(call.table, call.resources.campaigns, stored)
    return campaign_view(stored)


def _of_audience(call: Call[CreateCampaign], phone: Phone, campaign: Campaign) -> CampaignView:
    """Make a campaign to an audience, whose people a job reads when it starts."""
    of = audience.chosen(call, call.input)
    if campaign.kind == "template":
        given, gate = call.input, call.resources.gate
        known = approval.described(
            call.resources, gate, phone, str(given.template_name), given.language_code
        )
        audience.check_variables(known.components, of.body_fields, "bodyFields")
    campaign = campaign.model_copy(update={"audience": of})
    if call.input.test is not None:
        campaign = variants.tested(call, phone, campaign, ulid_of)
    stored = _added(call, campaign)
    if stored.auto_start and stored.is_tested:
        course.begin(call.table, call.resources.campaigns, stored)
    elif stored.reads_audience and stored.auto_start:
        job_events.enqueue_cut(call.table, call.resources.campaigns, stored)
    return campaign_view(stored)


def _added(call: Call[Any], campaign: Campaign) -> Campaign:
    """Write the campaign, which the schedule looks after until its recipients are in pages. Raises StateConflict."""
    stored = records.add(call.table, campaign)
    try:
        records.open_(call.table, campaign.campaign_id)
    except records.TooMany as full:
        raise StateConflict(str(full)) from None
    return stored


def _campaign(call: Call[Any], phone: Phone, kind: Any, name: str) -> Campaign:  # noqa: ANN401 - one of two literals
    """Return the campaign of a call, under an id that a repeated call has, too."""
    given = call.input
    campaign_id = ulid_of(call.action_id())
    category = None
    if kind == "template":
        fit.check_values(given.components or [])
        known = approval.described(
            call.resources, call.resources.gate, phone, given.template_name, given.language_code
        )
        category = known.category
        check_files(call, given.components or [], "components")
    return Campaign(
        pk=Campaign.key(campaign_id),
        company=call.company,
        campaign_id=campaign_id,
        waba_meta_id=phone.waba_meta_id,
        name=name,
        template_name=given.template_name if kind == "template" else None,
        status="draft",
        created_at=clock.to_text(clock.now_ms()),
        phone=phone.phone,
        created_by=call.caller.principal,
        kind=kind,
        text=given.text if kind == "text" else None,
        language=given.language_code if kind == "template" else None,
        category=category,
        components=given.components,
    )


def ulid_of(action_id: str) -> str:
    """Return an action's id (base 32) in the letters of a ULID."""
    return action_id.translate(_CROCKFORD)


def _scheduled(given: CreateCampaign) -> str | None:
    """Return when the campaign starts. Raises InvalidInput unless that is a minute to 180 days ahead."""
    if given.scheduled_at is None:
        return None
    at = int(given.scheduled_at.timestamp() * clock.SECOND_MS)
    if not EARLIEST_MS <= at - clock.now_ms() <= LATEST_MS:
        problem = "must be at least 1 minute and at most 180 days ahead"
        raise InvalidInput([{"field": "scheduledAt", "problem": problem}])
    return clock.to_text(at)


def _source(call: Call[Any], phone: Phone, key: str) -> str:
    """
    Return a list's key. Raises NotFound for a missing file or another company's, BadEnvelope for a large one, and
    InvalidInput with line and column if it cannot be read.
    """
    size = file_of(call, key).size
    if size == 0:
        raise InvalidInput([{"field": "recipientsS3Key", "problem": "must not be empty"}])
    if size > recipients.LARGEST_LIST_BYTES:
        raise _too_large(f"{recipients.LARGEST_LIST_BYTES} bytes")
    try:
        recipients.check_list(call.resources.bucket, key, phone)
    except recipients.TooMany:
        raise _too_large(f"{recipients.MOST_ROWS} recipients") from None
    except Unreadable as refusal:
        raise InvalidInput([{"field": "recipientsS3Key", "problem": refusal.problem}]) from None
    return key


def _too_large(most: str) -> BadEnvelope:
    text = f"recipientsS3Key: the list must have at most {most}"
    return BadEnvelope(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", text)
