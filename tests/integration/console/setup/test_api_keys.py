"""The API keys of a company for its administrators: what is shown once, who may create which, and the end of a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from access import api_keys
from shared.access import company_keys
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto

ADMIN = Caller(
    company="acme",
    scopes=frozenset({"access:admin", "whatsapp:read", "conversations:read", "audit:read"}),
    principal="user:ada",
)
KEY: dict[str, Any] = {"name": "till", "scopes": ["whatsapp:read"], "expires_days": 30}


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        yield system


def table_of(operations: Operations) -> Table:
    table: Table = operations.module.api_keys
    return table


def created(operations: Operations, caller: Caller = ADMIN, **changes: Any) -> Answer:
    return operations.post("api-keys", caller, **KEY | changes)


def listed(operations: Operations, caller: Caller = ADMIN) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = operations.get("api-keys", caller).result["keys"]
    return shown


def test_a_key_works_and_is_listed_without_its_secret(operations: Operations) -> None:
    made = created(operations).result

    key = api_keys.verify(table_of(operations), made["key"])
    assert (key.company, key.scopes, key.projects) == ("acme", ("whatsapp:read",), ("*",))
    (shown,) = listed(operations)
    assert {name: shown[name] for name in ("key_id", "name", "scopes", "projects", "state")} == {
        "key_id": made["key_id"],
        "name": "till",
        "scopes": ["whatsapp:read"],
        "projects": [],
        "state": "active",
    }
    assert shown["created_at"] < shown["expires_at"]
    assert key.secret_hash not in json.dumps(shown)


def test_the_key_is_in_the_first_answer_only_and_stored_nowhere(operations: Operations) -> None:
    first, again = (
        operations.post("api-keys", ADMIN, key="one-call-of-ada", **KEY).result for _ in range(2)
    )

    assert (first["notice"], again["key"]) == (None, None)
    assert again["key_id"] == first["key_id"]
    assert "shown once" in again["notice"]
    secret = first["key"].rpartition("_")[2]
    dynamodb = boto3.client("dynamodb")
    for name in dynamodb.list_tables()["TableNames"]:
        assert secret not in str(dynamodb.scan(TableName=name)["Items"]), name


def test_a_repeat_of_a_call_that_was_cut_off_makes_no_second_key(operations: Operations) -> None:
    first = operations.post("api-keys", ADMIN, key="one-call-of-ada", **KEY).result
    requests = operations.module.routes.requests.table
    for item in boto3.client("dynamodb").scan(TableName=requests.name)["Items"]:
        requests.delete({"pk": item["pk"]["S"]})

    again = operations.post("api-keys", ADMIN, key="one-call-of-ada", **KEY)
    other = operations.post("api-keys", ADMIN, key="one-call-of-ada", **KEY | {"name": "other"})

    assert (again.result["key_id"], again.result["key"]) == (first["key_id"], None)
    assert (other.status, other.body["error"]["code"]) == (409, "idempotency_key_conflict")
    assert [one["name"] for one in listed(operations)] == ["till"]


@pytest.mark.parametrize(
    ("caller", "changes", "status", "problem"),
    [
        (ADMIN, {"scopes": ["operator"]}, 403, "scopes: must be scopes of your own roles"),
        (ADMIN, {"scopes": ["whatsapp:all"]}, 400, "scopes"),
        (ADMIN, {"scopes": []}, 400, "scopes"),
        (ADMIN, {"name": ""}, 400, "name"),
        (ADMIN, {"expires_days": 3_651}, 400, "expires_days"),
        (ADMIN, {"projects": ["two words"]}, 400, "projects"),
        (ADMIN, {"projects": ["hiring"]}, 400, "must be scopes of projects"),
        (replace(ADMIN, principal="api-key:1"), {}, 403, "not software"),
        (replace(ADMIN, scopes=frozenset({"whatsapp:read"})), {}, 403, "access:admin"),
    ],
)
def test_a_refused_key_names_the_rule_and_is_not_made(
    operations: Operations, caller: Caller, changes: dict[str, Any], status: int, problem: str
) -> None:
    answer = created(operations, caller, **changes)

    assert answer.status == status
    assert problem in str(answer.body["error"])
    assert listed(operations) == []


def test_a_key_of_projects_has_only_their_data(operations: Operations) -> None:
    given: dict[str, Any] = {"scopes": ["conversations:read"], "projects": ["hiring", "hiring"]}

    made = created(operations, **given).result

    caller = api_keys.verify(table_of(operations), made["key"]).caller()
    assert [caller.may_use("acme", project) for project in ("hiring", "sales")] == [True, False]


def test_a_company_with_all_its_keys_gets_no_more(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_keys, "MOST_KEYS", 1)
    created(operations)

    refused = created(operations)

    assert (refused.status, refused.body["error"]["code"]) == (409, "too_many_keys")
    assert len(listed(operations)) == 1


def test_a_revoked_key_is_refused_and_stays_in_the_list_and_the_audit_log(
    operations: Operations,
) -> None:
    made = created(operations).result

    answer = operations.post(f"api-keys/{made['key_id']}/revoke", ADMIN)

    assert answer.status == 200
    with pytest.raises(api_keys.KeyRefused, match=r"^revoked$"):
        api_keys.verify(table_of(operations), made["key"])
    assert [one["state"] for one in listed(operations)] == ["revoked"]
    actions = operations.page(ADMIN)["result"]["actions"]
    assert {(one["change"], one["object"]) for one in actions} == {
        ("create_api_key", None),
        ("revoke_api_key", made["key_id"]),
    }


def test_a_key_of_another_company_is_neither_listed_nor_revoked(operations: Operations) -> None:
    other = replace(ADMIN, company="globex", principal="user:eve")
    made = created(operations).result

    path = f"api-keys/{made['key_id']}/revoke"
    answers = [operations.post(one, other) for one in (path, "api-keys/KEYS%23acme/revoke")]

    assert [one.status for one in answers] == [404, 404]
    assert answers[0].body["error"] == answers[1].body["error"]
    assert listed(operations, other) == []
    assert api_keys.verify(table_of(operations), made["key"])


def test_a_rotated_key_has_a_successor_with_the_same_permissions_and_lifetime(
    operations: Operations,
) -> None:
    old = created(operations).result

    new = operations.post(f"api-keys/{old['key_id']}/rotate", ADMIN, keep_hours=2).result

    table = table_of(operations)
    first, second = (api_keys.verify(table, one["key"]) for one in (old, new))
    assert (second.name, second.scopes, second.projects) == ("till", first.scopes, first.projects)
    assert first.successor == second.key_id
    assert first.expires_at is not None
    assert second.expires_at is not None
    now = clock.now_ms() // clock.SECOND_MS
    assert now < first.expires_at <= now + 2 * 3_600 + 1
    assert abs(second.expires_at - now - 30 * clock.DAY_SECONDS) <= 60
    shown = {one["key_id"]: one for one in listed(operations)}
    assert shown[old["key_id"]]["successor"] == new["key_id"]
    assert shown[new["key_id"]]["successor"] is None


def test_a_repeated_rotation_makes_no_second_successor_also_if_it_was_cut_off(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = created(operations).result
    path = f"api-keys/{old['key_id']}/rotate"
    with monkeypatch.context() as patch:
        patch.setattr(company_keys, "succeed", cut_off)
        with pytest.raises(CutOff):
            operations.post(path, ADMIN, key="one-rotation-of-ada")

    again = operations.post(path, ADMIN, key="one-rotation-of-ada").result
    third = operations.post(path, ADMIN, key="one-rotation-of-ada").result
    other = operations.post(path, ADMIN)

    assert again["key"] is None
    assert again["key_id"] == third["key_id"]
    assert (other.status, other.body["error"]["details"][0]["field"]) == (400, "key_id")
    assert len(listed(operations)) == 2


class CutOff(BaseException):
    """The function is killed."""


def cut_off(*_: object) -> None:
    raise CutOff


def test_a_rotation_is_refused_for_keys_that_its_caller_could_not_create(
    operations: Operations,
) -> None:
    old = created(operations).result
    path = f"api-keys/{old['key_id']}/rotate"
    lacking = replace(ADMIN, scopes=frozenset({"access:admin"}))

    assert operations.post(path, lacking).status == 403
    assert operations.post(path, replace(ADMIN, principal="api-key:1")).status == 403
    assert operations.post(path, ADMIN, keep_hours=0).status == 400
    assert operations.post("api-keys/0123456789abcdef/rotate", ADMIN).status == 404
    operations.post(f"api-keys/{old['key_id']}/revoke", ADMIN)
    assert operations.post(path, ADMIN).status == 400
    assert len(listed(operations)) == 1
