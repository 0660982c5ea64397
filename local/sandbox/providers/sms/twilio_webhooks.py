"""Twilio's webhooks: statuses of messages, and messages of customers. Signed forms, sent without retries."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import urllib3

from local.sandbox.accounts.text_messages import API, is_user_id, media_sid

if TYPE_CHECKING:
    from local.sandbox.accounts.text_messages import CustomerText, TextMessage
    from local.sandbox.state import Sandbox

WEBHOOK = "/webhooks/twilio"
_TIMEOUT_SECONDS = 15  # Twilio waits no longer.
_PROGRESS = ("queued", "sent", "delivered", "read")
_log = logging.getLogger(__name__)


async def report(sandbox: Sandbox, message: TextMessage, callback: str) -> None:
    """Report the message's statuses to *callback*, up to the configured final one, or `delivered`."""
    for status_name in _statuses(sandbox, message):
        _advance(sandbox, message, status_name)
        status = await asyncio.to_thread(call, sandbox, callback, _status_form(message))
        if status is not None and status >= 300:  # noqa: PLR2004 - no success
            _log.warning("the status callback for %s answered HTTP %d", status_name, status)


def skip_reports(sandbox: Sandbox, message: TextMessage) -> None:
    """Give the message its final status at once: without an auth token no status is reported."""
    _advance(sandbox, message, _statuses(sandbox, message)[-1])


def _statuses(sandbox: Sandbox, message: TextMessage) -> list[str]:
    ending = sandbox.texts.endings.get(message.to)
    final_status = ending.status if ending else "delivered"
    if final_status in _PROGRESS:
        return list(_PROGRESS[: _PROGRESS.index(final_status) + 1])
    return ["queued", final_status]


def _advance(sandbox: Sandbox, message: TextMessage, status_name: str) -> None:
    ending = sandbox.texts.endings.get(message.to)
    is_final = ending is not None and status_name == ending.status
    message.error_code = ending.error_code if ending and is_final else None
    message.status = status_name  # after the error code: a reader of the final status sees both


def call(sandbox: Sandbox, url: str, form: dict[str, str]) -> int | None:
    """
    POST a signed form to an address below the public one; return the HTTP status.

    None without a token, without a response, and for every other address: the sandbox makes no request to the Internet.
    """
    config = sandbox.config
    if config.twilio_auth_token is None:
        return None
    if not (config.public_url and config.reached_at and url.startswith(config.public_url)):
        _log.warning("the webhook is not below the public address of the API: no request")
        return None
    headers = {
        "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
        "X-Twilio-Signature": signature(url, form, config.twilio_auth_token),
    }
    reached = config.reached_at + url.removeprefix(config.public_url)
    with urllib3.PoolManager(retries=False, timeout=_TIMEOUT_SECONDS) as pool:
        try:
            answer = pool.request("POST", reached, body=urlencode(form), headers=headers)
        except urllib3.exceptions.HTTPError as error:
            _log.warning("the webhook cannot be reached: %s", type(error).__name__)
            return None
    return answer.status


def signature(url: str, form: dict[str, str], token: str) -> str:
    """Return the value of X-Twilio-Signature: HMAC-SHA1 of the address and the form sorted by name."""
    signed = url + "".join(name + form[name] for name in sorted(form))
    return b64encode(hmac.digest(token.encode(), signed.encode(), hashlib.sha1)).decode()


def inbound_form(message: TextMessage, text: CustomerText, keyword: str | None) -> dict[str, str]:
    """Return the form of a webhook for a customer's message."""
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
        # Unknown values are empty, and signed like others.
        "FromCity": "",
    }
    base = f"{_account_url(message)}/Messages/{message.sid}/Media"
    for number in range(len(text.media)):
        form[f"MediaUrl{number}"] = f"{base}/{media_sid(message.sid, number)}"
        form[f"MediaContentType{number}"] = "image/jpeg"
    if keyword is not None:
        form["OptOutType"] = keyword
    if text.sender.startswith("whatsapp:"):
        name, value = "WaId", text.sender.removeprefix("whatsapp:+")
        if is_user_id(text.sender):
            name, value = "ExternalUserId", text.sender
        form |= {"MessageType": "text", name: value}
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
