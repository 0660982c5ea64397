"""
A simulated help desk: the real webhook and worker over moto, two in-memory queues, the provider sandbox, one clock.

A test sends messages, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import copy
import json
import random
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import boto3
from boto3.dynamodb.types import TypeDeserializer

from richpanel.classification.taxonomy import HANDED_BACK_TAG, ControlTag, Intent, Team
from richpanel.configuration.account_settings import Account
from richpanel.decisions.routing import ROUTE_TAGS, intent_tags
from shared.aws.dynamodb import Table
from shared.consent.records import Consents, Source, Statement
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.invocations import Invocation, SandboxClock
from tests.simulation.processes import quiet
from tests.simulation.stored import attempts as attempts_now
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from local.sandbox import Sandbox
    from local.sandbox.accounts.tickets import HelpDesk

TOKEN = "the token of the simulated help desk"
LONGEST_LIFE_MS = 60_000
# All tags of the account: a missing one is created, which is a separate scenario.
TAGS = (
    HANDED_BACK_TAG,
    *ROUTE_TAGS,
    *ControlTag,
    *(tag for intent in Intent for tag in intent_tags(intent)),
)
PARAMETERS = "/parley/local/richpanel"
KEY_NAMES = {
    "idempotency": ("event_id",),
    "state": ("conversation_id",),
    "audit": ("conversation_id", "ts_action_id"),
    "spending": ("pk", "sk"),
}

_deserialize = TypeDeserializer().deserialize

# Table (idempotency, state, audit) and key.
type Key = tuple[str, ...]
type Rows = dict[Key, dict[str, Any]]


@dataclass(frozen=True)
class _CachedAccount:
    """A cached account: a worker that crashes while it reads the account has not started its work."""

    account: Account

    def value(self) -> Account:
        return self.account


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a system."""

    ms: int
    stored: dict[Key, Any]
    desk: HelpDesk
    orders: dict[str, Any]
    fifo_queues: FifoQueues
    attempts: dict[str, int] = field(default_factory=attempts_now)


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *tables* are names by use, *log* is that of the conversations
    context with its opt-outs.
    """

    sandbox: Sandbox
    webhook: ModuleType
    worker: ModuleType
    tables: dict[str, str]
    log: str
    timeout_ms: int = LONGEST_LIFE_MS

    def __post_init__(self) -> None:
        # Not through the interceptor: reads of the tests are not calls of the handlers.
        direct_session = boto3.Session()
        self.dynamodb = direct_session.client("dynamodb")
        self.ssm = direct_session.client("ssm")
        self.consents = Consents(Table(self.dynamodb, self.log))
        self._no_messages = self.fifo_queues.copy()

    def reset(self) -> System:
        """Reset to the initial state: no ticket, no row, all switches as for automatic replies."""
        self.clock.ms = Clock().ms
        stored.restore_attempts({})
        self.fifo_queues = self.interceptor.queue = self._no_messages.copy()
        self._reset_sandbox()
        for name in TAGS:
            self.sandbox.help_desk.add_tag(name)
        self.assign({})
        self.set_company(None)
        self._write({})
        self.new_process()
        self.interceptor.rewind()
        return self

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.interceptor.revive()
        self.worker.resources.switchboard.provider().clear_cache()
        self.worker.resources.limiter._last_seen = 0
        for secret in (self.webhook.secret, self.worker.resources.keys):
            secret._value = None
        random.seed(0)  # pauses between attempts: a scenario makes the same calls every time

    def snapshot(self) -> Snapshot:
        """Take a snapshot of the system to start from repeatedly."""
        desk, orders = self.sandbox.help_desk, self.sandbox.shop.orders
        self.sandbox.forget_sent()
        return Snapshot(
            self.clock.ms,
            self._stored(),
            copy.deepcopy(desk),
            dict(orders),
            self.fifo_queues.copy(),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot, with new processes, nothing sent and no injected failures."""
        self.clock.ms = snapshot.ms
        self.fifo_queues = self.interceptor.queue = snapshot.fifo_queues.copy()
        self._reset_sandbox()
        self.sandbox.help_desk = copy.deepcopy(snapshot.desk)
        self.sandbox.shop.orders = dict(snapshot.orders)
        self._write(snapshot.stored)
        self._delete_opt_outs()
        stored.restore_attempts(snapshot.attempts)
        self.new_process()
        self.interceptor.rewind()

    # People

    def switch(self, **texts: str) -> None:
        """Set switches; every process reads them at once."""
        for name, text in texts.items():
            self.ssm.put_parameter(
                Name=f"{PARAMETERS}/{name}", Value=text, Type="String", Overwrite=True
            )
        self.worker.resources.switchboard.provider().clear_cache()

    def call(self, *entries: Mapping[str, Any]) -> None:
        """The help desk calls the webhook, which must accept the call, with one entry or several."""
        body = json.dumps(entries[0] if len(entries) == 1 else entries)
        event = {
            "requestContext": {"requestId": str(uuid.uuid4())},
            "headers": {"Content-Type": "application/json", "X-Middleware-Token": TOKEN},
            "body": body,
            "isBase64Encoded": False,
        }
        with quiet():
            answer = self.webhook.handler(event, Invocation(self.clock, lasts_ms=LONGEST_LIFE_MS))
        assert answer["statusCode"] == 200, answer

    def assign(self, assignees: Mapping[Team, str]) -> None:
        """Configure the assignees of each team."""
        self._set_up(assignees=assignees)

    def set_company(self, company: str | None) -> None:
        """Configure the company whose opt-outs apply; there are none yet."""
        self._set_up(company=company)
        self._delete_opt_outs()
        self.interceptor.observer = lambda *_: None

    def _set_up(self, **changes: Any) -> None:
        resources = self.worker.resources
        known = _CachedAccount(replace(resources.account, **changes))
        self.worker.resources = replace(resources, stored_account=known)  # type: ignore[attr-defined]

    def opt_out(self, address: str) -> None:
        """Opt a customer out in a conversation on another channel."""
        company = self.worker.resources.account.company
        said = Statement(source=Source.WORD, at_ms=self.clock.ms, evidence="a word", channel="sms")
        self.consents.record_opt_out(company, [address], said)

    # Final state

    def rows(self) -> Rows:
        """All rows of the three tables by table and key, as plain values."""
        return {
            key: {name: _deserialize(value) for name, value in item.items()}
            for key, item in self._stored().items()
        }

    def row(self, key: str) -> dict[str, Any]:
        """One row of events and actions; empty where there is none."""
        return self.rows().get(("idempotency", key), {})

    def _reset_sandbox(self) -> None:
        self.sandbox.reset()
        self.sandbox.clock = SandboxClock(self.clock)

    def _stored(self) -> dict[Key, Any]:
        """All rows by table and key, in DynamoDB's JSON."""
        return {
            (use, *(item[name]["S"] for name in KEY_NAMES[use])): item
            for use, table in self.tables.items()
            for item in stored.items_of(table)
        }

    def _delete_opt_outs(self) -> None:
        for item in stored.items_of(self.log):
            self.dynamodb.delete_item(
                TableName=self.log, Key={name: item[name] for name in ("pk", "sk")}
            )

    def _write(self, wanted: dict[Key, Any]) -> None:
        """Replace the content of the tables by these rows."""
        now = self._stored()
        for use, table in self.tables.items():
            writes: list[Any] = [
                {"DeleteRequest": {"Key": {name: now[key][name] for name in KEY_NAMES[use]}}}
                for key in now.keys() - wanted.keys()
                if key[0] == use
            ]
            writes += [
                {"PutRequest": {"Item": item}}
                for key, item in wanted.items()
                if key[0] == use and now.get(key) != item
            ]
            for start in range(0, len(writes), 25):
                self.dynamodb.batch_write_item(RequestItems={table: writes[start : start + 25]})
