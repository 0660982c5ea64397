"""GET /operations/actions: the audit log of a company, read from its own items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from console.store.changes import MOST_READ
from shared.api.audit_log.differences import FieldChange
from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.console.operations.operations import (
    ADMIN,
    GLOBEX,
    OPERATOR,
    Operations,
    changed,
    operations_on_moto,
)

NOW_MS = clock.from_text("2026-11-27T12:00:30.000Z")


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Operations]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW_MS)
    with mock_aws(), operations_on_moto() as system:
        yield system


@pytest.fixture
def queries(operations: Operations) -> list[dict[str, Any]]:
    """The queries of the function, as it sends them."""
    seen: list[dict[str, Any]] = []
    events = operations.module.audit_log._client.meta.events
    events.register("provide-client-params.dynamodb.Query", lambda params, **_: seen.append(params))
    return seen


def changes(operations: Operations, caller: Caller = ADMIN, **query: Any) -> list[str]:
    return [one["change"] for one in operations.page(caller, **query)["result"]["actions"]]


def second(number: int, day: str = "2026-11-27") -> str:
    return f"{day}T12:{number // 60:02}:{number % 60:02}.123Z"


def test_changes_of_people_are_shown_newest_first(operations: Operations) -> None:
    operations.store(
        changed("acme", "user:ada", "change_state", at=second(1), object_id="c-1"),
        changed("acme", "user:bob", "add_note", at=second(2)),
    )

    shown = operations.page(ADMIN)

    assert [one["change"] for one in shown["result"]["actions"]] == ["add_note", "change_state"]
    assert shown["result"]["actions"][1] == {
        "at": "2026-11-27T12:00:01.123Z",
        "company": "acme",
        "principal": "user:ada",
        "context": "whatsapp",
        "change": "change_state",
        "kind": None,
        "object": "c-1",
        "changes": [],
        "more": 0,
        "basis": None,
        "outcome": "made",
        "status": 200,
        "correlationId": "request-of-change-state",
    }
    assert "cursor" not in shown


@pytest.mark.parametrize(
    ("status", "outcome"), [(None, "open"), (202, "open"), (409, "refused"), (503, "failed")]
)
def test_a_change_that_was_not_made_for_certain_is_shown_with_its_outcome(
    operations: Operations, status: int | None, outcome: str
) -> None:
    operations.store(changed("acme", "user:ada", "add_note", status=status))

    (shown,) = operations.page(ADMIN)["result"]["actions"]

    assert (shown["outcome"], shown["status"]) == (outcome, status)


def test_a_company_sees_only_its_own_changes(operations: Operations) -> None:
    operations.store(
        changed("acme", "user:ada", "change_state"),
        changed("globex", "user:eve", "erase"),
        changed("acme.globex", "user:eve", "merge"),
        changed("acme#", "user:eve", "split"),
    )

    assert changes(operations, ADMIN, actors="all") == ["change_state"]
    assert changes(operations, GLOBEX, actors="all") == ["erase"]


def test_only_operators_name_another_company(operations: Operations) -> None:
    operations.store(
        changed("acme", "user:ada", "one"),
        changed("globex", "user:eve", "two"),
    )

    assert operations.get("actions", GLOBEX, company="acme").status == 403
    assert changes(operations, GLOBEX, company="globex") == ["two"]
    assert changes(operations, OPERATOR, company="globex") == ["two"]
    assert changes(operations, OPERATOR) == ["one"]


def test_a_role_without_the_scope_is_refused(operations: Operations) -> None:
    agent = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="user:agent")

    assert operations.get("actions", agent).status == 403
    assert operations.get("actions", None).status == 401


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["by_person"]),
        ({"actors": "keys"}, ["by_key"]),
        ({"actors": "all"}, ["by_person", "by_key", "by_invocation"]),
        ({"principal": "user:ada"}, ["by_person"]),
        ({"principal": "user:ad"}, []),
        ({"principal": "invoke:nightly"}, ["by_invocation"]),
        ({"actors": "all", "kind": "webhooks"}, ["by_key"]),
        ({"actors": "all", "kind": "people"}, []),
        ({"actors": "all", "object": "w-1"}, ["by_key"]),
        ({"actors": "all", "kind": "webhooks", "object": "w-2"}, []),
    ],
)
def test_changes_are_those_of_people_of_keys_or_of_one_caller(
    operations: Operations, query: dict[str, str], found: list[str]
) -> None:
    operations.store(
        changed("acme", "user:ada", "by_person", at=second(3)),
        changed("acme", "api-key:1", "by_key", at=second(2), kind="webhooks", object_id="w-1"),
        changed("acme", "invoke:nightly", "by_invocation", at=second(1)),
    )

    assert changes(operations, ADMIN, **query) == found


def test_a_change_is_shown_with_the_fields_that_it_changed(operations: Operations) -> None:
    fields = [FieldChange(field="enabled", before="true", after="false")]
    change = changed("acme", "user:ada", "change_webhook", kind="webhooks")
    operations.store(change.with_changes(fields, "stored"))

    (shown,) = operations.page(ADMIN)["result"]["actions"]

    assert (shown["kind"], shown["basis"], shown["more"]) == ("webhooks", "stored", 0)
    assert shown["changes"] == [{"field": "enabled", "before": "true", "after": "false"}]


def test_a_period_has_both_of_its_days(operations: Operations) -> None:
    days = ("2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27")
    operations.store(
        *(
            changed("acme", "user:ada", f"on_{day[-2:]}_{hour}", at=f"{day}T{hour}:00.000Z")
            for day in days
            for hour in ("00:00", "23:59")
        )
    )

    found = changes(operations, ADMIN, **{"from": "2026-11-25", "to": "2026-11-26"})

    assert found == ["on_26_23:59", "on_26_00:00", "on_25_23:59", "on_25_00:00"]


def test_an_expired_change_is_not_shown_before_dynamodb_deletes_it(operations: Operations) -> None:
    operations.store(changed("acme", "user:ada", "old", at=second(0, "2026-11-26"), keep_days=1))

    assert changes(operations, ADMIN, **{"from": "2026-11-26"}) == []


def test_pages_follow_each_other_without_gap_or_repeat(operations: Operations) -> None:
    operations.store(
        *(
            changed("acme", f"{'user' if n % 3 else 'api-key'}:1", f"n{n}", at=second(n))
            for n in range(30)
        )
    )
    found: list[str] = []
    more: dict[str, str] = {}
    while True:
        page = operations.page(ADMIN, limit=7, **more)
        found += [one["change"] for one in page["result"]["actions"]]
        if "cursor" not in page:
            break
        more = {"cursor": page["cursor"]}

    assert found == [f"n{n}" for n in reversed(range(30)) if n % 3]


def test_a_page_reads_a_bounded_number_of_changes_whatever_the_company_has(
    operations: Operations, queries: list[dict[str, Any]]
) -> None:
    days = {"from": "2026-11-01", "to": "2026-11-27"}
    operations.store(changed("acme", "user:ada", "first", at=second(0, "2026-11-26")))
    operations.store(
        *(changed("acme", "api-key:1", f"n{n}", at=second(n)) for n in range(MOST_READ + 10))
    )

    page = operations.page(ADMIN, **days)

    assert page["result"]["actions"] == []
    assert sum(query["Limit"] for query in queries) == MOST_READ
    rest = operations.page(ADMIN, cursor=page["cursor"], **days)
    assert [one["change"] for one in rest["result"]["actions"]] == ["first"]


def test_one_page_of_a_quiet_company_is_one_query(
    operations: Operations, queries: list[dict[str, Any]]
) -> None:
    operations.store(changed("acme", "user:ada", "add_note"))

    operations.page(ADMIN, **{"from": "2026-11-01", "to": "2026-11-27"})

    assert len(queries) == 1


@pytest.mark.parametrize("principal", ['user:a"b', "user:a/b", "person", "user:"])
def test_a_malformed_principal_is_refused(operations: Operations, principal: str) -> None:
    assert operations.get("actions", ADMIN, principal=principal).status == 400


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "2026-11-25T12:00:00.123Z#0123456789abcdef",  # before the period
        "2026-11-28T12:00:00.123Z#0123456789abcdef",  # after it
        "2026-11-27T12:00:00.123Z#request-1",
    ],
)
def test_a_cursor_of_another_period_is_refused(operations: Operations, cursor: str) -> None:
    assert operations.get("actions", ADMIN, cursor=cursor).status == 400


def test_a_cursor_of_another_company_gives_only_changes_of_the_own_one(
    operations: Operations,
) -> None:
    operations.store(
        changed("acme", "user:ada", "of_a", at=second(1)),
        changed("globex", "user:eve", "of_b", at=second(2)),
        changed("globex", "user:eve", "of_b_too", at=second(1)),
    )
    cursor = operations.page(GLOBEX, limit=1)["cursor"]

    assert changes(operations, ADMIN, cursor=cursor) == ["of_a"]


def test_a_table_that_does_not_answer_is_unavailable_and_not_an_empty_list(
    operations: Operations,
) -> None:
    operations.audit_log._client.delete_table(TableName=operations.audit_log.name)

    answer = operations.get("actions", ADMIN)

    assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable")
