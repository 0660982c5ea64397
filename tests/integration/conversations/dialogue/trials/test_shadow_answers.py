"""What a version in shadow reads and may do: the same messages as the live turn, and nothing that reaches anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.store.annotations import memories
from conversations.store.items.parts.memory import Memory
from shared.runtime import clock
from tests.integration.conversations.booking import THANKS, start_booking
from tests.integration.conversations.dialogue.trials.shadow_trials import (
    LIVE,
    TRIED,
    add_messages,
    asked,
    before_shadow,
    is_answer,
    outcomes,
    pairs,
    says,
    shadow,
    shadow_of_booking,
)
from tests.integration.conversations.steps import (
    direct_resources,
    function_call,
    model_answer,
    texts_by,
    write,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System


def test_a_version_in_shadow_answers_beside_the_live_one_and_nothing_of_it_is_sent(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    assert texts_by(system, ref)[1:] == ["You start at nine."]
    assert len(system.sent()) == 2
    (pair,) = pairs(system, trial_id)
    assert (pair["customer_text"], pair["live_text"], pair["text"], pair["status"]) == (
        "When do I start?",
        "You start at nine.",
        "At nine. See you then.",
        "made",
    )
    found = outcomes(system, trial_id)
    assert (found["begun"], found["live"]["answers"], found["trial"]["answers"]) == (1, 1, 1)
    assert float(found["trial"]["dollars"]) > 0
    assert found["live"]["dollars"] == pair["live_dollars"]


def test_the_shadow_reads_the_conversation_as_the_live_turn_did_and_has_its_own_prompt(
    system: System,
) -> None:
    _, _ = shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert "When do I start?" in request
    assert "You start at nine." not in request


def test_the_shadow_reads_as_many_messages_as_the_live_turn_though_many_came_since(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _ = shadow(system)
    before_shadow(monkeypatch, lambda: add_messages(system, ref, "Later", 25, after_ms=60_000))
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert "Hello Ann, can you start in May?" in request
    assert "When do I start?" in request
    assert "Later" not in request


@pytest.mark.parametrize("is_later", [False, True])
def test_the_shadow_reads_a_memory_only_if_it_has_no_later_message(
    system: System, monkeypatch: pytest.MonkeyPatch, *, is_later: bool
) -> None:
    system.change(memory={"summary": True})
    ref, _ = shadow(system)

    def remember() -> None:
        place = ("answered", "asked")[not is_later]
        shadows = [row for key, row in system.rows().items() if is_answer(ref, key)]
        at = clock.to_text(clock.now_ms())
        known = Memory(summary="Ann wants nights.", up_to=shadows[0][place], by="ai", at=at)
        memories.write(direct_resources(system).log, ref, known, seen=None)

    before_shadow(monkeypatch, remember)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert ("Ann wants nights." in request) is not is_later


def test_the_shadow_reads_the_messages_that_the_memory_lacks_as_the_live_turn_does(
    system: System,
) -> None:
    system.change(memory={"summary": True})
    ref, _ = shadow(system)
    add_messages(system, ref, "Old", 60, after_ms=-60_000)
    says(system, LIVE, "no memory", "none again", TRIED)

    write(system, "When do I start?")

    live, *_, tried = asked(system)[-4:]
    assert "Say TRIED." in tried
    for request in (live, tried):
        assert "Old 13." not in request
        assert "Old 16." in request


def test_the_live_answer_is_sent_before_the_version_in_shadow_is_asked(system: System) -> None:
    shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    order = [one.operation for one in system.sandbox.sent]
    assert order[-3:] == ["create_response", "create_message", "create_response"]


def test_the_function_of_a_project_is_not_called_for_a_shadow_which_gets_the_live_result(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, function_call("book_slot", day="Monday"), THANKS)
    trial_id = shadow_of_booking(system)
    says(system, function_call("book_slot", day="Monday"), model_answer("Booked. Bye."))

    write(system, "Monday is fine")

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    (pair,) = pairs(system, trial_id)
    assert (pair["text"], pair["functions"], pair["not_called"]) == (
        "Booked. Bye.",
        ["book_slot"],
        [],
    )


def test_a_function_that_the_live_version_did_not_call_is_not_called_for_a_shadow(
    system: System, booking_service: Receiver
) -> None:
    start_booking(system, booking_service, model_answer("Which day suits you?"))
    trial_id = shadow_of_booking(system)
    says(system, function_call("book_slot", day="Monday"), model_answer("I could not book it."))

    write(system, "Monday is fine")

    assert booking_service.requests.empty()
    assert pairs(system, trial_id)[0]["not_called"] == ["book_slot"]
