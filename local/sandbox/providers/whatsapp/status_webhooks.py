"""Meta's status webhooks for accepted messages: signed POSTs to our webhook."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from typing import TYPE_CHECKING

import urllib3

from local.sandbox.providers.whatsapp.rules import digits_of

if TYPE_CHECKING:
    from local.sandbox.config import Number
    from local.sandbox.providers.whatsapp.rules import Accepted
    from local.sandbox.state import Sandbox

ATTEMPTS = 5
_TIMEOUT_SECONDS = 10
_log = logging.getLogger(__name__)


async def report(sandbox: Sandbox, number: Number, message_id: str, accepted: Accepted) -> None:
    """
    Report to our webhook that the message was sent, delivered and, with `read_receipts`, read.

    One POST per status, in order, with up to `ATTEMPTS` attempts. Without a webhook nothing is reported.
    """
    config = sandbox.config
    if config.webhook_url is None or config.app_secret is None:
        return
    for status in ("sent", "delivered", "read")[: 3 if config.read_receipts else 2]:
        timestamp = int(sandbox.clock.now())
        body = webhook_body(number, message_id, accepted, status, timestamp)
        if not await _deliver(
            sandbox, config.webhook_url, body, signature(body, config.app_secret)
        ):
            _log.error("the webhook did not accept status %s in %d attempts", status, ATTEMPTS)
            return


def webhook_body(
    number: Number, message_id: str, accepted: Accepted, status: str, timestamp: int
) -> bytes:
    """Return the payload of one status, as in Meta's webhook reference; *timestamp* is in seconds."""
    address = accepted.address
    entry: dict[str, object] = {"id": message_id, "status": status, "timestamp": str(timestamp)}
    if accepted.is_user_id:
        entry["recipient_user_id"] = address
    else:
        entry["recipient_id"] = digits_of(address) or address
    entry["pricing"] = {"billable": True, "pricing_model": "PMP", "category": "service"}
    if accepted.callback_data is not None:
        entry["biz_opaque_callback_data"] = accepted.callback_data
    value = {
        "messaging_product": "whatsapp",
        "metadata": {
            "display_phone_number": number.display,
            "phone_number_id": number.phone_number_id,
        },
        "statuses": [entry],
    }
    changes = [{"field": "messages", "value": value}]
    payload = {
        "object": "whatsapp_business_account",
        "entry": [{"id": number.waba, "changes": changes}],
    }
    # Meta escapes non-ASCII characters before it signs; so does json.dumps.
    return json.dumps(payload).encode()


def signature(body: bytes, app_secret: str) -> str:
    """Return the value of X-Hub-Signature-256: HMAC-SHA256 of the raw body with the app secret."""
    return "sha256=" + hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()


async def _deliver(sandbox: Sandbox, url: str, body: bytes, signed: str) -> bool:
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signed}
    for attempt in range(ATTEMPTS):
        if attempt:
            await sandbox.pause(sandbox.config.webhook_retry_seconds * 2 ** (attempt - 1))
        if await asyncio.to_thread(_post, url, body, headers):
            return True
    return False


def _post(url: str, body: bytes, headers: dict[str, str]) -> bool:
    with urllib3.PoolManager(retries=False, timeout=_TIMEOUT_SECONDS) as pool:
        try:
            response = pool.request("POST", url, body=body, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            _log.warning("the webhook cannot be reached: %s", type(error).__name__)
            return False
    if response.status != 200:  # noqa: PLR2004 - Meta accepts only 200
        _log.warning("the webhook answered HTTP %d", response.status)
    return response.status == 200  # noqa: PLR2004 - see above
