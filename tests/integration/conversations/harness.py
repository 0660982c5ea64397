"""The admin API over moto: a company with two projects, a second company, and queues that are lists."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from conversations.configuration import ownership, projects
from conversations.configuration.projects import ConfigurationInvalid
from conversations.lifecycle import transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import mode_of
from conversations.store import conversations, messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.log import Change, Delivery, Message, Mode
from conversations.store.items.parts.state import State
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from shared.api.auth import Caller, Scope
from shared.aws.tables.dynamodb_json import storable
from shared.runtime import clock
from tests import keyring
from tests.aws import api_gateway
from tests.integration.conversations.fakes import Answer, Sqs
from tests.simulation.conversations.invocations import PERSON, sent
from tests.tables.storage import settings_of
from tests.tables.values import given
from tests.template import create_table, properties, resolved

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z
TABLES = (
    *("ConversationsTable", "ConversationLogTable", "CompanyDataTable", "AuditLogTable"),
    "SpendingTable",
)
COMPANY, PROJECT, OTHER_PROJECT = sample_data.COMPANY, sample_data.PROJECT, "pi-aaa-002"
SECOND_COMPANY = "ci-bbb-001"
ANN = sample_data.CANDIDATE
CAROL, DAN = {PERSON: "carol"}, {PERSON: "dan"}
SMS = "ConversationsAgentsQueue"
EVERY_SCOPE = frozenset(str(scope) for scope in Scope)
_QUEUES = {
    "WHATSAPP_CHANNEL_QUEUE_URL": "ConversationsWhatsAppQueue",
    "SMS_CHANNEL_QUEUE_URL": "ConversationsSmsQueue",
    "EMAIL_CHANNEL_QUEUE_URL": "ConversationsEmailQueue",
    "CONVERSATIONS_REPLIES_QUEUE_URL": "ConversationsRepliesQueue",
    "CONVERSATIONS_AGENTS_QUEUE_URL": "ConversationsAgentsQueue",
    "CONVERSATIONS_INBOUND_QUEUE_URL": "ConversationsInboundQueue",
    "CONVERSATIONS_STATUSES_QUEUE_URL": "ConversationsStatusesQueue",
    "CONVERSATIONS_MEDIA_QUEUE_URL": "ConversationsMediaQueue",
    "CONVERSATIONS_DEAD_LETTERS_URL": "ConversationsDeadLetters",
    "CONVERSATIONS_MEDIA_DEAD_LETTERS_URL": "ConversationsMediaDeadLetters",
}


def caller(company: str = COMPANY, *scopes: str, projects: str = "*") -> Caller:
    """An API key of a company; without scopes it has all of them."""
    return Caller(
        company=company,
        scopes=frozenset(scopes) or EVERY_SCOPE,
        principal="api-key:0123456789012345",
        projects=frozenset(projects.split()),
    )


OURS = caller()
THEIRS = caller(SECOND_COMPANY)


@dataclass
class Context:
    """The Lambda context of a call, with the attributes that handlers use."""

    left_ms: int = 10_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


@dataclass
class Harness:
    """The API, its tables, queues and clock, and actions of agents and customers."""

    module: ModuleType
    sqs: Sqs
    now: list[int]
    calls: int = 0
    left_ms: int = 10_000

    @property
    def resources(self) -> Any:
        return self.module.resources

    def call(
        self,
        line: str,
        body: Any = None,
        *,
        names: dict[str, str] | None = None,
        who: Caller | None = OURS,
        key: str | None = "",
        query: dict[str, Any] | None = None,
        ref: str | None = None,
    ) -> Answer:
        """
        A call (`GET /path/{name}`) as API Gateway sends it; each has an idempotency key of its own unless one is given.
        """
        self.calls += 1
        who, body = sent(who, body) if who else (None, body)
        key = f"key-{self.calls:08}" if key == "" else key
        event = api_gateway.request(
            line,
            body,
            who,
            path=(names or {}) | ({"ref": ref} if ref is not None else {}),
            query=query,
            headers={"idempotency-key": key} if key is not None else {},
            request_id=f"request-{self.calls}",
        )
        answer = self.module.handler(event, Context(self.left_ms))
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def on(self, ref: str, what: str, body: Any = None, **more: Any) -> Answer:
        """A POST about a conversation: `take-over`, `messages` ..."""
        return self.call(f"POST /conversations/{{ref}}/{what}", body or {}, ref=ref, **more)

    def look(self, ref: str) -> dict[str, Any]:
        """The conversation as the API returns it."""
        return self.call("GET /conversations/{ref}", ref=ref).result

    def later(self, milliseconds: int = 1_000) -> str:
        """Advance the clock; returns the new time."""
        self.now[0] += milliseconds
        return clock.to_text(self.now[0])

    # Set-up

    def begin(
        self,
        name: str = "req-1",
        status: Status = Status.REPLY_SENT,
        *,
        company: str = COMPANY,
        project: str = PROJECT,
        channel: ChannelMethod = ChannelMethod.SMS,
        customer: str = ANN,
        **facts: Any,
    ) -> str:
        """Create a conversation with this status, a second after the previous one; returns its `ref`."""
        at = self.later()
        conversation_id = identifiers.conversation_id(company, project, name, customer.lstrip("+"))
        ref = identifiers.ref_of(conversation_id)
        of_state = {name: facts.pop(name) for name in list(facts) if name in State.model_fields}
        is_mail = channel is ChannelMethod.EMAIL
        email = facts.pop("recipient_email", customer if is_mail else sample_data.CANDIDATE_EMAIL)
        item = Conversation(
            primary_channel=customer,
            conversation_id=conversation_id,
            recipient_tel=None if is_mail else customer,
            recipient_email=email,
            recipient_first_name=facts.pop("recipient_first_name", "Ann"),
            recipient_last_name=facts.pop("recipient_last_name", "Doe"),
            company_id=company,
            project_id=project,
            channel_method=channel,
            conversation_status=status,
            request_id=name,
            created_at=at,
            updated_at=at,
            comms_consent=True,
            **{"task_complete": 1, "project_data": {"jobRole": "Nurse", "rate": 17.5}, **facts},
        )
        state = State(
            primary_channel=customer,
            conversation_id=conversation_id,
            company_id=company,
            project_id=project,
            channel_method=channel,
            business_address=SMS_NUMBER,
            created_at=at,
            **{"context_hash": "of the request", "mode": mode_of(status), **of_state},
        )
        conversations.create(self.resources.table, storable(item))
        states.create(self.resources.log, ref, state)
        transitions.keep_open(self.resources, ref, item)
        return ref

    def says(self, ref: str, content: str, author: str = "customer", **facts: Any) -> Message:
        """Add a message to the log of a conversation, a second later; a customer's message also updates the marks."""
        at = self.later()
        is_theirs = author == "customer"
        known: dict[str, Any] = {
            "entry_id": identifiers.entry_id(f"{ref}{at}{content}"),
            "message_timestamp": at,
            "role": Role.USER if is_theirs else Role.ASSISTANT,
            "content": content,
            "author": author,
            "delivery_status": None if is_theirs else Delivery.DELIVERED,
        }
        message = messages.add(self.resources.log, ref, Message(**(known | facts)))
        if is_theirs:
            states.take_inbound(self.resources.log, ref, at, window_until=None)
        return message

    def set_up(self, company: str = COMPANY, project: str = PROJECT, **changes: Any) -> None:
        """A project's company data."""
        item = sample_data.project(company_id=company, project_id=project, **changes)
        self.resources.companies.table.put(storable(item))
        self.resources.companies._cache.clear()
        with suppress(
            ConfigurationInvalid
        ):  # The second company has the same company data without its addresses.
            ownership.claim(self.resources.log, projects.parse(item))

    # Results

    def state(self, ref: str) -> State:
        found = states.read(self.resources.log, ref)
        assert found is not None
        return found

    def item(self, ref: str) -> Conversation:
        state = self.state(ref)
        found = conversations.read(
            self.resources.table, state.primary_channel, state.conversation_id
        )
        assert found is not None
        return found

    def standing(self, ref: str) -> tuple[str, Mode, str | None]:
        """Status, mode (model or agent) and owner."""
        state = self.state(ref)
        return self.item(ref).conversation_status, state.mode, state.owner

    def changes(self, ref: str) -> list[Change]:
        """The recorded status changes, oldest first."""
        return messages.changes(self.resources.log, ref, 50)[::-1]

    def message(self, ref: str, message: Message) -> Message:
        found = messages.get(
            self.resources.log, ref, message.sk(message.message_timestamp, message.entry_id)
        )
        assert found is not None
        return found

    def queued(self, queue: str) -> list[dict[str, Any]]:
        """The records on the queue of this logical name."""
        name = properties(queue)["QueueName"]
        return [body for url, body in self.sqs.put if url == name]

    def rows(self) -> dict[str, Any]:
        """All stored rows, for comparison; without the audit log, where refused changes stand too."""
        return {
            name: {
                (str(row), str(range_)): given(item)
                for row, items in _table(name).items.items()
                for range_, item in items.items()
            }
            for name in TABLES
            if name != "AuditLogTable"
        }


def _table(logical_id: str) -> Any:
    name = properties(logical_id)["TableName"]
    return settings_of(name)


@pytest.fixture(scope="module")
def _behind() -> Iterator[ModuleType]:
    """The tables and the bucket, made once for a module because moto is slow."""
    with mock_aws(), pytest.MonkeyPatch.context() as patch, keyring.held(None):
        for table in TABLES:
            create_table(boto3.client("dynamodb"), table)
        bucket, secret = (
            properties("MediaBucket")["BucketName"],
            properties("ApiSealSecret")["Name"],
        )
        boto3.client("s3").create_bucket(Bucket=bucket)
        boto3.client("secretsmanager").create_secret(
            Name=secret, SecretString='{"seal_key": "sealed"}'
        )
        given = {
            "CONVERSATIONS_TABLE_NAME": properties("ConversationsTable")["TableName"],
            "CONVERSATION_LOG_TABLE_NAME": properties("ConversationLogTable")["TableName"],
            "COMPANY_DATA_TABLE_NAME": properties("CompanyDataTable")["TableName"],
            "CONTACTS_TABLE_NAME": properties("ContactsTable")["TableName"],
            "SPENDING_TABLE_NAME": properties("SpendingTable")["TableName"],
            "AUDIT_LOG_TABLE_NAME": properties("AuditLogTable")["TableName"],
            "AUDIT_LOG_RETENTION_DAYS": "400",
            "MEDIA_BUCKET_NAME": bucket,
            "API_SEAL_SECRET_ID": secret,
            "IDENTIFIER_KEYS_SECRET_ID": "identifier-keys",  # each test has its own keyring
            "OPENAI_BASE_URL": "https://api.openai.com",
            "NEWSLETTERS_BUCKET_NAME": properties("NewslettersBucket")["BucketName"],
            **{name: resolved({"Ref": queue}) for name, queue in _QUEUES.items()},
        }
        for name, value in given.items():
            patch.setenv(name, value)
        yield importlib.reload(importlib.import_module("conversations.handlers.admin"))


@pytest.fixture
def harness(_behind: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """The API after a deployment: three projects of two companies are set up, and there are no conversations."""
    sqs, now = Sqs(), [NOW]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    resources = _behind.resources
    statuses = _behind.recovery.parked.destinations.statuses
    agents = resources.agents
    for queue in (
        *resources.channels.values(),
        resources.replies,
        agents,
        _behind.deps.inbound,
        statuses,
    ):
        queue.__dict__["client"] = sqs
    for table in TABLES:
        _table(table).items.clear()
    harness = Harness(_behind, sqs, now)
    harness.set_up()
    harness.set_up(project=OTHER_PROJECT)
    harness.set_up(company=SECOND_COMPANY)
    return harness
