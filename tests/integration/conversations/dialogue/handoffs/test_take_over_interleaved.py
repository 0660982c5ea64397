"""
A take-over between any two calls of a turn of the model, and parts of a turn between any two calls of a take-over.

Either the message had passed the fence, and the answer of the take-over names it; or it is never sent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from conversations.configuration.bootstrap import ledger_of
from conversations.configuration.resources import Run
from conversations.lifecycle import conversation
from conversations.outbound.results import Ended
from conversations.outbound.turns import engine
from conversations.outbound.turns.plan import Plan
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery, Message, Mode
from conversations.store.items.turn import Stage, TurnKind
from shared.aws.dynamodb import Table
from shared.runtime.failures import Transient
from tests.integration.conversations.fakes import FakeGateway, turn_dependencies
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from tests.integration.conversations.harness import Harness

TURN = "reply:MSG#x"
MANY = 100  # more calls than any turn makes


class Died(Exception):
    """The worker has crashed."""


@dataclass
class Model:
    """A worker that answers for the model; *before* is called with the number of each of its calls, before the call."""

    harness: Harness
    before: Callable[[int], None] = lambda _: None
    calls: int = 0
    gateway: FakeGateway = field(init=False)

    def __post_init__(self) -> None:
        self.gateway = FakeGateway(self._tick)

    def _tick(self, **_: Any) -> None:
        self.calls += 1
        self.before(self.calls)

    def answers(self, ref: str, worker: str = "worker-1") -> Ended | str:
        """Run the turn; returns its outcome, or why its record is retried."""
        client = _client()
        client.meta.events.register("before-call.dynamodb", self._tick, unique_id="tick")
        try:
            return self._answer(client, ref, worker)
        finally:
            client.meta.events.unregister("before-call.dynamodb", unique_id="tick")

    def _answer(self, client: DynamoDBClient, ref: str, worker: str) -> Ended | str:
        theirs = self.harness.resources
        log = Table(client, theirs.log.name)
        table = Table(client, theirs.table.name)
        resources = replace(theirs, table=table, log=log, ledger=ledger_of(log))
        taking = turn_dependencies(resources, self.gateway)
        run = Run(worker, 0, 1, is_last=False, remaining_ms=lambda: 100_000)
        plan = Plan(turn_id=TURN, kind=TurnKind.REPLY, up_to="MSG#x")
        opened = conversation.load(resources, ref)
        if opened.state.mode is not Mode.AI and opened.state.turn is None:
            return "not_asked"
        try:
            finished = engine.resume(taking, opened, run)
            if finished is not None:
                return finished.ended
            return engine.take(taking, opened, plan, run, _words).ended
        except Transient as failure:
            return failure.reason


@cache
def _client() -> DynamoDBClient:
    """A client of the worker, apart from the API's."""
    return boto3.client("dynamodb")


def _words() -> Message:
    """The model's output; the turn sets its place in the log."""
    return Message(
        entry_id="-",
        message_timestamp="-",
        role=Role.ASSISTANT,
        content="We start at 9",
        author="ai",
        delivery_status=Delivery.DRAFT,
    )


def taken(harness: Harness, ref: str) -> dict[str, Any]:
    return harness.on(ref, "take-over", {PERSON: "carol"}).result


def drafts(harness: Harness, ref: str) -> list[str]:
    log = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    return [one["delivery_status"] for one in log if one["author"] == "ai"]


def calls_of_a_turn(harness: Harness) -> int:
    model = Model(harness)
    assert model.answers(harness.begin("to-count")) is Ended.SENT
    return model.calls


@pytest.mark.long
def test_a_take_over_at_any_call_of_a_turn_names_the_message_or_prevents_its_sending(
    harness: Harness,
) -> None:
    last = calls_of_a_turn(harness)

    seen = {_taken_over_at(harness, moment) for moment in range(1, last + 2)}

    # All of it: fenced off, named, and sent before the take-over.
    assert {(Ended.FENCED, False), (Ended.SENT, True), (Ended.SENT, False)} <= seen


def _taken_over_at(harness: Harness, moment: int) -> tuple[Ended | str, bool]:
    """Take over before this call of a turn; returns the turn's outcome, and whether the answer named its message."""
    ref = harness.begin(f"req-{moment}")
    entry = identifiers.entry_id(identifiers.action_id(ref, TURN))
    answers: list[tuple[dict[str, Any], int]] = []
    model = Model(harness)

    def take_over(number: int) -> None:
        if number == moment:
            answers.append((taken(harness, ref), len(model.gateway.sent)))

    model.before = take_over
    ended = model.answers(ref)
    if not answers:  # after the whole turn
        take_over(moment)

    ((answer, sent_before),) = answers
    named = answer.get("ai_reply_in_flight")
    assert named in (None, {"entry_id": entry})
    if named is None:
        assert len(model.gateway.sent) == sent_before, (
            f"call {moment}: sent, but not named by the take-over"
        )
    else:
        assert model.gateway.sent == [entry], f"call {moment}: named, but never sent"
    if not model.gateway.sent:
        # No draft remains that another worker would send.
        assert Model(harness).answers(ref, "worker-2") == "not_asked"
        assert set(drafts(harness, ref)) <= {"discarded"}
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")
    assert harness.state(ref).turn is None
    return ended, named is not None


@dataclass
class Stepped:
    """A turn in a thread of its own, which makes its next calls on request."""

    model: Model
    ref: str
    arrived: SimpleQueue[bool] = field(default_factory=SimpleQueue)
    permits: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    ended: list[Ended | str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model.before = self._wait
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.is_under_way = self.arrived.get(timeout=120)

    def go_on(self, calls: int) -> None:
        """Let the turn make so many calls, or all remaining ones."""
        for _ in range(calls):
            if self.is_under_way:
                self.permits.release()
                self.is_under_way = self.arrived.get(timeout=120)

    def _wait(self, _: int) -> None:
        self.arrived.put(True)
        self.permits.acquire(timeout=120)

    def _run(self) -> None:
        try:
            self.ended.append(self.model.answers(self.ref))
        finally:
            self.arrived.put(False)


@pytest.mark.long
def test_a_turn_that_runs_inside_a_take_over_has_its_message_named_or_not_sent(
    harness: Harness,
) -> None:
    """
    The turn makes some calls after the read of the take-over, right before it raises the fence, and the rest after the
    answer of the take-over.
    """
    seen = set()
    for calls in range(1, calls_of_a_turn(harness) + 1):
        ref = harness.begin(f"req-{calls}")
        turn = Stepped(Model(harness), ref)
        answer = _with_turn_inside(harness, turn, calls)
        sent_before = len(turn.model.gateway.sent)
        turn.go_on(MANY)

        named = answer.get("ai_reply_in_flight")
        left_later = len(turn.model.gateway.sent) > sent_before
        assert not left_later or named is not None, (
            f"{calls} calls: sent, but not named by the take-over"
        )
        assert named is None or turn.model.gateway.sent == [named["entry_id"]]
        assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")
        assert harness.state(ref).turn is None
        seen.add((*turn.ended, named is not None))

    assert {(Ended.SENT, False), (Ended.SENT, True)} <= seen


def _with_turn_inside(harness: Harness, turn: Stepped, calls: int) -> dict[str, Any]:
    """Take over; before its first update, which raises the fence, the turn makes some calls."""
    left = [calls]

    def resume_turn(model: Any, **_: Any) -> None:
        if model.name == "UpdateItem" and threading.current_thread() is not turn.thread:
            turn.go_on(left.pop() if left else 0)

    events = harness.resources.log._client.meta.events
    events.register("before-call.dynamodb", resume_turn, unique_id="the-model")
    try:
        return taken(harness, turn.ref)
    finally:
        events.unregister("before-call.dynamodb", unique_id="the-model")


def test_a_message_whose_worker_crashed_while_sending_is_named_and_finished_by_another(
    harness: Harness,
) -> None:
    ref = harness.begin()
    model = Model(harness)

    def crash_after_fence(_: int) -> None:
        turn = harness.state(ref).turn
        if turn is not None and turn.stage is Stage.SENDING:
            raise Died

    model.before = crash_after_fence
    with pytest.raises(Died):
        model.answers(ref)
    assert model.gateway.sent == []

    named = taken(harness, ref)["ai_reply_in_flight"]

    harness.later(10 * 60_000)
    another = Model(harness)
    assert another.answers(ref, "worker-2") is Ended.SENT
    assert another.gateway.sent == [named["entry_id"]]
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")
    assert "ai_reply_in_flight" not in taken(harness, ref)


def test_a_message_in_doubt_is_named_to_every_agent_until_it_is_settled(harness: Harness) -> None:
    ref = harness.begin()
    model = Model(harness)
    model.gateway.fails = True
    assert model.answers(ref) is Ended.LATER
    entry = {"entry_id": identifiers.entry_id(identifiers.action_id(ref, TURN))}

    assert taken(harness, ref)["ai_reply_in_flight"] == entry
    said = harness.on(ref, "messages", {"text": "Hello", PERSON: "carol"})
    assert said.result["ai_reply_in_flight"] == entry
    closed = harness.on(ref, "close", {PERSON: "carol"})
    assert closed.result["ai_reply_in_flight"] == entry


def test_a_draft_blocked_by_the_fence_becomes_a_suggestion(harness: Harness) -> None:
    ref = harness.begin()
    model = Model(harness)

    def take_over_before_the_fence(number: int) -> None:
        if drafts(harness, ref) and not harness.state(ref).owner:
            taken(harness, ref)

    model.before = take_over_before_the_fence

    assert model.answers(ref) is Ended.FENCED
    (draft,) = [
        one
        for one in harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
        if one["delivery_status"] == Delivery.DISCARDED
    ]
    body = {"draft_entry_id": draft["entry_id"], PERSON: "carol"}
    released = harness.on(ref, "release", body)
    assert released.status == 202
    assert harness.queued("ConversationsAgentsQueue")[0]["text"] == "We start at 9"


def test_a_turn_that_finds_a_send_in_doubt_waits_and_then_settles_it_first(
    harness: Harness,
) -> None:
    ref = harness.begin()
    first = Model(harness)
    first.gateway.fails = True
    assert first.answers(ref) is Ended.LATER
    gateway = FakeGateway()
    deps = turn_dependencies(harness.resources, gateway)
    run = Run("worker-2", 0, 1, is_last=False, remaining_ms=lambda: 100_000)
    plan = Plan(turn_id="reply:MSG#y", kind=TurnKind.REPLY, up_to="MSG#y")

    def take() -> Ended:
        opened = conversation.load(harness.resources, ref)
        return engine.take(deps, opened, plan, run, _words).ended

    assert take() is Ended.LATER  # The first worker may still run.
    harness.later(105_000)
    assert take() is Ended.LATER  # Its lease has expired, its request may still be in transit.
    harness.later(200_000)
    with pytest.raises(Transient, match="finished_another_turn"):
        take()

    assert (drafts(harness, ref), gateway.sent) == (["unknown"], [])
