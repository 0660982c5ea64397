"""Live updates of the deployed stack over a real WebSocket: a ticket, hints of arriving messages, who is typing."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import urllib3
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from events.whatsapp.sample_data import Customer
from tests.e2e.webhooks import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)
WITHIN_SECONDS = 90


def ticket(deployed: Deployed) -> tuple[str, str]:
    """The address of the WebSocket API, and a new ticket."""
    answer = http.request(
        "POST",
        f"{deployed.stack.api_url}/live/tickets",
        headers={"x-api-key": deployed.api_key},
    )
    assert answer.status == 200, answer.data
    issued = answer.json()["result"]
    return issued["url"], issued["ticket"]


@contextmanager
def opened(deployed: Deployed) -> Iterator[ClientConnection]:
    """A new connection, with a ticket of its own."""
    with opened_with(*ticket(deployed)) as socket:
        yield socket


@contextmanager
def opened_with(url: str, text: str) -> Iterator[ClientConnection]:
    """A new connection with a ticket."""
    with connect(f"{url}?ticket={text}", open_timeout=WITHIN_SECONDS, proxy=None) as socket:
        yield socket


def received(socket: ClientConnection, name: str) -> Any:
    """The content of the next message with this field."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        message = json.loads(socket.recv(timeout=deadline - time.monotonic()))
        if name in message:
            return message[name]


def test_a_ticket_opens_one_connection_and_a_second_one_is_refused(deployed: Deployed) -> None:
    url, text = ticket(deployed)

    with opened_with(url, text):
        pass

    with pytest.raises(InvalidStatus) as refused, opened_with(url, text):
        pass
    assert refused.value.response.status_code in {401, 403}


def test_a_message_of_a_customer_is_a_hint_with_the_key_of_the_inbox(deployed: Deployed) -> None:
    sender = Customer("Live", wa_id=f"447700{time.time_ns() % 1_000_000:06}")

    with opened(deployed) as socket:
        write(deployed.stack, sender, "Is anyone there?")
        hints = received(socket, "hints")

    assert {hint["context"] for hint in hints} == {"whatsapp"}
    listed = http.request(
        "GET",
        f"{deployed.stack.api_url}/inbox",
        fields={"channel": "whatsapp"},
        headers={"x-api-key": deployed.api_key},
    ).json()["result"]["conversations"]
    assert {hint["key"] for hint in hints} <= {row["key"] for row in listed}
    assert all(hint.keys() - {"new"} == {"context", "key", "version"} for hint in hints)


def test_who_is_typing_reaches_colleagues_who_are_connected(deployed: Deployed) -> None:
    with opened(deployed) as kim, opened(deployed) as lee:
        kim.send(json.dumps({"typing": {"context": "whatsapp", "key": "any"}}))

        typing = received(lee, "typing")

    assert typing["key"] == "any"
    assert typing["principal"].startswith("api-key:")


def test_a_ping_is_answered_without_a_function(deployed: Deployed) -> None:
    with opened(deployed) as socket:
        socket.send(json.dumps({"action": "ping"}))

        assert received(socket, "pong") == {}


def test_a_closed_connection_is_forgotten(deployed: Deployed) -> None:
    dynamodb = deployed.stack.client("dynamodb")
    table = deployed.stack.tables["live"]

    with opened(deployed):
        assert dynamodb.scan(TableName=table)["Count"] >= 1

    deadline = time.monotonic() + WITHIN_SECONDS
    while (left := connections_in(dynamodb, table)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == 0


def connections_in(dynamodb: Any, table: str) -> int:
    items = dynamodb.scan(TableName=table)["Items"]
    return sum("connection_id" in item for item in items)
