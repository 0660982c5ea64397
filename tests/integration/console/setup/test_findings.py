"""GET /operations/findings: what a deployment still needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.providers import http
from shared.providers.http import Answer
from shared.providers.outcomes import NotSent
from tests.integration.console.operations.operations import OPERATOR, Operations, operations_on_moto
from tests.template import name_of


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        limit(monkeypatch, system, 1_000)
        webhook(monkeypatch, "the-verify-token")
        yield system


def limit(monkeypatch: pytest.MonkeyPatch, operations: Operations, executions: int) -> None:
    """The account may run so many functions; queues of this stage and of another one take 60 each."""
    client = operations.module.lambda_functions()
    answers: dict[str, Any] = {
        "GetAccountSettings": {"AccountLimit": {"UnreservedConcurrentExecutions": executions}},
        "ListEventSourceMappings": {
            "EventSourceMappings": [
                {
                    "FunctionArn": f"arn:aws:lambda:eu-west-1:1:function:parley-{stage}-worker:live",
                    "ScalingConfig": {"MaximumConcurrency": 60},
                }
                for stage in ("dev", "other")
            ]
        },
    }
    monkeypatch.setattr(client, "_make_api_call", lambda operation, _: answers[operation])


def webhook(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    """The webhook answers a handshake with this token."""

    def call(_: str, url: str, **__: Any) -> Answer:
        given = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert url.startswith("https://api.example/dev/webhooks/whatsapp?")
        is_right = given["hub.verify_token"] == token
        body = given["hub.challenge"].encode() if is_right else b""
        return Answer(status=200 if is_right else 403, headers={}, data=body)

    monkeypatch.setattr(http, "call", call)


def found(operations: Operations, check: str) -> dict[str, Any]:
    rows = operations.get("findings").result["findings"]
    one: dict[str, Any] = next(row for row in rows if row["check"] == check)
    return one


def keep(name: str, content: dict[str, Any]) -> None:
    boto3.client("secretsmanager").put_secret_value(
        SecretId=name_of(name), SecretString=json.dumps(content)
    )


def test_a_new_deployment_needs_credentials_and_the_other_checks_say_so_too(
    operations: Operations,
) -> None:
    needed = found(operations, "credentials")

    assert (needed["status"], needed["facts"]) == ("action", {"apps": "0", "tokens": "0"})
    keep("WhatsAppAppSecrets", {"verify_token": ["the-verify-token"], "apps": {"1": ["s"]}})
    keep("WhatsAppAccessTokens", {"acme": "t"})
    assert found(operations, "credentials")["status"] == "ok"


def test_an_account_that_runs_fewer_functions_than_queues_may_take_needs_a_higher_limit(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(operations, "executions")["facts"] == {"limit": "1000", "used": "60"}
    assert found(operations, "executions")["status"] == "ok"

    limit(monkeypatch, operations, 10)

    assert found(operations, "executions")["status"] == "action"


def test_the_webhook_is_asked_as_meta_asks_it(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(operations, "webhook")["status"] == "ok"

    webhook(monkeypatch, "another-token")

    assert found(operations, "webhook")["status"] == "action"


def test_a_webhook_without_an_answer_is_unknown(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: Any, **__: Any) -> Answer:
        raise NotSent("no connection")

    monkeypatch.setattr(http, "call", lost)

    assert found(operations, "webhook") | {"facts": {}} == {
        "check": "webhook",
        "status": "unknown",
        "subject": None,
        "facts": {},
        "reason": "no answer",
    }


def test_closed_switches_and_dead_letters_come_first(operations: Operations) -> None:
    operations.send("whatsapp-dead-letters.fifo")

    rows = operations.get("findings").result["findings"]

    needed = [(row["check"], row["subject"]) for row in rows if row["status"] == "action"]
    assert [row["status"] for row in rows][: len(needed)] == ["action"] * len(needed)
    assert ("switch", "whatsapp safe_mode") in needed
    assert ("dead_letters", None) in needed
    assert found(operations, "dead_letters")["facts"] == {"count": "1"}


def test_a_check_that_aws_refuses_is_unknown_and_the_others_follow(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(operation: str, _: Any) -> Any:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "secret"}}, operation)

    monkeypatch.setattr(operations.module.lambda_functions(), "_make_api_call", refused)

    assert (
        found(operations, "executions")["status"],
        found(operations, "executions")["reason"],
    ) == (
        "unknown",
        "AccessDenied",
    )
    assert found(operations, "verify_token")["status"] == "ok"


def test_findings_hold_no_secret_and_are_for_operators(operations: Operations) -> None:
    answer = operations.get("findings", OPERATOR)

    assert "the-verify-token" not in json.dumps(answer.body)
