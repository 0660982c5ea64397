"""Twilio's Messages: send a message, list messages and their files. Magic numbers as with its test credentials."""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.background import BackgroundTask
from starlette.responses import Response

from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE
from local.sandbox.accounts.text_messages import (
    API,
    TextMessage,
    is_address,
    is_user_id,
    made_up_sid,
)
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused
from local.sandbox.providers.sms import twilio_webhooks
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_BODY = 1_600
_LARGEST_PAGE = 1_000
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")
_MAGIC_RECIPIENTS = {
    "+15005550001": 21211,
    "+15005550002": 21612,
    "+15005550003": 21408,
    "+15005550004": 21610,
    "+15005550009": 21614,
}
_MAGIC_SENDERS = {"+15005550001": 21212, "+15005550007": 21606, "+15005550008": 21611}
_MAGIC_SENDER = "+15005550006"
_MESSAGES = {
    20003: "Authenticate", 20404: "The requested resource was not found", 20429: "Too Many Requests",
    20500: "An internal server error has occurred", 20503: "Service is unable to process the request",
    21211: "Invalid 'To' Phone Number", 21212: "Invalid From Number (caller ID)",
    21408: "Permission to send an SMS has not been enabled for the region indicated by the 'To' number",
    21603: "A 'From' phone number is required", 21604: "A 'To' phone number is required",
    21606: "The 'From' phone number provided is not a valid message-capable Twilio phone number",
    21609: "The 'StatusCallback' URL is not a valid URL", 21610: "Attempt to send to unsubscribed recipient",
    21611: "This 'From' number has exceeded the maximum number of queued messages",
    21612: "The 'To' phone number is not currently reachable", 21614: "'To' number is not a valid mobile number",
    21617: "The concatenated message body exceeds the 1600 character limit",
    21619: "A text message body or media urls must be specified", 21654: "ContentSid Required",
    21655: "The ContentSid is Invalid", 21656: "The ContentVariables Parameter is invalid",
    21701: "The Messaging Service does not exist", 21910: "Invalid From and To pair",
    63028: "Number of parameters provided does not match the expected number of params",
    63007: "Twilio could not find a Channel with the specified 'From' address",
}  # fmt: skip
# HTTP status -> code, for configured faults
_FAILURES = {401: 20003, 404: 20404, 429: 20429, 500: 20500, 503: 20503}


def twilio_error(status: int, code: int) -> Response:
    """Return an error in Twilio's format."""
    error = {
        "code": code,
        "message": _MESSAGES.get(code, "Error"),
        "more_info": f"https://www.twilio.com/docs/errors/{code}",
        "status": status,
    }
    return json_response(error, status)


def failure(status: int) -> Response:
    """Return the API's failure with this HTTP status."""
    return twilio_error(status, _FAILURES.get(status, 20001 if status < 500 else 20500))  # noqa: PLR2004 - server errors


def refused(code: int, status: int = 400) -> Refused:
    """Return a refusal with Twilio's code."""
    return Refused(twilio_error(status, code))


async def create_message(call: Call) -> Answer:
    """`POST .../Messages.json`: sends a message to a customer. Only a status callback reports its delivery."""
    account = _account(call)
    form = {name: values[-1] for name, values in parse_qs(call.raw.decode()).items()}
    sender, service = _sender(call, form)
    to = _recipient(call, form, sender)
    body = _content(form, call.sandbox.texts.templates)
    callback = form.get("StatusCallback")
    if callback is not None and urlsplit(callback).scheme not in {"http", "https"}:
        raise refused(21609)
    message = TextMessage(
        sid=made_up_sid("SM"),
        account_sid=account,
        direction="outbound-api",
        sender=sender,
        to=to,
        body=body,
        status="accepted" if service else "queued",
        at=call.sandbox.clock.now(),
        segments=_segments(body),
        service=service,
    )
    call.sandbox.texts.messages.append(message)
    response = json_response(message.as_json(), 201)
    if callback is None:
        return Answer(response, form)
    if call.sandbox.config.twilio_auth_token is None:
        twilio_webhooks.skip_reports(call.sandbox, message)
    else:
        response.background = BackgroundTask(
            twilio_webhooks.report, call.sandbox, message, callback
        )
    return Answer(response, form)


async def list_messages(call: Call) -> Answer:
    """`GET .../Messages.json`: pages of messages, newest first, filtered by addresses and time of sending."""
    _account(call)
    query = call.request.query_params
    parameters = {"To", "From", "DateSent>", "DateSent<", "PageSize", "Page", "PageToken"}
    if not query.keys() <= parameters:
        raise refused(20001)
    size = min(int(query.get("PageSize", "50")), _LARGEST_PAGE)
    page = int(query.get("Page", "0"))
    newest = call.sandbox.clock.now() - call.sandbox.texts.list_lag_seconds
    after = _moment(query.get("DateSent>"), 0.0)
    before = _moment(query.get("DateSent<"), math.inf)
    matching = [
        message
        for message in reversed(call.sandbox.texts.messages)
        if message.at <= newest
        and query.get("To") in (None, message.to)
        and query.get("From") in (None, message.sender)
        and after <= int(message.at) <= before
    ]
    following = urlencode({**query, "Page": page + 1, "PageToken": f"PA{page + 1}"})
    is_last = len(matching) <= (page + 1) * size
    shown = [message.as_json() for message in matching[page * size : (page + 1) * size]]
    listing = {
        "messages": shown,
        "page": page,
        "page_size": size,
        "uri": f"{call.request.url.path}?{query}",
        "next_page_uri": None if is_last else f"{call.request.url.path}?{following}",
    }
    return Answer(json_response(listing))


async def list_media(call: Call) -> Answer:
    """`GET .../Messages/{sid}/Media.json`: the files of a message."""
    _account(call)
    sid = call.request.path_params["sid"]
    message = next((stored for stored in call.sandbox.texts.messages if stored.sid == sid), None)
    if message is None:
        raise refused(20404, 404)
    return Answer(json_response({"media_list": message.media_json(), "next_page_uri": None}))


async def get_media(call: Call) -> Answer:
    """`GET .../Messages/{sid}/Media/{media}`: a file of a message, the same picture for all."""
    _account(call)
    sid, media = (call.request.path_params[name] for name in ("sid", "media"))
    for message in call.sandbox.texts.messages:
        if message.sid == sid and media in {file["sid"] for file in message.media_json()}:
            picture = BUILT_IN[JPEG_IMAGE]
            return Answer(Response(picture.content, media_type=picture.mime_type))
    raise refused(20404, 404)


def _account(call: Call) -> str:
    """Return the account of the path, if the credentials are its own or an API key's."""
    config = call.sandbox.config
    scheme, _, encoded = call.request.headers.get("authorization", "").partition(" ")
    try:
        user, _, password = b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        raise refused(20003, 401) from None
    account = str(call.request.path_params["account"])
    is_known = user == account or user.startswith("SK")
    is_right = bool(password) and config.twilio_auth_token in (None, password)
    if scheme.lower() != "basic" or not is_known or not is_right:
        raise refused(20003, 401)
    if account not in (config.twilio_account_sid, *config.twilio_other_accounts):
        raise refused(20404, 404)
    return account


def _sender(call: Call, form: dict[str, str]) -> tuple[str | None, str | None]:
    """Return number and messaging service; at least one is set."""
    sender, service = form.get("From"), form.get("MessagingServiceSid")
    if sender is None and service is None:
        raise refused(21603)
    if service is not None and not re.fullmatch("MG[0-9a-fA-F]{32}", service):
        raise refused(21701, 404)
    if sender in _MAGIC_SENDERS:
        raise refused(_MAGIC_SENDERS[sender])
    if sender is not None and sender not in (*call.sandbox.config.twilio_senders, _MAGIC_SENDER):
        raise refused(63007 if sender.startswith("whatsapp:") else 21606)
    return sender, service


def _recipient(call: Call, form: dict[str, str], sender: str | None) -> str:
    to = form.get("To")
    if to is None:
        raise refused(21604)
    if to in _MAGIC_RECIPIENTS:
        raise refused(_MAGIC_RECIPIENTS[to])
    if not is_address(to) or (call.sandbox.texts.refuses_user_ids and is_user_id(to)):
        raise refused(21211)
    if sender is not None and sender.startswith("whatsapp:") != to.startswith("whatsapp:"):
        raise refused(21910)
    if any(theirs == to and sender in (None, ours) for ours, theirs in call.sandbox.texts.stopped):
        raise refused(21610)
    return to


def _content(form: dict[str, str], templates: Mapping[str, str]) -> str:
    """Return the text; for a template its body with the variables, or only these if the sandbox does not have it."""
    content, variables, body = (
        form.get("ContentSid"),
        form.get("ContentVariables"),
        form.get("Body"),
    )
    if content is None and variables is not None:
        raise refused(21654)
    if content is not None:
        if not re.fullmatch("HX[0-9a-fA-F]{32}", content):
            raise refused(21655)
        values = _variables(variables or "{}")
        template = templates.get(content)
        if template is None:
            return " ".join(values.values())
        if set(_PLACEHOLDER.findall(template)) != values.keys():
            raise refused(63028)
        return _PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], template)
    if not body:
        raise refused(21619)
    if len(body) > LONGEST_BODY:
        raise refused(21617)
    return body


def _variables(text: str) -> dict[str, str]:
    try:
        values: Any = json.loads(text)
    except ValueError:
        raise refused(21656) from None
    if not isinstance(values, dict) or not all(map(_is_variable, values.values())):
        raise refused(21656)
    return values


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not re.search(r"[\n\t]| {5}", value)


def _segments(body: str) -> int:
    """Return the approximate number of segments, by ASCII characters or UTF-16 units."""
    single, segment = (160, 153) if body.isascii() else (70, 67)
    units = len(body) if body.isascii() else len(body.encode("utf-16-le")) // 2
    return 1 if units <= single else math.ceil(units / segment)


def _moment(text: str | None, otherwise: float) -> float:
    """Return the time of a filter, a time or the start of a day, in seconds since 1970."""
    if text is None:
        return otherwise
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise refused(20001) from None
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


async def get_account(call: Call) -> Answer:
    """`GET .../Accounts/{sid}.json`: the account, for its own credentials only."""
    account = _account(call)
    shown = {"sid": account, "status": "active", "type": "Full", "friendly_name": "An account"}
    return Answer(json_response(shown))


_PATH = f"/{API}/Accounts/{{account}}/Messages"
PROVIDER = Provider(
    name="twilio",
    endpoints=(
        Endpoint("GET", f"/{API}/Accounts/{{account}}.json", ("get_account",), get_account),
        Endpoint("POST", f"{_PATH}.json", ("create_message",), create_message),
        Endpoint("GET", f"{_PATH}.json", ("list_messages",), list_messages),
        Endpoint("GET", f"{_PATH}/{{sid}}/Media.json", ("list_media",), list_media),
        Endpoint("GET", f"{_PATH}/{{sid}}/Media/{{media}}", ("get_media",), get_media),
    ),
    failure=failure,
)
