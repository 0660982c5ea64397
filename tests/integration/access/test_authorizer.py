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
from shared.api.auth import Caller, caller_of
from shared.aws.dynamodb import Table
from shared.runtime import clock
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


def request(arn: str = ARN, key: str | None = None) -> dict[str, Any]:
    headers = {} if key is None else {"x-api-key": key}
    return {"type": "REQUEST", "methodArn": arn, "headers": headers}


def is_denied(authorizer: ModuleType, event: dict[str, Any]) -> bool:
    """Whether API Gateway answers 401: the policy denies the whole stage, and no context leaves the authorizer."""
    answer = authorizer.handler(event, None)
    (statement,) = answer["policyDocument"]["Statement"]
    return bool(statement["Effect"] == "Deny" and answer["context"] == {})


def test_a_key_grants_access_to_the_whole_stage_for_its_company(
    authorizer: ModuleType, table: Table
) -> None:
    key = a_key(table)
    principal = f"api-key:{key.split('_')[1]}"

    assert authorizer.handler(request(key=key), None) == {
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
        context = authorizer.handler(request(key=key), None)["context"]
        return caller_of({"requestContext": {"authorizer": context}})

    assert caller(first).company == "acme"
    assert caller(first).scopes == {"whatsapp:read", "other:thing"}
    assert caller(second).company == "globex"
    assert caller(second).scopes == set()


@pytest.mark.parametrize(
    "given",
    [None, "", "secret", "pk_" + "0" * 16 + "_" + "A" * 43, "Bearer {}", "Basic {}", "{}, {}"],
)
def test_any_other_key_is_denied(
    authorizer: ModuleType, table: Table, given: str | None, log: StringIO
) -> None:
    key = a_key(table)

    assert is_denied(authorizer, request(key=given and given.replace("{}", key)))
    assert key not in log.getvalue()


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"headers": None},
        {"headers": {"authorization": "Bearer {}"}},
        {"headers": {"authorization": "{}"}},
        {"queryStringParameters": {"x-api-key": "{}"}},
        {"authorizationToken": "{}"},
    ],
)
def test_a_key_outside_its_header_is_not_accepted(
    authorizer: ModuleType, table: Table, elsewhere: dict[str, Any]
) -> None:
    key = a_key(table)
    event = request() | json.loads(json.dumps(elsewhere).replace("{}", key))

    assert is_denied(authorizer, event)


def test_the_name_of_the_header_may_have_any_case(authorizer: ModuleType, table: Table) -> None:
    event = request() | {"headers": {"X-Api-Key": a_key(table)}}

    assert authorizer.handler(event, None)["context"]["company"] == "acme"


def test_a_wrong_key_is_denied_even_beside_other_credentials(
    authorizer: ModuleType, table: Table
) -> None:
    headers = {"x-api-key": "pk_wrong", "authorization": f"Bearer {a_key(table)}"}

    assert is_denied(authorizer, request() | {"headers": headers})


def test_a_revoked_key_is_refused_at_once(authorizer: ModuleType, table: Table) -> None:
    key, other = a_key(table), a_key(table)
    authorizer.handler(request(key=key), None)

    assert api_keys.revoke(table, key.split("_")[1])
    assert api_keys.revoke(table, key.split("_")[1])

    assert is_denied(authorizer, request(key=key))
    assert authorizer.handler(request(key=other), None)["context"]["company"] == "acme"


def test_an_expired_key_is_refused(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = a_key(table, expires_at=clock.expires_in(60))
    authorizer.handler(request(key=key), None)

    later = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    assert is_denied(authorizer, request(key=key))


def test_a_key_with_a_wrong_secret_is_refused(authorizer: ModuleType, table: Table) -> None:
    first, second = a_key(table), a_key(table, company="globex")
    crossed = first[:20] + second[20:]

    assert is_denied(authorizer, request(key=crossed))


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
    policy = authorizer.handler(request(arn, key=a_key(table)), None)

    [statement] = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == stage


def test_a_failing_table_is_an_error_and_not_a_denial(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)
    boto3.client("dynamodb").delete_table(TableName=table.name)

    with pytest.raises(Exception, match="ResourceNotFoundException"):
        authorizer.handler(request(key=key), None)
    assert key not in log.getvalue()


def test_a_refusal_is_logged_with_its_reason_and_without_the_key(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)

    assert is_denied(authorizer, request(key=key[:-43] + "A" * 43))

    [line] = log.getvalue().splitlines()
    assert json.loads(line)["reason"] == "wrong_secret"
    assert key.split("_")[1] not in line
    assert "A" * 43 not in line
