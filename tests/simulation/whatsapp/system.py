"""
A simulated inbox: the real handlers over moto, an in-memory queue, the provider sandbox, and a stopped clock.

A test posts webhooks, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from events.whatsapp.sample_data import (
    APP_ID,
    APP_SECRET,
    COMPANY,
    COUNTER,
    SOCIAL_TOPIC_ARN,
    VERIFY_TOKEN,
    WORKSHOP,
)
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry
from shared.runtime.clock import to_text
from tests import keyring, template
from tests.simulation import simulated_system, stored
from tests.simulation.interceptor import Died
from tests.simulation.kernel import Parts
from tests.simulation.processes import quiet
from tests.simulation.queues.fifo import FifoQueue
from tests.simulation.simulated_system import SimulatedSystem
from whatsapp import store
from whatsapp.store.accounts.numbers import ownership
from whatsapp.store.items import AccountOwner, Phone, PhoneCompanies, PhoneList
from whatsapp.store.items.accounts.phones import NO_AUTOMATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import ModuleType

    from events.whatsapp.sample_data import BusinessNumber
    from shared.aws.secrets import JsonSecret
    from tests.simulation.clock import Clock

type Items = dict[str, dict[str, Any]]
type Snapshot = simulated_system.Snapshot[FifoQueue]

GRAPH_TOKEN = "a token of the sandbox"
LONGEST_LIFE_MS = 60_000
MOST_ROUNDS = 400


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


@dataclass(kw_only=True)
class System(SimulatedSystem[FifoQueue]):
    """
    Everything a handler can reach, and the handlers.

    `outcomes` has the last outcome of each queue message id: persisted, duplicate or parked.
    """

    parts: ClassVar = Parts(
        functions=(
            "WhatsAppWebhook",
            "WhatsAppSocial",
            "WhatsAppWorker",
            "WhatsAppJobs",
            "WhatsAppScheduled",
            "WhatsAppAdmin",
        ),
        queues=("WhatsAppQueue", "WhatsAppJobsQueue", "WhatsAppCampaignsQueue"),
        tables={"messages": "WhatsAppTable", "spending": "SpendingTable"},
        buckets=("MediaBucket",),
        secrets={
            "WhatsAppAppSecrets": {"verify_token": VERIFY_TOKEN, "apps": {APP_ID: [APP_SECRET]}},
            "WhatsAppAccessTokens": {COMPANY: GRAPH_TOKEN},
            "WhatsAppCanarySecret": {"app_secret": "of the canary"},
            "IdentifierKeysSecret": keyring.SECRET,
            "ApiSealSecret": {"seal_key": "sealed"},
            f"parley/local/companies/{COMPANY}/openai": {"ai_api_key": "a key"},
        },
        services=("SOCIALMESSAGING",),
        variables={
            name: {"SOCIAL_TOPIC_ARNS": SOCIAL_TOPIC_ARN}
            for name in ("WhatsAppSocial", "WhatsAppAdmin")
        },
    )

    outcomes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.webhook, self.social, self.worker, self.media, self.scheduled, self.admin = (
            self.functions.values()
        )
        self.table = Table(self.dynamodb, self.tables["messages"])
        (self.bucket,) = self.buckets
        self._queue_name = self.name_of("WhatsAppQueue")
        for module in (self.worker, self.media):
            self._keep_outcomes_of(module)

    @classmethod
    def new_queues(cls, clock: Clock, given: Mapping[str, str]) -> FifoQueue:
        """One queue, with the messages of jobs and campaigns; messages of conversations have no reader here."""
        wanted, jobs, campaigns, *others = (
            template.properties(name, **given)
            for name in (
                *cls.parts.queues,
                "ConversationsInboundQueue",
                "ConversationsStatusesQueue",
            )
        )
        queue = FifoQueue.of(wanted, clock)
        standard = [FifoQueue.of(one, clock) for one in (jobs, campaigns)]
        assert all(one.most_receives == queue.most_receives for one in standard)
        elsewhere = {
            one["QueueName"]: FifoQueue(clock, queue.visibility_ms, queue.most_receives)
            for one in others
        }
        return replace(
            queue,
            standard={name: ms for one in standard for name, ms in one.standard.items()},
            elsewhere=elsewhere,
        )

    @property
    def queue(self) -> FifoQueue:
        """The queue of the worker."""
        return self.interceptor.queue

    def reset(self, *, auto_mark_read: bool = False, automation: str = NO_AUTOMATION) -> Self:
        """Reset to the initial state: the two numbers of the samples are registered, no event has arrived."""

        def prepare() -> None:
            for number in (COUNTER, WORKSHOP):
                phone = registered(number, auto_mark_read=auto_mark_read, automation=automation)
                store.phones.register(self.table, phone)

        return self.reset_to((auto_mark_read, automation), prepare)

    def new_process(self) -> None:
        super().new_process()
        store.phones.forget()
        self.media._transcribers.cache_clear()
        secrets: list[JsonSecret] = [
            self.webhook.secret,
            self.worker.resources.tokens,
            self.media.resources.tokens,
            self.worker.identifier_keys,
        ]
        for secret in secrets:
            secret._value = None

    def own_state(self) -> dict[str, str]:
        self.sandbox.forget_sent()
        return dict(self.outcomes)

    def restore_own(self, own: dict[str, str]) -> None:
        self.outcomes = dict(own)

    def _keep_outcomes_of(self, module: ModuleType) -> None:
        """Record the outcome of each message from the handlers' own reports."""
        worker = module.worker

        def noted(record: Any, handled: Any) -> None:
            self.outcomes[record.message_id] = handled.outcome.value
            worker.report(record, handled)

        module.worker = replace(worker, report=noted)  # type: ignore[attr-defined] # a module has any attribute that is set on it

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
        queue = batch[0].standard or self._queue_name
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
        found = self.plain("messages").items()
        return {key: item for (key,), item in found if not key.startswith(LISTS)}

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
