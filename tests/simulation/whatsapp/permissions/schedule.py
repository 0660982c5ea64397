"""The canary and the schedule, with all calls that they can make."""

from __future__ import annotations

from unittest import mock

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import COMPANY, COUNTER
from shared.providers import http
from shared.runtime.clock import to_text
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.processes import imported
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.system import Invocation, System
from tests.template import environment
from whatsapp.store.campaigns import campaigns
from whatsapp.store.items import Intent
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

STAGE = {"Stage": "local"}
MINUTE_MS = 60_000
FIVE_MINUTES_MS = 5 * MINUTE_MS


def exercise_canary(system: System, observer: CallObserver) -> None:
    """One canary run; its webhook reaches the ingress, and the worker handles the queued event at once."""
    system.reset()
    variables = environment("WhatsAppCanary", **STAGE)
    module = imported("whatsapp.handlers.canary", variables)

    def post(method: str, _: str, *, headers: dict[str, str], body: bytes) -> http.Answer:
        event = {"httpMethod": method, "headers": headers, "body": body.decode()}
        system.deliver_until_accepted(event)
        system.drain()
        return http.Answer(200, b"")

    with mock.patch.object(http, "call", post):
        observer.watching("WhatsAppCanary", module.handler)({}, Invocation())


def exercise_scheduled(system: System, observer: CallObserver) -> None:
    """The counts of an hour with one message, and with two; a campaign whose page has no event."""
    system.reset()
    campaign = Campaign(
        pk=Campaign.key("c1"), company=COMPANY, campaign_id="c1", waba_meta_id=COUNTER.waba, name="Bikes",
        status="running", created_at=to_text(system.clock.ms), phone=COUNTER.phone,
        created_by="api-key:client", kind="text", text="Hello", pages=1, total_recipients=1,
    )  # fmt: skip
    system.table.put(campaign.attributes())
    system.table.put(CampaignPage(pk=CampaignPage.of("c1", 1), size=1).attributes())
    campaigns.open_(system.table, "c1")
    handler = observer.watching("WhatsAppScheduled", system.scheduled.handler)
    for label in ("first", "second"):
        system.deliver_until_accepted(webhook_of(ada_message(label, text(label))))
        system.drain()
        system.clock.ms = (system.clock.ms // FIVE_MINUTES_MS + 1) * FIVE_MINUTES_MS
        three_minutes_ago = to_text(system.clock.ms - 3 * MINUTE_MS)
        unfinished = Intent(
            pk=Intent.key(label),
            company=COMPANY,
            message={"type": "text"},
            webhook_event_type=Intent.list_of(label),
            received_at=three_minutes_ago,
            phone=COUNTER.phone,
        )
        system.table.put(unfinished.attributes())
        handler({"time": to_text(system.clock.ms)}, Invocation())
