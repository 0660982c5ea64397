"""
Sending of agents' messages: each is sent once, failures are shown with a reason; and attributes after transitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from conversations.api.access import opened_for
from conversations.configuration.resources import Run
from conversations.dialogue import first_message
from conversations.dialogue.agents import agent_message, release
from conversations.lifecycle import transitions
from conversations.lifecycle.records.commands import HumanMessage, Notice, Release
from conversations.lifecycle.status import Status, turn_may_change
from conversations.lifecycle.transitions import Cause
from conversations.outbound.compose.writer import MessageWriter
from conversations.outbound.results import Ended
from conversations.outbound.turns.plan import TurnDependencies
from conversations.store import messages
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.turn import TurnKind
from tests.integration.conversations.fakes import FakeGateway, Unbounded, turn_dependencies
from tests.integration.conversations.harness import OURS, Harness
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from conversations.lifecycle.conversation import OpenConversation


@dataclass
class SweepStub:
    """A worker that sends agents' messages; models and the policy are not used."""

    harness: Harness
    gateway: FakeGateway = field(default_factory=FakeGateway)

    @property
    def resources(self) -> Any:
        return self.harness.resources

    @property
    def turns(self) -> TurnDependencies:
        return turn_dependencies(self.resources, self.gateway)

    @property
    def spending(self) -> Any:
        return Unbounded()

    @property
    def writer(self) -> MessageWriter:
        unused: Any = None
        return MessageWriter(
            resources=self.resources,
            people=unused,
            model_deps=unused,
            credentials=unused,
            effects=unused,
            documents=unused,
            mirror=unused,
            spending=self.spending,
        )

    def run(self, record: str = "record-1") -> Run:
        """A run for a record that was put on the queue just now."""
        return Run(record, self.harness.now[0], 1, is_last=False, remaining_ms=lambda: 100_000)


def opened(harness: Harness, ref: str) -> OpenConversation:
    return opened_for(harness.module.deps, OURS, ref)


def log(harness: Harness, ref: str) -> list[tuple[str, str | None, str | None]]:
    found = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    return [(one["content"], one["delivery_status"], one.get("error_code")) for one in found]


def test_an_agents_message_that_cannot_be_sent_is_shown_with_the_reason(harness: Harness) -> None:
    """The project's limits may change between the call and the worker."""
    ref = harness.begin()
    command = HumanMessage(ref=ref, cause="c1", agent_id="carol", text="x" * 500)
    deps: Any = SweepStub(harness)

    outcome = agent_message.say(deps, command, deps.run())

    assert outcome is not None
    assert (outcome.ended, outcome.reason) == (Ended.UNWRITTEN, "too_long")
    assert log(harness, ref) == [("x" * 500, "failed", "too_long")]
    assert harness.state(ref).turn is None


def test_a_missing_template_is_shown_by_its_name(harness: Harness) -> None:
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)
    command = HumanMessage(ref=ref, cause="c1", agent_id="carol", template="spring")
    deps: Any = SweepStub(harness)

    agent_message.say(deps, command, deps.run())

    assert log(harness, ref) == [("[spring]", "failed", "template_missing")]


@pytest.mark.parametrize("is_notice", [False, True])
def test_a_sent_message_is_not_sent_again_by_a_late_record(
    harness: Harness, *, is_notice: bool
) -> None:
    """A call that crashed before its answer is repeated, and its record is a different one to the queue."""
    ref = harness.begin()
    deps: Any = SweepStub(harness)
    records: list[HumanMessage | Notice] = [
        HumanMessage(ref=ref, cause="c1", agent_id="carol", text="Hello"),
        Notice(ref=ref, cause="c1", notice="handoff"),
    ]

    def say(record: str) -> None:
        late_record = records[is_notice]
        if isinstance(late_record, Notice):
            agent_message.give_notice(deps, late_record, deps.run(record))
        else:
            agent_message.say(deps, late_record, deps.run(record))

    say("record-1")
    harness.later(60 * 60_000)
    say("record-2")

    (sent,) = deps.gateway.sent
    assert len(log(harness, ref)) == 1
    message = messages.find(harness.resources.log, ref, sent)
    assert message is not None
    assert message.turn_kind is (TurnKind.NOTICE if is_notice else TurnKind.HUMAN)


def test_a_first_message_released_to_the_model_has_no_owner(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, task_complete=0)
    harness.on(ref, "take-over", {PERSON: "carol"})
    deps: Any = SweepStub(harness)
    command = Release(ref=ref, cause="c1", agent_id="carol")

    monkeypatch.setattr(
        first_message, "go_on", lambda *_: None
    )  # The model's turn is not tested here.
    release.release(deps, command, deps.run())

    assert harness.standing(ref) == ("processing", Mode.AI, None)
    assert harness.item(ref).hand_off_to_human is False


def test_a_transition_without_a_reason_removes_the_old_one(harness: Harness) -> None:
    ref = harness.begin(status=Status.DEFERRED, status_reason="quiet_hours")

    transitions.move(
        harness.resources, opened(harness, ref), Status.PROCESSING, Cause(who="parley", what="x")
    )

    assert harness.standing(ref)[0] == "processing"
    assert harness.state(ref).status_reason is None


def test_a_reopened_conversation_returns_to_its_previous_owner(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", {PERSON: "carol"})
    harness.on(ref, "close", {PERSON: "carol"})
    resources, cause = (
        harness.resources,
        Cause(who="customer", what="a message", reason="wrote_again"),
    )

    transitions.move(
        resources, opened(harness, ref), transitions.status_before(opened(harness, ref)), cause
    )
    assert (
        harness.standing(ref)[0] == "closed"
    )  # An ended conversation is not taken over, by mistake or by race.
    transitions.move(resources, opened(harness, ref), Status.HANDOFF_ACTIVE, cause, is_return=True)

    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


@pytest.mark.parametrize("now", ["handoff_pending", "handoff_active", "closed", "opted_out"])
def test_a_late_delivery_does_not_change_a_conversation_of_agents(now: str) -> None:
    assert not turn_may_change(Status(now), Status.REPLY_SENT)
    assert turn_may_change(Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT)
