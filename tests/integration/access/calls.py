"""Calls of the authorizer with keys and with access tokens, and the settings of its login providers."""

from types import ModuleType
from typing import Any

import boto3
import pytest

from shared.access import company_keys
from shared.access.logins import StoredLogins
from shared.aws.dynamodb import Table
from tests.integration.access.provider import OTHER, Provider
from tests.template import put_parameter

ARN = "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/GET/whatsapp/conversations"
NOW = 1_767_268_800
ELSEWHERE = {
    "LoginIssuer": OTHER,
    "LoginClientId": "console",
    "LoginAudience": "parley-api",
    "LoginGroupsClaim": "roles",
}
OTHER_KEYS = "https://keys.example/jwks"


def a_key(table: Table, company: str = "acme", **changes: Any) -> str:
    return company_keys.create(
        table, **{"company": company, "scopes": ["whatsapp:read"], "name": "till"} | changes
    )


def request(token: str, **headers: str) -> dict[str, Any]:
    return {
        "type": "REQUEST",
        "methodArn": ARN,
        "headers": {"Authorization": f"Bearer {token}"} | headers,
    }


def log_in_at(authorizer: ModuleType, monkeypatch: pytest.MonkeyPatch, **given: str) -> None:
    """Write the login settings of the template under these parameters."""
    put_parameter(boto3.client("ssm"), "LoginSettings", **given)
    name = authorizer.settings.login_settings_name
    monkeypatch.setattr(authorizer, "logins", StoredLogins(lambda: boto3.client("ssm"), name))


def is_denied(authorizer: ModuleType, event: dict[str, Any]) -> bool:
    """Whether API Gateway answers 401: the policy denies the whole stage, and no context leaves the authorizer."""
    answer = authorizer.handler(event, None)
    (statement,) = answer["policyDocument"]["Statement"]
    return bool(statement["Effect"] == "Deny" and answer["context"] == {})


def behind(authorizer: ModuleType, event: dict[str, Any]) -> dict[str, Any]:
    """The event of the function behind the authorizer."""
    answer = authorizer.handler(event, None)
    assert answer["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    return {"requestContext": {"authorizer": answer["context"]}}


def elsewhere(provider: Provider, changes: dict[str, Any] | None = None) -> str:
    """An access token of the other provider, in the form of RFC 9068."""
    of_the_pool = dict.fromkeys(("token_use", "username", "client_id", "cognito:groups"))
    own = {"iss": OTHER, "aud": ["parley-api", "x"], "azp": "console", "roles": ["acme:admin"]}
    return provider.token({**of_the_pool, **own, **(changes or {})})
