"""The pure functions of the console that say when a thread is due, and which alarms are new."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        ("11:59", {"kind": "plain", "isOver": False, "ms": 61 * 60_000}),
        ("12:30", {"kind": "warn", "isOver": False, "ms": 30 * 60_000}),
        ("13:00", {"kind": "danger", "isOver": True, "ms": 0}),
        ("14:00", {"kind": "danger", "isOver": True, "ms": 60 * 60_000}),
    ],
)
def test_a_due_time_warns_from_its_alarm_on(now: str, shown: dict[str, Any]) -> None:
    row = {"dueAt": "2026-01-01T13:00:00.000Z", "atRiskAt": "2026-01-01T12:30:00.000Z"}
    value = {"row": row, "now": f"2026-01-01T{now}:00.000Z"}

    assert run("inbox/due.ts", "m.dueOf(value.row, Date.parse(value.now))", value) == shown
    assert run("inbox/due.ts", "m.dueOf({ dueAt: null, atRiskAt: null }, 0)", None) is None


def test_an_alarm_is_shown_by_the_first_look_after_it() -> None:
    rows = [{"atRiskAt": f"2026-01-01T12:{minute:02}:00.000Z"} for minute in (0, 1, 2, 3)]
    script = (
        "[[0, 1], [1, 3]].map(([from, to]) => m.alarmsOf([...value, { atRiskAt: null }],"
        " Date.parse('2026-01-01T12:00:00Z') + from * 60000, Date.parse('2026-01-01T12:00:00Z') + to * 60000)"
        ".map((row) => value.indexOf(row)))"
    )

    assert run("inbox/due.ts", script, rows) == [[1], [2, 3]]
