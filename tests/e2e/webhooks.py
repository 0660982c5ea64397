"""Webhooks as Meta sends them: signed, and repeated until they are accepted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import urllib3

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import APP_SECRET, COUNTER

if TYPE_CHECKING:
    from events.whatsapp.sample_data import Customer
    from local.stack.cli import Stack

# Other tests kill processes of the webhook, and a new secret is in force within a minute.
WITHIN_SECONDS: Final = 120
_http = urllib3.PoolManager(retries=False, timeout=180)


def send(stack: Stack, raw: bytes, *, secret: str = APP_SECRET) -> None:
    """Send one webhook, signed with the *secret* of the app, until it is accepted."""
    headers = {
        "Content-Type": "application/json",
        "X-Hub-Signature-256": gateway.sign(raw, secret),
    }
    url = f"{stack.api_url}/webhooks/whatsapp"
    until = time.monotonic() + WITHIN_SECONDS
    while (answer := _http.request("POST", url, body=raw, headers=headers)).status != 200:
        assert time.monotonic() < until, answer.status
        time.sleep(1)


def write(stack: Stack, sender: Customer, text: str) -> None:
    """A message of a customer arrives."""
    now = int(time.time())
    identity = f"wamid.CONSOLE{time.time_ns()}"
    deliver(stack, sender, [payloads.message(sender, identity, now, payloads.text(text))])


def deliver(stack: Stack, sender: Customer, messages: list[dict[str, Any]]) -> None:
    """A webhook with messages of a customer arrives."""
    change = payloads.messages_change(COUNTER, messages, [sender])
    raw = gateway.utf8_bytes(payloads.webhook(payloads.entry(COUNTER.waba, change)))
    send(stack, raw)
