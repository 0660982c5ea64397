"""An agent takes over between any two calls of a model turn: its message was already in flight, or is never sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.acts import take_over, texts_by
from tests.simulation.conversations.scenarios import Story

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


class TakesOver:
    """An agent takes the conversation over just before the call of this number."""

    def __init__(self, world: World, ref: str, number: int) -> None:
        self.world, self.ref, self.number = world, ref, number
        self.stage: str | None = None
        self.is_done = False

    def __call__(self, _: str) -> bool:
        if not self.is_done and len(self.world.wire.calls) >= self.number:
            self.is_done = True
            turn = self.world.state(self.ref).get("turn") or {}
            self.stage = turn.get("stage")
            take_over(self.world, self.ref)
        return False


def _asks(world: World) -> None:
    world.text("m", "Which shift is it?")


def _asks_for_a_person(world: World) -> None:
    world.text("m", "Can I talk to a human please")


@pytest.mark.parametrize("story", [_asks, _asks_for_a_person])
def test_after_a_takeover_only_model_messages_already_in_flight_are_sent(
    world: World, story: Story
) -> None:
    ref = world.begin("sms")
    story(world)
    world.take_in()
    start = world.remember()
    world.new_process()
    world.wire.rewind()
    world.work_off()
    count = len(world.wire.calls)

    seen = set()
    for number in range(1, count + 1):
        world.begin_again(start)
        person = TakesOver(world, ref, number)
        world.wire.fails_if = person
        world.settle()
        world.wire.fails_if = lambda _: False
        answers = texts_by(world, ref)[1:]
        drafts = [m for m in world.log(ref) if m.get("delivery_status") == "discarded"]
        call = world.wire.calls[number - 1]
        assert person.is_done, call
        assert len(world.sent()) == len(answers), call
        if person.stage == "sending":
            assert len(answers) == 1, call
            seen.add("the model was first")
        elif len(answers) == 1:
            assert person.stage is None, call  # The turn was over.
            seen.add("it was sent before")
        else:
            seen.add("a draft is left" if drafts else "nothing was worded")
        assert world.conversation(ref)["conversation_status"] == "handoff_active", call
        assert world.state(ref)["mode"] == "human", call
        assert "turn" not in world.state(ref), call
    assert seen >= {"the model was first", "a draft is left", "nothing was worded"}


def test_after_a_takeover_the_model_sends_no_answer(world: World) -> None:
    ref = world.begin("sms")
    take_over(world, ref)

    world.text("m", "Which shift is it?")
    world.settle()

    assert texts_by(world, ref) == texts_by(world, ref)[:1]
    assert len(world.log(ref)) == 2
    assert world.conversation(ref)["conversation_status"] == "handoff_active"
