"""POST /operations/administrator: a one-time link makes the first administrator of a company."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from access.roles import scopes_by_company
from shared.access import first_links
from shared.access.groups import Role
from shared.api.auth import Scope
from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto

ADA, PASSWORD = "ada@acme.example", "Correct-horse-1"
USES = 2  # changes of a link: begun and used
BOTH = (Role.ADMIN, Role.OPERATOR)


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        yield system


@pytest.fixture
def token(operations: Operations) -> str:
    return first_links.create(operations.module.api_keys, "acme", BOTH)


def use(operations: Operations, token: str, **other: Any) -> Answer:
    given = {"token": token, "email": ADA, "name": "Ada Byron", "password": PASSWORD} | other
    return operations.post("administrator", None, **given)


def groups(operations: Operations, address: str = ADA) -> list[str]:
    return operations.people.groups_of(address)


def test_the_link_makes_an_administrator_who_operates_the_deployment(
    operations: Operations, token: str
) -> None:
    answer = use(operations, token)

    assert answer.status == 200
    assert answer.result["company"] == "acme"
    assert answer.result["principal"] == operations.people.find(ADA).principal
    assert groups(operations) == ["acme:admin", "acme:operator"]
    assert scopes_by_company(groups(operations))["acme"] == frozenset(Scope)


def test_the_person_may_log_in_with_the_chosen_password_at_once(
    operations: Operations, token: str
) -> None:
    use(operations, token)

    user = operations.people.client.admin_get_user(UserPoolId=operations.people.pool, Username=ADA)
    assert user["UserStatus"] == "CONFIRMED"


def test_the_link_works_once(operations: Operations, token: str) -> None:
    use(operations, token)

    again, other = use(operations, token), use(operations, token, email="eve@acme.example")

    assert [(one.status, one.body["error"]["code"]) for one in (again, other)] == [
        (410, "link_refused")
    ] * 2
    assert not operations.people.has("eve@acme.example")


def test_an_unknown_link_and_an_expired_one_are_refused_alike(
    operations: Operations, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = use(operations, "x" * 43)
    now = clock.now_ms()
    monkeypatch.setattr(
        clock, "now_ms", lambda: now + (first_links.VALID_SECONDS + 1) * clock.SECOND_MS
    )
    expired = use(operations, token)

    assert unknown.status == expired.status == 410
    assert unknown.body["error"] == expired.body["error"]
    assert not operations.people.has(ADA)


def test_only_a_hash_of_the_token_is_stored(operations: Operations, token: str) -> None:
    use(operations, token)

    items = boto3.client("dynamodb").scan(TableName=operations.module.api_keys.name)["Items"]
    assert items
    assert token not in str(items)
    assert ADA not in str(items)
    assert PASSWORD not in str(items)


def test_a_login_that_exists_is_not_taken_over(operations: Operations, token: str) -> None:
    operations.people.create(ADA, ["globex:agent"], invites=False, password="Before-1-before")

    answer = use(operations, token)

    assert answer.status == 400
    assert [one["field"] for one in answer.body["error"]["details"]] == ["email"]
    assert groups(operations) == ["globex:agent"]
    assert use(operations, token, email="ada.byron@acme.example").status == 200


def test_a_login_that_another_company_makes_after_the_link_was_begun_is_not_taken_over(
    operations: Operations, token: str
) -> None:
    first_links.begin(operations.module.api_keys, token, ADA)
    operations.people.create(ADA, ["globex:agent"], invites=False, password="Before-1-before")

    answer = use(operations, token)

    assert answer.status == 400
    assert groups(operations) == ["globex:agent"]


@pytest.mark.parametrize(
    "password", ["short-1A", "no-upper-case-1", "NO-LOWER-CASE-1", "No-digits-here"]
)
def test_a_password_that_the_login_provider_refuses_names_the_rule(
    operations: Operations, token: str, password: str
) -> None:
    answer = use(operations, token, password=password)

    (problem,) = answer.body["error"]["details"]
    assert (answer.status, problem["field"]) == (400, "password")
    assert password not in json.dumps(answer.body)
    assert use(operations, token).status == 200


def cut_off(patch: pytest.MonkeyPatch, at: int, *, is_after: bool) -> list[str]:
    """The connection is lost at this call, before or after it was made. Returns the calls that were tried."""
    made, call = list[str](), vars(BaseClient)["_make_api_call"]

    def tried(client: Any, operation: str, parameters: Any) -> Any:
        made.append(operation)
        if len(made) == at and not is_after:
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        answer = call(client, operation, parameters)
        if len(made) == at:
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        return answer

    patch.setattr(BaseClient, "_make_api_call", tried)
    return made


@pytest.mark.parametrize("is_after", [False, True])
def test_a_call_that_dies_at_any_step_is_completed_by_its_repeat_and_by_no_other_address(
    operations: Operations, is_after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = operations.module.api_keys
    operations.module.logins.value()  # read once in five minutes
    with monkeypatch.context() as patch:
        steps = cut_off(patch, 0, is_after=False)
        assert use(operations, first_links.create(keys, "acme", BOTH)).status == 200
        calls = len(steps)
    assert calls > 8

    for at in range(1, calls):
        email, token = f"ada{at}@acme.example", first_links.create(keys, "acme", BOTH)
        with monkeypatch.context() as patch:
            steps = cut_off(patch, at, is_after=is_after)
            first = use(operations, token, email=email)
        if operations.people.has(email):
            stolen = use(operations, token, email=f"eve{at}@acme.example")
            assert stolen.status == 410
        repeated = use(operations, token, email=email)
        # If the link was used and the answer was lost, the person can log in.
        is_used = first.status == 200 or (is_after and steps.count("UpdateItem") == USES)
        assert repeated.status == (410 if is_used else 200), steps
        assert groups(operations, email) == ["acme:admin", "acme:operator"]


def test_the_audit_log_names_the_new_administrator(operations: Operations, token: str) -> None:
    principal = use(operations, token).result["principal"]

    (action,) = operations.page()["result"]["actions"]
    assert (action["change"], action["principal"]) == ("make_first_administrator", principal)


def test_without_the_user_pool_the_call_says_where_people_are_changed(
    operations: Operations, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = operations.module.logins.value()
    monkeypatch.setattr(type(settings), "user_pool", property(lambda _: None))

    answer = use(operations, token)

    assert (answer.status, answer.body["error"]["code"]) == (501, "unsupported")
