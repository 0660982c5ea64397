"""The daily token limit of a project: counted at each model call; at the limit agents answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store.limits import quotas
from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.port import Usage
from tests.integration.conversations.booking import THANKS, start_booking
from tests.integration.conversations.steps import (
    DAY_MS,
    direct_resources,
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
LATER = model_answer("You start at nine.")


def day(system: System, date: str = "2026-01-01") -> dict[str, Any]:
    return system.row("log", f"TOKENS#{sample_data.COMPANY}#{sample_data.PROJECT}", date) or {}


def spent(system: System) -> int:
    found = day(system)
    return int(found.get("tokens_in", 0)) + int(found.get("tokens_out", 0))


def write(system: System, name: str = "m") -> None:
    system.text(name, "When do I start?")
    system.drain()


def model_calls_made(system: System) -> int:
    return len([e for e in system.sandbox.sent if e.operation == "create_response"])


def test_the_day_counts_the_tokens_of_its_messages(system: System) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    write(system)

    costs = [row["ai_total_tokens"] for row in system.log(ref) if row["author"] == "ai"]
    assert spent(system) == sum(costs) > 0
    assert day(system)["calls"] == 2


def test_the_tokens_of_an_unsent_draft_are_counted(system: System) -> None:
    with_model(system, FIRST, "prose", "more prose")
    ref = system.begin("sms")
    first = system.log(ref)[0]["ai_total_tokens"]

    write(system)

    assert status_of(system, ref)[0] == "handoff_pending"
    assert day(system)["calls"] == 3
    assert spent(system) > first


def test_below_the_token_limit_the_model_answers_and_at_the_limit_an_agent(system: System) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    system.change(policy={"tokens_per_day": spent(system) + 1})

    write(system, "below")
    assert texts_by(system, ref)[-1] == "You start at nine."

    system.change(
        policy={"tokens_per_day": spent(system), "handoff_notice": "A colleague answers."}
    )
    before = model_calls_made(system)
    write(system, "at")

    assert status_of(system, ref) == ("handoff_pending", "token_cap")
    assert system.conversation(ref)["hand_off_to_human_reason"] == "token_cap"
    assert texts_by(system, ref, "system") == ["A colleague answers."]
    assert model_calls_made(system) == before


def test_the_token_limit_is_reset_the_next_day(system: System) -> None:
    with_model(system, FIRST, LATER)
    system.change(policy={"tokens_per_day": 1, "quiet_hours": None})
    ref = system.begin("sms")
    system.clock.ms += DAY_MS

    write(system)

    assert texts_by(system, ref)[-1] == "You start at nine."
    assert day(system, "2026-01-02")["calls"] == 1


def test_the_projects_of_a_company_are_counted_apart(system: System) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    system.change(policy={"tokens_per_day": 50})
    resources = direct_resources(system)
    before = spent(system)
    quotas.add_use(resources.log, sample_data.COMPANY, "another", Usage(10_000, 10_000))
    assert spent(system) == before

    system.change(policy={"tokens_per_day": before + 1})
    write(system)
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_model_without_usage_counts_is_estimated_from_its_texts(system: System) -> None:
    """Otherwise a project whose provider reports no usage could spend without limit."""
    with_model(system, FIRST)
    ref = system.begin("sms")
    first = spent(system)
    system.change(policy={"tokens_per_day": first + 1})
    system.sandbox.openai.answers.append(OpenAiAnswer(text=LATER, is_counted=False))

    write(system, "below")

    newest = system.log(ref)[-1]
    assert newest["content"] == "You start at nine."
    assert newest["ai_prompt_tokens"] > 100
    assert spent(system) == first + newest["ai_total_tokens"]

    write(system, "at")
    assert status_of(system, ref) == ("handoff_pending", "token_cap")


def test_a_turn_that_reaches_the_limit_is_completed(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, function_call("book_slot", day="Monday"), THANKS)
    system.change(policy={"tokens_per_day": spent(system) + 1})

    write(system)

    assert texts_by(system, ref)[-1] == "It is booked, thank you."


def test_a_first_message_at_the_token_limit_waits_for_an_agent(system: System) -> None:
    with_model(system, FIRST)
    system.change(policy={"tokens_per_day": 1})
    system.begin("sms")

    other = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    ref = system.begin("sms", request_id="req-2", recipient_data=other)

    assert status_of(system, ref) == ("handoff_pending", "token_cap")
    assert len(system.sent()) == 1


def test_a_template_that_needs_no_model_costs_nothing_and_is_sent(system: System) -> None:
    config: dict[str, Any] = sample_data.project()["channel_config"]
    whatsapp = config["whatsapp"] | {"default_template": "still_there"}
    with_model(system)
    system.change(policy={"tokens_per_day": 1}, channel_config=config | {"whatsapp": whatsapp})
    quotas.add_use(
        direct_resources(system).log, sample_data.COMPANY, sample_data.PROJECT, Usage(5, 5)
    )

    ref = system.begin("whatsapp")

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert spent(system) == 10


def test_a_failed_count_causes_no_second_model_call(system: System) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.UpdateItem TOKENS#")

    write(system)

    assert texts_by(system, ref)[-1] == "You start at nine."
    assert model_calls_made(system) == 2


def test_without_a_limit_any_number_of_tokens_may_be_used(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    quotas.add_use(
        direct_resources(system).log, sample_data.COMPANY, sample_data.PROJECT, Usage(10**9, 10**9)
    )
    model_says(system, LATER)

    write(system)

    assert status_of(system, ref)[0] == "reply_sent"
