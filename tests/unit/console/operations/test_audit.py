"""The file of the audit log, and the days that it may have."""

from __future__ import annotations

import csv
import io

import pytest

from tests.unit.console.typescript import run

MODULE = "operations/records/csv.ts"


def test_a_row_is_read_back_as_it_was_written() -> None:
    rows = [["at", "object"], ['say "no", then', "line\nbreak"], ["", "5"]]

    text = run(MODULE, "m.csvOf(value)", rows)

    assert list(csv.reader(io.StringIO(text, newline=""))) == rows


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\t1"])
def test_no_text_of_a_cell_is_a_formula(text: str) -> None:
    assert run(MODULE, "m.csvOf(value)", [[text, -1]]) == f"'{text},-1\r\n"


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        ("2026-11-01", "2026-11-30", "2026-11-30"),
        ("2026-10-01", "2026-11-30", "2026-10-31"),
        ("2026-11-30", "2026-11-01", "2026-11-30"),
    ],
)
def test_a_period_has_at_most_31_days_and_ends_after_it_begins(
    first: str, last: str, shown: str
) -> None:
    assert run(MODULE, "m.lastDay(value[0], value[1], 31)", [first, last]) == shown
