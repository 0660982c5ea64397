"""
Processes one page of a campaign: every recipient once, in the order of the list.

    lease -> for each recipient: send, with an action id made of campaign and contact -> tallies and cursor, every ten

The ledger makes a repetition harmless: a page that runs twice, or again after a crash, finds its own sends. A contact
that another line of the list has finds the send of that line, and counts as a duplicate. A worker whose lease has
expired saves nothing more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shared.api.auth import Caller
from shared.api.errors import InvalidInput, KeyReused, StillRunning
from shared.aws import leases
from shared.aws.sqs_fifo import to_json
from shared.failures import Transient
from whatsapp import store, transmission
from whatsapp.actions import participants
from whatsapp.actions.call import Call
from whatsapp.actions.campaigns import creation, recipients, work
from whatsapp.actions.inputs import NoInput
from whatsapp.api.queries import NotFound
from whatsapp.inbound.event import CAMPAIGN_CUT, Outcome
from whatsapp.sending import failures, messages, payloads
from whatsapp.store.sending import campaigns as records

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.call import ActionResources
    from whatsapp.actions.campaigns.recipients import Row
    from whatsapp.inbound.event import Event
    from whatsapp.sending.payloads import Draft
    from whatsapp.sending.views import SentView
    from whatsapp.store.items import Phone
    from whatsapp.store.items.campaigns import Campaign, CampaignPage

EVERY = 10  # recipients between two saves
SPARE_MS = 15_000
# Of the provider: the account or its token, not the recipient. Nothing more can be sent until a person has acted.
ACCOUNT_ERRORS = frozenset(f"graph_{code}" for code in (0, 10, 190, 368, 131005, 131031, 131042))
# Refusals of the send policy that concern every recipient.
_OF_THE_NUMBER = frozenset({"safe_mode", "sending_blocked", "quality_low"})
# A page with more failures than this share stops its campaign, once so many recipients have an outcome.
WORST_SHARE, ENOUGH = 0.2, 50


class _Stopped(Exception):
    """The page ends here; *pause* is why the whole campaign stops, if it does."""

    def __init__(self, pause: str | None = None) -> None:
        super().__init__(pause or "later")
        self.pause = pause


@dataclass(slots=True, kw_only=True)
class _Run:
    """A page in work: what is counted since the last save is in *tallies* and *outcomes*."""

    resources: ActionResources
    campaign: Campaign
    phone: Phone
    page: CampaignPage
    number: int
    remaining_ms: Callable[[], int]
    cursor: int
    tallies: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, str] = field(default_factory=dict)


def handle(
    resources: ActionResources, event: Event, owner: str, remaining_ms: Callable[[], int]
) -> Outcome:
    """Process an event of a campaign: a part of its list, or a page. Raises Transient."""
    about = event.payload or {}
    campaign = records.get(resources.table, str(about.get("campaign")))
    if campaign is None or campaign.phone != event.phone:  # an id in an event proves no ownership
        return Outcome.DUPLICATE
    if event.kind == CAMPAIGN_CUT:
        creation.cut(resources, campaign, remaining_ms)
        return Outcome.PERSISTED
    return _process(resources, campaign, int(about.get("page", 0)), owner, remaining_ms)


def _process(
    resources: ActionResources,
    campaign: Campaign,
    number: int,
    owner: str,
    remaining_ms: Callable[[], int],
) -> Outcome:
    is_cancelled = campaign.status == "completed" and campaign.outcome == "cancelled"
    if campaign.status != "running" and not is_cancelled:
        return Outcome.DUPLICATE
    phone = store.phones.get(resources.table, campaign.phone)
    page = records.lease(
        resources.table,
        campaign.campaign_id,
        number,
        owner=owner,
        until=leases.expiry(remaining_ms()),
    )
    if page is None or phone is None:
        return Outcome.DUPLICATE
    run = _Run(
        resources=resources, campaign=campaign, phone=phone, page=page, number=number,
        remaining_ms=remaining_ms, cursor=page.cursor,
        tallies=Counter(page.tallies), outcomes=dict(page.outcomes),
    )  # fmt: skip
    if is_cancelled:
        run.tallies["cancelled"] += page.size - run.cursor
        run.cursor = page.size
        _end(run)
        return Outcome.PERSISTED
    _send_page(run)
    return Outcome.PERSISTED


def _send_page(run: _Run) -> None:
    """Send to the recipients of a page, until it is done, time is over, or the campaign stops."""
    key = recipients.page_key(str(run.campaign.company), run.campaign.campaign_id, run.number)
    rows = recipients.rows_of_page(run.resources.bucket, key)[run.cursor :]
    try:
        for row in rows:
            outcome = _outcome_of(run, row)
            run.tallies[outcome.partition(":")[0]] += 1
            if outcome != "sent":
                run.outcomes[str(row["line"])] = outcome
            run.cursor += 1
            if run.cursor % EVERY == 0 and run.cursor < run.page.size:
                _checkpoint(run)
    except _Stopped as stop:
        _save(run, "pending")
        if stop.pause is not None:
            _pause(run, stop.pause)
        elif run.remaining_ms() < SPARE_MS:
            work.enqueue_pages(run.resources, run.campaign, [run.number])
        return
    _end(run)


def _checkpoint(run: _Run) -> None:
    """Save the progress, and see whether the campaign goes on. Raises _Stopped."""
    _save(run, "leased")
    if run.remaining_ms() < SPARE_MS:
        raise _Stopped
    share = run.tallies["failed"] / run.cursor
    if run.cursor >= ENOUGH and share > WORST_SHARE:
        raise _Stopped("failures")
    campaign = records.get(run.resources.table, run.campaign.campaign_id)
    if campaign is None or campaign.status != "running":
        raise _Stopped


def _save(run: _Run, state: str) -> None:
    """Save the progress. Raises Transient if another worker has taken over."""
    saved = records.save(
        run.resources.table, run.page, cursor=run.cursor, tallies=run.tallies, outcomes=run.outcomes,
        state=state,
    )  # fmt: skip
    if saved is None:
        raise leases.LeaseLost
    run.page = saved


def _end(run: _Run) -> None:
    """Finish a page, delete its recipients, and enqueue the next page of its lane."""
    _save(run, "done")
    campaign = run.campaign
    run.resources.bucket.delete(
        recipients.page_key(str(campaign.company), campaign.campaign_id, run.number)
    )
    following = run.number + campaign.lanes
    if campaign.status == "running" and following <= campaign.pages:
        work.enqueue_pages(run.resources, campaign, [following])


def _pause(run: _Run, reason: str) -> None:
    records.change(
        run.resources.table,
        run.campaign.campaign_id,
        ["running"],
        status="paused",
        pause_reason=reason,
    )
    records.close(run.resources.table, run.campaign.campaign_id)


def _outcome_of(run: _Run, row: Row) -> str:
    """Send to one recipient and return the outcome, with its reason. Raises _Stopped."""
    try:
        sent = _sent(run, row)
    except KeyReused:
        return "duplicate"
    except (InvalidInput, NotFound):
        return "invalid"
    except failures.PolicyRefused as refusal:
        if refusal.reason in _OF_THE_NUMBER:
            raise _Stopped(refusal.reason) from None
        return f"refused:{refusal.reason}"
    except failures.ProviderRejected as refusal:
        if refusal.code in ACCOUNT_ERRORS:
            raise _Stopped(f"provider:{refusal.code}") from None
        return f"failed:{refusal.code}"
    except failures.TemplateNotSendable:
        raise _Stopped("template_not_sendable") from None
    except (failures.NotConfigured, failures.NotSupported):
        raise _Stopped("not_configured") from None
    except (failures.TooFast, failures.ProviderUnavailable, StillRunning, Transient):
        raise _Stopped from None  # The schedule continues the page within a minute.
    return "sent" if sent.state == "sent" else "in_doubt"


def _sent(run: _Run, row: Row) -> SentView:
    """Send to one recipient, or return what an earlier run of this line sent. Raises as the send use case."""
    campaign, resources = run.campaign, run.resources
    conversation = participants.conversation_with(
        _call_of(run), run.phone, str(row.get("to") or row.get("recipient")), "to"
    )
    parts = ("campaign", str(campaign.company), campaign.campaign_id, str(conversation.from_))
    order = messages.Order(
        action_id=transmission.action_id(resources, *parts),
        principal=campaign.created_by,
        phone=run.phone,
        conversation=conversation,
        # The line of the list: another line with this contact is another request.
        request=to_json([campaign.campaign_id, row["line"]]),
        draft=_draft(campaign, row),
    )
    sent = messages.earlier(resources, order)
    if sent is None:
        attempt = messages.Run(owner=str(run.page.owner), remaining_ms=run.remaining_ms)
        sent = messages.send(resources, resources.gate, order, attempt)
    return sent


def _call_of(run: _Run) -> Call[Any]:
    """Return a call on behalf of the campaign's maker, for the company's numbers and contacts."""
    campaign = run.campaign
    caller = Caller(
        company=str(campaign.company), scopes=frozenset(), principal=campaign.created_by
    )
    return Call(
        action="campaign", caller=caller, input=NoInput(), id=str(run.page.owner),
        cause=campaign.campaign_id, remaining_ms=run.remaining_ms, resources=run.resources,
    )  # fmt: skip


def _draft(campaign: Campaign, row: Row) -> Draft:
    """Return the message to one recipient: with the values of the row, or of the campaign."""
    if campaign.kind == "text":
        draft = payloads.of_text(str(row.get("text") or campaign.text))
    else:
        components = row.get("components") or campaign.components or []
        if row.get("bodyParams"):
            values = [{"type": "text", "text": value} for value in row["bodyParams"]]
            others = [part for part in components if str(part.get("type")).lower() != "body"]
            components = [*others, {"type": "body", "parameters": values}]
        draft = payloads.of_template(
            payloads.UsedTemplate(
                name=str(campaign.template_name),
                language=str(campaign.language),
                components=components,
                category=campaign.category,
            )
        )
    return replace(draft, shown=draft.shown | {"campaign_id": campaign.campaign_id})
