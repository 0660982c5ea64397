"""Costs of some actions in conversations of several lengths: kinds, figures, measurement."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN
from tests.cost import harness
from tests.cost.units.meter import Meter, Spent, unlogged
from tests.cost.whatsapp.kinds import TIMELINE, a_warm_up
from tests.cost.whatsapp.measure import growing
from tests.simulation.whatsapp.actions.actor import Actor, actor_of
from tests.simulation.whatsapp.actions.audiences import TO_AUDIENCE, contacts_of
from tests.simulation.whatsapp.actions.scenarios.messages import add_template
from whatsapp.store.campaigns import campaigns
from whatsapp.store.items import Message, pk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]

LENGTHS = (1, 100, 1_000)
MEASURED = 3  # calls of each kind, after one that warms the function up
# Longer than the interval of messages to one customer, shorter than the caches live.
PAUSE_SECONDS = 10
COUNTERS: Json = {"phoneNumberId": COUNTER.phone}
TO_ADA: Json = COUNTERS | {"to": f"+{ADA.wa_id}"}
TEMPLATE: Json = {
    "templateName": "bike_ready",
    "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}],
}
RECIPIENT, PERSON = "a recipient of a campaign", "a person of an audience that is read"
FAILED = "a failed message that a retry reads"
SENT = "get_message of a sent message"


@dataclass(frozen=True, slots=True)
class Figures:
    """Write units and read units of the table, and requests to AWS."""

    write_units: float
    read_units: float
    requests: int

    def __sub__(self, other: Figures) -> Figures:
        return Figures(
            self.write_units - other.write_units,
            self.read_units - other.read_units,
            self.requests - other.requests,
        )


# By length of the conversation, then by name of the kind.
type Measured = dict[int, dict[str, Figures]]

# Costs that are the same at every length of the conversation; then the others, by length.
WRITTEN_DOWN = {
    "send_text": Figures(26, 15.5, 24),
    "send_template": Figures(26, 20.5, 28),
    RECIPIENT: Figures(26, 13.5, 20),
    PERSON: Figures(0, 6.5, 5),
    FAILED: Figures(0, 4, 2),
    "get_message": Figures(0, 1, 1),
    SENT: Figures(0, 6, 2),
}
SEARCH = "search_messages"
SEARCHES = {1: Figures(0, 14.5, 6), 100: Figures(0, 116, 8), 1_000: Figures(0, 1_030, 24)}
NOTES = """\
The function is warm, and Ada's window is open. Two write units and requests of a change are its entry in the audit
log. *requests* are requests to AWS, without those to the provider. A
recipient is one more of a page. A search that finds nothing compares the whole conversation, up to 2,000 messages a
call: about one read unit for each message. A campaign to an audience reads each person once when it starts: 6,500
units, $0.0008, for 1,000 people of a list.
"""


def measure(system: System, lengths: Sequence[int] = LENGTHS) -> Measured:
    """The figures of every kind at each length: so many messages of the customer exist before."""
    found: Measured = {}
    with actor_of(system.reset()) as actor:
        jobs = SimpleNamespace(resources=system.media._resources_of_actions())
        meter = Meter(system, actor.module, jobs)
        with unlogged():
            for length, snapshot in growing(system, lengths):
                found[length] = {}
                for measured in (_calls, _campaign, _audience, _retry):
                    add_template(system)
                    assert system.deliver(a_warm_up())
                    system.drain()
                    found[length] |= measured(actor, meter)
                    system.restore(snapshot)
    return found


def _calls(actor: Actor, meter: Meter) -> dict[str, Figures]:
    bodies: Mapping[str, Json] = {
        "send_text": TO_ADA | {"text": "Your bike is ready."},
        "send_template": TO_ADA | TEMPLATE,
        "get_message": {"messageId": TIMELINE.inbound_id(ADA, "older 0")},
        # A word that no message has: the whole conversation is compared.
        SEARCH: {"phoneId": COUNTER.phone, "fromNumber": f"+{ADA.wa_id}", "query": "zebra"},
    }
    found = {name: _usual(actor, meter, name, body) for name, body in bodies.items()}
    # Last: the search compares this message too.
    sent = _call(actor, "send_text", TO_ADA | {"text": "Hello."}, "send_text-sent")
    asked = {"messageId": sent["messageId"]}
    return found | {SENT: _usual(actor, meter, "get_message", asked)}


def _usual(actor: Actor, meter: Meter, action: str, body: Json) -> Figures:
    spent: list[Figures] = []
    for number in range(MEASURED + 1):
        actor.system.clock.sleep(PAUSE_SECONDS)
        spent.append(
            _figures(meter.call(partial(_call, actor, action, body, f"{action}-{number}")))
        )
    usual, _ = Counter(spent[1:]).most_common(1)[0]
    return usual


def _call(actor: Actor, action: str, body: Json, key: str) -> Json:
    answer = actor.call(action, body, key)
    assert answer is not None
    assert answer.status == 200, (action, answer.content)
    return answer.result


def _campaign(actor: Actor, meter: Meter) -> dict[str, Figures]:
    """Jürgen's message warms the function up; what a page with Ada costs more than one without her is her message's."""
    _page(actor, meter, "first", JUERGEN.wa_id)
    one = _page(actor, meter, "second", JUERGEN.wa_id)
    two = _page(actor, meter, "third", JUERGEN.wa_id, ADA.wa_id)
    return {RECIPIENT: two - one}


def _audience(actor: Actor, meter: Meter) -> dict[str, Figures]:
    """What a draft to a list of two people shows costs more than one to a list of one of them."""
    with contacts_of(ADA.wa_id, JUERGEN.wa_id) as contacts:
        one = _planned(actor, meter, contacts.listed("one", JUERGEN.wa_id))
        two = _planned(actor, meter, contacts.listed("two", JUERGEN.wa_id, ADA.wa_id))
    return {PERSON: two - one}


def _retry(actor: Actor, meter: Meter) -> dict[str, Figures]:
    """What a draft to two failed messages shows costs more than one to one of them."""
    one = _retried(actor, meter, "one", JUERGEN.wa_id)
    two = _retried(actor, meter, "two", JUERGEN.wa_id, ADA.wa_id)
    return {FAILED: two - one}


def _retried(actor: Actor, meter: Meter, name: str, *recipients: str) -> Figures:
    """A campaign whose messages all fail: what the dry run of its retry costs."""
    asked = COUNTERS | TEMPLATE | {"campaignName": name, "autoStart": True}
    asked |= {"recipients": [f"+{one}" for one in recipients]}
    first = _call(actor, "create_campaign", asked, f"failing-{name}")["campaignId"]
    actor.system.clock.sleep(PAUSE_SECONDS)
    actor.system.drain()
    _call(actor, "get_campaign", {"campaignId": first}, f"completed-{name}")
    table = actor.system.table
    messages, _ = campaigns.messages_of(table, first, limit=len(recipients), start=None)
    assert len(messages) == len(recipients)
    for message in messages:
        failed = Message.named(delivery_status="failed", status_error={"code": 131000})
        table.update(pk(message.pk), put=failed | Message.listed(message.company, failed))
    actor.system.clock.sleep(PAUSE_SECONDS)
    again = _call(actor, "retry_campaign", {"campaignId": first}, f"retry-{name}")["campaignId"]
    wanted = {"campaignId": again}
    found = _call(actor, "get_campaign_recipients", wanted, f"warm-{name}")
    assert found["counts"] == {"reached": len(recipients)}, found
    look = partial(_call, actor, "get_campaign_recipients", wanted, f"failures-{name}")
    return _figures(meter.call(look))


def _planned(actor: Actor, meter: Meter, chosen: str) -> Figures:
    body = {**TO_AUDIENCE, "audience": {"list": chosen}}
    made = _call(actor, "create_campaign", body, f"audience-{chosen}")
    asked = {"campaignId": made["campaignId"]}
    look = partial(_call, actor, "get_campaign_recipients", asked, f"planned-{chosen}")
    return _figures(meter.call(look))


def _page(actor: Actor, meter: Meter, name: str, *recipients: str) -> Figures:
    asked = COUNTERS | TEMPLATE | {"campaignName": name, "autoStart": True}
    asked |= {"recipients": [f"+{one}" for one in recipients]}
    _call(actor, "create_campaign", asked, f"campaign-{name}")
    actor.system.clock.sleep(PAUSE_SECONDS)
    actor.system.sandbox.forget_sent()
    spent = meter.call(actor.system.drain)
    made = [sent.operation for sent in actor.system.sandbox.sent]
    assert made.count("send_message") == len(recipients), made
    return _figures(spent)


def _figures(spent: Spent) -> Figures:
    return Figures(
        sum(units.write for units in spent.units),
        sum(units.read for units in spent.units),
        sum(not call.startswith("HTTP.") for call in spent.calls),
    )


def wanted_at(length: int) -> dict[str, Figures]:
    """The written figures in a conversation of this length."""
    return WRITTEN_DOWN | {SEARCH: SEARCHES[length]}


def differences(measured: Measured) -> list[str]:
    """Calls whose costs differ from the written figures, one line each."""
    return [
        f"{name} at {length:,}: {figures}, not {wanted_at(length)[name]}"
        for length, found in measured.items()
        for name, figures in found.items()
        if figures != wanted_at(length)[name]
    ]


def markdown(measured: Measured) -> str:
    """The table for docs/costs.md."""
    lengths = list(measured)
    head = ["action", "WRU", *(f"RRU at {n:,}" for n in lengths)]
    head += [f"requests at {n:,}" for n in lengths]
    rows = []
    for name in wanted_at(lengths[0]):
        costs = [measured[length][name] for length in lengths]
        reads, requests = [f"{c.read_units:g}" for c in costs], [f"{c.requests:g}" for c in costs]
        rows.append([name, f"{costs[-1].write_units:g}", *reads, *requests])
    table = harness.table(head, rows)
    return (
        "A call of an action of WhatsApp: write units (WRU), and read units (RRU) and requests by the number of"
        f" messages\nin the conversation:\n\n{table}\n\n{NOTES}"
    )
