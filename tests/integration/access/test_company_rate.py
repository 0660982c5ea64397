"""The call rate limit per company: from the authorizer to the response of the function."""

import json
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from botocore.exceptions import ClientError

from access import company_rate
from shared.api.auth import RateLimited, Scope, caller_of
from shared.api.models.inputs import NoInput
from shared.api.models.views import View
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.runtime.observability import metrics
from tests.integration.access.calls import ARN, a_key, is_denied


def asks(key: str) -> dict[str, Any]:
    """The event that API Gateway sends to an authorizer."""
    return {"methodArn": ARN, "headers": {"x-api-key": key}}


def calls(authorizer: ModuleType, key: str) -> dict[str, Any]:
    """The authorizer context that the function gets for one call."""
    given = authorizer.handler(asks(key), None)
    return {"requestContext": {"requestId": "r", "authorizer": given["context"]}}


def is_limited(event: dict[str, Any]) -> bool:
    try:
        caller_of(event)
    except RateLimited:
        return True
    return False


@pytest.fixture(autouse=True)
def three_a_minute(authorizer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the limit of these tests."""
    wanted = replace(authorizer.settings, api_rate_limit=1, api_company_percent=5)
    monkeypatch.setattr(authorizer, "settings", wanted)


def test_all_keys_of_a_company_share_its_rate_and_no_other_company_does(
    authorizer: ModuleType, table: Table, now: list[int]
) -> None:
    first, second = a_key(table), a_key(table)
    other_company = a_key(table, company="neighbour")

    assert not any(is_limited(calls(authorizer, key)) for key in (first, second, first))
    assert is_limited(calls(authorizer, first))
    assert is_limited(calls(authorizer, second))
    assert not is_limited(calls(authorizer, other_company))


def test_the_company_may_call_again_at_the_retry_time_of_the_refusal(
    authorizer: ModuleType, table: Table, now: list[int]
) -> None:
    key = a_key(table)
    now[0] += 48_500
    for _ in range(3):
        calls(authorizer, key)

    with pytest.raises(RateLimited) as refused:
        caller_of(calls(authorizer, key))

    assert refused.value.retry_after == 12
    now[0] += 12_000
    assert not is_limited(calls(authorizer, key))


def test_a_call_with_a_wrong_key_does_not_count_against_the_company(
    authorizer: ModuleType, table: Table, now: list[int]
) -> None:
    """Otherwise a stranger with the public part of a key could block the company."""
    key = a_key(table)
    for _ in range(10):
        assert is_denied(authorizer, asks(f"{key[:-4]}AAAA"))

    assert not is_limited(calls(authorizer, key))


def test_a_call_passes_when_it_cannot_be_counted(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: counted.append(name))

    def fails(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")

    key = a_key(table)
    monkeypatch.setattr(Table, "update", fails)

    assert not is_limited(calls(authorizer, key))
    assert counted == ["CallUncounted"]


def test_the_counter_item_is_not_accepted_as_a_key(authorizer: ModuleType, table: Table) -> None:
    company_rate.wait_of(table, "acme", 3)

    assert is_denied(authorizer, asks("RATE#acme"))


def test_the_answer_is_429_with_the_rule_and_when_to_call_again(
    authorizer: ModuleType, table: Table, now: list[int]
) -> None:
    key = a_key(table)
    event = [calls(authorizer, key) for _ in range(4)][-1]
    routes = Routes(title="anything", document="/openapi.json", errors={})

    @routes.reads("GET /anything", Scope.WHATSAPP_READ)
    def anything(_request: Request[NoInput]) -> View:
        return View()

    answer = routes.app.resolve(event | {"httpMethod": "GET", "path": "/anything"}, None)  # type: ignore[arg-type] # no context is read

    assert answer["statusCode"] == 429
    assert answer["multiValueHeaders"]["Retry-After"] == ["60"]
    error = json.loads(answer["body"])["error"]
    assert error == {
        "code": "rate_limited",
        "message": "all callers of the company share a limit of 3 calls per minute; retry in 60 s",
        "retryable": True,
        "retry_after": 60,
    }
