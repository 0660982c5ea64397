"""`max_message_length` of a project: no sent text is longer, by the model, an agent or the system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.lifecycle import commands
from conversations.lifecycle.commands import HumanMessage
from tests.integration.conversations.acts import (
    model_says,
    put,
    queue_name,
    says,
    stands,
    texts_by,
    with_model,
)
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

FIRST = says("Hello Ann, can you start in May?")
HINT = "\nReply STOP to opt out."


def at_most(world: World, characters: int) -> None:
    world.change(rate_limits={"max_message_length": characters})


def test_an_answer_that_is_too_long_is_requested_once_more(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")
    at_most(world, 20)
    model_says(world, says("x" * 21), says("y" * 20))

    world.text("m", "Which shift is it?")
    world.work_off()

    assert texts_by(world, ref)[-1] == "y" * 20


def test_a_second_answer_that_is_too_long_hands_off(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")
    at_most(world, 20)
    model_says(world, says("x" * 21), says("y" * 21))

    world.text("m", "Which shift is it?")
    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "ai_invalid_output")
    assert len(texts_by(world, ref)) == 1


def test_the_opt_out_hint_counts(world: World) -> None:
    at_most(world, 20 + len(HINT))
    with_model(world, says("x" * 21), says("y" * 20))

    ref = world.begin("sms")

    assert texts_by(world, ref) == ["y" * 20 + HINT]


def test_a_mail_is_no_longer_than_the_project_allows(world: World) -> None:
    at_most(world, 20)
    with_model(world, says("x" * 21, subject="May"), says("y" * 20, subject="May"))

    ref = world.begin("email")

    assert texts_by(world, ref) == ["y" * 20]


def test_a_template_counts_with_the_values_that_the_model_gives(world: World) -> None:
    body = (
        "Hello Ann, this is Carol of Cucumber Recruitment about the job as Healthcare Assistant. "
    )
    at_most(world, len(body) + 20)
    values = [says("", variables={"question": letter * n}) for letter, n in (("x", 21), ("y", 20))]
    with_model(world, *values)

    ref = world.begin("whatsapp")

    assert texts_by(world, ref) == [body + "y" * 20]


def test_a_template_that_needs_no_model_and_is_too_long_is_not_sent(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    at_most(world, 20)
    world.clock.ms += 86_400_000

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "too_long")
    assert len(world.sent()) == 1


def of_eve(world: World, ref: str) -> dict[str, Any]:
    """The message that an agent wrote. It has the time of the first one, so ids decide the order."""
    (found,) = [one for one in world.log(ref) if str(one["content"]).startswith("xx")]
    return found


def test_an_agents_message_above_a_limit_lowered_since_is_shown_as_not_sent(
    world: World,
) -> None:
    ref = world.begin("sms")
    at_most(world, 20)

    put(world, HumanMessage(ref=ref, cause="c", agent_id="eve", text="x" * 21), ref, "human")

    too_long = of_eve(world, ref)
    assert (too_long["delivery_status"], too_long["error_code"]) == ("failed", "too_long")
    assert len(world.sent()) == 1


def test_a_fixed_text_that_is_too_long_is_not_sent(world: World) -> None:
    world.begin("sms")
    at_most(world, 20)

    world.text("h", "HELP")
    world.work_off()

    assert len(world.sent()) == 1


def test_a_text_that_is_too_long_is_not_sent_after_a_crash_at_any_call(world: World) -> None:
    ref = world.begin("sms")
    at_most(world, 20)
    record = HumanMessage(ref=ref, cause="c", agent_id="eve", text="x" * 21)
    world.lanes.put(queue_name(world, "sms"), commands.entry(record, ref, "human"))
    start = world.remember()
    world.new_process()
    world.wire.rewind()
    world.settle()
    names = list(world.wire.calls)

    for number, name in enumerate(names, 1):
        world.begin_again(start)
        world.wire.die_at = (number, When.AFTER)
        world.settle()
        too_long = of_eve(world, ref)
        assert (too_long["delivery_status"], too_long["error_code"]) == ("failed", "too_long"), name
        assert world.sent() == [], name
        assert "turn" not in world.state(ref), name
