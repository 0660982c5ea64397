"""What the overview of operations shows first: counts of what needs a person, the most urgent first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run

ALARM, FINE = {"state": "ALARM"}, {"state": "OK"}


def queue(name: str, **facts: Any) -> dict[str, Any]:
    return {"isDeadLetters": name == "letters", "waiting": 0, "inFlight": 0} | facts


QUIET: dict[str, Any] = {"alarms": [FINE], "queues": [queue("work")], "accounts": []}


@pytest.mark.parametrize(
    ("facts", "needs", "is_whole"),
    [
        ({}, {}, True),
        ({"alarms": [ALARM, FINE, ALARM]}, {"alarms": 2}, True),
        (
            {"queues": [queue("letters", waiting=2, inFlight=1), queue("letters", waiting=4)]},
            {"dead_letters": 7},
            True,
        ),
        (
            {"queues": [queue("work", oldestSeconds=900), queue("work", oldestSeconds=899)]},
            {"queues": 1},
            True,
        ),
        ({"accounts": [{"difference": 0}, {"difference": -2}, {}]}, {"conservation": 1}, True),
        ({"alarms": None}, {}, False),
        ({"queues": None, "alarms": [ALARM]}, {"alarms": 1}, False),
        ({"queues": [queue("letters", waiting=None)]}, {}, False),
    ],
)
def test_what_needs_a_person_is_counted_and_what_is_unknown_is_not_nothing(
    facts: dict[str, Any], needs: dict[str, int], *, is_whole: bool
) -> None:
    found, whole = run(
        "operations/overview/attention.ts", "[m.needsOf(value), m.isWhole(value)]", QUIET | facts
    )

    assert {one["place"]: one["count"] for one in found} == needs
    assert whole is is_whole
