"""
Simulated newsletters: API, workers and schedule over moto, in-memory queues, the provider sandbox, one clock.

A test acts as people do, lets time pass, kills functions, and compares final states.
"""

from __future__ import annotations

import json
import random
import shutil
import uuid
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from boto3.dynamodb.types import TypeDeserializer
from botocore.exceptions import BotoCoreError, ClientError

from newsletters.store.items.jobs import OPEN_WORK
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Died
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.simulation.stored import attempts as attempts_now
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from local.sandbox import Sandbox
    from tests.simulation.fifo import Queued

COMPANY = "acme"
ANN, BEN = "ann", "ben"  # people of the company
MODEL_KEY = "parley/local/companies/acme/openai"
MODEL = {"provider": "openai", "model": "gpt-made-up", "api_key_reference": MODEL_KEY}
SCOPES = " ".join(f"newsletters:{one}" for one in ("read", "write", "review", "admin", "privacy"))
TICK_MS = 5 * 60_000  # of the schedule
MOST_ROUNDS = 200
MOST_CALLS = 12
CALL_MS = 30_000

# A repeated call gets them if the first one has had its effect, and died before its answer was stored.
_DONE_BEFORE = frozenset({"stale_version", "not_found", "wrong_review_state"})

_deserialize = TypeDeserializer().deserialize

type Rows = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a system."""

    ms: int
    items: Rows
    objects: dict[str, bytes]
    fifo_queues: FifoQueues
    code: str
    attempts: dict[str, int] = field(default_factory=attempts_now)


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *table*, *log* and *bucket* are names, *cache* is the temporary
    folder of the processes, *seconds* are the timeouts of the functions. *code* is that of the newsletter of a
    scenario.
    """

    sandbox: Sandbox

    api: ModuleType
    worker: ModuleType
    exports: ModuleType
    scheduled: ModuleType
    table: str
    log: str  # has the owner items
    bucket: str
    steps_queue: str
    exports_queue: str
    cache: Path
    seconds: dict[str, int]
    code: str = ""

    def __post_init__(self) -> None:
        # Not through the interceptor: reads of the tests are not calls of the handlers.
        direct_session = boto3.Session()
        self.dynamodb = direct_session.client("dynamodb")
        self.s3 = direct_session.client("s3")
        self._no_messages = self.fifo_queues.copy()

    def reset(self) -> System:
        """Reset to the initial state: nothing is stored."""
        self.clock.ms = Clock().ms
        stored.restore_attempts({})
        self.fifo_queues = self.interceptor.queue = self._no_messages.copy()
        self.sandbox.reset()
        self._write({}, {})
        for item in list(stored.items_of(self.log)):
            stored.remove(self.log, item["pk"]["S"], item["sk"]["S"])
        self.new_process()
        self.interceptor.rewind()
        self.code = ""
        return self

    def new_process(self) -> None:
        """A cold start: the state in memory and in the temporary folder is lost."""
        self.interceptor.revive()
        self.api.seal_secret._value = None
        self.worker.resources.models.credentials._cache.clear()
        self.worker.resources.retrieval.owners.forget()
        for entry in self.cache.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        random.seed(0)  # pauses between attempts: a scenario makes the same calls every time

    def snapshot(self) -> Snapshot:
        """Take a snapshot of the system to start from repeatedly."""
        return Snapshot(
            self.clock.ms, self.items(), self.objects(), self.fifo_queues.copy(), self.code
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot, with new processes and no injected failures."""
        self.clock.ms, self.code = snapshot.ms, snapshot.code
        self.fifo_queues = self.interceptor.queue = snapshot.fifo_queues.copy()
        self.sandbox.reset()
        self._write(snapshot.items, snapshot.objects)
        stored.restore_attempts(snapshot.attempts)
        self.new_process()
        self.interceptor.rewind()

    def grant(self, knowledge_base: str, company: str = COMPANY) -> None:
        """An operator grants a knowledge base to a company."""
        granted = claims.new(company, Proof.GRANTED)
        claims.hand_over(
            Table(self.dynamodb, self.log), ids.knowledge_base(knowledge_base), granted
        )
        self.worker.resources.retrieval.owners.forget()

    def revoke(self, knowledge_base: str, company: str = COMPANY) -> None:
        """An operator ends the ownership of a knowledge base."""
        resource = ids.knowledge_base(knowledge_base)
        assert claims.release(Table(self.dynamodb, self.log), resource, company)
        self.worker.resources.retrieval.owners.forget()

    # Functions

    def run_worker(self, queue_name: str, message: Queued, run: Invocation | None = None) -> None:
        """One invocation of a worker, as the event source would treat its answer."""
        is_export = queue_name == self.exports_queue
        name = "NewslettersExports" if is_export else "NewslettersWorker"
        super().run_worker(queue_name, message, run or self.invocation(name))

    def invocation(self, function: str) -> Invocation:
        """An invocation of a function that begins now."""
        return Invocation(self.clock, lasts_ms=self.seconds[function] * 1_000)

    def run_schedule(self) -> None:
        """The schedule invokes its function, which may fail or be killed: the next run continues."""
        self.interceptor.start_run()
        try:
            with quiet():
                self.scheduled.handler({}, self.invocation("NewslettersScheduled"))
        except (ClientError, BotoCoreError):
            return
        except Died:
            self.new_process()

    def settle(
        self,
        between: Callable[[], None] = lambda: None,
        *,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """
        Run workers and the schedule until no message waits and no work is open, or *is_over*. Time passes only if
        there is nothing to do: until a message becomes visible, or the schedule runs.
        """
        for _ in range(MOST_ROUNDS):
            if is_over():
                return
            batch = self.fifo_queues.receive()
            for queue, message in batch:
                self.run_worker(queue, message)
                between()
            if batch:
                continue
            if self.fifo_queues.is_empty and not self.open_work():
                return
            self.pass_time()
        raise AssertionError(f"the work never ends: {self.open_work()}")

    def pass_time(self) -> None:
        """Advance the clock to the next message or run of the schedule, whichever comes first, and run it."""
        tick = self.clock.ms - self.clock.ms % TICK_MS + TICK_MS
        visible = self.fifo_queues.next_visible_at()
        if visible is not None and visible < tick:
            self.clock.ms = visible
        else:
            self.clock.ms = tick
            self.run_schedule()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        user: str = ANN,
        company: str = COMPANY,
        scopes: str = SCOPES,
        query: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """Call the API once; return status and body. `{code}` in the path is the newsletter of the scenario."""
        event = {
            "resource": "/newsletters/{proxy+}",
            "httpMethod": method,
            "path": path.replace("{code}", self.code),
            "headers": {"Idempotency-Key": key} if key else {},
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {n: [v] for n, v in (query or {}).items()} or None,
            "body": json.dumps(body) if body is not None else None,
            "isBase64Encoded": False,
            "requestContext": {
                "requestId": f"request-{uuid.uuid4()}",
                "authorizer": {
                    "company": company,
                    "principal": user,
                    "scopes": scopes,
                    "projects": "*",
                },
            },
        }
        self.interceptor.start_run()
        with quiet():
            answer = self.api.handler(event, self.invocation("NewslettersApi"))
        return answer["statusCode"], json.loads(answer["body"])

    def act(
        self, method: str, path: str, body: Any = None, *, key: str = "", **more: Any
    ) -> dict[str, Any]:
        """
        Change something as a client does: without an answer, or after an internal error, it repeats the call with its
        key. Return the result; empty if the repeated call shows that the first one has had its effect.
        """
        key = f"{method} {path} {key}".replace("{code}", self.code).replace(" ", "-")
        for attempt in range(MOST_CALLS):
            try:
                status, answer = self.call(method, path, body, key=key, **more)
            except Died:
                self.new_process()
                status, answer = 0, {}
            code = answer.get("error", {}).get("code")
            is_over = 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR
            if is_over and code != "request_in_progress":
                if attempt and code in _DONE_BEFORE:
                    return {}
                assert status < HTTPStatus.MULTIPLE_CHOICES, (method, path, answer)
                result: dict[str, Any] = answer["result"]
                return result
            self.clock.ms += CALL_MS
        raise AssertionError(f"{method} {path} never succeeds: {answer}")

    def read(self, path: str) -> dict[str, Any]:
        """Read from the API as a client does, which repeats a call without an answer."""
        for _ in range(MOST_CALLS):
            try:
                status, answer = self.call("GET", path)
            except Died:
                self.new_process()
                continue
            if status == HTTPStatus.OK:
                result: dict[str, Any] = answer["result"]
                return result
            assert status >= HTTPStatus.INTERNAL_SERVER_ERROR, answer
        raise AssertionError(f"{path} is never read: {answer}")

    # State

    def items(self) -> Rows:
        """All items of the table in DynamoDB's JSON, by partition and sort key."""
        found = stored.items_of(self.table)
        return {f"{item['PK']['S']} {item['SK']['S']}": item for item in found}

    def rows(self) -> Rows:
        """All items of the table by partition and sort key, as plain values."""
        return {
            key: {name: _deserialize(value) for name, value in item.items()}
            for key, item in self.items().items()
        }

    def row(self, sort: str, partition: str = "NEWSLETTER") -> dict[str, Any]:
        """One item of the scenario's newsletter; empty if it does not exist."""
        return self.rows().get(f"{partition}#{self.code} {sort}", {})

    def open_work(self) -> list[str]:
        """The keys of the items that the schedule looks after."""
        return [key for key, item in self.items().items() if item.get("GSI1PK") == {"S": OPEN_WORK}]

    def parked(self) -> list[dict[str, Any]]:
        """All parked events."""
        return [row for key, row in self.rows().items() if key.startswith("NLPARKED#")]

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket."""
        return stored.objects_of(self.bucket)

    def questions(self) -> list[str]:
        """The questions that the model has answered, oldest first, as JSON."""
        requests = [one for one in self.sandbox.sent if one.provider == "openai"]
        found: list[Any] = [one.body for one in requests]
        return [json.dumps(body["input"], sort_keys=True) for body in found]

    def _write(self, items: Rows, objects: dict[str, bytes]) -> None:
        """Replace the content of table and bucket."""
        now = self.items()
        for key in now.keys() - items.keys():
            stored.remove(self.table, *key.split(" ", 1))
        for key, item in items.items():
            if now.get(key) != item:
                stored.put(self.table, item)
        stored.restore_objects(self.bucket, objects)
