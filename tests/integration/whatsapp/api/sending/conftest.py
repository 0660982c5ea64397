"""An agent with one open conversation, whose messages go through the sending function to the provider sandbox."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox import Config, running
from shared.api.auth import Caller
from shared.runtime import clock
from tests.aws import api_gateway
from tests.integration.whatsapp.api.conftest import MESSAGES, Answer, Api
from tests.integration.whatsapp.conftest import NOW, Harness, a_phone, text
from tests.template import create_queue, create_table, environment, properties
from whatsapp import store
from whatsapp.jobs import unfinished_sends
from whatsapp.store.items.accounts.templates import TemplateMeta

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from local.sandbox import Sandbox

AGENT = Caller(company="acme", scopes=frozenset({"whatsapp:send"}), principal="api-key:agent")
ADA = "447700900101"
HOUR_SECONDS = 3_600
CANNED = "/whatsapp/canned-replies"
GLOBEX = Caller(company="globex", scopes=frozenset({"whatsapp:send"}), principal="api-key:2")
BODY = {"text": "Your bike is ready."}


@dataclass
class AgentHarness:
    """An agent with one open conversation."""

    module: ModuleType
    api: Api
    sandbox: Sandbox
    harness: Harness
    key: str = ""

    def send(
        self,
        body: dict[str, Any] = BODY,
        *,
        idempotency_key: str | None = "key-00000001",
        caller: Caller = AGENT,
        request: str = "request-9",
    ) -> Answer:
        """Send a message in the open conversation."""
        return self.call(
            f"POST {MESSAGES}", body, idempotency_key, caller=caller, request=request, key=self.key
        )

    def call(
        self,
        line: str,
        body: dict[str, Any] | None = None,
        idempotency_key: str | None = "key-00000001",
        *,
        caller: Caller = AGENT,
        request: str = "request-9",
        **path: str,
    ) -> Answer:
        event = api_gateway.request(
            line,
            body,
            caller,
            path=path,
            headers={"Idempotency-Key": idempotency_key} if idempotency_key else {},
            request_id=request,
        )
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
        answer = self.module.handler(event, context)
        headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
        return Answer(answer["statusCode"], headers, json.loads(answer["body"]))

    def upload(self, kind: str, mime_type: str, content: bytes | None, **more: Any) -> str:
        """Get a form, and upload as S3 would take it; returns the id of the upload."""
        body = {"type": kind, "mimeType": mime_type}
        answer = self.call("POST /whatsapp/uploads", body, f"key-{kind}-{mime_type}", **more)
        fields = answer.body["result"]["fields"]
        if content is not None:
            self.module.resources.bucket.put(fields["key"], content, fields["Content-Type"])
        return str(answer.body["result"]["upload"])

    def save(self, name: str, text: str, **more: Any) -> Answer:
        """Save a canned reply, under a new key."""
        key = f"save-{name}-{len(text)}-{more}"[:200].replace(" ", "")
        return self.call(f"PUT {CANNED}/{{name}}", {"text": text}, key, name=name, **more)

    def canned(self, caller: Caller = AGENT) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call(f"GET {CANNED}", caller=caller).body["result"][
            "cannedReplies"
        ]
        return found

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The messages that the provider received."""
        return [sent.body for sent in self.sandbox.sent if isinstance(sent.body, dict)]

    def messages(self) -> list[dict[str, Any]]:
        return [m for m in self.api.messages(self.key) if m["direction"] == "OUTBOUND"]

    def action(self, answer: Answer) -> dict[str, Any]:
        return self.harness.item(f"ACTION#{answer.body['result']['actionId']}")

    def register(self, **facts: Any) -> None:
        """Change the number's settings or state."""
        store.phones.register_unlisted(self.harness.resources.table, a_phone(**facts))
        store.phones.forget()

    def add_template(self, **facts: Any) -> None:
        named = {"language": "en_GB", "company": "acme", "status": "APPROVED"} | facts
        key = TemplateMeta.of_language("102290129340398", "bike_ready", named["language"])
        item = TemplateMeta(
            pk=key, waba_meta_id="102290129340398", template_name="bike_ready", **named
        )
        store.account_reports.add_template(self.harness.resources.table, item)

    def report(self, answer: Answer, message_id: str, status: str) -> None:
        """Deliver a status webhook of a sent message."""
        facts = {"id": message_id, "status": status, "timestamp": str(clock.now_ms() // 1_000)}
        callback = {"biz_opaque_callback_data": answer.body["result"]["actionId"]}
        self.harness.take({"statuses": [facts | callback | {"recipient_id": ADA}]})

    def finish_unfinished(self, monkeypatch: pytest.MonkeyPatch, *, minutes: int) -> None:
        """Run the schedule some minutes later, and the worker for what it queues."""
        monkeypatch.setattr(clock, "now_ms", lambda: NOW + minutes * 60_000)
        outbox = self.harness.outbox
        resources = self.harness.resources
        unfinished_sends.queue_due(resources.table, resources.queue, clock.now_ms(), lambda: 10_000)
        for entry in outbox.entries:
            self.harness.handle(entry.body)
        outbox.entries.clear()

    def switch(self, value: str) -> None:
        name = "/parley/local/whatsapp/safe_mode"
        boto3.client("ssm").put_parameter(Name=name, Value=value, Type="String", Overwrite=True)
        self.module._parameters.cache_clear()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


@pytest.fixture
def agent_harness(harness: Harness, api: Api, sandbox: Sandbox) -> Iterator[AgentHarness]:
    given = {"Stage": "local", "SandboxUrl": sandbox.url}
    dynamodb, sqs = boto3.client("dynamodb"), boto3.client("sqs")
    variables = environment("WhatsAppSending", **given) | {
        "MESSAGES_TABLE_NAME": harness.resources.table.name,
        "AUDIT_LOG_TABLE_NAME": properties("AuditLogTable")["TableName"],
        "CONVERSATION_LOG_TABLE_NAME": create_table(dynamodb, "ConversationLogTable"),
        "CONVERSATIONS_INBOUND_QUEUE_URL": create_queue(sqs, "ConversationsInboundQueue"),
        "MEDIA_BUCKET_NAME": harness.resources.bucket.name,
        "AWS_ENDPOINT_URL_SOCIALMESSAGING": sandbox.url,
        "WHATSAPP_TOKENS_SECRET_ID": "tokens",
        "IDENTIFIER_KEYS_SECRET_ID": "identifier-keys",
        "API_SEAL_SECRET_ID": properties("ApiSealSecret")["Name"],
    }
    sandbox.reset()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        module = importlib.reload(importlib.import_module("whatsapp.handlers.sending"))
        found = AgentHarness(module, api, sandbox, harness)
        found.switch("false")
        harness.take({"messages": [text("wamid.1", at=NOW // 1000 - HOUR_SECONDS)]})
        [conversation] = api.conversations()
        found.key = conversation["key"]
        yield found


def reason(answer: Answer) -> str:
    """The reason of a policy refusal."""
    assert (answer.status, answer.error) == (422, "policy_refused")
    return str(answer.body["error"]["message"]).partition(":")[0]
