"""Webhooks, event destinations, and decisions about sends of unknown outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3

from events.whatsapp.actions.administration import ACCOUNT, ON_AWS
from events.whatsapp.actions.messages import TO_ADA
from events.whatsapp.sample_data import ADA, COUNTER
from tests import template
from tests.simulation.whatsapp.actions.scenario import Body, Scenario

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]
TOPIC = template.environment("WhatsAppActions", Stage="local")["SOCIAL_TOPIC_ARNS"]
TO_OUR_TOPIC: Json = ON_AWS | {"snsTopicArn": TOPIC}
PUT = ("PutWhatsAppBusinessAccountEventDestinations",)
CREATED: tuple[tuple[str, Body], ...] = (("create_event_destination", TO_OUR_TOPIC),)
MINUTES_UNTIL_UNKNOWN = 4


def the_topic(_: System) -> None:
    boto3.Session().client("sns").create_topic(Name=TOPIC.rpartition(":")[2])


def a_lost_answer(system: System) -> None:
    """The answer of the next message is lost."""
    system.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")


def _decided(decision: str, *effect: str) -> Scenario:
    return Scenario(
        action="resolve_unknown_send",
        prepare=a_lost_answer,
        before=(("send_text", TO_ADA | {"text": "Your bike is ready."}),),
        minutes=MINUTES_UNTIL_UNKNOWN,
        body=lambda results: {"actionId": results[0]["actionId"], "decision": decision},
        effect=effect,
        name=f"resolve_unknown_send as {decision}",
    )


SCENARIOS = (
    Scenario(action="register_webhook", body=ACCOUNT, effect=("subscribe_app",)),
    Scenario(
        action="register_webhook",
        body=ACCOUNT | {"subscribedEvents": ["messages", "flows"]},
        effect=("subscribe_fields", "subscribe_app"),
        name="register_webhook with fields",
    ),
    Scenario(
        action="unregister_webhook",
        body=ACCOUNT | {"confirm": True},
        before=(("register_webhook", ACCOUNT),),
        effect=("unsubscribe_app",),
    ),
    Scenario(action="create_event_destination", body=TO_OUR_TOPIC, effect=PUT),
    Scenario(
        action="update_event_destination",
        body=ON_AWS | {"destinationType": "SNS", "status": "disabled"},
        before=CREATED,
        effect=PUT,
    ),
    Scenario(
        action="delete_event_destination",
        body=ON_AWS | {"destinationType": "SNS"},
        before=CREATED,
        effect=PUT,
    ),
    Scenario(
        action="test_event_destination",
        body=ON_AWS,
        prepare=the_topic,
        before=CREATED,
    ),
    _decided("was_sent"),
    _decided("was_not_sent"),
    _decided("resend", "send_message"),
    Scenario(
        action="mark_conversation_read",
        body={
            "phoneId": COUNTER.phone,
            "fromNumber": f"+{ADA.wa_id}",
            "sendReceipt": True,
        },
        effect=("mark_as_read",),
    ),
)
