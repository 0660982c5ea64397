"""An agent takes over between any two calls of a model turn: its message was already in flight, or is never sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.steps import take_over, texts_by
from tests.simulation.conversations.scenarios import Steps

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


class TakesOver:
    """An agent takes the conversation over just before the call of this number."""

    def __init__(self, system: System, ref: str, number: int) -> None:
        self.system, self.ref, self.number = system, ref, number
        self.stage: str | None = None
        self.is_done = False

    def __call__(self, _: str) -> bool:
        if not self.is_done and len(self.system.interceptor.calls) >= self.number:
            self.is_done = True
            turn = self.system.state(self.ref).get("turn") or {}
            self.stage = turn.get("stage")
            take_over(self.system, self.ref)
        return False


def _asks(system: System) -> None:
    system.text("m", "Which shift is it?")


def _asks_for_a_person(system: System) -> None:
    system.text("m", "Can I talk to a human please")


@pytest.mark.long
@pytest.mark.parametrize("steps", [_asks, _asks_for_a_person])
def test_after_a_takeover_only_model_messages_already_in_flight_are_sent(
    system: System, steps: Steps
) -> None:
    ref = system.begin("sms")
    steps(system)
    system.run_intake()
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.drain()
    count = len(system.interceptor.calls)

    seen = set()
    for number in range(1, count + 1):
        system.restore(start)
        person = TakesOver(system, ref, number)
        system.interceptor.fails_if = person
        system.settle()
        system.interceptor.fails_if = lambda _: False
        answers = texts_by(system, ref)[1:]
        drafts = [m for m in system.log(ref) if m.get("delivery_status") == "discarded"]
        call = system.interceptor.calls[number - 1]
        assert person.is_done, call
        assert len(system.sent()) == len(answers), call
        if person.stage == "sending":
            assert len(answers) == 1, call
            seen.add("the model sent first")
        elif len(answers) == 1:
            assert person.stage is None, call  # The turn was over.
            seen.add("it was sent before")
        else:
            seen.add("a draft remains" if drafts else "no draft")
        assert system.conversation(ref)["conversation_status"] == "handoff_active", call
        assert system.state(ref)["mode"] == "human", call
        assert "turn" not in system.state(ref), call
    assert seen >= {"the model sent first", "a draft remains", "no draft"}


def test_after_a_takeover_the_model_sends_no_answer(system: System) -> None:
    ref = system.begin("sms")
    take_over(system, ref)

    system.text("m", "Which shift is it?")
    system.settle()

    assert texts_by(system, ref) == texts_by(system, ref)[:1]
    assert len(system.log(ref)) == 2
    assert system.conversation(ref)["conversation_status"] == "handoff_active"
