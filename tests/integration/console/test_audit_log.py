"""GET /operations/actions: changes of people, found in the log lines that every change writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from moto import mock_aws

from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.console.operations import (
    ADMIN,
    GLOBEX,
    OPERATOR,
    Operations,
    change_line,
    operations_on_moto,
)

NOW_MS = clock.from_text("2026-11-27T12:00:30.000Z")


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Operations]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW_MS)
    monkeypatch.setattr(clock, "sleep_ms", lambda _: None)
    with mock_aws(), operations_on_moto() as system:
        yield system


def changes(operations: Operations, caller: Caller = ADMIN, **query: str) -> list[str]:
    return [one["change"] for one in operations.get("actions", caller, **query).result["actions"]]


def test_changes_of_people_are_shown_newest_first(operations: Operations) -> None:
    operations.logs.lines = [
        change_line("acme", "user:ada", "change_state", second=1, conversation="c-1"),
        change_line("acme", "user:bob", "add_note", second=2),
    ]

    shown = operations.get("actions", ADMIN).result

    assert [one["change"] for one in shown["actions"]] == ["add_note", "change_state"]
    assert shown["actions"][1] == {
        "at": "2026-11-27T12:00:01.123Z",
        "company": "acme",
        "principal": "user:ada",
        "context": "whatsapp",
        "change": "change_state",
        "conversation": "c-1",
        "correlationId": None,
    }
    assert shown["isComplete"] is True


def test_a_company_never_sees_changes_of_another_one_whatever_the_query_returns(
    operations: Operations,
) -> None:
    operations.logs.lines = [
        change_line("acme", "user:ada", "change_state"),
        change_line("globex", "user:eve", "erase", conversation='"company":"acme"'),
        change_line("acme.globex", "user:eve", "erase"),
    ]

    assert changes(operations, ADMIN) == ["change_state"]
    assert changes(operations, GLOBEX) == ["erase"]


def test_only_operators_name_another_company(operations: Operations) -> None:
    operations.logs.lines = [change_line("acme", "user:ada", "change_state")]

    assert operations.get("actions", GLOBEX, company="acme").status == 403
    assert operations.logs.started == []
    assert changes(operations, OPERATOR, company="acme") == ["change_state"]
    assert changes(operations, OPERATOR, company="globex") == []


def test_an_operator_sees_the_changes_of_all_companies(operations: Operations) -> None:
    operations.logs.lines = [
        change_line("acme", "user:ada", "one", second=1),
        change_line("globex", "user:eve", "two", second=2),
    ]

    assert changes(operations, OPERATOR) == ["two", "one"]


def test_a_role_without_the_scope_is_refused(operations: Operations) -> None:
    agent = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="user:agent")

    assert operations.get("actions", agent).status == 403
    assert operations.get("actions", None).status == 401


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["by_person"]),
        ({"actors": "keys"}, ["by_key"]),
        ({"actors": "all"}, ["by_person", "by_key"]),
        ({"principal": "user:ada"}, ["by_person"]),
        ({"principal": "user:ad"}, []),
    ],
)
def test_changes_are_those_of_people_of_keys_or_of_one_caller(
    operations: Operations, query: dict[str, str], found: list[str]
) -> None:
    operations.logs.lines = [
        change_line("acme", "user:ada", "by_person", second=2),
        change_line("acme", "api-key:1", "by_key", second=1),
    ]

    assert changes(operations, ADMIN, **query) == found


def test_lines_that_are_no_changes_are_left_out(operations: Operations) -> None:
    operations.logs.lines = [
        "START RequestId: 1",
        "[]",
        json.dumps({"message": "call answered", "company": "acme", "principal": "user:ada"}),
        change_line("acme", "user:ada", "add_note"),
    ]

    assert changes(operations) == ["add_note"]


def test_the_query_selects_lines_of_the_company_in_the_logs_of_functions_that_change_data(
    operations: Operations,
) -> None:
    lines = [change_line("acme", "user:ada", "x"), change_line("acme2", "user:ada", "x")]
    operations.get("actions", ADMIN, **{"from": "2026-11-26", "to": "2026-11-26"})

    (started,) = operations.logs.started
    patterns = re.findall(r"filter @message like /(.*?)/(?= \|)", started["queryString"])

    assert [all(re.search(one, line) for one in patterns) for line in lines] == [True, False]
    assert "/aws/lambda/parley-dev-whatsapp-api" in started["logGroupNames"]
    assert started["endTime"] - started["startTime"] == 86_399


def test_a_query_is_awaited(operations: Operations) -> None:
    operations.logs.lines = [change_line("acme", "user:ada", "add_note")]
    operations.logs.statuses = ["Scheduled", "Running", "Complete"]

    assert changes(operations) == ["add_note"]


def test_a_failed_query_is_unavailable_and_not_an_empty_list(operations: Operations) -> None:
    operations.logs.statuses = ["Running", "Failed"]

    answer = operations.get("actions", ADMIN)

    assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable")


def test_a_query_that_does_not_end_is_unavailable(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = iter(range(1_000))
    monkeypatch.setattr(clock, "now_ms", lambda: NOW_MS + next(passed) * 1_000)
    operations.logs.statuses = ["Running"] * 100

    assert operations.get("actions", ADMIN).status == 503


@pytest.mark.parametrize(
    ("principal", "actors"),
    [("user:f:1df408e3:ada", "people"), ("user:api-key:1", "people"), ("user:a+b@c.d|e", "people"),
     ("client:till", "keys")],
)  # fmt: skip
def test_every_caller_is_found_by_principal_and_by_kind(
    operations: Operations, principal: str, actors: str
) -> None:
    operations.logs.lines = [change_line("acme", principal, "theirs")]

    assert changes(operations, principal=principal) == ["theirs"]
    for kind in ("people", "keys"):
        assert changes(operations, actors=kind) == (["theirs"] if kind == actors else [])


def test_a_full_page_says_that_older_changes_may_be_missing(operations: Operations) -> None:
    operations.logs.lines = [
        change_line("acme", "user:ada", f"change_{number}", second=number) for number in range(3)
    ]

    assert operations.get("actions", ADMIN, limit=2).result["isComplete"] is False
    assert operations.get("actions", ADMIN, limit=4).result["isComplete"] is True


@pytest.mark.parametrize("principal", ['user:a"b', "user:a/b", "person", "user:"])
def test_a_caller_that_could_alter_the_query_is_refused(
    operations: Operations, principal: str
) -> None:
    assert operations.get("actions", ADMIN, principal=principal).status == 400
    assert operations.logs.started == []
