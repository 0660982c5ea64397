"""The projects of the scenarios, and what customers and their systems do in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.conversations import aws_sms, sample_data
from shared.events.exchange import InboundMessage
from shared.runtime import clock
from tests.simulation.conversations.scenarios import Steps

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

STAGE = {"Stage": "local"}
OPENAI_SECRET_ID = "parley/local/companies/ci-aaa-001/openai"
CHANNELS = ("whatsapp", "sms", "email")
# Project data over 1 KB and a text over 16 KB: both are stored in the bucket.
FACTS = {
    **{f"fact{n}": "x" * 100 for n in range(20)},
    "shift": "nights",
    "clarificationPoints": [{"point": "Do you have a driving licence?", "pointConfirmed": "false"}],
}
LONG = "Which shift is it? " * 1_000


def with_settings(channel: str, **facts: Any) -> dict[str, Any]:
    """The project with changed settings of one channel."""
    config = sample_data.project()["channel_config"]
    return sample_data.project(channel_config={**config, channel: {**config[channel], **facts}})


TWILIO = sample_data.project()
AWS_SMS = with_settings(
    "sms",
    provider="aws_sms",
    account=aws_sms.TOPIC_ARN,
    company_sms_number=aws_sms.NUMBER,
    configuration_set="parley",
)
META = with_settings(
    "whatsapp",
    provider="meta",
    phone_number_id="106540352242922",
    whatsapp_credentials_id=sample_data.COMPANY,
)
AWS_SOCIAL = with_settings(
    "whatsapp", provider="aws_social", phone_number_id=f"phone-number-id-{'0123456789abcdef' * 2}"
)
OPENAI = sample_data.project(
    ai_config={
        "provider": "openai",
        "openai_config": {"email": {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}},
    }
)
SES = with_settings("email", configuration_set="parley")


def start(system: System, project: dict[str, Any], channel: str) -> str:
    system.reset()
    system.set_up(project)
    return system.begin(channel, project_data=FACTS)


def asks(channel: str) -> Steps:
    return lambda system: system.ask(sample_data.request(channel))


def channel_of(system: System, ref: str) -> dict[str, Any]:
    """The project's settings of the conversation's channel."""
    project = system.row("company", sample_data.COMPANY, sample_data.PROJECT)
    assert project is not None
    channel: dict[str, Any] = project["channel_config"][system.state(ref)["channel_method"]]
    return channel


def writes(system: System, ref: str, text: str) -> None:
    """The customer writes, and the workers run."""
    system.clock.sleep(60)
    says(system, ref, text)
    system.drain()


def says(system: System, ref: str, text: str, **facts: Any) -> None:
    """The customer writes; the channel's provider delivers the message."""
    state, channel = system.state(ref), channel_of(system, ref)
    message = InboundMessage(
        provider=channel["provider"],
        provider_message_id=f"in-{system.clock.ms}",
        account=channel.get("account", "us-east-1"),
        company=state["company_id"],
        channel_method=state["channel_method"],
        business_address=state["business_address"],
        customer_address=state["primary_channel"],
        received_at=clock.to_text(system.clock.ms),
        text=text,
        **({"kind": "text", "extra": {"trust": "verified"}} | facts),
    )
    system.forward(message)
