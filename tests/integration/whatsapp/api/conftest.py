"""The function behind the API, driven with events of API Gateway, over items that the worker stored."""

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from types import ModuleType
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from tests import keyring
from tests.aws import api_gateway
from tests.integration.logs import recorded
from tests.integration.whatsapp.conftest import Harness, a_phone, text
from tests.template import environment, properties
from whatsapp import store
from whatsapp.store.items import Phone

CONVERSATIONS = "/whatsapp/conversations"
MESSAGES = "/whatsapp/conversations/{key}/messages"
GLOBEX_PHONE = "306540352242944"
CONVERSATION = "/whatsapp/conversations/{key}"
READ = f"POST {CONVERSATION}/read"
NOTES = f"{CONVERSATION}/notes"
READER = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")
GLOBEX = Caller(company="globex", scopes=frozenset({"whatsapp:read"}), principal="api-key:2")
AGENT = Caller(
    company="acme", scopes=frozenset({"whatsapp:read", "whatsapp:write"}), principal="api-key:3"
)
ADA = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def error(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def fields(self) -> list[str]:
        return [entry["field"] for entry in self.body["error"]["details"]]


@dataclass
class Invocation:
    """The Lambda context, as far as the routes use it."""

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


@dataclass
class Api:
    module: ModuleType
    calls: int = 0

    def get(
        self,
        route: str = CONVERSATIONS,
        *,
        key: str = "",
        caller: Caller | None = READER,
        several: dict[str, list[str]] | None = None,
        **query: object,
    ) -> Answer:
        given = {name: [str(value)] for name, value in query.items()} | (several or {})
        return self._call("GET", route, key, caller, given=given)

    def send(
        self,
        line: str,
        key: str,
        body: dict[str, Any],
        *,
        caller: Caller | None = AGENT,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Make a change, `PATCH /path/{key}`; each call has a new Idempotency-Key, unless one is given."""
        self.calls += 1
        headers = {"Idempotency-Key": idempotency_key or f"change-{self.calls}"}
        method, route = line.split(" ")
        return self._call(method, route, key, caller, body=json.dumps(body), headers=headers)

    def change(self, key: str, **fields: Any) -> dict[str, Any]:
        """Change a conversation and return its state."""
        answer = self.send(f"PATCH {CONVERSATION}", key, fields)
        assert answer.status == 200, answer
        state: dict[str, Any] = answer.body["result"]
        return state

    def _call(
        self,
        method: str,
        route: str,
        key: str,
        caller: Caller | None,
        *,
        given: dict[str, list[str]] | None = None,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        event = api_gateway.request(
            f"{method} {route}",
            body,
            caller,
            path={"key": key},
            query=given,
            headers={"x-api-key": "checked before", **(headers or {})},
            request_id="request-7",
        )
        answer = self.module.handler(event, Invocation())
        headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
        return Answer(answer["statusCode"], headers, json.loads(answer["body"]))

    def conversations(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(**query)
        assert answer.status == 200
        found: list[dict[str, Any]] = answer.body["result"]["conversations"]
        return found

    def messages(self, key: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(MESSAGES, key=key, **query)
        assert answer.status == 200
        found: list[dict[str, Any]] = answer.body["result"]["messages"]
        return found

    def pages(self, *arguments: Any, **query: Any) -> Iterator[dict[str, Any]]:
        """The results of all pages together."""
        answer = self.get(*arguments, **query)
        yield answer.body["result"]
        while cursor := answer.body.get("cursor"):
            answer = self.get(*arguments, cursor=cursor, **query)
            yield answer.body["result"]


@pytest.fixture(scope="module")
def module() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("WhatsAppApi").items():
            patch.setenv(name, value)
        # moto finds a secret by its name; ARNs end in six letters that moto generates.
        patch.setenv("API_SEAL_SECRET_ID", properties("ApiSealSecret")["Name"])
        patch.setenv("IDENTIFIER_KEYS_SECRET_ID", "identifier-keys")
        yield importlib.reload(importlib.import_module("whatsapp.handlers.api"))


@pytest.fixture
def api(harness: Harness, module: ModuleType) -> Api:
    """The function, with one number of acme and one of globex."""
    boto3.client("secretsmanager").create_secret(
        Name=properties("ApiSealSecret")["Name"], SecretString='{"seal_key": "sealed"}'
    )
    boto3.client("secretsmanager").create_secret(
        Name="identifier-keys", SecretString=json.dumps(keyring.SECRET)
    )
    store.phones.register(harness.resources.table, a_phone())
    store.phones.register(harness.resources.table, of_globex())
    return Api(module)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return recorded(monkeypatch)


def of_globex() -> Phone:
    return a_phone(
        pk=Phone.key(GLOBEX_PHONE),
        phone=GLOBEX_PHONE,
        company="globex",
        display_phone="15550783777",
        waba_meta_id="302290129340398",
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{GLOBEX_PHONE}",
    )


def second_number() -> Phone:
    return a_phone(
        pk=Phone.key("206540352242933"),
        phone="206540352242933",
        display_phone="15550783999",
        phone_arn="arn:parley:whatsapp:::phone-number-id/206540352242933",
    )


def writes_to_globex(harness: Harness, body: str = "for globex only") -> None:
    metadata = {"phone_number_id": GLOBEX_PHONE, "display_phone_number": "15550783777"}
    harness.take({"metadata": metadata, "messages": [text("wamid.globex", body)]})
