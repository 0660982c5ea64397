"""
The customer writes between any two calls of a model turn, and workers die: each message is answered once.

An answer that was not in flight yet covers the newer message, unless two drafts in a row were discarded.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conversations.steps import texts_by
from tests.simulation.crashes.disturbances import deaths
from tests.simulation.effort import EFFORT, long_except
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.simulation.conversations.system import Snapshot, System

QUESTIONS = ["And which job?", "How much is the pay?", "Where is it?", "When does it start?"]
MOST_DISCARDED = 2


class Writes:
    """The customer writes just before the calls of these numbers; `stages` are the turn's stages at that time."""

    def __init__(
        self, system: System, ref: str, numbers: Iterable[int], texts: Sequence[str] = QUESTIONS
    ) -> None:
        self.system, self.ref, self.left, self.texts = system, ref, sorted(numbers), texts
        self.stages: list[str | None] = []

    def __call__(self, _: str) -> bool:
        while self.left and len(self.system.interceptor.calls) >= self.left[0]:
            self.left.pop(0)
            turn = self.system.state(self.ref).get("turn") or {}
            self.stages.append(turn.get("stage"))
            self._write(self.texts[len(self.stages) - 1])
        return False

    def _write(self, text: str) -> None:
        """Store a message; the injected death is one of the other worker."""
        interceptor = self.system.interceptor
        calls, die_at = list(interceptor.calls), interceptor.die_at
        interceptor.die_at = None
        self.system.text(text, text)
        self.system.run_intake()
        interceptor.calls[:], interceptor.die_at = calls, die_at


def _asked(system: System) -> tuple[str, Snapshot, list[str], list[int]]:
    """A question waits for its answer: the conversation, the snapshot, and the calls of the undisturbed turn."""
    ref = system.begin("sms")
    system.text("m", "Which shift is it?")
    system.run_intake()
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    return ref, start, list(system.interceptor.calls), list(system.interceptor.first_of_runs)


def _disturbed(
    system: System, ref: str, start: Snapshot, numbers: Iterable[int], death: Any = None
) -> Writes:
    system.restore(start)
    customer = Writes(system, ref, numbers)
    system.interceptor.die_at = death
    system.interceptor.fails_if = customer
    system.settle()
    return customer


def _check(system: System, ref: str, what: str) -> None:
    """Each message is answered, no answer is sent twice, and no turn remains."""
    log, state = system.log(ref), system.state(ref)
    answers = texts_by(system, ref)[1:]
    newest = max(m["sk"] for m in log if m["author"] == "customer")
    assert "turn" not in state, what
    if system.conversation(ref)["conversation_status"] != "handoff_pending":
        assert state["answered_up_to"] == newest, what
        assert len(system.sent()) == len(answers), what
    sent = [m for m in log if m.get("turn_kind") == "reply" and m["delivery_status"] == "accepted"]
    assert len({m["up_to"] for m in sent}) == len(sent), what
    in_a_row = 0
    for message in log:
        if message["author"] == "ai":
            in_a_row = in_a_row + 1 if message.get("error_code") == "newer_message" else 0
        assert in_a_row <= MOST_DISCARDED, what


@pytest.mark.parametrize("every", long_except([2, 1], [2]))
def test_a_message_at_any_call_of_a_turn_is_answered_with_the_turn_or_after_it(
    system: System, every: int
) -> None:
    ref, start, calls, _ = _asked(system)
    seen = set()
    for number in range(1, len(calls) + 1, every):
        customer = _disturbed(system, ref, start, [number])
        what = f"{number} {calls[number - 1]}"
        assert not customer.left, what
        _check(system, ref, what)
        count = len(texts_by(system, ref)) - 1
        drafts = sum(m.get("error_code") == "newer_message" for m in system.log(ref))
        if customer.stages == ["claimed"]:
            assert (count, drafts) in {(1, 1), (1, 0)}, what
        elif customer.stages == ["sending"]:
            assert (count, drafts) == (2, 0), what
        seen.add((customer.stages[0], count, drafts))
    assert seen >= {("claimed", 1, 1), ("sending", 2, 0)}


@pytest.mark.long
def test_a_worker_may_die_at_any_call_after_a_newer_message(system: System) -> None:
    ref, start, calls, _ = _asked(system)
    drafted = next(
        n for n, call in enumerate(calls, 1) if call.startswith("dynamodb.PutItem CONV#")
    )
    _disturbed(system, ref, start, [drafted])
    disturbed, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    assert sum(m.get("error_code") == "newer_message" for m in system.log(ref)) == 1

    for death in deaths(disturbed, starts):
        _disturbed(system, ref, start, [drafted], death)
        _check(system, ref, f"died {death[1]} {death[0]} {disturbed[death[0] - 1]}")


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[] if seed < 5 else pytest.mark.long) for seed in range(40 * EFFORT)],
)
def test_every_message_is_answered_once_for_any_times_of_messages_and_deaths(
    system: System, seed: int
) -> None:
    plan = random.Random(seed)  # noqa: S311 - a plan of a test
    ref, start, calls, _ = _asked(system)
    count = plan.randint(1, len(QUESTIONS))
    numbers = [plan.randint(1, 3 * len(calls)) for _ in range(count)]
    death = plan.choice([None, (plan.randint(1, 2 * len(calls)), plan.choice(list(When)))])

    _disturbed(system, ref, start, numbers, death)

    _check(system, ref, f"{numbers} {death}")
