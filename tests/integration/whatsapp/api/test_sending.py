"""POST /whatsapp/conversations/{key}/messages: an agent's message, from the call to the provider and the inbox."""

from __future__ import annotations

import importlib
import json
from base64 import b64decode
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
import pytest

from local.sandbox import Config, running
from shared.api.auth import Caller
from shared.consent.records import Consents, Source, Statement
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from tests import keyring
from tests.integration.whatsapp.api.conftest import MESSAGES, Answer, Api
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from tests.template import create_queue, create_table, environment, properties
from whatsapp import store
from whatsapp.jobs import unfinished_sends
from whatsapp.store.items.phones import CONVERSATIONS
from whatsapp.store.items.templates import TemplateMeta

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from local.sandbox import Sandbox

AGENT = Caller(company="acme", scopes=frozenset({"whatsapp:send"}), principal="api-key:agent")
ADA = "447700900101"
HOUR_SECONDS = 3_600
AWS_PHONE = "phone-number-id-0123456789abcdef0123456789abcdef"
JPEG = b"\xff\xd8\xff\xe0 a photo"
CANNED = "/whatsapp/canned-replies"
GLOBEX = Caller(company="globex", scopes=frozenset({"whatsapp:send"}), principal="api-key:2")
READY_TEXT = "Hello {{name}}, your {{thing}} is ready. Bye {{name}}!"
BODY = {"text": "Your bike is ready."}
TEMPLATE = {
    "template": {
        "name": "bike_ready",
        "language": "en_GB",
        "body": ["Ada"],
        "buttons": {"1": "77"},
    }
}
READY = [
    {"type": "HEADER", "format": "TEXT", "text": "Acme"},
    {"type": "BODY", "text": "Hello {{1}}, your bike is ready."},
    {
        "type": "BUTTONS",
        "buttons": [
            {"type": "QUICK_REPLY", "text": "Thanks"},
            {"type": "URL", "text": "Track", "url": "https://acme.example/{{1}}"},
        ],
    },
]


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
        method, route = line.split(" ")
        event = {
            "resource": route,
            "path": route.format(**path),
            "httpMethod": method,
            "headers": {"Idempotency-Key": idempotency_key} if idempotency_key else {},
            "multiValueHeaders": {},
            "pathParameters": path or None,
            "queryStringParameters": None,
            "multiValueQueryStringParameters": None,
            "requestContext": {"requestId": request, "authorizer": caller.as_context()},
            "body": None if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
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
        unfinished_sends.queue_due(resources.table, resources.queue, clock.now_ms())
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
        "CONVERSATION_LOG_TABLE_NAME": create_table(dynamodb, "ConversationLogTable"),
        "CONVERSATIONS_INBOUND_QUEUE_URL": create_queue(sqs, "ConversationsInboundQueue"),
        "MEDIA_BUCKET_NAME": harness.resources.bucket.name,
        "AWS_ENDPOINT_URL_SOCIALMESSAGING": sandbox.url,
        "WHATSAPP_TOKENS_SECRET_ID": "tokens",
        "IDENTIFIER_KEYS_SECRET_ID": "identifier-keys",
        "API_SEAL_SECRET_ID": properties("ApiSealSecret")["Name"],
    }
    boto3.client("secretsmanager").create_secret(
        Name="identifier-keys", SecretString=json.dumps(keyring.SECRET)
    )
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


def test_a_reply_is_sent_recorded_and_shown_with_who_sent_it(agent_harness: AgentHarness) -> None:
    answer = agent_harness.send()

    assert answer.status == 200
    [sent] = agent_harness.sent
    [shown] = agent_harness.messages()
    result = answer.body["result"]
    assert sent == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": f"+{ADA}",
        "type": "text",
        "text": {"body": "Your bike is ready."},
        "biz_opaque_callback_data": result["actionId"],
    }
    assert (result["state"], result["messageId"]) == ("sent", shown["id"])
    assert shown["text"] == "Your bike is ready."
    assert (shown["deliveryStatus"], shown["sentBy"]) == ("sent", "api-key:agent")
    action = agent_harness.action(answer)
    assert (action["state"], action["sentBy"]) == ("sent", "api-key:agent")
    assert "ready" not in str(action)
    assert ADA not in str(action)
    [conversation] = agent_harness.api.conversations()
    assert conversation["lastPreview"] == "Your bike is ready."
    assert conversation["unreadCount"] == 0
    assert not [key for key in agent_harness.harness.keys() if key.startswith("INTENT#")]


def test_a_call_with_the_same_key_sends_once_and_gets_the_same_answer(
    agent_harness: AgentHarness,
) -> None:
    first, again = agent_harness.send(), agent_harness.send(request="request-10")

    assert again.body["result"] == first.body["result"]
    assert len(agent_harness.sent) == 1


def test_the_same_key_answers_from_the_ledger_after_the_stored_answer_has_expired(
    agent_harness: AgentHarness,
) -> None:
    first = agent_harness.send()
    for key in agent_harness.harness.keys():
        if key.startswith("IDEMPOTENCY#"):
            agent_harness.harness.resources.table.delete({"pk": key})

    again = agent_harness.send(request="request-10")
    other = agent_harness.send({"text": "Another text."}, request="request-11")

    assert again.body["result"] == first.body["result"]
    assert (other.status, other.error) == (409, "idempotency_key_conflict")
    assert len(agent_harness.sent) == 1


def test_another_message_with_the_same_key_is_refused(agent_harness: AgentHarness) -> None:
    agent_harness.send()

    other = agent_harness.send({"text": "Another text."})

    assert (other.status, other.error) == (409, "idempotency_key_conflict")
    assert len(agent_harness.sent) == 1


def test_a_message_that_arrives_while_an_agent_answers_stays_unread(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = Graph.post_message

    def posted(graph: Graph, *arguments: Any) -> str | None:
        agent_harness.harness.take({"messages": [text("wamid.2", at=NOW // 1000 - 1)]})
        return post(graph, *arguments)

    monkeypatch.setattr(Graph, "post_message", posted)
    agent_harness.send()

    [conversation] = agent_harness.api.conversations()
    assert (conversation["unreadCount"], conversation["lastPreview"]) == (1, BODY["text"])


def test_a_lost_answer_is_in_doubt_and_sent_once_then_unknown(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.sandbox.faults.add(kind="lost_answer")

    answers = [agent_harness.send(), agent_harness.send(request="request-10")]

    assert [answer.status for answer in answers] == [202, 202]
    assert [answer.body["result"]["state"] for answer in answers] == ["in_doubt"] * 2
    assert len(agent_harness.sent) == 1
    assert agent_harness.messages() == []
    agent_harness.finish_unfinished(monkeypatch, minutes=3)
    [shown] = agent_harness.messages()
    assert shown["id"] == answers[0].body["result"]["actionId"]
    assert (shown["sendState"], shown["text"]) == ("unknown", "Your bike is ready.")
    later = agent_harness.send(request="request-11")
    assert (later.status, later.body["result"]["state"]) == (200, "unknown")
    assert len(agent_harness.sent) == 1


def test_a_status_settles_a_message_in_doubt_before_and_after_it_is_given_up(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.sandbox.faults.add(kind="lost_answer", times=2)
    first, second = agent_harness.send(), agent_harness.send(idempotency_key="key-00000002")
    agent_harness.report(first, "wamid.early", "delivered")
    agent_harness.finish_unfinished(monkeypatch, minutes=3)
    agent_harness.report(second, "wamid.late", "delivered")

    shown = {message["id"]: message for message in agent_harness.messages()}
    unknown = shown[second.body["result"]["actionId"]]
    assert shown["wamid.early"]["deliveryStatus"] == unknown["deliveryStatus"] == "delivered"
    assert "sendState" not in unknown
    assert len(shown) == 2
    again = agent_harness.send(request="request-10")
    assert again.body["result"]["state"] == "sent"
    assert again.body["result"]["messageId"] == "wamid.early"
    assert agent_harness.action(second)["state"] == "confirmed"


def test_a_definite_refusal_is_an_error_and_the_message_is_shown_as_failed(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.sandbox.faults.add(kind="status", status=400)

    answers = [agent_harness.send(), agent_harness.send(request="request-10")]

    assert [(answer.status, answer.error) for answer in answers] == [(422, "provider_rejected")] * 2
    assert "graph_100" in answers[0].body["error"]["message"]
    [shown] = agent_harness.messages()
    assert (shown["deliveryStatus"], shown["statusError"]) == ("failed", {"code": "graph_100"})
    assert shown["text"] == "Your bike is ready."
    assert agent_harness.sent == []


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"kind": "status", "status": 429}, 429, "rate_limited"),
    ],
)
def test_a_message_that_was_certainly_not_sent_can_be_sent_with_the_same_key(
    agent_harness: AgentHarness, fault: dict[str, Any], status: int, code: str
) -> None:
    agent_harness.sandbox.faults.add(**fault)

    refused, sent = agent_harness.send(), agent_harness.send(request="request-10")

    assert (refused.status, refused.error) == (status, code)
    assert refused.body["error"]["retryable"]
    assert (sent.status, sent.body["result"]["state"]) == (200, "sent")
    assert len(agent_harness.sent) == 1
    assert len(agent_harness.messages()) == 1


def test_a_refusal_of_the_policy_is_recorded_and_the_same_key_may_try_again(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.switch("true")

    refused = agent_harness.send()
    agent_harness.switch("false")

    assert (refused.status, refused.error) == (422, "policy_refused")
    assert refused.body["error"]["message"].startswith("safe_mode: ")
    [action] = [
        agent_harness.harness.item(key) for key in agent_harness.harness.keys() if "ACTION#" in key
    ]
    assert (action["reason"], action["sentBy"]) == ("safe_mode", "api-key:agent")
    assert agent_harness.sent == []
    assert agent_harness.send({"text": "A shorter text."}, request="request-10").status == 200
    assert len(agent_harness.sent) == 1


def test_a_switch_that_is_missing_stops_sending(agent_harness: AgentHarness) -> None:
    boto3.client("ssm").delete_parameter(Name="/parley/local/whatsapp/safe_mode")
    agent_harness.module._parameters.cache_clear()

    assert reason(agent_harness.send()) == "safe_mode"


def test_free_text_needs_the_window_or_a_free_entry(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 24 * HOUR_SECONDS * 1_000)
    late = agent_harness.send()
    until = clock.to_text(NOW + 48 * HOUR_SECONDS * 1_000)
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]
    agent_harness.harness.resources.table.update({"pk": head}, put={"freeEntryUntil": until})

    assert reason(late) == "window_closed"
    assert agent_harness.send(request="request-10").status == 200


def test_a_customer_who_opted_out_gets_nothing(agent_harness: AgentHarness) -> None:
    statement = Statement(source=Source.WORD, at_ms=NOW, evidence="wamid.stop", channel="sms")
    Consents(agent_harness.module.gate.consents.table).record_opt_out(
        "acme", [f"+{ADA}"], statement
    )

    assert reason(agent_harness.send()) == "opted_out"
    assert agent_harness.sent == []


def test_a_blocked_number_sends_nothing_until_the_block_ends(agent_harness: AgentHarness) -> None:
    blocked = {"sending_blocked": True, "sending_blocked_until": clock.to_text(NOW + 1)}
    agent_harness.register(**blocked)
    assert reason(agent_harness.send()) == "sending_blocked"

    agent_harness.register(sending_blocked=True, sending_blocked_until=clock.to_text(NOW))
    assert agent_harness.send(request="request-10").status == 200


def test_a_customer_gets_five_messages_at_once_and_then_one_in_six_seconds(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [agent_harness.send(idempotency_key=f"key-0000000{n}") for n in range(6)]

    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert answers[-1].error == "rate_limited"
    assert answers[-1].headers["Retry-After"] == "6"
    assert len(agent_harness.sent) == 5
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 6_000)
    assert agent_harness.send(idempotency_key="key-00000005", request="request-10").status == 200


def test_the_answer_of_an_agent_stops_the_automation_of_the_number(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.register(automation=CONVERSATIONS)

    answer = agent_harness.send()

    queue = agent_harness.module.resources.conversation_inbound
    received = boto3.client("sqs").receive_message(QueueUrl=queue.url, MaxNumberOfMessages=10)
    [message] = received["Messages"]
    event = json.loads(message["Body"])
    assert event["type"] == "human_reply"
    assert event["provider_message_id"] == answer.body["result"]["messageId"]
    assert (event["customer_address"], event["text"]) == (f"+{ADA}", "Your bike is ready.")


def test_a_reply_names_the_message_that_it_answers(agent_harness: AgentHarness) -> None:
    agent_harness.send(BODY | {"replyTo": "wamid.1"})

    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert sent["context"] == {"message_id": "wamid.1"}
    assert shown["replyTo"] == "wamid.1"


def test_an_approved_template_is_sent_after_the_window_with_its_variables(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.add_template(components=READY)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 30 * HOUR_SECONDS * 1_000)

    answer = agent_harness.send(TEMPLATE)

    assert answer.status == 200
    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert sent["template"] == {
        "name": "bike_ready",
        "language": {"code": "en_GB"},
        "components": [
            {"type": "body", "parameters": [{"type": "text", "text": "Ada"}]},
            {
                "type": "button",
                "sub_type": "url",
                "index": "1",
                "parameters": [{"type": "text", "text": "77"}],
            },
        ],
    }
    assert (shown["type"], shown["preview"]) == ("template", "[template] bike_ready")
    stored = agent_harness.harness.item(f"MSG#{shown['id']}")
    assert stored["template"] == "bike_ready"


@pytest.mark.parametrize(
    ("stored", "body", "problem"),
    [
        (None, {}, "unknown in this language"),
        ({"language": "de"}, {}, "unknown in this language"),
        ({"company": "globex"}, {}, "unknown in this language"),
        ({"status": "PAUSED"}, {}, "its status is PAUSED"),
        ({}, {"body": []}, "template.body: needs 1 values"),
        ({}, {"body": {"name": "Ada"}}, "template.body: needs 1 values"),
        ({}, {"header": "New"}, "template.header: needs 0 values"),
        ({}, {"buttons": {}}, "template.buttons: needs values for the buttons [1]"),
    ],
)
def test_a_template_that_cannot_be_sent_is_refused_with_what_it_needs(
    agent_harness: AgentHarness, stored: dict[str, Any] | None, body: dict[str, Any], problem: str
) -> None:
    if stored is not None:
        agent_harness.add_template(components=READY, **stored)

    answer = agent_harness.send({"template": TEMPLATE["template"] | body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert problem in answer.body["error"]["message"]
    assert agent_harness.sent == []


def test_marketing_needs_consent_and_a_number_that_is_not_rated_red(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.add_template(components=READY, category="MARKETING")
    table = agent_harness.harness.resources.table
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]

    assert reason(agent_harness.send(TEMPLATE)) == "no_consent"
    table.update({"pk": head}, put={"marketingOptOut": True})
    assert reason(agent_harness.send(TEMPLATE, request="request-10")) == "opted_out"
    table.update({"pk": head}, put={"marketingOptOut": False})
    rating = {"pk": f"QUALITY#{PHONE}", "itemType": "QUALITY_RATING", "phone": PHONE}
    table.put(rating | {"wabaMetaId": "102290129340398", "qualityRating": "RED"})
    assert reason(agent_harness.send(TEMPLATE, request="request-11")) == "quality_low"
    table.put(rating | {"wabaMetaId": "102290129340398", "qualityRating": "YELLOW"})
    assert agent_harness.send(TEMPLATE, request="request-12").status == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"text": "x", "template": {"name": "a", "language": "en"}}, "body"),
        ({"text": ""}, "text"),
        ({"text": "x" * 4_097}, "text"),
        ({"text": "x", "replyTo": ""}, "replyTo"),
        ({"text": "x", "reply_to": "wamid.1"}, "reply_to"),
        ({"template": {"name": "A", "language": "en"}}, "template"),
    ],
)
def test_bad_input_is_refused_with_the_field(
    agent_harness: AgentHarness, body: dict[str, Any], field: str
) -> None:
    answer = agent_harness.send(body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == [field]


def test_a_call_without_a_key_or_the_scope_sends_nothing(agent_harness: AgentHarness) -> None:
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")

    without_key, without_scope = (
        agent_harness.send(idempotency_key=None),
        agent_harness.send(caller=reader),
    )

    assert (without_key.status, without_key.fields) == (400, ["Idempotency-Key"])
    assert (without_scope.status, without_scope.error) == (403, "forbidden")
    assert agent_harness.sent == []


def test_a_number_without_a_token_attempts_nothing(agent_harness: AgentHarness) -> None:
    agent_harness.register(token_ref="acme/none")

    answer = agent_harness.send()

    assert (answer.status, answer.error) == (409, "not_configured")
    assert not [key for key in agent_harness.harness.keys() if key.startswith("ACTION#")]


def test_the_document_describes_the_route(agent_harness: AgentHarness) -> None:
    answer = Api(agent_harness.module).get("/whatsapp/sending/openapi.json", caller=AGENT)

    operation = answer.body["paths"][MESSAGES]["post"]
    assert set(operation["responses"]) == {"200", "202", "default"}


def test_a_canned_reply_is_saved_listed_replaced_and_removed(agent_harness: AgentHarness) -> None:
    saved = agent_harness.save("ready", READY_TEXT)
    agent_harness.save("bye", "Good bye.")

    assert saved.body["result"] == {
        "name": "ready",
        "text": READY_TEXT,
        "variables": ["name", "thing"],
        "updatedAt": clock.to_text(NOW),
        "updatedBy": "api-key:agent",
    }
    assert [reply["name"] for reply in agent_harness.canned()] == ["bye", "ready"]
    assert agent_harness.canned(GLOBEX) == []
    agent_harness.save("ready", "Ready.")
    agent_harness.call(f"DELETE {CANNED}/{{name}}", name="bye")
    assert [(reply["name"], reply["text"]) for reply in agent_harness.canned()] == [
        ("ready", "Ready.")
    ]


def test_a_canned_reply_is_sent_with_its_values(agent_harness: AgentHarness) -> None:
    agent_harness.save("ready", READY_TEXT)
    values = {"name": "{{thing}}", "thing": "bike"}

    answer = agent_harness.send({"cannedReply": {"name": "ready", "variables": values}})

    assert answer.status == 200
    [sent] = agent_harness.sent
    assert sent["text"]["body"] == "Hello {{thing}}, your bike is ready. Bye {{thing}}!"


def test_a_retry_after_the_canned_reply_has_changed_sends_nothing_more(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.save("ready", "Ready.")
    body = {"cannedReply": {"name": "ready"}}
    first = agent_harness.send(body)
    agent_harness.save("ready", "Really ready.")

    again = agent_harness.send(body, request="request-10")

    assert again.body["result"] == first.body["result"]
    assert len(agent_harness.sent) == 1


@pytest.mark.parametrize(
    ("chosen", "field", "problem"),
    [
        ({"name": "none"}, "cannedReply.name", "no such canned reply"),
        ({"name": "ready"}, "cannedReply.variables", "missing: name, thing"),
        ({"name": "ready", "variables": {"name": "A"}}, "cannedReply.variables", "missing: thing"),
        (
            {"name": "ready", "variables": {"name": "A", "thing": "b", "x": "c"}},
            "cannedReply.variables",
            "has only: name, thing",
        ),
    ],
)
def test_a_canned_reply_with_missing_or_unknown_variables_is_refused_with_their_names(
    agent_harness: AgentHarness, chosen: dict[str, Any], field: str, problem: str
) -> None:
    agent_harness.save("ready", READY_TEXT)

    answer = agent_harness.send({"cannedReply": chosen})

    assert (answer.status, answer.fields) == (400, [field])
    assert problem in answer.body["error"]["details"][0]["problem"]
    assert agent_harness.sent == []


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("Ready", "x", "name"),
        ("ready", "Hello {{Name}}", "text"),
        ("ready", "Hello {{name", "text"),
        ("ready", "".join(f"{{{{v{n}}}}}" for n in range(21)), "text"),
        ("ready", "", "text"),
        ("ready", "x" * 4_097, "text"),
    ],
)
def test_a_bad_canned_reply_is_refused_with_the_field(
    agent_harness: AgentHarness, name: str, text: str, field: str
) -> None:
    answer = agent_harness.save(name, text)

    assert (answer.status, answer.fields) == (400, [field])
    assert agent_harness.canned() == []


def test_a_company_has_a_bounded_number_of_canned_replies(agent_harness: AgentHarness) -> None:
    names = {f"reply-{n}" for n in range(200)}
    item = {"pk": "CANNED_REPLIES#acme", "itemType": "CANNED_REPLIES", "names": names}
    agent_harness.harness.resources.table.put(item)

    refused, replaced = agent_harness.save("new", "x"), agent_harness.save("reply-1", "x")

    assert (refused.status, refused.error) == (409, "list_full")
    assert replaced.status == 200


def test_an_uploaded_file_is_sent_by_link_and_kept_with_its_message(
    agent_harness: AgentHarness,
) -> None:
    upload = agent_harness.upload("image", "image/jpeg", JPEG)

    answer = agent_harness.send(
        {"media": {"type": "image", "upload": upload, "caption": "Your bike"}}
    )

    assert answer.status == 200
    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    link = urlsplit(sent["image"]["link"])
    assert sent["image"].keys() == {"link", "caption"}
    action_id = answer.body["result"]["actionId"]
    key = f"media/acme/{PHONE}/{action_id}/file.jpg"
    assert link.path.endswith(f"/{key}")
    assert agent_harness.module.resources.bucket.get(key) == JPEG
    assert (shown["type"], shown["preview"], shown["caption"]) == ("image", *["Your bike"] * 2)
    assert (shown["media"]["status"], shown["media"]["mimeType"]) == ("STORED", "image/jpeg")


def test_a_number_at_aws_sends_an_uploaded_file_by_its_media_id(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.register(provider="eum", aws_phone=AWS_PHONE, aws_waba="waba-1")
    upload = agent_harness.upload("document", "application/pdf", b"%PDF-1.7")

    answer = agent_harness.send(
        {"media": {"type": "document", "upload": upload, "filename": "bill.pdf"}}
    )

    assert answer.status == 200
    uploaded, sent = agent_harness.sent
    action_id = answer.body["result"]["actionId"]
    assert uploaded["sourceS3File"]["key"] == f"media/acme/{PHONE}/{action_id}/file.pdf"
    document = sent["message"]["document"]
    assert document["filename"] == "bill.pdf"
    [shown] = agent_harness.messages()
    assert shown["preview"] == "[document] bill.pdf"
    assert document["id"] in agent_harness.sandbox.sendable_media
    # An erasure of the contact finds the file by this record.
    assert agent_harness.harness.item(f"MSG#{shown['id']}")["mediaId"] == action_id
    assert (
        agent_harness.harness.item(f"MEDIA#{action_id}")["s3Key"] == uploaded["sourceS3File"]["key"]
    )


def test_a_linked_file_is_sent_by_graph_and_not_supported_at_aws(
    agent_harness: AgentHarness,
) -> None:
    body = {"media": {"type": "image", "link": "https://acme.example/bike.jpg"}}

    sent = agent_harness.send(body)
    agent_harness.register(provider="eum", aws_phone=AWS_PHONE, aws_waba="waba-1")
    refused = agent_harness.send(body, idempotency_key="key-00000002")

    assert sent.status == 200
    assert [message["image"] for message in agent_harness.sent] == [
        {"link": "https://acme.example/bike.jpg"}
    ]
    [shown] = agent_harness.messages()
    assert shown["content"] == {"link": "https://acme.example/bike.jpg"}
    assert (refused.status, refused.error) == (501, "not_supported")
    assert "media.link" in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("announced", "content", "problem"),
    [
        (("image", "image/jpeg"), b"MZ\x90\x00 an executable", "content differs"),
        (("image", "image/jpeg"), b"\x89PNG\r\n\x1a\n and so on", "content differs"),
        (("sticker", "image/webp"), b"RIFF\x00\x00\x00\x00WEBP" + bytes(500_000), "at most 500000"),
        (("image", "image/jpeg"), None, "no file has been uploaded"),
    ],
)
def test_a_file_of_another_size_or_type_is_refused(
    agent_harness: AgentHarness, announced: tuple[str, str], content: bytes | None, problem: str
) -> None:
    upload = agent_harness.upload(*announced, content)

    answer = agent_harness.send({"media": {"type": announced[0], "upload": upload}})

    assert (answer.status, answer.fields) == (400, ["media.upload"])
    assert problem in answer.body["error"]["details"][0]["problem"]
    assert agent_harness.sent == []
    assert not [key for key in agent_harness.harness.keys() if key.startswith("ACTION#")]


def test_an_upload_of_another_company_does_not_exist(agent_harness: AgentHarness) -> None:
    upload = agent_harness.upload("image", "image/jpeg", JPEG, caller=GLOBEX)

    answer = agent_harness.send({"media": {"type": "image", "upload": upload}})

    assert (answer.status, answer.fields) == (400, ["media.upload"])


def test_a_form_uploads_one_file_of_its_type_and_size(agent_harness: AgentHarness) -> None:
    answer = agent_harness.call(
        "POST /whatsapp/uploads", {"type": "image", "mimeType": "image/png"}, "key-up-00001"
    )
    refused = agent_harness.call(
        "POST /whatsapp/uploads", {"type": "image", "mimeType": "image/gif"}, "key-up-00002"
    )

    result = answer.body["result"]
    policy = json.loads(b64decode(result["fields"]["policy"]))["conditions"]
    assert {"Content-Type": "image/png"} in policy
    assert ["content-length-range", 1, 5 << 20] in policy
    assert {"key": f"uploads/acme/{result['upload']}"} in policy
    assert result["largestBytes"] == 5 << 20
    assert (refused.status, refused.fields) == (400, ["mimeType"])


@pytest.mark.parametrize(
    "media",
    [
        {"type": "image"},
        {"type": "image", "link": "https://a.example/b", "upload": "a" * 26},
        {"type": "image", "link": "http://a.example/b"},
        {"type": "audio", "link": "https://a.example/b", "caption": "x"},
        {"type": "image", "link": "https://a.example/b", "filename": "x"},
        {"type": "image", "upload": "../other"},
    ],
)
def test_a_bad_file_is_refused(agent_harness: AgentHarness, media: dict[str, Any]) -> None:
    answer = agent_harness.send({"media": media})

    assert (answer.status, answer.fields) == (400, ["media"])


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"senderPhone": "447700900199"}, {"to": "+447700900199"}),
        ({"senderPhone": None, "senderUserId": "GB.123"}, {"recipient": "GB.123"}),
    ],
)
def test_a_reply_goes_to_the_ids_that_the_customer_last_wrote_from(
    agent_harness: AgentHarness, known: dict[str, Any], expected: dict[str, str]
) -> None:
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]
    dropped = [name for name, value in known.items() if value is None]
    agent_harness.harness.resources.table.update({"pk": head}, put=known, drop=dropped)

    agent_harness.send()

    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert {name: sent[name] for name in ("to", "recipient") if name in sent} == expected
    assert shown["to"] == ADA
