"""The operations API over moto: queues, metrics, alarms, switches and the audit log of the template."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from moto import mock_aws

from console.operations.deployment import QUEUES, SWITCHES
from shared.api.audit_log.items import Change
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.providers import dns
from shared.runtime import clock
from tests.aws import api_gateway
from tests.integration.answers import Answer
from tests.integration.console.system import Invocation, user_pool
from tests.template import create_table, environment, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from shared.access.user_pool import People

OPERATOR = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:ops")
ADMIN = Caller(company="acme", scopes=frozenset({"audit:read"}), principal="user:admin")
GLOBEX = Caller(company="globex", scopes=frozenset({"audit:read"}), principal="user:other")
STAGE = "dev"
SECRETS = {
    "WhatsAppAppSecrets": {"verify_token": ["the-verify-token"], "apps": {}},
    "WhatsAppAccessTokens": {},
}


def changed(
    company: str,
    principal: str,
    change: str,
    *,
    at: str = "2026-11-27T12:00:00.123Z",
    status: int | None = 200,
    kind: str | None = None,
    object_id: str | None = None,
    keep_days: int = 400,
) -> Change:
    """A change in the audit log, as `shared.api.audit_log` writes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: clock.from_text(at))
        begun = Change.begun(
            company=company,
            principal=principal,
            context="whatsapp",
            change=change,
            kind=kind,
            object_id=object_id,
            request_id=f"request-of-{change}".replace("_", "-"),
            keep_days=keep_days,
        )
    return begun if status is None else begun.ended(status)


@dataclass
class Operations:
    """The function, its queues, and the audit log."""

    module: ModuleType
    audit_log: Table
    people: People

    def store(self, *changes: Change) -> None:
        """Put changes into the audit log."""
        for change in changes:
            self.audit_log.put(change.attributes())

    def page(self, caller: Caller | None = OPERATOR, **query: Any) -> Any:
        """Return the body of `GET /operations/actions`."""
        return self.get("actions", caller, **query).body

    def get(self, name: str, caller: Caller | None = OPERATOR, **query: Any) -> Answer:
        """Call `GET /operations/{name}`."""
        answer = self.respond(name, caller, {key: str(value) for key, value in query.items()})
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def post(
        self, path: str, caller: Caller | None, /, key: str | None = None, **body: Any
    ) -> Answer:
        """Call `POST /operations/{path}`; *key* is the Idempotency-Key, by default a new one."""
        headers = {"Idempotency-Key": key or str(uuid4())}
        answer = self.respond(path, caller, {}, "POST", body, headers)
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def respond(  # noqa: PLR0917 - the parts of a request
        self,
        name: str,
        caller: Caller | None,
        query: Mapping[str, str],
        method: str = "GET",
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return the proxy response of a call."""
        event = api_gateway.request(
            f"{method} /operations/{name}",
            body,
            caller,
            query=query,
            headers=headers,
            resource="/operations/{proxy+}",
        )
        event["requestContext"] |= {"domainName": "api.example", "stage": STAGE}
        answered: dict[str, Any] = self.module.handler(event, Invocation())
        return answered

    def count(self, name: str, value: float, namespace: str = f"Parley/{STAGE}", **by: str) -> None:
        """Write a value of a metric of a minute ago."""
        boto3.client("cloudwatch").put_metric_data(
            Namespace=namespace,
            MetricData=[
                {
                    "MetricName": name,
                    "Value": value,
                    "Timestamp": clock.now_ms() / clock.SECOND_MS - 60,
                    "Dimensions": [{"Name": key, "Value": text} for key, text in by.items()],
                }
            ],
        )

    def send(self, queue: str, body: str = "{}") -> None:
        """Put a message on a queue."""
        url = self.module.queues.first_url.rpartition("/")[0] + f"/parley-{STAGE}-{queue}"
        group: dict[str, Any] = {}
        if queue.endswith(".fifo"):
            group = {"MessageGroupId": "1", "MessageDeduplicationId": body}
        boto3.client("sqs").send_message(QueueUrl=url, MessageBody=body, **group)


@contextmanager
def operations_on_moto() -> Iterator[Operations]:
    """Create queues and switches, and import the function. moto must be active."""
    sqs, ssm = boto3.client("sqs"), boto3.client("ssm")
    for queue in QUEUES:
        fifo: Any = {"FifoQueue": "true"} if queue.name.endswith(".fifo") else {}
        sqs.create_queue(QueueName=f"parley-{STAGE}-{queue.name}", Attributes=fifo)
    for path, names in SWITCHES.values():
        for name in names:
            ssm.put_parameter(Name=f"/parley/{STAGE}/{path}/{name}", Value="true", Type="String")
    dynamodb = boto3.client("dynamodb")
    for table in ("SpendingTable", "ApiKeysTable", "ConversationLogTable", "InboxTable"):
        create_table(dynamodb, table, Stage=STAGE)
    secrets = boto3.client("secretsmanager")
    for name, content in SECRETS.items():
        secrets.create_secret(Name=name_of(name), SecretString=json.dumps(content))
    first = sqs.get_queue_url(QueueName=f"parley-{STAGE}-whatsapp.fifo")["QueueUrl"]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("OperationsApi", Stage=STAGE).items():
            patch.setenv(name, value)
        patch.setenv("FIRST_QUEUE_URL", first)
        patch.setattr(dns, "published", lambda *_: None)  # no name server answers
        patch.setenv("WHATSAPP_APP_SECRET_ID", name_of("WhatsAppAppSecrets"))
        patch.setenv("WHATSAPP_TOKENS_SECRET_ID", name_of("WhatsAppAccessTokens"))
        module = importlib.reload(importlib.import_module("console.handlers.operations"))
        create_table(dynamodb, "LiveTable")
        audit_log = Table(dynamodb, create_table(dynamodb, "AuditLogTable"))
        yield Operations(module, audit_log, user_pool())


NOW_MS = clock.from_text("2026-11-27T12:00:00.000Z")


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Operations]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW_MS)
    with mock_aws(), operations_on_moto() as system:
        yield system


def of(rows: list[dict[str, Any]], **named: Any) -> dict[str, Any]:
    (found,) = (row for row in rows if all(row[key] == value for key, value in named.items()))
    return found
