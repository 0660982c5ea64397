"""A form whose data comes from the company's own endpoint, called over real HTTP."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import boto3
import pytest

from local.demo.flows import client
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.actions.flows.forms import DataEndpoint, create, token_of
from tests.integration.whatsapp.actions.flows.test_endpoint import (
    FLOW,
    MESSAGE,
    ROUTING,
    endpoint,
    key,
)
from tests.values.web_addresses import MALFORMED
from whatsapp.inbound.flows import endpoint as of_companies

__all__ = ["endpoint", "key"]  # fixtures

SECRET = "parley/local/companies/acme/forms"
SIGNING_KEY = base64.b64encode(b"a key of acme").decode()


@dataclass
class Shop:
    """The company's system: its next answers, the last of which stays, and the requests that it got."""

    url: str = ""
    answers: list[tuple[int, Any, dict[str, str]]] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    is_answering: Event = field(default_factory=Event)

    def says(self, data: Any, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers = [(status, data, named)]

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]


@contextmanager
def serving(shop: Shop) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            shop.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            shop.is_answering.wait()
            status, data, headers = shop.answers[0]
            content = data if isinstance(data, bytes) else json.dumps(data).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    shop.url = f"http://127.0.0.1:{server.server_port}/forms"
    shop.is_answering.set()
    yield
    shop.is_answering.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop() -> Iterator[Shop]:
    made = Shop()
    made.says({"data": {"services": ["of the shop"]}})
    with serving(made):
        yield made


@pytest.fixture
def token(actions: Actions, shop: Shop) -> str:
    """The token of a form that ADA was sent, whose data comes from the shop."""
    secrets = boto3.client("secretsmanager")
    content = json.dumps({"signing_key": f"whsec_{SIGNING_KEY}"})
    secrets.create_secret(Name=SECRET, SecretString=content)
    assert create(actions) == FLOW
    given = {"url": shop.url, "secretReference": SECRET}
    assert actions.run("set_flow_routing", ROUTING | {"endpoint": given}).result["usesEndpoint"]
    assert actions.send("send_flow_message", MESSAGE).result["state"] == "sent"
    return token_of(actions)


def submitted(token: str) -> dict[str, Any]:
    return client.request("data_exchange", token, screen="SERVICE", data={"service": "full"})


def test_the_companys_system_is_asked_for_the_data_of_each_screen(
    endpoint: DataEndpoint, key: str, token: str, shop: Shop
) -> None:
    first = endpoint.call(client.request("INIT", token), key)
    shop.says({"data": {"days": [1, 2]}})
    second = endpoint.call(submitted(token), key)

    assert first == (200, {"screen": "SERVICE", "data": {"services": ["of the shop"]}})
    assert second == (200, {"screen": "DATE", "data": {"days": [1, 2]}})
    assert shop.asked == [
        {"flow_id": FLOW, "action": "INIT", "screen": "", "next_screen": "SERVICE", "answers": {}},
        {
            "flow_id": FLOW,
            "action": "data_exchange",
            "screen": "SERVICE",
            "next_screen": "DATE",
            "answers": {"service": "full"},
        },
    ]


def test_each_request_is_signed_and_a_repeated_one_has_the_same_id(
    endpoint: DataEndpoint, key: str, token: str, shop: Shop
) -> None:
    for _ in range(2):
        endpoint.call(submitted(token), key)

    for headers, body in shop.requests:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = hmac.new(b"a key of acme", signed, hashlib.sha256).digest()
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"
    (first, _), (second, _) = shop.requests
    assert first["webhook-id"] == second["webhook-id"]
    assert token not in str(shop.requests)


def test_the_companys_system_may_name_another_screen(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str, shop: Shop
) -> None:
    shop.says({"screen": "SERVICE", "data": {"error_message": "Sold out."}})
    shown = endpoint.call(submitted(token), key)

    assert shown == (200, {"screen": "SERVICE", "data": {"error_message": "Sold out."}})


@pytest.mark.parametrize(
    "answer",
    [
        (500, {"data": {}}),
        (404, {"data": {}}),
        (302, {"data": {}}),
        (204, b""),
        (200, b"{broken"),
        (200, []),
        (200, {"data": []}),
        (200, {}),
        (200, {"screen": "UNKNOWN", "data": {}}),
        (200, {"screen": ["SERVICE"], "data": {}}),
        (200, {"data": {"text": "x" * (16 << 10)}}),
        (200, b"[" * 100_000),
        (200, b'{"data": {"price": NaN}}'),
        (200, b'{"data": {"price": 1e999}}'),
    ],
)
def test_without_a_usable_answer_the_stored_data_is_shown(
    endpoint: DataEndpoint, key: str, token: str, shop: Shop, answer: tuple[int, Any]
) -> None:
    status, data = answer
    shop.says(data, status)

    shown = endpoint.call(client.request("INIT", token), key)

    assert shown == (200, {"screen": "SERVICE", "data": {"services": ["full", "basic"]}})


def test_a_system_that_does_not_answer_in_time_delays_no_form(
    endpoint: DataEndpoint,
    key: str,
    token: str,
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert of_companies.WITHIN_MS < 10 * clock.SECOND_MS
    monkeypatch.setattr(of_companies, "WITHIN_MS", 100)
    shop.is_answering.clear()

    shown = endpoint.call(client.request("INIT", token), key)

    assert shown == (200, {"screen": "SERVICE", "data": {"services": ["full", "basic"]}})
    assert len(shop.requests) <= 1


@pytest.mark.parametrize(
    "case",
    [
        ("public, max-age=60", ["of the shop"]),
        ("Public", ["of the shop"]),
        ("private", ["full", "basic"]),
        ("no-store", ["full", "basic"]),
        ("public, no-store", ["full", "basic"]),
        ("private, public", ["full", "basic"]),
        ("", ["full", "basic"]),
    ],
)
def test_only_an_answer_for_all_customers_is_shown_again_when_the_system_fails(
    endpoint: DataEndpoint, key: str, token: str, shop: Shop, case: tuple[str, list[str]]
) -> None:
    rule, shown = case
    shop.says({"data": {"services": ["of the shop"]}}, Cache_Control=rule)
    endpoint.call(client.request("INIT", token), key)
    shop.says({}, 503)

    again = endpoint.call(client.request("INIT", token), key)

    assert again == (200, {"screen": "SERVICE", "data": {"services": shown}})


def test_a_missing_or_broken_secret_shows_the_stored_data_and_calls_nobody(
    endpoint: DataEndpoint, key: str, token: str, shop: Shop
) -> None:
    boto3.client("secretsmanager").put_secret_value(SecretId=SECRET, SecretString="{}")

    shown = endpoint.call(client.request("INIT", token), key)

    assert shown[1]["data"] == {"services": ["full", "basic"]}
    assert shop.requests == []


@pytest.mark.parametrize("url", [*MALFORMED, "https://10.0.0.1/forms", "https://db.internal/forms"])
def test_an_address_that_is_not_public_https_is_refused(actions: Actions, url: str) -> None:
    create(actions)
    given = {"url": url, "secretReference": SECRET}
    answer = actions.run("set_flow_routing", ROUTING | {"endpoint": given})

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == ["endpoint.url"]


@pytest.mark.parametrize(
    "name",
    ["parley/local/companies/globex/forms", "forms", "arn:aws:secretsmanager:x", "parley/local/x"],
)
def test_a_secret_of_another_company_is_refused(actions: Actions, name: str) -> None:
    create(actions)
    given = {"url": "https://forms.acme.example.com/data", "secretReference": name}
    answer = actions.run("set_flow_routing", ROUTING | {"endpoint": given})

    assert (answer.status, answer.fields) == (400, ["endpoint.secretReference"])


def test_a_new_routing_forgets_the_endpoint_and_its_answers(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str, shop: Shop
) -> None:
    shop.says({"data": {"services": ["of the shop"]}}, Cache_Control="public")
    endpoint.call(client.request("INIT", token), key)
    actions.run("set_flow_routing", ROUTING)
    shop.requests.clear()

    shown = endpoint.call(client.request("INIT", token), key)

    assert shown[1]["data"] == {"services": ["full", "basic"]}
    assert shop.requests == []


@pytest.mark.parametrize(
    "body", [{"action_type": "INIT"}, {"screen": "SERVICE", "data": {"service": "full"}}]
)
def test_the_trial_refuses_a_screen_whose_data_only_the_companys_endpoint_has(
    actions: Actions, token: str, shop: Shop, body: dict[str, Any]
) -> None:
    answer = actions.run("flow_data_exchange", {"flowToken": token, **body})

    assert (answer.status, answer.error) == (501, "not_supported")
    assert "the company's own endpoint" in answer.body["error"]["message"]
    assert shop.asked == []


def test_the_trial_answers_what_needs_no_endpoint(actions: Actions, token: str) -> None:
    ping = actions.run("flow_data_exchange", {"flowToken": token, "action_type": "ping"})

    assert ping.result == {"data": {"status": "active"}}
