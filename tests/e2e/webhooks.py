"""Webhooks as Meta sends them: signed, and repeated until they are accepted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import urllib3

from events.whatsapp import gateway
from events.whatsapp.sample_data import APP_SECRET

if TYPE_CHECKING:
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
