"""
A simulated conversations context: the real handlers over moto, in-memory queues, the provider sandbox, one clock.

A test sends requests and messages, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from conversations.configuration import ownership, projects
from conversations.configuration.projects import ConfigurationInvalid
from events.conversations import sample_data, twilio
from local.sandbox.accounts.openai import OpenAi
from local.sandbox.accounts.text_messages import TextMessages
from shared.aws.dynamodb import Table
from tests import keyring
from tests.simulation import processes, simulated_system
from tests.simulation.conversations import caches
from tests.simulation.conversations.callers import INBOUND, Callers
from tests.simulation.invocations import SandboxClock
from tests.simulation.kernel import Parts
from tests.simulation.simulated_system import Key

if TYPE_CHECKING:
    from local.sandbox.state import Sent
    from tests.simulation.queues.fifo import Queued
    from tests.simulation.queues.fifo_queues import FifoQueues

# At noon in London: outside quiet hours.
NOON_MS = 1_767_268_800_000

MEDIA = "-media"
REPLIES, SMS = "conversations-replies.fifo", "conversations-sms.fifo"


type Snapshot = simulated_system.Snapshot[FifoQueues]


@dataclass(frozen=True)
class Sending:
    """What was sent, and the calls so far."""

    texts: Any
    sent: list[Sent]
    calls: list[str]


@dataclass(kw_only=True)
class System(Callers):
    """Everything a handler can reach, and the handlers."""

    parts: ClassVar = Parts(
        functions=(
            "ConversationsIntake",
            "ConversationsWhatsApp",
            "ConversationsSms",
            "ConversationsEmail",
            "ConversationsReplies",
            "ConversationsStatuses",
            "ConversationsMedia",
            "ConversationsRouter",
            "ConversationsTwilio",
            "ConversationsAwsSms",
            "ConversationsSweeper",
            "ConversationsAdmin",
        ),
        queues=(
            "ConversationsInboundQueue",
            "ConversationsWhatsAppQueue",
            "ConversationsSmsQueue",
            "ConversationsEmailQueue",
            "ConversationsRepliesQueue",
            "ConversationsAgentsQueue",
            "ConversationsStatusesQueue",
            "ConversationsMediaQueue",
            "WhatsAppQueue",
            "EmailThreadsQueue",
        ),
        tables={
            "conversations": "ConversationsTable",
            "log": "ConversationLogTable",
            "company": "CompanyDataTable",
            "spending": "SpendingTable",
            "contacts": "ContactsTable",
            "inbox": "InboxTable",
        },
        buckets=("MediaBucket", "NewslettersBucket"),
        secrets={
            "TwilioWebhookSecret": twilio.SECRET,
            "WhatsAppAccessTokens": {},
            "ApiSealSecret": {"seal_key": "sealed"},
            "IdentifierKeysSecret": keyring.SECRET,
            sample_data.TWILIO_SECRET_ID: sample_data.TWILIO_SECRET,
        },
        services=("SOCIALMESSAGING", "PINPOINT_SMS_VOICE_V2", "SESV2"),
        parameters={"PublicBaseUrls": twilio.PUBLIC_URL},
        switches_at="/parley/local/conversations",
        switches={"safe_mode": "false", "automation_enabled": "true"},
    )

    _is_secret_changed: bool = False
    _begun: dict[str, tuple[Snapshot, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bucket, self.documents_bucket = self.buckets

    def reset(self) -> Self:
        """Reset to the initial state: one project, no events."""
        if self._is_secret_changed:
            self.put_secret(sample_data.TWILIO_SECRET_ID, sample_data.TWILIO_SECRET)
            self.put_webhook_secret(twilio.SECRET["accounts"])
            self.put_identifier_keys(keyring.KEY)
            self._is_secret_changed = False
        return super().reset()

    def prepare(self) -> None:
        self.clock.ms = NOON_MS
        self.set_up(sample_data.project())

    def set_up(self, item: dict[str, Any]) -> None:
        """Store a project as the operator's command does, with its addresses if it is valid; every process reads it."""
        self.write("company", item)
        with suppress(ConfigurationInvalid):
            ownership.claim(Table(self.dynamodb, self.tables["log"]), projects.parse(item))
        caches.clear_companies(self.functions.values())

    def change(self, **attributes: Any) -> None:
        """Change attributes of the default project."""
        now = self.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
        self.set_up({**now, **attributes})

    def new_process(self) -> None:
        super().new_process()
        caches.clear_companies(self.functions.values())
        caches.clear_secrets(self.functions.values())
        self.forget_switches()

    def forget_switches(self) -> None:
        for deps in self._worker_dependencies():
            processes.forget_switches(deps.policy_gate.switches)

    def snapshot(self) -> Snapshot:
        """Take a snapshot of the system to start from repeatedly; it counts nothing as sent."""
        self.sandbox.forget_sent()
        return replace(super().snapshot(), own=replace(self.own_state(), calls=[]))

    def own_state(self) -> Sending:
        return Sending(
            copy.deepcopy(self.sandbox.texts), self.sandbox.sent, list(self.interceptor.calls)
        )

    def restore_own(self, own: Sending) -> None:
        self.sandbox.clock = SandboxClock(self.clock)
        self.sandbox.texts = copy.deepcopy(own.texts)
        for request in own.sent:
            self.sandbox.record(request)

    def restore(self, snapshot: Snapshot, written: Collection[Key] | None = None) -> None:
        super().restore(snapshot, written)
        self.interceptor.calls.extend(snapshot.own.calls)

    # People

    def put_secret(self, name: str, value: dict[str, Any] | None) -> None:
        """Write or delete a secret; processes that have read it keep their cached value."""
        self._is_secret_changed |= name == sample_data.TWILIO_SECRET_ID
        if value is None:
            self.secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
            return
        known = self.secrets.list_secrets(Filters=[{"Key": "name", "Values": [name]}])["SecretList"]
        text = json.dumps(value)
        if known:
            self.secrets.put_secret_value(SecretId=name, SecretString=text)
        else:
            self.secrets.create_secret(Name=name, SecretString=text)

    def put_webhook_secret(self, accounts: dict[str, Any]) -> None:
        """Change the accounts whose webhooks are accepted; every process reads it."""
        secret = self.functions["ConversationsTwilio"].secret
        self.secrets.put_secret_value(
            SecretId=secret._secret_id, SecretString=json.dumps({"accounts": accounts})
        )
        self._is_secret_changed = True
        secret._value = None

    def put_identifier_keys(self, *keys: str) -> None:
        """Change the identifier keys, the writing key first; every process reads them."""
        name = self.functions["ConversationsRouter"].identifier_keys._secret_id
        self.put_secret(name, {"identifier_key": list(keys)})
        self._is_secret_changed = True
        caches.clear_secrets(self.functions.values())

    def read_identifier_keys(self) -> None:
        """Every process reads the identifier keys."""
        for module in self.functions.values():
            if module.identifier_keys is not None:
                module.identifier_keys.value()

    def begin(self, channel: str = "sms", **changes: Any) -> str:
        """
        Start a conversation and send its first message; return its `ref`.

        In the initial state the same request results in the same system, which is built once and cached.
        """
        payload = sample_data.request(channel, **changes)
        name = json.dumps(payload, sort_keys=True, default=repr)
        is_repeatable = self._is_in_initial_state()
        if is_repeatable and name in self._begun:
            snapshot, ref = self._begun[name]
            self.restore(snapshot)
            return ref
        ref = str(self.request(payload)["conversation_ref"])
        self.drain()
        if is_repeatable and not self.objects() and self.sandbox.openai == OpenAi():
            self._begun[name] = super().snapshot(), ref
        return ref

    def _is_in_initial_state(self) -> bool:
        """Whether the system is unchanged since `reset`, and no failure is injected."""
        first, now = self._initial.get(""), super().snapshot()
        return (
            first is not None
            and (now.ms, now.stored) == (first.ms, first.stored)
            and not (now.own.sent or now.own.calls)
            and all(queue.is_unused for queue in now.queues.queues.values())
            and self.sandbox.openai == OpenAi()
            and vars(self.sandbox.texts) == vars(TextMessages())
            and self.switches == self.parts.switches
            and not self._is_secret_changed
            and not self.sandbox.faults.pending()
            and self.interceptor.has_no_fault
        )

    # Workers

    def run_intake(self) -> None:
        """Run only the intake, which stores customers' messages."""
        self._run_worker_of(INBOUND)

    def run_downloads(self) -> None:
        """Run only one attempt of each download that is due."""
        self._run_worker_of(MEDIA)

    def run_replies(self) -> None:
        """Run only the replies to customers."""
        self._run_worker_of(REPLIES)

    def shadows_in_flight(self) -> list[Queued]:
        """Take the records of the SMS channel, as a worker has them that is still at work."""
        return self.fifo_queues.queues[self._queue_named(SMS)].receive()

    def _run_worker_of(self, ending: str) -> None:
        name = self._queue_named(ending)
        while batch := self.fifo_queues.queues[name].receive(1):
            self.run_worker(name, batch[0])

    def advance(self, ms: int) -> None:
        """Advance the clock by this time and run the workers meanwhile."""
        end = self.clock.ms + ms
        while True:
            batch = [taken for taken in self.fifo_queues.receive() if taken[0] in self.workers]
            for queue, message in batch:
                self.run_worker(queue, message)
            next_at = self.fifo_queues.next_visible_at()
            if batch:
                continue
            if next_at is None or next_at > end:
                self.clock.ms = end
                return
            self.clock.ms = next_at

    def settle(self) -> None:
        """Run workers and schedules until no work is due."""
        for _ in range(12):
            self.drain()
            times = self.due_at()
            if not times:
                return
            self.clock.ms = max(self.clock.ms, _ms(min(times)) + 1_000)
            self.sweep()
        raise AssertionError("something is due for ever")

    def sent(self) -> list[dict[str, Any]]:
        """The sent messages, oldest first: the provider's fields of each."""
        return [
            dict(entry.body)
            for entry in self.sandbox.sent
            if isinstance(entry.body, dict) and entry.operation in SENDING
        ]

    def _worker_dependencies(self) -> list[Any]:
        return [
            module.deps
            for module in self.workers.values()
            if hasattr(module, "deps") and hasattr(module.deps, "policy_gate")
        ]


SENDING = frozenset(
    {"create_message", "send_message", "SendEmail", "SendTextMessage", "SendWhatsAppMessage"}
)


def _ms(text: str) -> int:
    from shared.runtime import clock  # noqa: PLC0415 - the name is a field here

    return clock.from_text(text)
