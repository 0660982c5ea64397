"""The function of the actions over moto, driven with events of API Gateway; providers are played by the sandbox."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox import Config, running
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from tests import keyring
from tests.aws import api_gateway
from tests.integration.whatsapp.actions import described
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from tests.suites import prepared
from tests.template import create_queue, create_table, environment, name_of, properties
from whatsapp import store
from whatsapp.actions.dispatch import bootstrap
from whatsapp.store.accounts.numbers import ownership
from whatsapp.store.items import Phone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from local.sandbox import Sandbox
    from local.sandbox.state import Sent

WABA = "102290129340398"
EUM_WABA = "202290129340399"
EUM_PHONE = "206540352242933"
AWS_KEY = "0123456789abcdef0123456789abcdef"
AWS_PHONE = f"phone-number-id-{AWS_KEY}"
AWS_WABA = "waba-0123456789abcdef0123456789abcdef"
ADA = "447700900101"
READS_OF_FILES = frozenset({"get_media", "download_media", "GetWhatsAppMessageMedia"})
SCOPES = frozenset(str(scope) for scope in Scope if scope.startswith("whatsapp:"))
ACME = Caller(company="acme", scopes=SCOPES, principal="api-key:acme")
GLOBEX = Caller(company="globex", scopes=SCOPES, principal="api-key:globex")


@dataclass(frozen=True)
class Answer:
    """The envelope of an answer, and its headers."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def result(self) -> dict[str, Any]:
        """The result of a call that was answered with success."""
        assert "result" in self.body, self.body
        found: dict[str, Any] = self.body["result"]
        return found

    @property
    def error(self) -> str:
        assert "error" in self.body, self.body
        return str(self.body["error"]["code"])

    @property
    def fields(self) -> list[str]:
        """The fields that an error names."""
        return [entry["field"] for entry in self.body["error"].get("details", [])]


def _described(answer: Answer) -> Answer:
    """Return an answer that is as the OpenAPI document describes it."""
    assert described.problems(answer.body) == [], answer.body
    assert answer.body["statusCode"] == answer.status
    return answer


@dataclass
class Actions:
    """The function, its storage and the providers. `acme` has a number on Graph with an open conversation with ADA."""

    module: ModuleType
    sandbox: Sandbox
    harness: Harness
    calls: int = 0
    jobs: list[str] = field(default_factory=list)

    def run(
        self,
        action: str,
        body: dict[str, Any] | None = None,
        *,
        key: str | None = "",
        caller: Caller | None = ACME,
        raw: str | None = None,
        headers: dict[str, str] | None = None,
        method: str = "POST",
        query: dict[str, str] | None = None,
    ) -> Answer:
        """Call an action; each call has a new idempotency key, unless one is given (None: no header)."""
        self.calls += 1
        named = {"Idempotency-Key": key or f"key-{self.calls:06d}"} if key is not None else {}
        event = api_gateway.request(
            f"{method} /whatsapp/actions/{{action}}",
            raw if raw is not None else body or {},
            caller,
            path={"action": action},
            query=query,
            headers={"Content-Type": "application/json", **named, **(headers or {})},
            request_id=f"request-{self.calls}",
        )
        event["requestContext"] |= {"domainName": "api.example.com", "stage": "v1"}
        answer = self.module.handler(event, self._context())
        sent = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
        found = _described(Answer(answer["statusCode"], json.loads(answer["body"]), sent))
        if method == "POST" and raw is None:
            described.compare(action, body or {}, found.body)
        return found

    def invoke(self, event: dict[str, Any]) -> Answer:
        """Invoke the function directly."""
        content = self.module.handler(event, self._context())
        return _described(Answer(content["statusCode"], content, {}))

    @staticmethod
    def _context() -> SimpleNamespace:
        return SimpleNamespace(
            get_remaining_time_in_millis=lambda: 29_000, aws_request_id="direct-request"
        )

    def send(self, action: str, body: dict[str, Any], **more: Any) -> Answer:
        """Call an action that sends to ADA from the number on Graph."""
        return self.run(action, {"phoneNumberId": PHONE, "to": f"+{ADA}"} | body, **more)

    @property
    def wire(self) -> list[Sent]:
        """The requests that a provider executed, oldest first, without those that only read a file."""
        return [one for one in self.requests if one.operation not in READS_OF_FILES]

    @property
    def requests(self) -> list[Sent]:
        """All requests that a provider executed, oldest first."""
        return self.sandbox.sent

    def item(self, key: str) -> dict[str, Any]:
        """One stored item; empty if there is none."""
        return self.harness.item(key)

    def register(self, **facts: Any) -> None:
        """Write acme's number with other settings or state."""
        store.phones.register_unlisted(self.harness.resources.table, a_phone(**facts))
        store.phones.forget()

    def register_eum(self, **facts: Any) -> None:
        """Register a second number of acme, on AWS, in an account of its own."""
        phone = eum_phone(**facts)
        self.grant(phone)
        store.phones.register(self.harness.resources.table, phone)
        store.phones.forget()

    @property
    def log(self) -> Table:
        """The conversation log, which has the owners of providers' resources."""
        return self.module.resources.ownership.log  # type: ignore[no-any-return]  # a reloaded module

    def grant(self, phone: Phone) -> None:
        """Give a number, and all it names, to its company, as an operator does."""
        ownership.grant(self.log, phone, "operator")

    def list_on_graph(self, phone: str, display: str, waba: str = WABA) -> None:
        """Let Graph list a further number of an account for the account's token."""
        self.sandbox.objects["added number"][phone] = {
            "id": phone, "display_phone_number": display, "waba": waba,
        }  # fmt: skip

    def switch(self, value: str) -> None:
        """Set the kill switch; `false` permits sending."""
        name = "/parley/local/whatsapp/safe_mode"
        boto3.client("ssm").put_parameter(Name=name, Value=value, Type="String", Overwrite=True)
        bootstrap.parameters.cache_clear()  # type: ignore[attr-defined] # of functools.cache


def eum_phone(**facts: Any) -> Any:
    """A number on AWS: as the sandbox has it."""
    return a_phone(
        **{
            "pk": f"PHONE#{EUM_PHONE}",
            "phone": EUM_PHONE,
            "display_phone": "15550783999",
            "phone_arn": f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{AWS_KEY}",
            "provider": "eum",
            "waba_meta_id": EUM_WABA,
            "aws_phone": AWS_PHONE,
            "aws_waba": AWS_WABA,
        }
        | facts
    )


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


@pytest.fixture
def actions(harness: Harness, running_sandbox: Sandbox) -> Iterator[Actions]:
    """The function with acme's number on Graph, and ADA who wrote an hour ago."""
    sandbox, sqs = running_sandbox, boto3.client("sqs")
    given = {"Stage": "local", "SandboxUrl": sandbox.url}
    variables = environment("WhatsAppActions", **given) | {
        "MESSAGES_TABLE_NAME": harness.resources.table.name,
        "AUDIT_LOG_TABLE_NAME": name_of("AuditLogTable"),
        "CONVERSATION_LOG_TABLE_NAME": name_of("ConversationLogTable"),
        **{name: create_queue(sqs, queue) for name, queue in QUEUES.items()},
        "MEDIA_BUCKET_NAME": harness.resources.bucket.name,
        "SPENDING_TABLE_NAME": harness.resources.spending.table.name,
        "AWS_ENDPOINT_URL_SOCIALMESSAGING": sandbox.url,
        "WHATSAPP_TOKENS_SECRET_ID": "tokens",
        "WHATSAPP_APP_SECRET_ID": "app-secrets",
        "IDENTIFIER_KEYS_SECRET_ID": "identifier-keys",
        "API_SEAL_SECRET_ID": properties("ApiSealSecret")["Name"],
    }
    sandbox.reset()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        module = importlib.reload(importlib.import_module("whatsapp.handlers.actions"))
        found = Actions(module, sandbox, harness)
        prepared.prepare("actions of WhatsApp", lambda: _build(found))
        found.switch("false")
        yield found


QUEUES = {
    "CONVERSATIONS_INBOUND_QUEUE_URL": "ConversationsInboundQueue",
    "WHATSAPP_QUEUE_URL": "WhatsAppQueue",
    "WHATSAPP_JOBS_QUEUE_URL": "WhatsAppJobsQueue",
    "WHATSAPP_CAMPAIGNS_QUEUE_URL": "WhatsAppCampaignsQueue",
}


def _build(actions: Actions) -> None:
    """Store all that the function needs, and ADA's message."""
    secrets = boto3.client("secretsmanager")
    dynamodb = boto3.client("dynamodb")
    create_table(dynamodb, "ConversationLogTable")
    create_table(dynamodb, "AttemptsTable", Stage="local")
    create_table(dynamodb, "ContactsTable", Stage="local")
    for name, content in {
        "identifier-keys": keyring.SECRET,
        str(properties("ApiSealSecret")["Name"]): {"seal_key": "sealed"},
        "app-secrets": APP_SECRETS,
    }.items():
        secrets.create_secret(Name=name, SecretString=json.dumps(content))
    harness = actions.harness
    actions.grant(a_phone())
    actions.grant(of_globex())
    store.phones.register(harness.resources.table, of_globex())
    harness.take({"messages": [text("wamid.ada.1", at=NOW // 1000 - 3_600)]})
    store.phones.forget()
    for outbox in (harness.outbox, harness.inbound, harness.statuses):
        outbox.entries.clear()


GLOBEX_PHONE = "306540352242944"
APP_SECRETS: dict[str, Any] = {"verify_token": "verify me", "apps": {"1029384756": ["app secret"]}}


def of_globex() -> Any:
    """A number of another company."""
    return a_phone(
        pk=f"PHONE#{GLOBEX_PHONE}",
        phone=GLOBEX_PHONE,
        company="globex",
        display_phone="15550783777",
        waba_meta_id="302290129340398",
        app_id="2029384756",
        token_ref="globex",
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{GLOBEX_PHONE}",
    )
