"""How a call of an action ends: undisturbed, and repeated after a crash or a failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.simulation.whatsapp.final_state import check_declared
from whatsapp.actions.dispatch import catalogue
from whatsapp.store.items.analytics.job_positions import JobPositions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.actions.scenario import Scenario

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
_TYPES = {
    "IDEMPOTENCY",
    "SEND_RATE",
    "COUNTING",
    "COUNTING_PART",
    "CHANGED_HOURS",
    "HOUR",
    "ANALYTICS",
}
_TYPES |= {"FLOW_KEYS"}  # random, and a killed call leaves a version of the parameter without use


def undisturbed(actor: Actor, scenario: Scenario) -> tuple[list[str], dict[str, Any]]:
    """The calls of a run without failures, and its final state; made once for a system."""
    if scenario not in actor.undisturbed:
        actor.undisturbed[scenario] = _undisturbed(actor, scenario)
    return actor.undisturbed[scenario]


def _undisturbed(actor: Actor, scenario: Scenario) -> tuple[list[str], dict[str, Any]]:
    body = actor.begin(scenario)
    answer = actor.call(scenario.action, body)
    assert answer is not None
    assert answer.status in {200, 202}, answer.content
    calls = list(actor.system.interceptor.calls)
    assert sorted(actor.effects(scenario)) == sorted(scenario.effect)
    actor.settle(scenario.settles_minutes)
    return calls, state_of(actor)


def repeated_ends_well(
    actor: Actor, scenario: Scenario, body: dict[str, Any], wanted: dict[str, Any], where: str
) -> None:
    answer = actor.call(scenario.action, body)
    assert answer is not None, where
    assert answer.status in {200, 202}, (where, answer.content)
    actor.settle(scenario.settles_minutes)
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
        # The items of the first effect may remain beside the items of the second.
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
        if item["itemType"] in _TYPES or key == JobPositions.pk_pattern:
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
