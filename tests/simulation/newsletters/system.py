"""
Simulated newsletters: API, workers and schedule over moto, in-memory queues, the provider sandbox, one clock.

A test acts as people do, lets time pass, kills functions, and compares final states.
"""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from botocore.exceptions import BotoCoreError, ClientError

from newsletters.store.items.jobs import OPEN_WORK
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from tests import keyring, template
from tests.aws import api_gateway
from tests.simulation import processes, simulated_system, stored
from tests.simulation.interceptor import Died, Interceptor
from tests.simulation.invocations import Invocation
from tests.simulation.kernel import Parts
from tests.simulation.processes import quiet
from tests.simulation.queues.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from local.sandbox import Sent
    from tests.simulation.queues.fifo import Queued
    from tests.simulation.queues.fifo_queues import FifoQueues

COMPANY = "acme"
ANN, BEN = "user:ann", "user:ben"  # people of the company
MODEL_KEY = "parley/local/companies/acme/openai"
MODEL = {"provider": "openai", "model": "gpt-made-up", "api_key_reference": MODEL_KEY}
SCOPES = " ".join(
    f"newsletters:{one}" for one in ("read", "write", "review", "send", "admin", "privacy")
)
TICK_MS = 5 * 60_000  # of the schedule
MOST_ROUNDS = 400  # a day of the schedule, and more
MOST_CALLS = 12
CALL_MS = 30_000

# A repeated call gets them if the first one has had its effect, and died before its answer was stored.
_DONE_BEFORE = frozenset({"stale_version", "not_found", "wrong_review_state", "wrong_state"})

type Rows = dict[str, dict[str, Any]]
type Snapshot = simulated_system.Snapshot[FifoQueues]


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *table*, *log* and *bucket* are names. *code* is the code of the
    newsletter of a scenario.
    """

    parts: ClassVar = Parts(
        functions=(
            "NewslettersApi",
            "NewslettersWorker",
            "NewslettersExports",
            "NewslettersScheduled",
        ),
        queues=("NewsletterStepsQueue", "NewsletterExportsQueue"),
        tables={
            "newsletters": "NewslettersTable",
            "log": "ConversationLogTable",
            "contacts": "ContactsTable",
            "inbox": "InboxTable",
            "live": "LiveTable",
            "spending": "SpendingTable",
        },
        buckets=("NewslettersBucket",),
        secrets={
            "ApiSealSecret": {"seal_key": "sealed"},
            "IdentifierKeysSecret": keyring.SECRET,
            MODEL_KEY: {"ai_api_key": "a key"},
        },
        services=("BEDROCK_AGENT_RUNTIME", "SESV2"),
        switches_at="/parley/local/email-threads",
        switches={"safe_mode": "false", "automation_enabled": "true"},
    )

    code: str = ""
    issue_id: str = ""
    _reached: dict[Hashable, tuple[Snapshot, list[Sent]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.api, self.worker, self.exports, self.scheduled = self.functions.values()
        self.table, self.log, self.contacts, _, _, self.spending = self.tables.values()
        (self.bucket,) = self.buckets
        self.steps_queue, self.exports_queue = self.fifo_queues.queues
        self._timeouts = {
            name: template.properties(name, **self.given)["Timeout"] for name in self.functions
        }

    def reach(self, state: Hashable, make: Callable[[], None]) -> None:
        """Make a state. In the initial state, the same steps result in the same one, which is made once and kept."""
        if not self._is_in_initial_state():
            make()
            return
        if state not in self._reached:
            make()
            self._reached[state] = self.snapshot(), self.sandbox.sent
        snapshot, sent = self._reached[state]
        self.restore(snapshot)
        for request in sent:
            self.sandbox.record(request)

    def _is_in_initial_state(self) -> bool:
        """Whether nothing has happened since `reset`, and calls are neither disturbed nor observed."""
        first = self._initial.get("")
        return (
            first is not None
            and (self.clock.ms, self.stored()) == (first.ms, first.stored)
            and not (self.interceptor.calls or self.sandbox.sent or self.objects())
            and self.fifo_queues.is_empty
            and self.switches == self.parts.switches
            and not self.sandbox.faults.pending()
            and self.interceptor.has_no_fault
            and self.interceptor.observer == Interceptor.observer
        )

    def own_state(self) -> tuple[str, str]:
        return self.code, self.issue_id

    def restore_own(self, own: tuple[str, str]) -> None:
        self.code, self.issue_id = own

    def new_process(self) -> None:
        super().new_process()
        for secret in (self.api.seal_secret, self.api.identifier_keys, self.worker.identifier_keys):
            secret._value = None
        self.worker.resources.models.credentials._cache.clear()
        self.worker.resources.retrieval.owners.forget()
        self.worker.sending.account.forget()
        self.forget_switches()
        for entry in self.folder.iterdir():  # caches of indexes
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def forget_switches(self) -> None:
        processes.forget_switches(self.worker.sending.switches)

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
        return Invocation(self.clock, lasts_ms=self._timeouts[function] * 1_000)

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
        event = api_gateway.request(
            f"{method} {self.filled(path)}",
            body,
            Caller(company=company, scopes=frozenset(scopes.split()), principal=user),
            query=query,
            headers={"Idempotency-Key": key} if key else {},
            resource="/newsletters/{proxy+}",
            request_id=f"request-{uuid.uuid4()}",
        )
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
        key = self.filled(f"{method} {path} {key}").replace(" ", "-")
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

    def filled(self, path: str) -> str:
        """A path or key with the ids of the scenario."""
        return path.replace("{code}", self.code).replace("{issue}", self.issue_id)

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
        return {" ".join(key): item for key, item in stored.items_by_key(self.table)}

    def rows(self) -> Rows:
        """All items of the table by partition and sort key, as plain values."""
        return {" ".join(key): row for key, row in self.plain("newsletters").items()}

    def row(self, sort: str, partition: str = "NEWSLETTER") -> dict[str, Any]:
        """One item of the scenario's newsletter; empty if it does not exist."""
        return self.rows().get(f"{partition}#{self.code} {sort}", {})

    def open_work(self) -> list[str]:
        """The keys of the items that the schedule looks after."""
        found = stored.shared_items(self.table).items()
        return [" ".join(key) for key, item in found if item.get("GSI1PK") == {"S": OPEN_WORK}]

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
