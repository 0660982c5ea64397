"""The authorizer over the template's table of keys, and the login providers that it asks."""

import importlib
from collections.abc import Iterator
from io import StringIO
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from access import access_tokens
from access.signing_keys import SigningKeys
from shared.aws.dynamodb import Table
from shared.providers import http
from shared.runtime import clock
from tests.integration.access.calls import ELSEWHERE, OTHER_KEYS, log_in_at
from tests.integration.access.provider import OTHER, Provider, new_key
from tests.integration.logs import recorded
from tests.template import create_table, environment


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


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A clock that does not move."""
    moment = [1_767_268_800_000]
    monkeypatch.setattr(clock, "now_ms", lambda: moment[0])
    return moment


@pytest.fixture(scope="module")
def keys() -> dict[str, Any]:
    return {"first": new_key()}


@pytest.fixture
def provider(
    authorizer: ModuleType,
    now: list[int],
    keys: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> Provider:
    """The user pool of the deployment, whose settings are in the parameter store."""
    found = Provider(keys=dict(keys))
    monkeypatch.setattr(http, "call", found.call)
    monkeypatch.setattr(access_tokens, "signing_keys", SigningKeys())
    log_in_at(authorizer, monkeypatch)
    return found


@pytest.fixture(autouse=True)
def fresh_module() -> Iterator[None]:
    """The signing keys of one test do not reach the next."""
    yield
    importlib.reload(access_tokens)


@pytest.fixture
def other_provider(
    authorizer: ModuleType, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> Provider:
    log_in_at(authorizer, monkeypatch, **ELSEWHERE)
    provider.documents[f"{OTHER}/.well-known/openid-configuration"] = {
        "issuer": OTHER,
        "jwks_uri": OTHER_KEYS,
        "authorization_endpoint": f"{OTHER}/authorize",
        "token_endpoint": f"{OTHER}/token",
    }
    provider.documents[OTHER_KEYS] = provider.published()
    return provider
