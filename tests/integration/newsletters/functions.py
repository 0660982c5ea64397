"""
All functions of newsletters over moto and in-memory queues, with one clock: a person calls the API, workers run, the
schedule looks after open work.
"""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from newsletters.store.newsletters import Newsletter, get_newsletter_full
from tests import template
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.fifo import FifoQueue
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Interceptor
from tests.simulation.invocations import Invocation
from tests.simulation.processes import imported, quiet
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from newsletters.store.objects import Store

COMPANY, USER = "acme", "api-key:ann"
QUEUES = ("NewsletterStepsQueue", "NewsletterExportsQueue")
FUNCTIONS = {
    "NewslettersWorker": "newsletters.handlers.worker",
    "NewslettersExports": "newsletters.handlers.exports",
    "NewslettersScheduled": "newsletters.handlers.scheduled",
    "NewslettersApi": "newsletters.handlers.api",
}
SCOPES = (
    "newsletters:read newsletters:write newsletters:review newsletters:admin newsletters:privacy"
)
LASTS_MS = 300_000  # the timeout of the worker

type Items = dict[tuple[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Snapshot:
    """A state of the functions' data."""

    ms: int
    items: Items
    objects: dict[str, bytes]
    fifo_queues: FifoQueues


@dataclass(kw_only=True)
class Functions(Workers):
    """The handlers, and all that they can reach. *table* and *bucket* are names, *steps* and *exports* queues."""

    api: ModuleType
    scheduled: ModuleType
    table: str
    bucket: str
    steps: str
    exports: str

    def __post_init__(self) -> None:
        self._no_messages = self.fifo_queues.copy()

    @property
    def store(self) -> Store:
        store: Store = self.api.resources.store
        return store

    def reset(self) -> Functions:
        """Reset to an empty table, bucket and queues."""
        self.restore(Snapshot(Clock().ms, {}, {}, self._no_messages))
        return self

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.interceptor.revive()
        self.api.seal_secret._value = None

    def snapshot(self) -> Snapshot:
        """Take a snapshot to start from repeatedly."""
        return Snapshot(self.clock.ms, self.items(), self.objects(), self.fifo_queues.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot, with new processes and no injected failures."""
        self.clock.ms = snapshot.ms
        self.fifo_queues = self.interceptor.queue = snapshot.fifo_queues.copy()
        now = self.items()
        for key in now.keys() - snapshot.items.keys():
            stored.remove(self.table, *key)
        for key, item in snapshot.items.items():
            if now.get(key) != item:
                stored.put(self.table, item)
        stored.restore_objects(self.bucket, snapshot.objects)
        self.new_process()
        self.interceptor.rewind()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        scopes: str = SCOPES,
        company: str = COMPANY,
        user: str = USER,
        query: dict[str, str] | None = None,
        key: str | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """Call the API; return status and body."""
        authorizer = {"company": company, "principal": user, "scopes": scopes, "projects": "*"}
        event = {
            "resource": "/newsletters/{proxy+}",
            "httpMethod": method,
            "path": path,
            "headers": {"Idempotency-Key": key} if key else {},
            "multiValueHeaders": {},
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {n: [v] for n, v in (query or {}).items()} or None,
            "body": json.dumps(body) if body is not None else None,
            "isBase64Encoded": False,
            "requestContext": {"requestId": f"request-{uuid.uuid4()}", "authorizer": authorizer},
        }
        with quiet():
            answer = self.api.handler(event, Invocation(self.clock, lasts_ms=29_000))
        return answer["statusCode"], json.loads(answer["body"])

    def result(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The result of a call that succeeds."""
        status, answer = self.call(method, path, body, **more)
        assert status < 300, answer
        return answer["result"]

    def read(self, code: str) -> Newsletter:
        """The newsletter with this code."""
        found = get_newsletter_full(self.store, code)
        assert found is not None
        return found

    def run_schedule(self) -> None:
        """The schedule invokes its function."""
        with quiet():
            self.scheduled.handler({}, Invocation(self.clock))

    def items(self) -> Items:
        """All items by key, in DynamoDB's JSON."""
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in stored.items_of(self.table)}

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket."""
        return stored.objects_of(self.bucket)


@contextmanager
def running_functions() -> Iterator[Functions]:
    """moto, and handlers that are imported again: their clients use this deployment's interceptor."""
    clock = Clock()
    named = {one: template.properties(one)["QueueName"] for one in QUEUES}
    queues = FifoQueues({named[one]: _queue(one, clock) for one in QUEUES})
    interceptor = Interceptor(queues)
    session = boto3.Session()
    interceptor.hook_into(session)
    with (
        mock_aws(),
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
    ):
        settings = template.environment("NewslettersApi")
        _create(settings)
        worker, exports, scheduled, api = (
            imported(module, template.environment(function))
            for function, module in FUNCTIONS.items()
        )
        yield Functions(
            clock=clock,
            fifo_queues=queues,
            interceptor=interceptor,
            workers={named[QUEUES[0]]: worker, named[QUEUES[1]]: exports},
            timeout_ms=LASTS_MS,
            api=api,
            scheduled=scheduled,
            table=settings["TABLE_NAME"],
            bucket=settings["NEWSLETTERS_BUCKET_NAME"],
            steps=named[QUEUES[0]],
            exports=named[QUEUES[1]],
        )


def _queue(logical_id: str, clock: Clock) -> FifoQueue:
    wanted = template.properties(logical_id)
    hidden_ms = wanted["VisibilityTimeout"] * 1_000
    return FifoQueue(clock, hidden_ms, wanted["RedrivePolicy"]["maxReceiveCount"])


def _create(settings: dict[str, str]) -> None:
    """Table, bucket and secret of the template, in moto."""
    direct_session = boto3.Session()
    template.create_table(direct_session.client("dynamodb"), "NewslettersTable")
    direct_session.client("s3").create_bucket(Bucket=settings["NEWSLETTERS_BUCKET_NAME"])
    name = template.properties("ApiSealSecret")["Name"]
    direct_session.client("secretsmanager").create_secret(
        Name=name, SecretString=json.dumps({"seal_key": "sealed"})
    )
