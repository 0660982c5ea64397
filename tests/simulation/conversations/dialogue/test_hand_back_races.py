"""
An agent takes a conversation over for a moment during a model turn and hands it back.

For any outcome of the turn, status, state and list agree on the owner of the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.api.access import Agent
from conversations.api.agents import agent_actions
from conversations.lifecycle import conversation
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import mode_of
from conversations.store.items import identifiers
from conversations.store.items.log import Mode
from tests.integration.conversations.steps import direct_resources, take_over, write
from tests.simulation.interceptor import READS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.conversations.system import Snapshot, System

FAULT = {"kind": "status", "provider": "twilio", "operation": "create_message"}
pytestmark = pytest.mark.long
# The outcome of the answer: Twilio's error status, and the customer's question.
ENDS = {
    "refused": (400, "Which shift is it?"),
    "in doubt": (500, "Which shift is it?"),
    "hands over": (None, "Can I talk to a human please"),
}


class ActionsBeforeCalls:
    """An agent's actions, each just before the call of its number."""

    def __init__(self, system: System, *actions: tuple[int, Callable[[], None]]) -> None:
        self.system, self.left = system, list(actions)

    def __call__(self, _: str) -> bool:
        while self.left and len(self.system.interceptor.calls) >= self.left[0][0]:
            self.left.pop(0)[1]()
        return False


def give_back(system: System, ref: str) -> None:
    resources = direct_resources(system)
    agent = Agent(principal="eve", cause="back")
    agent_actions.hand_back(
        resources, conversation.load(resources, ref), agent, answer_pending=False
    )


def unanswered_conversation(system: System, end: str) -> tuple[str, Snapshot, list[str]]:
    """A question is waiting: the conversation, the snapshot before the answer, and the calls of the turn."""
    system.change(policy={})  # No notice: another message would correct the state.
    ref = system.begin("sms")
    system.text("m", ENDS[end][1])
    system.run_intake()
    start = system.snapshot()
    answered(system, start, end)
    assert system.conversation(ref)["conversation_status"] == "handoff_pending"
    return ref, start, list(system.interceptor.calls)


def answered(
    system: System, start: Snapshot, end: str, *actions: tuple[int, Callable[[], None]]
) -> ActionsBeforeCalls:
    """Run the turn from its snapshot, with an agent's actions meanwhile."""
    system.restore(start)
    if (status := ENDS[end][0]) is not None:
        system.sandbox.faults.add(**FAULT, status=status)
    agent = ActionsBeforeCalls(system, *actions)
    system.interceptor.fails_if = agent
    system.settle()
    return agent


def moments(calls: list[str], first: int = 1) -> list[tuple[int, str]]:
    """The calls before which an agent acts: after a call that only reads, the state is that before it."""
    return [
        (number, call)
        for number, call in enumerate(calls, start=1)
        if number >= first and (number == 1 or calls[number - 2].split(" ")[0] not in READS)
    ]


def disagreements(system: System, ref: str) -> list[str]:
    """The attributes that contradict the status about the owner of the conversation."""
    status = Status(system.conversation(ref)["conversation_status"])
    state = system.state(ref)
    (listed,) = [row for key, row in system.rows().items() if key[1].startswith("OPEN#")]
    found = []
    if mode_of(status) is not Mode(state["mode"]):
        found.append(f"{status}, but the state has {state['mode']}")
    if listed["conversation_status"] != status:
        found.append(f"{status}, but the list has {listed['conversation_status']}")
    if "turn" in state:
        found.append("a turn is left")
    return found


@pytest.mark.parametrize("end", ENDS)
def test_status_and_mode_agree_after_a_takeover_and_handback_during_a_failing_answer(
    system: System, end: str
) -> None:
    ref, start, calls = unanswered_conversation(system, end)
    seen = set()

    for number, call in moments(calls):
        agent = answered(
            system,
            start,
            end,
            (number, lambda: take_over(system, ref)),
            (number, lambda: give_back(system, ref)),
        )

        assert not agent.left, call
        assert disagreements(system, ref) == [], f"{number} {call}"
        seen.add(system.conversation(ref)["conversation_status"])

    # Before the fence nothing is sent and the model keeps the conversation; later failures go to agents.
    assert {"initial_message_sent", "handoff_pending"} <= seen


@pytest.mark.parametrize("end", ENDS)
def test_status_and_mode_agree_for_any_length_of_a_takeover_during_a_failing_answer(
    system: System, end: str
) -> None:
    ref, start, calls = unanswered_conversation(system, end)
    (sends, *_) = [n for n, call in enumerate(calls, start=1) if "/Messages.json" in call]

    for number, call in moments(calls, sends + 1):
        answered(
            system,
            start,
            end,
            (sends, lambda: take_over(system, ref)),
            (number, lambda: give_back(system, ref)),
        )

        assert disagreements(system, ref) == [], f"{number} {call}"


@pytest.mark.parametrize("end", ENDS)
def test_status_and_mode_agree_if_a_conversation_is_handed_back_during_its_escalation(
    system: System, end: str
) -> None:
    ref, start, calls = unanswered_conversation(system, end)

    for number, call in moments(calls):
        answered(system, start, end, (number, lambda: give_back(system, ref)))

        assert disagreements(system, ref) == [], f"{number} {call}"


def test_status_and_mode_agree_if_the_escalation_notice_is_delivered_late(
    system: System,
) -> None:
    system.change(policy={})
    ref = system.begin("sms")
    system.sandbox.faults.add(**FAULT, status=500)
    write(system, "Can I talk to a human please")
    system.settle()
    promise = system.log(ref)[-1]
    assert promise["delivery_status"] == "unknown"
    give_back(system, ref)

    system.status("SM" + "f" * 32, "delivered", identifiers.action_id(ref, promise["turn_id"]))
    system.settle()

    assert disagreements(system, ref) == []
    assert system.log(ref)[-1]["delivery_status"] == "delivered"
