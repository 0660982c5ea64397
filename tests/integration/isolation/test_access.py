"""Attacks on the authorizer: B impersonates A with A's key id, with headers, and with revoked or expired keys."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.access import company_keys
from shared.aws.dynamodb import Table
from tests.simulation import stored
from tests.template import create_table, environment

ARN = "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/GET/whatsapp/conversations"
CLAIMS = {"x-company": "acme", "x-scopes": "operator", "x-principal": "api-key:owner"}


@pytest.fixture
def authorizer(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in environment("ApiAuthorizer").items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        create_table(boto3.client("dynamodb"), "ApiKeysTable")
        yield importlib.reload(importlib.import_module("access.handlers.authorizer"))


def key_of(authorizer: ModuleType, company: str, **facts: Any) -> str:
    table: Table = authorizer.table
    known: dict[str, Any] = {"scopes": ["whatsapp:read"], "name": "-"}
    return company_keys.create(table, company=company, **known | facts)


def vouched(authorizer: ModuleType, key: str, **headers: str) -> dict[str, str] | str:
    """The authorizer's context for a key, or its refusal."""
    event = {"type": "REQUEST", "methodArn": ARN, "headers": {"x-api-key": key} | headers}
    answer = authorizer.handler(event, None)
    (statement,) = answer["policyDocument"]["Statement"]
    context: dict[str, str] = answer["context"]
    return context if statement["Effect"] == "Allow" else "Deny"


def forged(kind: str, of_a: str, of_b: str) -> str:
    """A key made of parts of A's and B's keys (`pk_{id}_{secret}`)."""
    (_, id_a, secret_a), (_, id_b, secret_b) = (key.split("_", 2) for key in (of_a, of_b))
    return {
        "A's id and B's secret": f"pk_{id_a}_{secret_b}",
        "B's id and A's secret": f"pk_{id_b}_{secret_a}",
        "A's id alone": f"pk_{id_a}_",
        "both keys": f"{of_b},{of_a}",
    }[kind]


@pytest.mark.parametrize(
    "kind", ["A's id and B's secret", "B's id and A's secret", "A's id alone", "both keys"]
)
def test_a_key_made_of_parts_of_as_key_is_refused_like_one_that_never_existed(
    authorizer: ModuleType, kind: str
) -> None:
    of_a, of_b = key_of(authorizer, "acme"), key_of(authorizer, "globex")
    before = list(stored.items_of(authorizer.table.name))

    answer = vouched(authorizer, forged(kind, of_a, of_b))

    never = f"pk_{'0' * 16}_{'A' * 43}"
    assert answer == vouched(authorizer, never) == "Deny", f"{kind}: {answer}"
    assert list(stored.items_of(authorizer.table.name)) == before, f"{kind}: the table changed"


def test_headers_that_name_company_a_do_not_change_the_identity_of_bs_key(
    authorizer: ModuleType,
) -> None:
    key_of(authorizer, "acme", scopes=["operator"])
    key = key_of(authorizer, "globex", projects=["sales"])

    answer = vouched(authorizer, key, **CLAIMS)

    assert answer == vouched(authorizer, key)
    assert isinstance(answer, dict)
    assert (answer["company"], answer["scopes"], answer["projects"]) == (
        "globex",
        "whatsapp:read",
        "sales",
    )


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_a_revoked_or_expired_key_of_a_is_refused_like_one_that_never_existed(
    authorizer: ModuleType, end: str
) -> None:
    key = key_of(authorizer, "acme", expires_at=1 if end == "expired" else None)
    if end == "revoked":
        company_keys.revoke(authorizer.table, key.split("_")[1])

    assert vouched(authorizer, key) == "Deny"
