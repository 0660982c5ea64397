"""`max_message_length` of a project: no sent text is longer, by the model, an agent or the system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import HumanMessage
from tests.integration.conversations.steps import (
    enqueue,
    model_answer,
    model_says,
    queue_name,
    status_of,
    texts_by,
    with_model,
)
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
HINT = "\nReply STOP to opt out."


def at_most(system: System, characters: int) -> None:
    system.change(rate_limits={"max_message_length": characters})


def test_an_answer_that_is_too_long_is_requested_once_more(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    at_most(system, 20)
    model_says(system, model_answer("x" * 21), model_answer("y" * 20))

    system.text("m", "Which shift is it?")
    system.drain()

    assert texts_by(system, ref)[-1] == "y" * 20


def test_a_second_answer_that_is_too_long_hands_off(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    at_most(system, 20)
    model_says(system, model_answer("x" * 21), model_answer("y" * 21))

    system.text("m", "Which shift is it?")
    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert len(texts_by(system, ref)) == 1


def test_a_second_answer_that_is_too_long_is_cut_after_a_sentence(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    at_most(system, 20)
    long = model_answer("On nights. With a very-very-long-explanation.")
    model_says(system, long, long)

    system.text("m", "Which shift is it?")
    system.drain()

    assert texts_by(system, ref)[-1] == "On nights."


def test_the_opt_out_hint_counts(system: System) -> None:
    at_most(system, 20 + len(HINT))
    with_model(system, model_answer("x" * 21), model_answer("y" * 20))

    ref = system.begin("sms")

    assert texts_by(system, ref) == ["y" * 20 + HINT]


def test_a_mail_is_no_longer_than_the_project_allows(system: System) -> None:
    at_most(system, 20)
    with_model(system, model_answer("x" * 21, subject="May"), model_answer("y" * 20, subject="May"))

    ref = system.begin("email")

    assert texts_by(system, ref) == ["y" * 20]


def test_a_template_counts_with_the_values_that_the_model_gives(system: System) -> None:
    body = (
        "Hello Ann, this is Carol of Cucumber Recruitment about the job as Healthcare Assistant. "
    )
    at_most(system, len(body) + 20)
    values = [
        model_answer("", variables={"question": letter * n}) for letter, n in (("x", 21), ("y", 20))
    ]
    with_model(system, *values)

    ref = system.begin("whatsapp")

    assert texts_by(system, ref) == [body + "y" * 20]


def test_a_template_that_needs_no_model_and_is_too_long_is_not_sent(system: System) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("w", "Which shift is it?")
    system.run_intake()
    at_most(system, 20)
    system.clock.ms += 86_400_000

    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "too_long")
    assert len(system.sent()) == 1


def of_eve(system: System, ref: str) -> dict[str, Any]:
    """The message that an agent wrote. It has the time of the first one, so ids decide the order."""
    (found,) = [one for one in system.log(ref) if str(one["content"]).startswith("xx")]
    return found


def test_an_agents_message_above_a_limit_lowered_since_is_shown_as_not_sent(
    system: System,
) -> None:
    ref = system.begin("sms")
    at_most(system, 20)

    enqueue(system, HumanMessage(ref=ref, cause="c", agent_id="eve", text="x" * 21), ref, "human")

    too_long = of_eve(system, ref)
    assert (too_long["delivery_status"], too_long["error_code"]) == ("failed", "too_long")
    assert len(system.sent()) == 1


def test_a_fixed_text_that_is_too_long_is_not_sent(system: System) -> None:
    system.begin("sms")
    at_most(system, 20)

    system.text("h", "HELP")
    system.drain()

    assert len(system.sent()) == 1


def test_a_text_that_is_too_long_is_not_sent_after_a_crash_at_any_call(system: System) -> None:
    ref = system.begin("sms")
    at_most(system, 20)
    record = HumanMessage(ref=ref, cause="c", agent_id="eve", text="x" * 21)
    system.fifo_queues.put(queue_name(system, "sms"), commands.entry(record, ref, "human"))
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    names = list(system.interceptor.calls)

    for number, name in enumerate(names, 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.settle()
        too_long = of_eve(system, ref)
        assert (too_long["delivery_status"], too_long["error_code"]) == ("failed", "too_long"), name
        assert system.sent() == [], name
        assert "turn" not in system.state(ref), name
