"""Each change over an API is an item of the audit log, written before the change and completed after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import boto3
import pytest
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.api import idempotency
from shared.api.audit_log.items import PARTITION_KEY, Change
from shared.api.audit_log.log import AuditLog
from shared.api.auth import Caller, Scope
from shared.api.models.inputs import NoInput
from shared.api.models.views import View
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.runtime.failures import Transient
from tests.template import create_table
from whatsapp.store.items.sending.requests import Idempotency

ADA = Caller(company="acme", scopes=frozenset({Scope.WHATSAPP_WRITE}), principal="user:ada")


class Died(BaseException):
    """The process ends here."""


class Made(View):
    """The result of the change."""

    number: int


class Conflict(Exception):
    """The change is refused."""


class Invocation:
    """The context of a call."""

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 10_000


@dataclass
class Api:
    """An API with one change, whose function is `act`."""

    routes: Routes
    audit_log: Table
    client: Any
    act: Callable[[], int] = lambda: 1
    made: list[int] = field(default_factory=list)

    def call(self, key: str | None = None, ref: str = "ref-1") -> Any:
        event = {
            "resource": "/things/{ref}",
            "path": f"/things/{ref}",
            "httpMethod": "POST",
            "headers": {"Idempotency-Key": key} if key else {},
            "requestContext": {"requestId": "request-1", "authorizer": ADA.as_context()},
            "body": "{}",
            "isBase64Encoded": False,
        }
        answer = self.routes.respond(event, Invocation())  # type: ignore[arg-type]  # a part of it
        return answer["statusCode"], json.loads(answer["body"])

    def changes(self) -> list[Change]:
        items, _ = self.audit_log.query(None, Key(PARTITION_KEY).eq(Change.partition("acme")))
        return [Change.read(item) for item in items]

    def outcomes(self) -> list[tuple[str, int | None]]:
        return [(change.outcome.value, change.status) for change in self.changes()]


@pytest.fixture
def api() -> Iterator[Api]:
    with mock_aws():
        client, direct = boto3.client("dynamodb"), boto3.client("dynamodb")
        requests = Table(direct, create_table(direct, "WhatsAppTable"))
        audit_log = create_table(direct, "AuditLogTable")
        routes = Routes(
            title="Things",
            document="/openapi.json",
            errors={Conflict: (HTTPStatus.CONFLICT, "conflict")},
            requests=idempotency.Requests(requests, Idempotency),
            audit_log=AuditLog(Table(client, audit_log), 400),
        )
        api = Api(routes, Table(direct, audit_log), client)

        @routes.changes("POST /things/{ref}", Scope.WHATSAPP_WRITE)
        def change_thing(_request: Request[NoInput], ref: str) -> Callable[[], Made]:
            """Change a thing."""
            if ref == "missing":
                raise NotFoundError

            def change() -> Made:
                api.made.append(len(api.changes()))
                return Made(number=api.act())

            return change

        yield api


def failing(api: Api, *, after: int) -> None:
    """Let the audit log refuse all puts after the first *after* ones."""
    calls: list[str] = []

    def refuse(**_: Any) -> None:
        calls.append("put")
        if len(calls) > after:
            error = {"Code": "ThrottlingException", "Message": "a text that must not be shown"}
            raise ClientError({"Error": error}, "PutItem")  # type: ignore[typeddict-item]  # no more is read

    api.client.meta.events.register("before-call.dynamodb.PutItem", refuse)


def test_a_change_is_recorded_with_caller_operation_object_and_outcome(api: Api) -> None:
    status, _ = api.call()

    (change,) = api.changes()
    assert status == 200
    assert (change.company, change.principal, change.change) == ("acme", "user:ada", "change_thing")
    assert (change.object, change.outcome, change.status) == ("ref-1", "made", 200)
    assert change.request_id == "request-1"


def test_the_item_exists_before_the_change_is_made(api: Api) -> None:
    api.call()

    assert api.made == [1]


def test_a_repeat_under_the_same_key_changes_nothing_and_is_not_recorded(api: Api) -> None:
    assert api.call("a-key-123") == api.call("a-key-123")

    assert len(api.made) == 1
    assert api.outcomes() == [("made", 200)]


def test_a_call_that_is_refused_before_its_change_is_not_recorded(api: Api) -> None:
    status, _ = api.call(ref="missing")

    assert status == 404
    assert api.changes() == []


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Conflict(), ("refused", 409)),
        (Transient("busy"), ("failed", 503)),
        (TypeError("a text that must not be stored"), ("failed", 500)),
    ],
)
def test_a_change_that_fails_is_recorded_with_the_status_of_its_answer(
    api: Api, error: Exception, outcome: tuple[str, int]
) -> None:
    def fail() -> int:
        raise error

    api.act = fail

    status, _ = api.call()

    assert status == outcome[1]
    assert api.outcomes() == [outcome]
    assert "must not" not in str(api.changes())


def test_a_crash_after_the_change_leaves_an_open_item(api: Api) -> None:
    def die() -> int:
        raise Died

    api.act = die

    with pytest.raises(Died):
        api.call()
    assert api.outcomes() == [("open", None)]


def test_a_change_that_cannot_be_recorded_is_not_made(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(api, after=0)

    status, body = api.call("a-key-123")

    assert (status, body["error"]["code"]) == (503, "busy")
    assert body["error"]["retryable"] is True
    assert api.made == []
    printed = capsys.readouterr().out
    assert "must not be shown" not in printed
    assert '"condition":"AuditFailed"' in printed


def test_a_retry_after_the_audit_log_recovered_makes_the_change(api: Api) -> None:
    failing(api, after=0)
    api.call("a-key-123")
    api.client.meta.events.unregister("before-call.dynamodb.PutItem")
    api.routes.audit_log.table = api.audit_log  # type: ignore[union-attr]  # it has one

    assert api.call("a-key-123")[0] == 200
    assert api.outcomes() == [("made", 200)]


def test_a_change_whose_outcome_cannot_be_recorded_is_answered_as_made_and_counted(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(api, after=1)

    status, body = api.call()

    assert (status, body["result"]) == (200, {"number": 1})
    assert api.outcomes() == [("open", None)]
    assert '"condition":"AuditFailed"' in capsys.readouterr().out


def test_an_api_with_changes_needs_an_audit_log() -> None:
    routes = Routes(title="Things", document="/openapi.json", errors={})

    with pytest.raises(TypeError, match="audit log"):
        routes.changes("POST /things", Scope.OPERATOR)
