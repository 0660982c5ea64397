"""Twilio's behaviour, from the sandbox to our queues: webhooks in Twilio's format, and messages found in its lists."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3

from conversations.inbound.webhooks import twilio_events
from events.conversations.twilio import AUTH_TOKEN, PUBLIC_URL
from events.proxy import proxy_event
from local.sandbox import Config, Sandbox, running
from shared.events.exchange import inbound_entry
from shared.providers.twilio.api import Credentials
from shared.providers.twilio.messages import Message, Text, Twilio, status_callback
from tests.integration.conversations.inbound.ingress import Ingress

CUSTOMER = "+447700900123"
NUMBER = "+12025550142"
FAR_AHEAD_MS = 4_102_444_800_000  # 2100


def gateway_event(method: str, target: str, headers: dict[str, str], body: str) -> dict[str, Any]:
    """The event that API Gateway makes of a request."""
    parts = urlsplit(target)
    query = parse_qs(parts.query)
    event = proxy_event(parts.path, "call", 0, method=method, headers=headers, agent="TwilioProxy")
    return event | {
        "multiValueQueryStringParameters": query or None,
        "body": body,
        "isBase64Encoded": False,
    }


@pytest.fixture
def calls() -> Queue[dict[str, Any]]:
    """The calls received at the address of `sandbox`, as events of API Gateway."""
    return Queue()


@pytest.fixture
def sandbox(calls: Queue[dict[str, Any]]) -> Iterator[Sandbox]:
    """A sandbox that signs for our public name, and calls a server that stores its requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            calls.put(gateway_event("POST", self.path, dict(self.headers.items()), body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing to the terminal."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        config = Config(
            twilio_auth_token=AUTH_TOKEN,
            public_url=PUBLIC_URL,
            reached_at=f"http://127.0.0.1:{server.server_port}",
        )
        with running(config) as sandbox:
            yield sandbox
        server.shutdown()
        thread.join()


def credentials(sandbox: Sandbox) -> Credentials:
    account = sandbox.config.twilio_account_sid
    return Credentials(account, account, AUTH_TOKEN)


def write(sandbox: Sandbox, **text: Any) -> None:
    fields = {"sender": CUSTOMER, "to": NUMBER, "body": "Grüße 😀 & + %"} | text
    with urllib3.PoolManager(retries=False) as pool:
        assert pool.request("POST", f"{sandbox.url}/_texts", json=fields).status == 201


def test_a_customers_message_is_accepted_by_the_webhook(
    ingress: Ingress, sandbox: Sandbox, calls: Queue[dict[str, Any]]
) -> None:
    write(sandbox)

    assert ingress.call(calls.get(timeout=120)) == (200, "<Response/>")
    [put] = ingress.inbound.taken()
    assert put.body["text"] == "Grüße 😀 & + %"


def test_each_status_of_a_send_is_accepted_by_the_webhook_with_its_action(
    ingress: Ingress, sandbox: Sandbox, calls: Queue[dict[str, Any]]
) -> None:
    message = Message(
        channel="sms",
        to=CUSTOMER,
        sender=NUMBER,
        content=Text("Hello"),
        status_callback=status_callback(PUBLIC_URL, "action-1"),
    )
    sent = Twilio(sandbox.url).send(credentials(sandbox), message)

    for _ in range(3):
        assert ingress.call(calls.get(timeout=120)) == (200, "<Response/>")
    puts = ingress.statuses.taken()
    assert [put.body["status"] for put in puts] == ["queued", "sent", "delivered"]
    assert {put.body["action_id"] for put in puts} == {"action-1"}
    assert {put.body["provider_message_id"] for put in puts} == {sent.provider_id}


def test_a_message_found_in_the_list_equals_the_one_of_the_webhook(
    ingress: Ingress, sandbox: Sandbox, calls: Queue[dict[str, Any]]
) -> None:
    """So the gap check may enqueue it without creating a duplicate."""
    write(sandbox, media=["https://example.com/1.jpg"])
    assert ingress.call(calls.get(timeout=120))[0] == 200
    [event] = ingress.inbound.taken()
    client = Twilio(sandbox.url)

    [listed] = client.between(credentials(sandbox), 0, FAR_AHEAD_MS).messages
    files = client.media_of(credentials(sandbox), listed.sid)
    found = twilio_events.inbound_message(
        listed.webhook_fields(files), listed.account_sid, listed.created_at_ms
    )

    entry = inbound_entry(found)
    assert (entry.group, entry.deduplication) == (event.group, event.deduplication)
    assert found.kind == "media"
    assert inbound_entry(replace(found, text="other")).deduplication != event.deduplication
