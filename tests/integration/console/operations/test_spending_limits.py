"""Limits of spending: set and shown by operators, with what is counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import Cause, Spending
from shared.api.auth import Caller
from tests.integration.console.operations.operations import (
    ADMIN,
    OPERATOR,
    Operations,
    of,
    operations,
)

__all__ = ["operations"]  # fixtures


def test_the_costs_that_outsiders_have_caused_are_shown_with_their_bounds(
    operations: Operations,
) -> None:
    found = operations.module.spending()
    spending = Spending(found.table, 100, 1_000)
    cause = Cause(company=OPERATOR.company, address="help@shop.example", sender="a" * 32, event="1")
    spending.reserve(Kind.MAIL_ANALYSIS, cause, 20_000)

    shown = operations.get("spending").body["result"]

    row = of(shown["kinds"], kind="mail_analysis")
    assert (shown["company"], shown["day"]) == (OPERATOR.company, "2026-11-27")
    assert (row["units"], row["dollars"], row["percent"]) == (1, 0.02, 100)
    assert row["addresses"] == {"help@shop.example": 1}
    assert row["address"] == {"units": 80, "dollars": 3.0}
    assert len(shown["kinds"]) == len(Kind)


def set_spending(operations: Operations, caller: Caller = OPERATOR, **body: Any) -> Any:
    return operations.post("spending", caller, **body)


def limits(operations: Operations) -> dict[str, Any]:
    shown: dict[str, Any] = operations.get("spending").body["result"]["limits"]
    return shown


def test_the_limits_of_a_company_are_set_and_shown_with_what_is_counted(
    operations: Operations,
) -> None:
    assert limits(operations)["version"] == 0
    answer = set_spending(operations, version=0, dollars_per_day=5, warn_at_percent=90)
    assert answer.status == 200, answer.body
    found = operations.module.spending()
    cause = Cause(company=OPERATOR.company, address="help@shop.example", sender="a" * 32, event="1")
    Spending(found.table, 100, 1_000).reserve(Kind.MAIL_ANALYSIS, cause, 20_000)

    shown = limits(operations)

    assert (shown["dollarsPerDay"], shown["dollarsPerMonth"]) == (5.0, None)
    assert (shown["warnAtPercent"], shown["version"]) == (90, 1)
    assert (shown["dollarsToday"], shown["changedBy"]) == (0.02, OPERATOR.principal)


def test_a_limit_that_a_call_does_not_name_stays_and_null_removes_one(
    operations: Operations,
) -> None:
    set_spending(operations, version=0, dollars_per_day=5, dollars_per_month=50)
    set_spending(operations, version=1, dollars_per_month=None, percents={"ai_answer": 40})
    set_spending(operations, version=2, percents={"mail_analysis": 0})

    assert (limits(operations)["dollarsPerDay"], limits(operations)["dollarsPerMonth"]) == (5, None)
    kinds = operations.get("spending").body["result"]["kinds"]
    assert of(kinds, kind="ai_answer")["percent"] == 40
    assert of(kinds, kind="mail_analysis")["company"]["units"] == 0
    set_spending(operations, version=3, percents={"ai_answer": None})
    kinds = operations.get("spending").body["result"]["kinds"]
    assert of(kinds, kind="ai_answer")["percent"] == 100


def test_two_operators_do_not_overwrite_each_other_s_limits(operations: Operations) -> None:
    set_spending(operations, version=0, dollars_per_day=5)

    refused = set_spending(operations, version=0, dollars_per_day=9)

    assert (refused.status, refused.body["error"]["code"]) == (409, "version_conflict")
    assert limits(operations)["dollarsPerDay"] == 5


def test_a_change_that_was_written_before_a_crash_is_answered_when_it_is_repeated(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = operations.module.spending()
    change = usage.change

    def twice(*given: Any) -> Any:
        change(*given)
        return change(*given)

    monkeypatch.setattr(usage, "change", twice)

    assert set_spending(operations, version=0, dollars_per_day=5).status == 200
    stored = usage.settings_of(found.table, OPERATOR.company)
    assert stored is not None
    assert stored.version == 1


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("dollars_per_day", -1, "greater than or equal to 0"),
        ("dollars_per_month", 1_000_001, "less than or equal to 1000000"),
        ("dollars_per_day", "NaN", "less than or equal to"),
        ("warn_at_percent", 0, "greater than or equal to 1"),
        ("percents.ai_answer", 1_000_000, "must be at most"),
        ("percents.tea", 5, ""),
        ("version", None, ""),
    ],
)
def test_a_wrong_limit_is_refused_with_its_field_and_nothing_is_written(
    operations: Operations, field: str, value: object, rule: str
) -> None:
    name, _, kind = field.partition(".")
    body: dict[str, Any] = {"version": 0, name: {kind: value} if kind else value}

    refused = set_spending(operations, **body)

    assert refused.status == 400, refused.body
    assert field.split(".", maxsplit=1)[0] in json.dumps(refused.body["error"])
    assert rule in json.dumps(refused.body["error"])
    assert limits(operations)["version"] == 0


def test_only_operators_set_limits(operations: Operations) -> None:
    assert set_spending(operations, ADMIN, version=0, dollars_per_day=5).status == 403
