"""The authorizer as API Gateway calls it, over the template's table of keys."""

import importlib
import json
from collections.abc import Iterator
from io import StringIO
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from access import api_keys
from shared import clock
from shared.auth import Caller, caller_of
from shared.dynamodb import Table
from tests.integration.logs import recorded
from tests.template import create_table, environment

ARN = "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/GET/whatsapp/conversations"


@pytest.fixture(scope="module")
def module() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("ApiAuthorizer").items():
            patch.setenv(name, value)
        yield importlib.reload(importlib.import_module("access.handlers.authorizer"))


@pytest.fixture
def authorizer(module: ModuleType) -> Iterator[ModuleType]:
    with mock_aws():
        create_table(boto3.client("dynamodb"), "ApiKeysTable")
        yield module


@pytest.fixture
def table(authorizer: ModuleType) -> Table:
    table: Table = authorizer.table
    return table


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return recorded(monkeypatch)


def a_key(table: Table, company: str = "acme", **changes: Any) -> str:
    return api_keys.create(
        table, **{"company": company, "scopes": ["whatsapp:read"], "name": "till"} | changes
    )


def request(arn: str = ARN, **headers: str | None) -> dict[str, Any]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"type": "REQUEST", "methodArn": arn, "headers": given, "queryStringParameters": None}


def test_a_key_opens_the_whole_stage_for_its_company(authorizer: ModuleType, table: Table) -> None:
    key = a_key(table)
    principal = f"api-key:{key.split('_')[1]}"

    assert authorizer.handler(request(x_api_key=key), None) == {
        "principalId": principal,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/*/*",
                }
            ],
        },
        "context": {
            "company": "acme",
            "scopes": "whatsapp:read",
            "principal": principal,
            "projects": "*",
        },
    }


def test_the_functions_behind_it_see_the_company_and_the_scopes_of_the_key(
    authorizer: ModuleType, table: Table
) -> None:
    first = a_key(table, scopes=["whatsapp:read", "other:thing"])
    second = a_key(table, company="globex", scopes=[])

    def caller(key: str) -> Caller:
        context = authorizer.handler(request(x_api_key=key), None)["context"]
        return caller_of({"requestContext": {"authorizer": context}})

    assert caller(first).company == "acme"
    assert caller(first).scopes == {"whatsapp:read", "other:thing"}
    assert caller(second).company == "globex"
    assert caller(second).scopes == set()


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "{}"},
        {"X-API-Key": "{}"},
        {"X-Api-Key": " {} "},
        {"Authorization": "Bearer {}"},
        {"authorization": "bearer {}"},
        {"AUTHORIZATION": "BEARER  {}"},
        {"x-api-key": "{}", "authorization": "Bearer of something else"},
        {"x-api-key": "", "authorization": "Bearer {}"},
    ],
)
def test_a_key_is_taken_from_either_header_in_any_case(
    authorizer: ModuleType, table: Table, headers: dict[str, str]
) -> None:
    key = a_key(table)
    given = {name: value.format(key) for name, value in headers.items()}

    policy = authorizer.handler(request() | {"headers": given}, None)

    assert policy["context"]["company"] == "acme"


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        {"x-api-key": ""},
        {"x-api-key": None},
        {"x-api-key": "secret"},
        {"x-api-key": "pk_" + "0" * 16 + "_" + "A" * 43},
        {"x-api-key": "Bearer {}"},
        {"authorization": "{}"},
        {"authorization": "Basic {}"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"cookie": "x-api-key={}"},
        {"x-api-key": "wrong", "authorization": "Bearer {}"},
        {"x-api-key": "{}, {}"},
    ],
)
def test_anything_else_is_the_word_that_api_gateway_turns_into_401(
    authorizer: ModuleType,
    table: Table,
    headers: dict[str, str | None] | None,
    log: StringIO,
) -> None:
    key = a_key(table)
    if headers is not None:
        headers = {name: value and value.replace("{}", key) for name, value in headers.items()}

    with pytest.raises(Exception, match=r"^Unauthorized$") as refusal:
        authorizer.handler(request() | {"headers": headers}, None)
    assert type(refusal.value) is Exception
    assert refusal.value.__suppress_context__
    assert key not in log.getvalue()


def test_a_key_in_the_query_is_not_taken(authorizer: ModuleType, table: Table) -> None:
    event = request() | {"queryStringParameters": {"x-api-key": a_key(table)}}

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(event, None)


def test_a_revoked_key_is_of_no_use_at_once(authorizer: ModuleType, table: Table) -> None:
    key, other = a_key(table), a_key(table)
    authorizer.handler(request(x_api_key=key), None)

    assert api_keys.revoke(table, key.split("_")[1])
    assert api_keys.revoke(table, key.split("_")[1])

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(request(x_api_key=key), None)
    assert authorizer.handler(request(x_api_key=other), None)["context"]["company"] == "acme"


def test_an_expired_key_is_of_no_use(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = a_key(table, expires_at=clock.expires_in(60))
    authorizer.handler(request(x_api_key=key), None)

    later = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(request(x_api_key=key), None)


def test_a_key_with_a_wrong_secret_is_of_no_use(authorizer: ModuleType, table: Table) -> None:
    first, second = a_key(table), a_key(table, company="globex")
    crossed = first[:20] + second[20:]

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(request(x_api_key=crossed), None)


@pytest.mark.parametrize(
    ("arn", "stage"),
    [
        (
            "arn:aws:execute-api:eu-west-1:1:a/prod/GET/",
            "arn:aws:execute-api:eu-west-1:1:a/prod/*/*",
        ),
        ("arn:aws-cn:execute-api:x:1:a/prod/POST/b/c/d", "arn:aws-cn:execute-api:x:1:a/prod/*/*"),
        (ARN + "/a%2Fb/messages", "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/*/*"),
    ],
)
def test_the_policy_covers_this_api_and_stage_and_no_other(
    authorizer: ModuleType, table: Table, arn: str, stage: str
) -> None:
    policy = authorizer.handler(request(arn, x_api_key=a_key(table)), None)

    [statement] = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == stage


def test_a_table_that_fails_is_no_wrong_key(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)
    boto3.client("dynamodb").delete_table(TableName=table.name)

    with pytest.raises(Exception, match="ResourceNotFoundException"):
        authorizer.handler(request(x_api_key=key), None)
    assert key not in log.getvalue()


def test_a_refusal_is_logged_with_its_reason_and_nothing_of_the_key(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(request(x_api_key=key[:-43] + "A" * 43), None)

    [line] = log.getvalue().splitlines()
    assert json.loads(line)["reason"] == "wrong_secret"
    assert key.split("_")[1] not in line
    assert "A" * 43 not in line
