"""The daily token limit of a project: counted at each model call; at the limit agents answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store import quotas
from events.conversations import cast
from local.sandbox.openai.api import OpenAiAnswer
from shared.ai import Usage
from tests.integration.conversations.acts import (
    DAY_MS,
    aside,
    calls,
    model_says,
    says,
    stands,
    texts_by,
    with_model,
)
from tests.integration.conversations.booking import THANKS, begun

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.world import World

FIRST = says("Hello Ann, can you start in May?")
LATER = says("You start at nine.")


def day(world: World, date: str = "2026-01-01") -> dict[str, Any]:
    return world.row("log", f"TOKENS#{cast.COMPANY}#{cast.PROJECT}", date) or {}


def spent(world: World) -> int:
    found = day(world)
    return int(found.get("tokens_in", 0)) + int(found.get("tokens_out", 0))


def write(world: World, name: str = "m") -> None:
    world.text(name, "When do I start?")
    world.work_off()


def model_calls_made(world: World) -> int:
    return len([e for e in world.sandbox.sent if e.operation == "create_response"])


def test_the_day_counts_the_tokens_of_its_messages(world: World) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    write(world)

    costs = [row["ai_total_tokens"] for row in world.log(ref) if row["author"] == "ai"]
    assert spent(world) == sum(costs) > 0
    assert day(world)["calls"] == 2


def test_the_tokens_of_an_unsent_draft_are_counted(world: World) -> None:
    with_model(world, FIRST, "prose", "more prose")
    ref = world.begin("sms")
    first = world.log(ref)[0]["ai_total_tokens"]

    write(world)

    assert stands(world, ref)[0] == "handoff_pending"
    assert day(world)["calls"] == 3
    assert spent(world) > first


def test_below_the_token_limit_the_model_answers_and_at_the_limit_an_agent(world: World) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    world.change(policy={"tokens_per_day": spent(world) + 1})

    write(world, "below")
    assert texts_by(world, ref)[-1] == "You start at nine."

    world.change(policy={"tokens_per_day": spent(world), "handoff_notice": "A colleague answers."})
    before = model_calls_made(world)
    write(world, "at")

    assert stands(world, ref) == ("handoff_pending", "token_cap")
    assert world.conversation(ref)["hand_off_to_human_reason"] == "token_cap"
    assert texts_by(world, ref, "system") == ["A colleague answers."]
    assert model_calls_made(world) == before


def test_the_token_limit_is_reset_the_next_day(world: World) -> None:
    with_model(world, FIRST, LATER)
    world.change(policy={"tokens_per_day": 1, "quiet_hours": None})
    ref = world.begin("sms")
    world.clock.ms += DAY_MS

    write(world)

    assert texts_by(world, ref)[-1] == "You start at nine."
    assert day(world, "2026-01-02")["calls"] == 1


def test_the_projects_of_a_company_are_counted_apart(world: World) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    world.change(policy={"tokens_per_day": 50})
    resources = aside(world)
    before = spent(world)
    quotas.add_tokens(resources.log, cast.COMPANY, "another", Usage(10_000, 10_000))
    assert spent(world) == before

    world.change(policy={"tokens_per_day": before + 1})
    write(world)
    assert stands(world, ref)[0] == "reply_sent"


def test_a_model_without_usage_counts_is_estimated_from_its_texts(world: World) -> None:
    """Otherwise a project whose provider reports no usage could spend without limit."""
    with_model(world, FIRST)
    ref = world.begin("sms")
    first = spent(world)
    world.change(policy={"tokens_per_day": first + 1})
    world.sandbox.openai.answers.append(OpenAiAnswer(text=LATER, is_counted=False))

    write(world, "below")

    newest = world.log(ref)[-1]
    assert newest["content"] == "You start at nine."
    assert newest["ai_prompt_tokens"] > 100
    assert spent(world) == first + newest["ai_total_tokens"]

    write(world, "at")
    assert stands(world, ref) == ("handoff_pending", "token_cap")


def test_a_turn_that_reaches_the_limit_is_completed(
    world: World, booking_service: Receiver
) -> None:
    ref = begun(world, booking_service, calls("book_slot", day="Monday"), THANKS)
    world.change(policy={"tokens_per_day": spent(world) + 1})

    write(world)

    assert texts_by(world, ref)[-1] == "It is booked, thank you."


def test_a_first_message_at_the_token_limit_waits_for_an_agent(world: World) -> None:
    with_model(world, FIRST)
    world.change(policy={"tokens_per_day": 1})
    world.begin("sms")

    other = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    ref = world.begin("sms", request_id="req-2", recipient_data=other)

    assert stands(world, ref) == ("handoff_pending", "token_cap")
    assert len(world.sent()) == 1


def test_a_template_that_needs_no_model_costs_nothing_and_is_sent(world: World) -> None:
    config: dict[str, Any] = cast.project()["channel_config"]
    whatsapp = config["whatsapp"] | {"default_template": "still_there"}
    with_model(world)
    world.change(policy={"tokens_per_day": 1}, channel_config=config | {"whatsapp": whatsapp})
    quotas.add_tokens(aside(world).log, cast.COMPANY, cast.PROJECT, Usage(5, 5))

    ref = world.begin("whatsapp")

    assert stands(world, ref)[0] == "initial_message_sent"
    assert spent(world) == 10


def test_a_failed_count_causes_no_second_model_call(world: World) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    world.wire.fails_if = lambda call: call.startswith("dynamodb.UpdateItem TOKENS#")

    write(world)

    assert texts_by(world, ref)[-1] == "You start at nine."
    assert model_calls_made(world) == 2


def test_without_a_limit_any_number_of_tokens_may_be_used(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")
    quotas.add_tokens(aside(world).log, cast.COMPANY, cast.PROJECT, Usage(10**9, 10**9))
    model_says(world, LATER)

    write(world)

    assert stands(world, ref)[0] == "reply_sent"
