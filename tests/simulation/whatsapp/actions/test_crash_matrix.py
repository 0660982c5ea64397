"""
The function of the actions may be killed before or after any call that it makes, and any call may fail: the repeated
call, with the same idempotency key, ends in the state of an undisturbed run, or says that its outcome is unknown. What
a provider must do at most once is done at most once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulation.effort import EFFORT, long_except
from tests.simulation.interceptor import Fault, When
from tests.simulation.whatsapp.actions.actor import Actor, actor_of
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.actions.scenarios import scenarios
from tests.simulation.whatsapp.final_state import check_declared
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.system import System

ALL = scenarios()
IN_EVERY_RUN = [one for one in ALL if one.action == "send_text"]
SCENARIOS = long_except(ALL, IN_EVERY_RUN)
# A refused call ends as one before which the function is killed: one action of each group shows it.
_REFUSED = (
    ALL if EFFORT > 1 else list({catalogue.find(one.action).group: one for one in ALL}.values())
)
FAILURES = long_except(
    [
        *((one, Fault.LOST_ANSWER) for one in ALL),
        *((one, fault) for fault in (Fault.THROTTLED, Fault.UNAVAILABLE) for one in _REFUSED),
    ],
    [(one, Fault.LOST_ANSWER) for one in IN_EVERY_RUN],
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
# Attempt, worker and time of an attempt; what a second attempt changes, but not its outcome.
_OF_ATTEMPTS = {
    "attempt",
    "owner",
    "reservedAt",
    "deadline",
    "reason",
    "ttl",
    "providerId",
    "free_at",
    "order",  # of a reaction: the time of its attempt
}
# Positions in time of a message that was sent by a later attempt.
_OF_TIME = {
    *("lastKey", "readUpTo", "recentKeys", "ringFloor", "version", "revision", "createdAtMs"),
    *("verifiedNameOrder", "messagingLimitOrder", "throughputLevelOrder"),
}
# Ranks of reports, by the time at which the provider was asked.
_RANKS = {
    "statusOrder",
    "statusRawOrder",
    "categoryOrder",
    "componentsOrder",
    "qualityOrder",
    "order",
}
_SHORTEST_ID = 8
_NAMES_OF_IDS = ("id", "h", "handle", "code", "url", "link")
# What a failed call leaves for its repetition, and counts, which the schedule makes at its own times.
_TYPES = {"IDEMPOTENCY", "SEND_RATE", "COUNTING", "COUNTING_PART", "HOUR", "ANALYTICS"}
_TYPES |= {"FLOW_KEYS"}  # random, and a killed call leaves a version of the parameter without use


@pytest.fixture(scope="module")
def actor(_system: System) -> Iterator[Actor]:
    with actor_of(_system) as actor:
        yield actor


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_killed_call_that_is_repeated_ends_as_if_nothing_had_happened(
    actor: Actor, scenario: Scenario
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number, when in [(1, When.BEFORE), *((n, When.AFTER) for n in range(1, len(calls) + 1))]:
        body = actor.begin(scenario)
        actor.system.interceptor.die_at = (number, when)
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is None, where
        actor.system.interceptor.die_at = None
        actor.wait()
        repeated_ends_well(actor, scenario, body, wanted, where)


@pytest.mark.parametrize(("scenario", "fault"), FAILURES, ids=str)
def test_a_failing_call_neither_loses_nor_doubles_anything(
    actor: Actor, scenario: Scenario, fault: Fault
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number in range(1, len(calls) + 1):
        body = actor.begin(scenario)
        actor.system.interceptor.fault_at = (number, fault)
        where = f"{fault} at call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is not None, where
        actor.system.interceptor.fault_at = None
        actor.wait()
        repeated_ends_well(actor, scenario, body, wanted, where)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_call_made_twice_has_its_effect_once(actor: Actor, scenario: Scenario) -> None:
    _, wanted = undisturbed(actor, scenario)
    body = actor.begin(scenario)
    first, second = actor.call(scenario.action, body), actor.call(scenario.action, body)
    actor.wait()

    assert first is not None
    assert second is not None
    assert (first.status, first.result) == (second.status, second.result)
    assert sorted(actor.effects(scenario)) == sorted(scenario.effect)
    assert state_of(actor) == wanted


def test_every_action_with_an_effect_at_a_provider_has_a_scenario() -> None:
    covered = {scenario.action for scenario in ALL}
    changing = {
        action.name
        for action in catalogue.all_actions()
        if not action.is_read and action.mode != "local"
    }

    assert changing - covered == set()


def undisturbed(actor: Actor, scenario: Scenario) -> tuple[list[str], dict[str, Any]]:
    """The calls of a run without failures, and its final state."""
    body = actor.begin(scenario)
    answer = actor.call(scenario.action, body)
    assert answer is not None
    assert answer.status in {200, 202}, answer.content
    calls = list(actor.system.interceptor.calls)
    assert sorted(actor.effects(scenario)) == sorted(scenario.effect)
    actor.wait()
    return calls, state_of(actor)


def repeated_ends_well(
    actor: Actor, scenario: Scenario, body: dict[str, Any], wanted: dict[str, Any], where: str
) -> None:
    answer = actor.call(scenario.action, body)
    assert answer is not None, where
    assert answer.status in {200, 202}, (where, answer.content)
    actor.wait()
    done = actor.effects(scenario)
    if not (catalogue.find(scenario.action).idempotent or scenario.repeatable):
        assert all(
            done.count(operation) <= scenario.effect.count(operation) for operation in done
        ), where
    check_declared(actor.system.items())
    assert actor.system.queue.dead_letters == [], where
    if not answer.is_open:
        assert set(done) == set(scenario.effect), where
        state = state_of(actor)
        # The items of the first effect may remain beside those of the second.
        if scenario.repeatable:
            state, wanted = _without_copies(state), _without_copies(wanted)
        assert state == wanted, where


def _without_copies(state: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list({repr(item): item for item in items}.values()) for key, items in state.items()
    }


def state_of(actor: Actor) -> dict[str, Any]:
    """All items without what a later attempt changes: times, its own bookkeeping, and the ids that it was given."""
    answers = actor.prepared + [sent.answer for sent in actor.system.sandbox.sent]
    ids = sorted(set(_ids(answers)), key=len)
    given = re.compile("|".join(re.escape(one) for one in reversed(ids)) or "(?!)")
    state: dict[str, list[Any]] = {}
    for key, item in actor.system.items().items():
        if item["itemType"] in _TYPES:
            continue
        shown = {
            name: _same(value, given)
            for name, value in item.items()
            if name not in _OF_ATTEMPTS | _OF_TIME | _RANKS
        }
        state.setdefault(_same(key, given), []).append(shown)
    return {key: sorted(items, key=repr) for key, items in state.items()}


def _ids(value: Any, name: str = "") -> Iterator[str]:
    """The ids in answers of providers."""
    if isinstance(value, dict):
        for field, part in value.items():
            yield from _ids(part, field)
    elif isinstance(value, list):
        for part in value:
            yield from _ids(part, name)
    elif (
        isinstance(value, str)
        and len(value) >= _SHORTEST_ID
        and name.lower().endswith(_NAMES_OF_IDS)
    ):
        yield value


def _same(value: Any, given: re.Pattern[str]) -> Any:
    if isinstance(value, dict):
        return {
            n: _same(part, given) for n, part in value.items() if n not in _OF_ATTEMPTS | _RANKS
        }
    if isinstance(value, list):
        return [_same(part, given) for part in value]
    return given.sub("<id>", _TIME.sub("<time>", value)) if isinstance(value, str) else value
