"""The operations API over moto: queues, metrics, alarms and switches of the template; lines of logs from a list."""

from __future__ import annotations

import importlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from console.operations.deployment import QUEUES, SWITCHES
from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.system import Invocation
from tests.template import create_table, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

OPERATOR = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:ops")
ADMIN = Caller(company="acme", scopes=frozenset({"audit:read"}), principal="user:admin")
GLOBEX = Caller(company="globex", scopes=frozenset({"audit:read"}), principal="user:other")
STAGE = "dev"


@dataclass
class LogQueries:
    """Logs Insights, which moto does not run: returns the lines, in the state that the test sets."""

    lines: list[str] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    started: list[dict[str, Any]] = field(default_factory=list)

    def start_query(self, **query: Any) -> dict[str, str]:
        self.started.append(query)
        return {"queryId": "query-1"}

    def get_query_results(self, *, queryId: str) -> dict[str, Any]:
        assert queryId == "query-1"
        limit = self.started[-1]["limit"]
        rows = [
            [{"field": "@timestamp", "value": "-"}, {"field": "@message", "value": line}]
            for line in self.lines[:limit]
        ]
        return {"status": self.statuses.pop(0) if self.statuses else "Complete", "results": rows}


def change_line(company: str, principal: str, change: str, *, second: int = 0, **more: Any) -> str:
    """A log line of a change, as `shared.api.routing` writes it."""
    line = {
        "level": "INFO",
        "message": change,
        "timestamp": f"2026-11-27 12:00:{second:02},123+0000",
        "service": "whatsapp",
        "change": change,
        "company": company,
        "principal": principal,
    }
    return json.dumps(line | more, separators=(",", ":"))


@dataclass
class Operations:
    """The function, its queues, and the lines that a query of the logs finds."""

    module: ModuleType
    logs: LogQueries

    def get(self, name: str, caller: Caller | None = OPERATOR, **query: Any) -> Answer:
        """Call `GET /operations/{name}`."""
        answer = self.respond(name, caller, {key: str(value) for key, value in query.items()})
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def respond(self, name: str, caller: Caller | None, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the proxy response of a call."""
        path = f"/operations/{name}"
        given = {key: [value] for key, value in query.items()}
        event = {
            "resource": "/operations/{proxy+}",
            "path": path,
            "httpMethod": "GET",
            "headers": {},
            "multiValueHeaders": {},
            "queryStringParameters": {key: values[0] for key, values in given.items()} or None,
            "multiValueQueryStringParameters": given or None,
            "pathParameters": {"proxy": name},
            "requestContext": {
                "requestId": "request-1",
                "authorizer": caller.as_context() if caller else None,
            },
            "body": None,
            "isBase64Encoded": False,
        }
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
    create_table(boto3.client("dynamodb"), "SpendingTable", Stage=STAGE)
    first = sqs.get_queue_url(QueueName=f"parley-{STAGE}-whatsapp.fifo")["QueueUrl"]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("OperationsApi", Stage=STAGE).items():
            patch.setenv(name, value)
        patch.setenv("FIRST_QUEUE_URL", first)
        module = importlib.reload(importlib.import_module("console.handlers.operations"))
        logs = LogQueries()
        patch.setattr(module, "logs", lambda: logs)
        object.__setattr__(module.audit_log, "client", lambda: logs)
        yield Operations(module, logs)
