"""What Twilio tells us: what becomes of a message, and what a customer wrote. Forms, signed, and each of them once."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import urllib3

from local.sandbox.sms.messages import API, media_sid

if TYPE_CHECKING:
    from local.sandbox.sms.messages import CustomerText, TextMessage
    from local.sandbox.state import Sandbox

WEBHOOK = "/webhooks/twilio"
_TIMEOUT_SECONDS = 15  # Twilio waits no longer.
_PROGRESS = ("queued", "sent", "delivered", "read")
_log = logging.getLogger(__name__)


async def report(sandbox: Sandbox, message: TextMessage, callback: str) -> None:
    """
    Tell *callback* how the message gets on, to the end that was asked for, or until it is delivered.

    Without a token to sign with there is no report.
    """
    ending = sandbox.texts.endings.get(message.to)
    last = ending.status if ending else "delivered"
    words = list(_PROGRESS[: _PROGRESS.index(last) + 1]) if last in _PROGRESS else ["queued", last]
    for word in words:
        message.error_code = ending.error_code if ending and word == last else None
        message.status = word  # after its error code: a reader of the last status sees both
        status = await asyncio.to_thread(call, sandbox, callback, _status_form(message))
        if status is not None and status >= 300:  # noqa: PLR2004 - no success
            _log.warning("the status callback for %s answered HTTP %d", word, status)


def call(sandbox: Sandbox, url: str, form: dict[str, str]) -> int | None:
    """POST a form to an address below the public one, signed: the HTTP status, None where nobody answered or shall."""
    config = sandbox.config
    if config.twilio_auth_token is None:
        return None
    headers = {
        "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
        "X-Twilio-Signature": signature(url, form, config.twilio_auth_token),
    }
    reached = url
    if config.public_url and config.reached_at and url.startswith(config.public_url):
        reached = config.reached_at + url.removeprefix(config.public_url)
    with urllib3.PoolManager(retries=False, timeout=_TIMEOUT_SECONDS) as pool:
        try:
            answer = pool.request("POST", reached, body=urlencode(form), headers=headers)
        except urllib3.exceptions.HTTPError as error:
            _log.warning("the webhook is not reached: %s", type(error).__name__)
            return None
    return answer.status


def signature(url: str, form: dict[str, str], token: str) -> str:
    """The value of X-Twilio-Signature: HMAC-SHA1 of the address, and of the form in the order of its names."""
    signed = url + "".join(name + form[name] for name in sorted(form))
    return b64encode(hmac.digest(token.encode(), signed.encode(), hashlib.sha1)).decode()


def inbound_form(message: TextMessage, text: CustomerText, keyword: str | None) -> dict[str, str]:
    """What a webhook tells of a customer's message."""
    form = {
        "ApiVersion": API,
        "AccountSid": message.account_sid,
        "MessageSid": message.sid,
        "SmsMessageSid": message.sid,
        "SmsSid": message.sid,
        "SmsStatus": "received",
        "From": text.sender,
        "To": text.to,
        "Body": text.body,
        "NumSegments": str(message.segments),
        "NumMedia": str(len(text.media)),
        # Empty where Twilio does not know, and signed like others.
        "FromCity": "",
    }
    base = f"{_account_url(message)}/Messages/{message.sid}/Media"
    for number in range(len(text.media)):
        form[f"MediaUrl{number}"] = f"{base}/{media_sid(message.sid, number)}"
        form[f"MediaContentType{number}"] = "image/jpeg"
    if keyword is not None:
        form["OptOutType"] = keyword
    if text.sender.startswith("whatsapp:"):
        form |= {"MessageType": "text", "WaId": text.sender.removeprefix("whatsapp:+")}
    return form | text.fields


def _status_form(message: TextMessage) -> dict[str, str]:
    form = {
        "ApiVersion": API,
        "AccountSid": message.account_sid,
        "MessageSid": message.sid,
        "SmsSid": message.sid,
        "MessageStatus": message.status,
        "SmsStatus": message.status,
        "To": message.to,
        "From": message.sender or "",
    }
    if message.service:
        form["MessagingServiceSid"] = message.service
    if message.error_code is not None:
        form["ErrorCode"] = str(message.error_code)
    return form


def _account_url(message: TextMessage) -> str:
    return f"https://api.twilio.com/{API}/Accounts/{message.account_sid}"
