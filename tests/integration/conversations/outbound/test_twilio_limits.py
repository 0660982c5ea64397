"""Twilio's rules: length of a text, placeholders of templates, the window, and a list that lags or fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.records.commands import HumanMessage
from events.conversations import sample_data
from tests.integration.conversations.outbound.delivery_reports import newest_sent, report_status
from tests.integration.conversations.steps import (
    MINUTE_MS,
    enqueue,
    model_answer,
    model_says,
    start_conversation,
    status_of,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("", variables={"question": "Can you start in May?"})
NUMBERED = sample_data.INVITATION | {"body": "Hello {{1}}, {{2}} here about {{3}}. {{ 4 }}"}
MESSAGE = {"provider": "twilio", "operation": "create_message"}


def with_invitation(system: System, template: dict[str, Any]) -> None:
    """Configure the first message's template; Twilio has the body of the sample's one."""
    item = sample_data.project()
    item["channel_config"]["whatsapp"]["templates"]["invitation"] = template
    system.set_up(item)
    with_model(system, FIRST)


def begin(system: System) -> str:
    """A WhatsApp conversation to which the customer has answered, so that the window is open."""
    with_model(system, FIRST, model_answer("Yes."))
    ref = system.begin("whatsapp")
    system.whatsapp("w", "Hello")
    system.drain()
    return ref


# Length


def test_an_answer_over_whatsapp_has_at_most_1600_characters(system: System) -> None:
    ref = begin(system)
    model_says(system, model_answer("x" * 1_601), model_answer("y" * 1_600))

    system.whatsapp("m", "Which shift is it?")
    system.drain()

    assert texts_by(system, ref)[-1] == "y" * 1_600


def test_an_agents_longer_message_is_shown_as_too_long_and_not_sent(system: System) -> None:
    ref = begin(system)
    sent = len(system.sent())

    record = HumanMessage(ref=ref, cause="c", agent_id="eve", text="x" * 1_601)
    enqueue(system, record, ref, "human")

    (found,) = [one for one in system.log(ref) if str(one["content"]).startswith("xx")]
    assert (found["delivery_status"], found["error_code"]) == ("failed", "too_long")
    assert len(system.sent()) == sent


# Templates


@pytest.mark.parametrize("template", [sample_data.INVITATION, NUMBERED])
def test_variables_are_sent_under_the_placeholders_of_the_template(
    system: System, template: dict[str, Any]
) -> None:
    with_invitation(system, template)
    system.sandbox.texts.templates[str(template["content_sid"])] = str(template["body"])

    ref = system.begin("whatsapp")

    assert status_of(system, ref) == ("initial_message_sent", None)
    [sent] = system.sandbox.texts.messages
    assert sent.body == newest_sent(system, ref)["content"]
    assert sent.body.endswith("Can you start in May?")


def test_a_variable_without_a_placeholder_is_not_sent_to_twilio(system: System) -> None:
    with_invitation(system, sample_data.INVITATION | {"body": "Hello {{name}}. {{question}}"})

    ref = system.begin("whatsapp")

    assert status_of(system, ref) == ("failed", "configuration:template_variables")
    assert system.sent() == []


def test_twilio_refuses_variables_of_another_template(system: System) -> None:
    with_invitation(system, sample_data.INVITATION)
    system.sandbox.texts.templates[str(sample_data.INVITATION["content_sid"])] = "Hello {{1}}."

    ref = system.begin("whatsapp")

    assert status_of(system, ref) == ("failed", "provider_rejected:63028")


# The window


def test_a_status_outside_the_window_is_handled_like_a_refusal_outside_the_window(
    system: System,
) -> None:
    ref = begin(system)

    report_status(system, ref, "undelivered", ErrorCode="63016")

    assert status_of(system, ref) == ("handoff_pending", "window_closed:63016")
    assert newest_sent(system, ref)["delivery_status"] == "failed"


# Evidence


def test_a_lagging_list_proves_a_message_and_nothing_is_sent_twice(system: System) -> None:
    system.change(policy={"in_doubt": "resend_if_absent"})
    system.sandbox.texts.list_lag_seconds = 120
    system.sandbox.faults.add(kind="lost_answer", **MESSAGE)

    ref = start_conversation(system)
    system.settle()

    assert status_of(system, ref) == ("initial_message_sent", None)
    assert len(system.sandbox.texts.messages) == 1


@pytest.mark.parametrize(
    ("failures", "status"), [(2, "initial_message_sent"), (100, "handoff_pending")]
)
def test_a_list_that_cannot_be_read_proves_no_absence(
    system: System, failures: int, status: str
) -> None:
    system.change(policy={"in_doubt": "resend_if_absent"})
    system.sandbox.faults.add(kind="lost_answer", **MESSAGE)
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="list_messages", status=503, times=failures
    )

    ref = start_conversation(system)
    for _ in range(8):
        system.settle()
        system.clock.ms += 5 * MINUTE_MS

    assert status_of(system, ref)[0] == status
    assert len(system.sandbox.texts.messages) == 1
