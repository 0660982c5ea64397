"""A table of cases in one test: every case runs, and every failure is reported with its case."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.cases import each

ROWS = [(1, "one"), (2, "two"), (3, "three")]


def test_every_case_runs_though_an_earlier_one_failed_and_each_failure_names_its_case() -> None:
    seen = []

    @each(("number", "name"), ROWS)
    def rule(number: int, name: str) -> None:
        seen.append((number, name))
        if number == 1:
            with pytest.raises(ValueError, match="never"):
                pass
        assert number == 3

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as failed:
        rule()

    assert seen == ROWS
    notes = [failure.__notes__ for failure in failed.value.exceptions]
    assert notes == [["case: number=1, name='one'"], ["case: number=2, name='two'"]]


def test_tables_combine_and_the_fixtures_of_a_test_stay_its_parameters() -> None:
    seen = []

    @each("a", [1, 2])
    @each("b", "xy", ids=str.upper)
    def rule(tmp_path: str, a: int, b: str) -> None:
        seen.append((tmp_path, a, b))

    rule(tmp_path="/tmp")  # noqa: S108 - no file is made

    assert seen == [("/tmp", a, b) for a in (1, 2) for b in "xy"]  # noqa: S108 - as above
    assert list(inspect.signature(rule).parameters) == ["tmp_path"]


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("a", []),
        ("a, b", [(1, 2, 3)]),
        ("a", [pytest.param(1, marks=pytest.mark.long)]),
        ("a, b", [pytest.param(1, 2, marks=pytest.mark.long)]),
        ("missing", [1]),
    ],
)
def test_a_table_that_is_empty_or_does_not_fit_is_refused(names: str, rows: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"rows|zip|marks|take"):

        @each(names, rows)
        def rule(a: int = 0, b: int = 0, c: int = 0) -> None:
            """Never called."""


def test_names_of_cases_are_those_of_the_table() -> None:
    @each("number", [1, 2, pytest.param(3, id="the third")], ids=["first", "second", "last"])
    def rule(number: int) -> None:
        assert number < 0

    with pytest.raises(BaseExceptionGroup) as failed:
        rule()

    notes = [failure.__notes__ for failure in failed.value.exceptions]
    assert notes == [["case: first"], ["case: second"], ["case: the third"]]
