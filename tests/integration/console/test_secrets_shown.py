"""A secret that was stored is in no answer of the operations API, no row of the audit log and no log line."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from moto import mock_aws

from shared.api.auth import Caller, Scope
from tests.integration.console.operations.operations import Operations, operations_on_moto

APP = "123456789012345"
SECRETS = {"app_secret": "the-secret-of-the-app-0451", "access_token": "EAAtheaccesstoken0451"}
EVERYTHING = Caller(company="acme", scopes=frozenset(Scope), principal="user:otto")


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        yield system


def test_no_route_shows_a_secret_that_was_stored(
    operations: Operations, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        stored = operations.post("whatsapp/credentials", EVERYTHING, app_id=APP, **SECRETS)
        again = operations.post("whatsapp/credentials", EVERYTHING, app_id=APP, **SECRETS)
        made = operations.post("api-keys", EVERYTHING, name="till", scopes=["operator"])
        key = str(made.result["key"])
        answers = [stored.body, again.body]
        lines = [
            route.path.removeprefix("/operations/")
            for route in operations.module.routes.operations
            if route.method == "GET" and "{" not in route.path
        ]
        answers += [operations.get(line, EVERYTHING).body for line in lines]
        answers += [operations.post(f"api-keys/{made.result['key_id']}/revoke", EVERYTHING).body]

    assert stored.status == again.status == made.status == 200
    assert {"whatsapp/webhook", "api-keys", "actions", "findings"} <= {*lines}
    shown = json.dumps(answers) + caplog.text
    assert [one for one in (*SECRETS.values(), key) if one in shown] == []


def test_a_repeated_call_has_no_key_a_second_time(operations: Operations) -> None:
    given = {"name": "till", "scopes": ["operator"]}
    first, second = (
        operations.post("api-keys", EVERYTHING, key="the-same-key", **given) for _ in range(2)
    )
    assert first.result["key_id"] == second.result["key_id"]
    assert first.result["key"] not in json.dumps(second.body)
