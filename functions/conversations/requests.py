"""
The request that starts a conversation: read and checked, in the order in which a caller is told what is wrong.

Each refusal has a code of its own and names a field; none repeats what was given (spec of the API in the README).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from conversations.companies import ID
from conversations.items.conversation import ChannelMethod
from shared import addresses, clock

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_BODY_BYTES = 100 * 1_024
DEEPEST_BODY = 64
DEEPEST_PROJECT_DATA = 8
MOST_PROJECT_KEYS = 200
AHEAD_MS = 300 * clock.SECOND_MS
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ID = re.compile(ID)

type Json = dict[str, Any]


class RequestRefused(Exception):
    """The request is not taken. *code* and *status* are for the caller, *field* where one is to blame."""

    def __init__(
        self,
        code: str,
        message: str,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        *,
        field: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.status = status
        self.field = field
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A checked request. *payload* is what was posted, verbatim; *warnings* are codes for the caller."""

    payload: Json = field(repr=False)
    company_id: str
    project_id: str
    request_id: str
    channel_method: ChannelMethod
    requested_at: str
    recipient: Recipient
    has_consent: bool
    template: str | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Whom to write to: E.164, the key of an e-mail address, or WhatsApp's business-scoped id."""

    tel: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    email_as_given: str | None = field(default=None, repr=False)
    user_id: str | None = field(default=None, repr=False)
    first_name: str | None = field(default=None, repr=False)
    last_name: str | None = field(default=None, repr=False)
    language: str | None = None

    def primary(self, channel: ChannelMethod) -> str:
        """The contract's `primary_channel`."""
        if channel is ChannelMethod.EMAIL:
            return self.email or ""
        return self.tel or self.user_id or ""

    def in_id(self, channel: ChannelMethod) -> str:
        """The recipient's part of `conversation_id`."""
        if channel is ChannelMethod.EMAIL:
            return self.email or ""
        return (
            (self.tel or self.user_id or "")
            .removeprefix("+")
            .removeprefix(addresses.USER_ID_PREFIX)
        )


def read_json(body: bytes | None) -> Json:
    """The object that was posted. Raises RequestRefused (`PAYLOAD_TOO_LARGE`, `INVALID_REQUEST`)."""
    if body is not None and len(body) > LARGEST_BODY_BYTES:
        message = f"the body has more than {LARGEST_BODY_BYTES // 1_024} KB"
        raise RequestRefused(
            "PAYLOAD_TOO_LARGE", message, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, field="body"
        )
    try:
        found = json.loads(
            (body or b"").decode("utf-8-sig"),
            object_pairs_hook=_without_twins,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
        json.dumps(found, ensure_ascii=False).encode()  # Half a character can be escaped, not kept.
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or _depth(found) > DEEPEST_BODY:
        message = (
            "the body must be one JSON object in UTF-8, each key once, without NaN, not too deep"
        )
        raise RequestRefused("INVALID_REQUEST", message, field="body")
    return found


def parse(payload: Json, region_of: Callable[[str, str], str | None], max_age_ms: int) -> Request:
    """
    The checked request; *region_of* says where numbers without `+` of a project are from.

    *max_age_ms* 0: a request may be of any age. Raises RequestRefused.
    """
    company_id, project_id = _identifiers(payload)
    sections = {name: _section(payload, name) for name in ("recipient_data", "request_data")}
    request = sections["request_data"]
    request_id = _text(request, "request_id")
    method = _text(request, "channel_method")
    requested_at = _text(request, "initial_request_timestamp")
    if not REQUEST_ID.fullmatch(request_id):
        message = "letters, digits, `.`, `_`, `-`; at most 64, the first a letter or digit"
        raise RequestRefused("INVALID_REQUEST_ID", message, field="request_data.request_id")
    channel = _channel(method)
    _check_time(requested_at, max_age_ms)
    recipient, warnings = _recipient(
        sections["recipient_data"], channel, lambda: region_of(company_id, project_id)
    )
    has_consent = _consent(sections["recipient_data"])
    _check_project_data(payload)
    template = request.get("template")
    return Request(
        payload=payload,
        company_id=company_id,
        project_id=project_id,
        request_id=request_id,
        channel_method=channel,
        requested_at=requested_at,
        recipient=recipient,
        has_consent=has_consent,
        template=template if isinstance(template, str) and template else None,
        warnings=(*warnings, *(() if has_consent else ("CONSENT_MISSING",))),
    )


def request_id_of(payload: Json) -> str:
    """The request's id for an answer, as far as it can be told; `unknown` where it cannot."""
    request = payload.get("request_data")
    found = request.get("request_id") if isinstance(request, dict) else None
    is_readable = isinstance(found, str) and REQUEST_ID.fullmatch(found)
    return str(found) if is_readable else "unknown"


def _identifiers(payload: Json) -> tuple[str, str]:
    section = payload.get("company_data")
    if section is None:
        raise RequestRefused("MISSING_COMPANY_DATA", "is missing", field="company_data")
    if not isinstance(section, dict):
        message = "must be an object"
        raise RequestRefused("INVALID_COMPANY_DATA_TYPE", message, field="company_data")
    for name in ("company_id", "project_id"):
        given = section.get(name)
        if not isinstance(given, str) or not _ID.fullmatch(given):
            message = "must be 1 to 64 letters, digits, `.`, `_` or `-`"
            raise RequestRefused("MISSING_IDENTIFIERS", message, field=f"company_data.{name}")
    return section["company_id"], section["project_id"]


def _section(payload: Json, name: str) -> Json:
    given = payload.get(name)
    if given is None:
        raise RequestRefused(f"MISSING_{name.upper()}", "is missing", field=name)
    if not isinstance(given, dict):
        raise RequestRefused(f"INVALID_{name.upper()}_TYPE", "must be an object", field=name)
    return given


def _text(request: Json, name: str) -> str:
    where = f"request_data.{name}"
    if request.get(name) is None:
        raise RequestRefused(f"MISSING_{name.upper()}", "is missing", field=where)
    given = request[name]
    if not isinstance(given, str) or not given.strip():
        message = "must be a text that is not empty"
        raise RequestRefused(f"INVALID_{name.upper()}_FORMAT", message, field=where)
    return given


def _channel(given: str) -> ChannelMethod:
    try:
        return ChannelMethod(given.lower())
    except ValueError:
        message = "must be whatsapp, sms or email"
    raise RequestRefused("UNSUPPORTED_CHANNEL", message, field="request_data.channel_method")


def _check_time(text: str, max_age_ms: int) -> None:
    where = "request_data.initial_request_timestamp"
    try:
        moment = datetime.fromisoformat(text)
        at_ms = round(moment.timestamp() * clock.SECOND_MS) if moment.tzinfo else None
    except (ValueError, OverflowError):
        at_ms = None
    now = clock.now_ms()
    if at_ms is None or at_ms > now + AHEAD_MS:
        message = "must be an ISO 8601 time with its zone, not more than 5 minutes ahead"
        raise RequestRefused("INVALID_TIMESTAMP", message, field=where)
    if max_age_ms and at_ms < now - max_age_ms:
        raise RequestRefused("TIMESTAMP_EXPIRED", "is too long ago", field=where)


def _recipient(
    given: Json, channel: ChannelMethod, region: Callable[[], str | None]
) -> tuple[Recipient, tuple[str, ...]]:
    """The recipient; a bad contact that the channel does not need is dropped with a warning."""
    warnings: list[str] = []
    tel = _contact(given, "recipient_tel", lambda text: _phone(text, region))
    email = _contact(given, "recipient_email", addresses.email_address)
    user_id = None
    if channel is ChannelMethod.WHATSAPP and given.get("recipient_tel") is None:
        user_id = _contact(given, "recipient_user_id", addresses.user_id)
        if given.get("recipient_user_id") is not None and user_id is None:
            message = "is no business-scoped user id"
            raise RequestRefused(
                "INVALID_RECIPIENT_TEL", message, field="recipient_data.recipient_user_id"
            )
    needed = "recipient_email" if channel is ChannelMethod.EMAIL else "recipient_tel"
    for name, found in (("recipient_tel", tel), ("recipient_email", email)):
        if found is not None or (name == needed and user_id is not None):
            continue
        is_given = given.get(name) is not None
        if name == needed:
            _refuse_contact(name, is_given=is_given)
        if is_given:
            warnings.append(f"{name.upper()}_DROPPED")
    return (
        Recipient(
            tel=tel,
            email=email,
            email_as_given=given.get("recipient_email") if email else None,
            user_id=user_id,
            first_name=_name(given, "recipient_first_name"),
            last_name=_name(given, "recipient_last_name"),
            language=_name(given, "language"),
        ),
        tuple(warnings),
    )


def _phone(text: str, region: Callable[[], str | None]) -> str:
    return addresses.phone_number(text, None if text.strip().startswith("+") else region())


def _contact(given: Json, name: str, normal: Callable[[str], str]) -> str | None:
    text = given.get(name)
    if not isinstance(text, str):
        return None
    try:
        return normal(text)
    except addresses.AddressInvalid:
        return None


def _refuse_contact(name: str, *, is_given: bool) -> None:
    if not is_given:
        message = "is missing, and the channel needs it"
        raise RequestRefused(f"MISSING_{name.upper()}", message, field=f"recipient_data.{name}")
    rule = (
        "must be a phone number with `+` and country code, or of the project's region"
        if name == "recipient_tel"
        else "must be one e-mail address"
    )
    raise RequestRefused(f"INVALID_{name.upper()}", rule, field=f"recipient_data.{name}")


def _name(given: Json, name: str) -> str | None:
    text = given.get(name)
    return text.strip()[:200] or None if isinstance(text, str) else None


def _consent(given: Json) -> bool:
    where = "recipient_data.comms_consent"
    consent = given.get("comms_consent")
    if consent is None:
        raise RequestRefused("MISSING_COMMS_CONSENT", "is missing", field=where)
    if not isinstance(consent, bool):
        raise RequestRefused("INVALID_COMMS_CONSENT_TYPE", "must be true or false", field=where)
    return consent


def _check_project_data(payload: Json) -> None:
    given = payload.get("project_data", {})
    if (
        not isinstance(given, dict)
        or _depth(given) > DEEPEST_PROJECT_DATA
        or _keys(given) > MOST_PROJECT_KEYS
    ):
        message = f"must be an object, at most {DEEPEST_PROJECT_DATA} deep, of at most {MOST_PROJECT_KEYS} keys"
        raise RequestRefused("INVALID_PROJECT_DATA", message, field="project_data")


def _without_twins(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _no_constant(_: str) -> None:
    raise ValueError("NaN and Infinity are no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("nobody can keep such a number")
    return number


def _depth(value: object) -> int:
    """How many containers are around the innermost value; without recursion, as the value is a stranger's."""
    deepest = 0
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        current, level = waiting.pop()
        if isinstance(current, dict):
            current = list(current.values())
        if isinstance(current, list):
            deepest = max(deepest, level)
            waiting += [(part, level + 1) for part in current]
    return deepest


def _keys(value: object) -> int:
    count, waiting = 0, [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            count += len(current)
            waiting += current.values()
        elif isinstance(current, list):
            waiting += current
    return count
