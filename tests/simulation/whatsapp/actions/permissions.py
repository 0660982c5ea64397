"""Calls with which the function of the actions and the endpoints of forms and gateways use every permission."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import TYPE_CHECKING, Any

import boto3

import events.whatsapp.actions
from events.whatsapp.actions.flows import BODIES, MESSAGE
from events.whatsapp.sample_data import APP_SECRET, COUNTER
from local.demo.flows import client
from shared.access.ownership.claims import Proof
from shared.runtime.clock import HOUR_MS, to_text
from tests.simulation.processes import imported
from tests.simulation.whatsapp.actions.actor import Actor, actor_of
from tests.simulation.whatsapp.actions.audiences import reach_audiences
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.actions.scenarios import flows, payments, scenarios
from tests.simulation.whatsapp.system import Invocation
from tests.template import environment, properties
from tests.unit.whatsapp.test_gateways import hex_of, razorpay
from whatsapp import store
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.phones import Phone

if TYPE_CHECKING:
    from tests.simulation.permissions.permissions import CallObserver
    from tests.simulation.whatsapp.system import System

GATEWAY_SECRET = "hook secret"
STAGE = {"Stage": "local"}
AN_HOUR_OF_MINUTES = 70
FOUR_DAYS_MS = 96 * HOUR_MS


def exercise_actions(system: System, observer: CallObserver) -> None:
    """Every scenario without failures, every sample, an hour of the schedule, and both endpoints."""
    system.reset()
    with actor_of(system) as actor:
        actor.module.handler = observer.watching("WhatsAppActions", actor.module.handler)  # type: ignore[attr-defined] # a module of ours
        for scenario in scenarios():
            body = actor.begin(scenario)
            answer = actor.call(scenario.action, body)
            assert answer is not None
            assert answer.status in {200, 202}, (scenario.action, answer.content)
            system.drain()
        _call_samples(actor)
        _let_an_hour_pass(actor)
        _fill_in_a_form(actor, observer)
        reach_audiences(actor)
        _lose_a_number(actor)
    _report_a_payment(system, observer)


def _call_samples(actor: Actor) -> None:
    """Every sample after an order and its messages; what a sample names may be missing."""
    sent = Scenario(
        action="send_payment_order", body=payments.PAYMENT_ORDER, prepare=payments.a_shop
    )
    actor.call(sent.action, actor.begin(sent))
    for module in pkgutil.iter_modules(events.whatsapp.actions.__path__):
        bodies = importlib.import_module(f"events.whatsapp.actions.{module.name}").BODIES
        for number, (action, body) in enumerate(bodies.items()):
            answer = actor.call(action, body, f"{module.name}-{number:08d}")
            assert answer is not None
            actor.system.drain()


def _let_an_hour_pass(actor: Actor) -> None:
    """The schedule looks an unpaid order up, and lets a job refresh numbers and templates."""
    sent = Scenario(
        action="send_payment_order", body=payments.PAYMENT_ORDER, prepare=payments.a_shop
    )
    actor.call(sent.action, actor.begin(sent))
    actor.wait(AN_HOUR_OF_MINUTES)


def _fill_in_a_form(actor: Actor, observer: CallObserver) -> None:
    """A customer opens a form, goes to its next screen and submits it."""
    form = Scenario(
        action="send_flow_message",
        prepare=flows.with_a_form,
        before=(
            ("set_flow_public_key", BODIES["set_flow_public_key"]),
            ("set_flow_routing", BODIES["set_flow_routing"]),
        ),
        body=MESSAGE | {"flowAction": "data_exchange"},
    )
    actor.call(form.action, actor.begin(form))
    module = imported("whatsapp.handlers.flows", environment("WhatsAppFlows", **STAGE))
    handler = observer.watching("WhatsAppFlows", module.handler)
    system = actor.system
    key = str(system.sandbox.objects["flow keys"][COUNTER.phone])
    sent = json.dumps([one.body for one in system.sandbox.sent])
    token = sent.partition('"flow_token": "')[2].partition('"')[0]
    first, last = BODIES["set_flow_routing"]["firstScreen"], {"answer": "yes"}
    for request in (
        client.request("ping"),
        client.request("INIT", token),
        client.request("data_exchange", token, screen=first, data=last),
    ):
        exchange = client.encrypted(request, key)
        answer = handler(exchange.event(APP_SECRET, COUNTER.waba), Invocation())
        assert answer["statusCode"] == 200, answer


def _report_a_payment(system: System, observer: CallObserver) -> None:
    """One webhook of a gateway."""
    secrets = boto3.Session().client("secretsmanager")
    name = properties("WhatsAppAppSecrets", **STAGE)["Name"]
    known = json.loads(secrets.get_secret_value(SecretId=name)["SecretString"])
    known["gateways"] = {"razorpay": [GATEWAY_SECRET]}
    secrets.put_secret_value(SecretId=name, SecretString=json.dumps(known))
    module = imported(
        "whatsapp.handlers.webhooks.payments", environment("WhatsAppPayments", **STAGE)
    )
    body = razorpay()
    event: dict[str, Any] = {
        "httpMethod": "POST",
        "pathParameters": {"gateway": "razorpay"},
        "headers": {"X-Razorpay-Signature": hex_of(body, GATEWAY_SECRET)},
        "body": body.decode(),
        "isBase64Encoded": False,
    }
    handler = observer.watching("WhatsAppPayments", module.handler)
    assert handler(event, Invocation())["statusCode"] == 200
    system.drain()


def _lose_a_number(actor: Actor) -> None:
    """Graph has refused to show a number for three days: the proof ends at the next refresh."""
    system = actor.system
    days_ago = to_text(system.clock.ms - FOUR_DAYS_MS)
    facts = Phone.named(enabled=True, proof=Proof.LISTED, proof_failing_since=days_ago)
    system.table.update(pk(Phone.key(COUNTER.phone)), put=facts)
    store.phones.forget()
    system.sandbox.faults.add(
        provider="meta", operation="get_number", kind="status", status=400, times=5
    )
    actor.wait(AN_HOUR_OF_MINUTES)
    item = system.table.get(pk(Phone.key(COUNTER.phone)))
    assert item is not None
    assert item["enabled"] is False
