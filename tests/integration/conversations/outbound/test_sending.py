"""Senders and headers of outgoing messages: the sender of the customer's country, the headers of a mail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conversations.api.access import Agent
from conversations.api.agents import agent_actions
from conversations.api.inputs import MessageInput
from conversations.lifecycle import conversation
from conversations.outbound.providers import payloads
from conversations.store.items.log import Message
from events.conversations import sample_data
from tests.integration.conversations.inbound.test_intake import mail
from tests.integration.conversations.steps import (
    HOUR_MS,
    direct_resources,
    start_conversation,
    status_of,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

BRITISH, DEFAULT = (
    "+447700900999",
    sample_data.project()["channel_config"]["sms"]["company_sms_number"],
)


# SMS


def with_senders(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    sms = channels["sms"] | {"senders": {"GB": BRITISH}}
    system.change(channel_config=channels | {"sms": sms}, policy={"quiet_hours": None})
    system.sandbox.config = replace(
        system.sandbox.config, twilio_senders=(*system.sandbox.config.twilio_senders, BRITISH)
    )


def test_a_message_is_sent_from_the_number_of_the_recipients_country(system: System) -> None:
    with_senders(system)

    at_home = start_conversation(system, "sms", "req-1", recipient_tel="+447400123456")
    abroad = start_conversation(system, "sms", "req-2", recipient_tel="+12025550199")

    assert [message["From"] for message in system.sent()] == [BRITISH, DEFAULT]
    assert system.state(at_home)["business_address"] == BRITISH
    assert system.conversation(at_home)["gsi_company_sms_number"] == BRITISH
    assert system.state(abroad)["business_address"] == DEFAULT


def test_an_answer_to_that_number_is_matched_and_answered_from_it(system: System) -> None:
    with_senders(system)
    ref = start_conversation(system, "sms", recipient_tel="+447400123456")

    system.text("m", "Which shift is it?", From="+447400123456", To=BRITISH)
    system.drain()

    assert status_of(system, ref)[0] == "reply_sent"
    assert {message["From"] for message in system.sent()} == {BRITISH}


# Mail


def headers_of(sent: dict[str, Any]) -> dict[str, str]:
    """The headers of a mail as SES received them."""
    given = sent["Content"]["Simple"]["Headers"]
    return {header["Name"]: header["Value"] for header in given}


def test_a_first_mail_has_headers_for_automatic_messages_and_for_opt_out(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    email = channels["email"] | {"list_unsubscribe": "mailto:leave@cucumber.example"}
    system.change(channel_config=channels | {"email": email})

    system.begin("email")

    (sent,) = system.sent()
    assert headers_of(sent) == {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": "<mailto:leave@cucumber.example>",
    }
    assert sent["ReplyToAddresses"] == [sample_data.EMAIL_SENDER]
    assert sent["FromEmailAddress"] == f"Cucumber Recruitment <{sample_data.EMAIL_SENDER}>"
    assert sent["Destination"]["ToAddresses"] == [sample_data.CANDIDATE_EMAIL]
    tags = {tag["Name"] for tag in sent["EmailTags"]}
    assert tags == {"action", "ref"}


def test_an_answer_is_in_the_thread_of_the_mail_that_it_answers(system: System) -> None:
    ref = system.begin("email")
    first = system.conversation(ref)["email_id"]
    assert first == system.log(ref)[0]["provider_message_id"]

    system.forward(mail(system, "m", "Which shift is it?"))
    system.drain()

    headers = headers_of(system.sent()[-1])
    assert headers["Auto-Submitted"] == "auto-replied"
    assert headers["In-Reply-To"] == "<m@mail.example>"
    assert headers["References"] == f"<{first}> <m@mail.example>"


def test_an_email_is_answered_under_its_message_id(system: System) -> None:
    system.begin("email")

    extra = {"trust": "verified", "message_id": "of-ann@mail.example"}
    system.forward(mail(system, "m", "Which shift is it?", provider_message_id="0a1b", extra=extra))
    system.drain()

    assert headers_of(system.sent()[-1])["In-Reply-To"] == "<of-ann@mail.example>"


def test_an_agents_mail_has_no_header_for_automatic_messages(system: System) -> None:
    ref = system.begin("email")
    system.forward(mail(system, "m", "Can I talk to a human please"))
    system.drain()
    system.clock.ms += HOUR_MS
    resources, agent = (
        direct_resources(system),
        Agent(principal="eve", cause="key-1"),
    )

    agent_actions.write(
        resources, conversation.load(resources, ref), agent, MessageInput(text="It is me, Eve.")
    )
    system.drain()

    assert "Auto-Submitted" not in headers_of(system.sent()[-1])


# WhatsApp


def test_metas_parameters_are_in_the_order_of_the_template_however_they_were_stored(
    system: System,
) -> None:
    ref = system.begin("whatsapp")
    opened = conversation.load(direct_resources(system), ref)
    (row,) = system.log(ref)
    message = Message.read(row)
    assert message.variables is not None
    expected = payloads.for_meta(opened, message, "action")
    values = [part["text"] for part in expected["template"]["components"][0]["parameters"]]
    assert values == [message.variables[name] for name in ("name", "rep", "job", "question")]

    # A map of DynamoDB has no order: a worker that continues after a crash reads it in any.
    shuffled = dict(reversed(message.variables.items()))
    read = message.model_copy(update={"variables": shuffled})

    assert payloads.for_meta(opened, read, "action") == expected
