"""Sends to one recipient of a campaign and returns the outcome."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shared.api.auth import Caller
from shared.api.errors import InvalidInput, KeyReused, StillRunning
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import transmission
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import NoInput
from whatsapp.actions.campaigns.pages import pacing
from whatsapp.actions.campaigns.progress import job_events
from whatsapp.actions.messages import provider_files
from whatsapp.api.queries import NotFound
from whatsapp.inbound import provider_errors
from whatsapp.sending import failures, messages, payloads
from whatsapp.sending.drafts import UsedTemplate
from whatsapp.sending.files import LinkUnread

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.actions.campaigns.pages.recipients import Row
    from whatsapp.sending.drafts import Draft
    from whatsapp.sending.views import SentView
    from whatsapp.store.items import Phone
    from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

TRIES = 3
pause_for = time.sleep
SPARE_MS = 15_000
# A run waits so long in all, beside short waits, which cost less than a further run. A page that would wait longer is
# delayed by the queue.
LONGEST_WAIT_MS, SHORT_WAIT_MS = 2_000, 250


class FileRefused(Exception):
    """A file of the row is of another type than the template's header, or another company's."""


class LinkRefused(FileRefused):
    """A link of the row cannot be read."""


class Stopped(Exception):
    """
    The run of the page ends here. *pause* is the reason if the whole campaign stops.

    *delay_ms*: the queue delivers the page again after it, or earlier. Without both, the schedule continues the page.
    """

    def __init__(self, pause: str | None = None, *, delay_ms: int | None = None) -> None:
        super().__init__(pause or "later")
        self.pause = pause
        self.delay_ms = delay_ms


_WORDS: dict[type[Exception], str] = {
    KeyReused: "duplicate",
    FileRefused: "invalid:file",
    LinkRefused: "invalid:link",
}


@dataclass(slots=True, kw_only=True)
class PageRun:
    """A page in work: *tallies* and *outcomes* count since the last save."""

    resources: ActionResources
    campaign: Campaign
    phone: Phone
    page: CampaignPage
    number: int
    remaining_ms: Callable[[], int]
    cursor: int
    tallies: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, str] = field(default_factory=dict)
    tried: int = 0
    failed: int = 0
    # Messages that may be sent without taking further places, by rate.
    places: Counter[str] = field(default_factory=Counter)
    waited_ms: int = 0  # without short waits
    pause: str | None = None  # why the campaign stops after the current recipient
    files: provider_files.Checks = field(default_factory=provider_files.Checks)


def outcome_of(run: PageRun, row: Row) -> str:
    """Send to one recipient and return the outcome, with its reason. Raises Stopped."""
    try:
        sent = _sent_in_time(run, row)
    except (KeyReused, InvalidInput, NotFound, FileRefused) as problem:
        outcome = _WORDS.get(type(problem), "invalid")
    except failures.PolicyRefused as refusal:
        if refusal.concerns_the_number:
            raise Stopped(refusal.reason) from None
        _return_place(run)
        outcome = f"refused:{refusal.reason}"
    except failures.ProviderRejected as refusal:
        # The ledger has this outcome for good: the recipient counts as failed, or it would stop each resumed run, too.
        if provider_errors.stops_campaign(refusal.code):
            run.pause = provider_errors.reason_of(refusal.code)
        outcome = f"failed:{refusal.code}"
    except failures.TemplateNotFitting:
        if "components" not in row and "bodyParams" not in row:
            raise Stopped("template_parameters") from None
        outcome = "invalid:template_parameters"
    except Permanent as fault:
        outcome = f"failed:{fault.reason}"
    else:
        outcome = "sent" if sent.state == "sent" else "in_doubt"
    return outcome


def _sent_in_time(run: PageRun, row: Row) -> SentView:
    """
    Send to one recipient, after a short wait if a rate is exhausted. Raises Stopped for a longer wait, and for failures
    that concern later recipients, too; else as `_sent`.
    """
    for attempt in range(1, TRIES + 1):
        try:
            return _sent(run, row)
        except failures.TooFast as refusal:
            _return_place(run)
            wait_ms = refusal.retry_after * clock.SECOND_MS
            if attempt == TRIES:
                raise Stopped(delay_ms=wait_ms) from None
            _wait(run, wait_ms)
        except failures.TemplateNotFitting:
            raise
        except failures.TemplateNotSendable:
            raise Stopped("template_not_sendable") from None
        except (failures.NotConfigured, failures.NotSupported):
            raise Stopped("not_configured") from None
        except (failures.ProviderUnavailable, StillRunning, Transient):
            raise Stopped from None  # The schedule continues the page within a minute.
    raise AssertionError("unreachable")


def _sent(run: PageRun, row: Row) -> SentView:
    """
    Send to one recipient, or return the message of an earlier run of this line. Raises FileRefused, and as the send use
    case.
    """
    campaign, resources = run.campaign, run.resources
    conversation = participants.conversation_with(
        _call_of(run), run.phone, str(row.get("to") or row.get("recipient")), "to"
    )
    parts = ("campaign", str(campaign.company), campaign.once_id, str(conversation.from_))
    order = messages.Order(
        action_id=transmission.action_id(resources, *parts),
        principal=campaign.created_by,
        phone=run.phone,
        conversation=conversation,
        # The line of the list: another line with this contact is another request.
        request=to_json([campaign.campaign_id, row["line"]]),
        draft=_draft(campaign, row),
        named_at=(campaign.audience.at if campaign.audience else None) or campaign.created_at,
    )
    sent = messages.earlier(resources, order)
    if sent is None:
        _check_files(run, row)
        _take_place(run)
        attempt = messages.Run(owner=str(run.page.owner), remaining_ms=run.remaining_ms)
        sent = messages.send(resources, resources.gate, order, attempt)
    return sent


def _check_files(run: PageRun, row: Row) -> None:
    """
    Check the files of a row; the campaign's own were checked when it was created.

    Raises FileRefused, and Stopped while the provider limits how many files are looked up.
    """
    if "components" not in row:
        return
    try:
        provider_files.check_files(
            _call_of(run), row["components"], "components", run.phone, run.files
        )
    except LinkUnread:
        raise LinkRefused from None
    except failures.TooFast as refusal:
        raise Stopped(delay_ms=refusal.retry_after * clock.SECOND_MS) from None
    except (InvalidInput, NotFound):
        raise FileRefused from None


def _take_place(run: PageRun) -> None:
    """
    Take a place in each rate of the campaign, and wait for it.

    Raises Stopped for a long wait: the page keeps the places that it has, and sends when it is delivered again.
    """
    left = run.page.size - run.cursor
    wanted = pacing.places_of(run.phone, run.campaign, left)
    for places in wanted:
        if run.places[places.name]:
            continue
        now = clock.now_ms()
        latest = now + job_events.LONGEST_DELAY_MS
        at = run.resources.gate.pace.line_up_until(places.subject, places.rate, now, latest)
        if at is None:
            raise Stopped(delay_ms=job_events.LONGEST_DELAY_MS)
        run.places[places.name] = places.count
        _wait(run, at - now)
    run.places.subtract(places.name for places in wanted)


def _return_place(run: PageRun) -> None:
    """Return the place of a message that was not sent."""
    run.places.update(run.places.keys())


def _wait(run: PageRun, wait_ms: int) -> None:
    """Wait in this run if the wait is short, or its waits are in all, else raise Stopped."""
    if wait_ms > SHORT_WAIT_MS:
        run.waited_ms += wait_ms
    if wait_ms > SHORT_WAIT_MS and run.waited_ms > LONGEST_WAIT_MS:
        raise Stopped(delay_ms=wait_ms)
    if wait_ms > 0:
        pause_for(wait_ms / clock.SECOND_MS)


def _call_of(run: PageRun) -> Call[Any]:
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
        # An empty list of a row is its own: the template gets no values.
        components = row.get("components", campaign.components) or []
        if "bodyParams" in row:
            values = [{"type": "text", "text": value} for value in row["bodyParams"]]
            others = [part for part in components if str(part.get("type")).lower() != "body"]
            body = [{"type": "body", "parameters": values}] if values else []
            components = [*others, *body]
        draft = payloads.of_template(
            UsedTemplate(
                name=str(campaign.template_name),
                language=str(campaign.language),
                components=components,
                category=campaign.category,
            )
        )
    return replace(draft, shown=draft.shown | {"campaign_id": campaign.campaign_id})
