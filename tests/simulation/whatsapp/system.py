"""
A simulated inbox: the real handlers over moto, an in-memory queue, the provider sandbox, and a stopped clock.

A test posts webhooks, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
from boto3.dynamodb.types import TypeDeserializer

from events.whatsapp.sample_data import APP_ID, COMPANY, COUNTER, WORKSHOP
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry
from shared.runtime.clock import to_text
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.fifo import FifoQueue
from tests.simulation.interceptor import Died, Interceptor
from tests.simulation.processes import quiet
from tests.simulation.stored import attempts as attempts_now
from whatsapp import store
from whatsapp.store.accounts.numbers import ownership
from whatsapp.store.items import AccountOwner, Phone, PhoneCompanies, PhoneList
from whatsapp.store.items.phones import NO_AUTOMATION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from events.whatsapp.sample_data import BusinessNumber
    from local.sandbox import Sandbox
    from shared.aws.secrets import JsonSecret

type Items = dict[str, dict[str, Any]]

LONGEST_LIFE_MS = 60_000
MOST_ROUNDS = 400

_deserialize = TypeDeserializer().deserialize


@dataclass
class Invocation:
    """The Lambda context of one run: the attributes that the handlers and Powertools use."""

    function_name: str = "simulated"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:simulated"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def get_remaining_time_in_millis(self) -> int:
        """The whole timeout of the function: the clock does not advance."""
        return LONGEST_LIFE_MS


# Keys of the lists of numbers.
LISTS = tuple(one.pk_pattern.partition("{")[0] for one in (PhoneList, PhoneCompanies, AccountOwner))


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a system."""

    ms: int
    stored: dict[str, Any]
    objects: dict[str, bytes]
    queue: FifoQueue
    outcomes: dict[str, str]
    attempts: dict[str, int] = field(default_factory=attempts_now)
    types: dict[str, str] = field(default_factory=dict)


@dataclass
class System:
    """
    Everything a handler can reach, and the handlers.

    `outcomes` has the last outcome of each queue message id: persisted, duplicate or parked.
    """

    sandbox: Sandbox
    clock: Clock
    queue: FifoQueue
    interceptor: Interceptor
    webhook: ModuleType
    social: ModuleType
    worker: ModuleType
    media: ModuleType
    scheduled: ModuleType
    admin: ModuleType
    settings: dict[str, str]
    outcomes: dict[str, str] = field(default_factory=dict)
    _initial_states: dict[tuple[bool, str], Snapshot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Not through the interceptor: reads and writes of the tests are not calls of the handlers.
        direct_session = boto3.Session()
        self.dynamodb = direct_session.client("dynamodb")
        self.s3 = direct_session.client("s3")
        self.table = Table(self.dynamodb, self.settings["MESSAGES_TABLE_NAME"])
        self.bucket = self.settings["MEDIA_BUCKET_NAME"]

    def reset(self, *, auto_mark_read: bool = False, automation: str = NO_AUTOMATION) -> System:
        """Reset to the initial state: the two numbers of the samples are registered, no event has arrived."""
        settings = (auto_mark_read, automation)
        if settings not in self._initial_states:
            first = self._initial_state(auto_mark_read=auto_mark_read, automation=automation)
            self._initial_states[settings] = first
        self.restore(self._initial_states[settings])
        return self

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.interceptor.revive()
        store.phones.forget()
        secrets: list[JsonSecret] = [
            self.webhook.secret,
            self.worker.resources.tokens,
            self.media.resources.tokens,
            self.worker.identifier_keys,
        ]
        for secret in secrets:
            secret._value = None

    def snapshot(self) -> Snapshot:
        """Take a snapshot of the system to start from repeatedly."""
        self.sandbox.forget_sent()
        return Snapshot(
            self.clock.ms,
            self._stored(),
            self.objects(),
            self.queue.copy(),
            dict(self.outcomes),
            types=stored.types_of(self.bucket),
        )

    def restore(self, snapshot: Snapshot, written: Iterable[str] | None = None) -> None:
        """
        Restore a snapshot, with new processes, nothing sent and no injected failures.

        *written*: the keys of all items that may differ, if the caller knows them; reading a large table is slow.
        """
        self.clock.ms = snapshot.ms
        self.queue = self.interceptor.queue = snapshot.queue.copy()
        self.outcomes = dict(snapshot.outcomes)
        self.sandbox.reset()
        self._write(snapshot.stored, written)
        stored.restore_objects(self.bucket, snapshot.objects, snapshot.types)
        spending = self.worker.resources.spending.table.name
        for item in list(stored.items_of(spending)):
            stored.remove(spending, item["pk"]["S"], item["sk"]["S"])
        stored.restore_attempts(snapshot.attempts)
        self.new_process()
        self.interceptor.rewind()

    # Ingress

    def deliver(self, event: dict[str, Any] | Entry) -> bool:
        """
        Deliver one request of a provider, HTTP or SNS; return whether it was accepted. Otherwise the provider repeats
        it.

        Or enqueue an entry of another context.
        """
        if isinstance(event, Entry):
            self.queue.put(event)
            return True
        handler = self.social.handler if "Records" in event else self.webhook.handler
        try:
            with quiet():
                answer = handler(event, Invocation())
        except (Died, Exception):  # noqa: BLE001 - of any, API Gateway makes a 502, and SNS sends again
            self.new_process()
            return False
        return answer is None or answer["statusCode"] == 200

    def deliver_until_accepted(self, event: dict[str, Any] | Entry) -> None:
        """Repeat a delivery after a delay, as the provider does, until the response is 200."""
        for _ in range(5):
            if self.deliver(event):
                return
            self.clock.sleep(30)
        raise AssertionError("never taken")

    # Workers

    def run_worker(self, batch: list[Any] | None = None) -> None:
        """One invocation of the worker with the next messages, as the event source would treat its answer."""
        batch = self.queue.receive() if batch is None else batch
        if not batch:
            return
        try:
            failed = self.invoke_worker(batch)
        except Died:
            self.new_process()
        else:
            for message in batch:
                if message.message_id not in failed:
                    self.queue.delete(message.receipt)

    def invoke_worker(self, batch: list[Any]) -> set[str]:
        """The handler's response for a batch: the ids to retry."""
        module = self.function_of(batch)
        queue = batch[0].standard or self.settings["WHATSAPP_QUEUE_URL"].rpartition("/")[2]
        self.interceptor.start_run()
        with quiet():
            answer = module.handler(
                {"Records": [message.as_record(queue) for message in batch]}, Invocation()
            )
        failed = {entry["itemIdentifier"] for entry in answer["batchItemFailures"]}
        assert failed <= {message.message_id for message in batch}
        return failed

    def function_of(self, batch: list[Any]) -> ModuleType:
        """The handler that a batch invokes: files have their own queue and function."""
        return self.media if batch[0].standard else self.worker

    def drain(self) -> None:
        """Run workers, and wait for messages in flight, until the queue is empty."""
        for _ in range(MOST_ROUNDS):
            if not self.queue.messages:
                return
            before = len(self.queue.dead_letters)
            batch = self.queue.receive()
            if batch:
                self.run_worker(batch)
            elif self.queue.messages and len(self.queue.dead_letters) == before:
                self.wait_for_redelivery()
        raise AssertionError("the queue is never empty")

    def wait_for_redelivery(self) -> None:
        """Advance the clock past the visibility timeout of the oldest message in flight."""
        self.clock.ms = self.queue.next_visible_at() or self.clock.ms

    # Schedule

    def run_schedule(self, run: Invocation | None = None) -> bool:
        """Run the schedule of the current minute; False after a crash. EventBridge's retries repeat the same event."""
        self.interceptor.start_run()
        try:
            self.scheduled.handler({"time": to_text(self.clock.ms)}, run or Invocation())
        except Died:
            self.new_process()
            return False
        return True

    # Final state

    def items(self) -> Items:
        """All items of the table by key, as plain values; without the lists of registered numbers."""
        found = [
            {name: _deserialize(value) for name, value in item.items()}
            for item in self._stored().values()
        ]
        return {item["pk"]: item for item in found if not item["pk"].startswith(LISTS)}

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket by key."""
        return stored.objects_of(self.bucket)

    def receipts(self) -> list[str]:
        """Ids of the messages that were marked as read at a provider, one for each time."""
        bodies = [sent.body for sent in self.sandbox.sent]
        asked = [body.get("message", body) for body in bodies if isinstance(body, dict)]
        return sorted(body["message_id"] for body in asked if body.get("status") == "read")

    def handed_over(self) -> dict[str, list[dict[str, Any]]]:
        """The events sent to other contexts by queue name, in order."""
        return {
            name: [json.loads(body) for body in queue.accepted.values()]
            for name, queue in self.queue.elsewhere.items()
        }

    def _initial_state(self, *, auto_mark_read: bool, automation: str) -> Snapshot:
        self.clock.ms = Clock().ms
        self._write({})
        for number in (COUNTER, WORKSHOP):
            phone = registered(number, auto_mark_read=auto_mark_read, automation=automation)
            store.phones.register(self.table, phone)
        return Snapshot(self.clock.ms, self._stored(), {}, self.queue.emptied(), {}, attempts={})

    def _stored(self) -> dict[str, Any]:
        """All items by key, in DynamoDB's JSON."""
        return {item["pk"]["S"]: item for item in stored.items_of(self.table.name)}

    def _write(self, wanted: dict[str, Any], written: Iterable[str] | None = None) -> None:
        """Replace the content of the table by these items; if given, only *written* ones can differ."""
        if written is None:
            now = self._stored()
        else:
            now = dict.fromkeys(written)
            wanted = {key: wanted[key] for key in now if key in wanted}
        writes: list[Any] = [
            {"DeleteRequest": {"Key": {"pk": {"S": key}}}} for key in now.keys() - wanted.keys()
        ]
        writes += [
            {"PutRequest": {"Item": item}} for key, item in wanted.items() if now.get(key) != item
        ]
        for start in range(0, len(writes), 25):
            self.dynamodb.batch_write_item(
                RequestItems={self.table.name: writes[start : start + 25]}
            )


def grant_numbers(log: Table, phones: Iterable[Phone]) -> None:
    """Give numbers, and all they name, to their companies, as an operator's registration does."""
    for phone in phones:
        ownership.grant(log, phone, "operator")


def registered(
    number: BusinessNumber, *, auto_mark_read: bool = False, automation: str = NO_AUTOMATION
) -> Phone:
    """The registration of one of the samples' numbers."""
    suffix = number.arn.rpartition("/")[2]
    return Phone(
        pk=Phone.key(number.phone),
        company=COMPANY,
        phone=number.phone,
        display_phone=number.display,
        phone_arn=number.arn or f"arn:parley:whatsapp:::phone-number-id/{number.phone}",
        provider="eum" if number.arn else "graph",
        aws_phone=f"phone-number-id-{suffix}" if suffix else None,
        aws_waba=f"waba-{number.waba_arn.rpartition('/')[2]}" if suffix else None,
        waba_meta_id=number.waba,
        app_id=APP_ID,
        token_ref=COMPANY,
        proof=Proof.GRANTED,
        business_account_name="Acme Bicycles",
        auto_mark_read=auto_mark_read,
        automation=automation,
    )
