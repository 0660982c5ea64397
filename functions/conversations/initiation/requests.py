"""
Parses and validates the request that starts a conversation; checks run in the order in which errors are reported.

Every error has its own code and names a field; no error repeats input values (docs/api.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from conversations.configuration.projects import ID
from conversations.initiation.json_body import Json, RequestRefused, depth, keys
from conversations.initiation.recipient import Recipient, recipient_of
from conversations.store.items.conversation import ChannelMethod
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST_PROJECT_DATA = 8
MOST_PROJECT_KEYS = 200
# Reserved names of stored-object pointers. Pointers are never read from `project_data`, but other readers might do so.
RESERVED_NAMES = frozenset({"s3_bucket", "s3_key", "sha256", "bytes"})
AHEAD_MS = 300 * clock.SECOND_MS
LATEST_DAYS = 90  # of a scheduled first message
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ID = re.compile(ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    A validated request. *payload* is the posted body, verbatim; *warnings* are codes returned to the caller.

    *send_at* is the time before which the first message is not sent; None: at once.
    """

    payload: Json = field(repr=False)
    company_id: str
    project_id: str
    request_id: str
    channel_method: ChannelMethod
    requested_at: str
    recipient: Recipient
    has_consent: bool
    template: str | None
    send_at: str | None = None
    warnings: tuple[str, ...] = ()


def parse(payload: Json, region_of: Callable[[str, str], str | None], max_age_ms: int) -> Request:
    """
    Return the validated request; *region_of* gives a project's default region for numbers without `+`.

    *max_age_ms* 0: no age limit. Raises RequestRefused.
    """
    company_id, project_id = _identifiers(payload)
    sections = {name: _section(payload, name) for name in ("recipient_data", "request_data")}
    request = sections["request_data"]
    request_id = _text(request, "request_id")
    method = _text(request, "channel_method")
    requested_at = _text(request, "initial_request_timestamp")
    if not REQUEST_ID.fullmatch(request_id):
        message = (
            "must be 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or digit"
        )
        raise RequestRefused("INVALID_REQUEST_ID", message, field="request_data.request_id")
    channel = _channel(method)
    _check_time(requested_at, max_age_ms)
    recipient, warnings = recipient_of(
        sections["recipient_data"], channel, lambda: region_of(company_id, project_id)
    )
    has_consent = _consent(sections["recipient_data"])
    _check_project_data(payload)
    template = request.get("template")
    send_at = _send_at(request)
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
        send_at=send_at,
        warnings=(*warnings, *(() if has_consent else ("CONSENT_MISSING",))),
    )


def request_id_of(payload: Json) -> str:
    """Return the request id for the response, or `unknown` if it is missing or malformed."""
    request = payload.get("request_data")
    request_id = request.get("request_id") if isinstance(request, dict) else None
    is_readable = isinstance(request_id, str) and REQUEST_ID.fullmatch(request_id)
    return str(request_id) if is_readable else "unknown"


def _identifiers(payload: Json) -> tuple[str, str]:
    section = payload.get("company_data")
    if section is None:
        raise RequestRefused("MISSING_COMPANY_DATA", "is missing", field="company_data")
    if not isinstance(section, dict):
        message = "must be an object"
        raise RequestRefused("INVALID_COMPANY_DATA_TYPE", message, field="company_data")
    for name in ("company_id", "project_id"):
        value = section.get(name)
        if not isinstance(value, str) or not _ID.fullmatch(value):
            message = "must be 1 to 64 letters, digits, `.`, `_` or `-`"
            raise RequestRefused("MISSING_IDENTIFIERS", message, field=f"company_data.{name}")
    return section["company_id"], section["project_id"]


def _section(payload: Json, name: str) -> Json:
    section = payload.get(name)
    if section is None:
        raise RequestRefused(f"MISSING_{name.upper()}", "is missing", field=name)
    if not isinstance(section, dict):
        raise RequestRefused(f"INVALID_{name.upper()}_TYPE", "must be an object", field=name)
    return section


def _text(request: Json, name: str) -> str:
    where = f"request_data.{name}"
    if request.get(name) is None:
        raise RequestRefused(f"MISSING_{name.upper()}", "is missing", field=where)
    value = request[name]
    if not isinstance(value, str) or not value.strip():
        message = "must be a non-empty string"
        raise RequestRefused(f"INVALID_{name.upper()}_FORMAT", message, field=where)
    return value


def _channel(text: str) -> ChannelMethod:
    try:
        return ChannelMethod(text.lower())
    except ValueError:
        message = "must be whatsapp, sms or email"
    raise RequestRefused("UNSUPPORTED_CHANNEL", message, field="request_data.channel_method")


def _check_time(text: str, max_age_ms: int) -> None:
    where = "request_data.initial_request_timestamp"
    at_ms, now = _time_ms(text), clock.now_ms()
    if at_ms is None or at_ms > now + AHEAD_MS:
        message = "must be an ISO 8601 time with time zone, at most 5 minutes in the future"
        raise RequestRefused("INVALID_TIMESTAMP", message, field=where)
    if max_age_ms and at_ms < now - max_age_ms:
        raise RequestRefused("TIMESTAMP_EXPIRED", "is too old", field=where)


def _send_at(request: Json) -> str | None:
    """Return the time of a scheduled first message; one that is over means at once."""
    if request.get("send_at") is None:
        return None
    at_ms = _time_ms(_text(request, "send_at"))
    if at_ms is None or at_ms > clock.now_ms() + LATEST_DAYS * clock.DAY_SECONDS * clock.SECOND_MS:
        message = (
            f"must be an ISO 8601 time with time zone, at most {LATEST_DAYS} days in the future"
        )
        raise RequestRefused("INVALID_SEND_AT", message, field="request_data.send_at")
    return clock.to_text(at_ms)


def _time_ms(text: str) -> int | None:
    """Return an ISO 8601 time with time zone in ms since 1970; None for any other text."""
    try:
        moment = datetime.fromisoformat(text)
        return round(moment.timestamp() * clock.SECOND_MS) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _consent(recipient_data: Json) -> bool:
    where = "recipient_data.comms_consent"
    consent = recipient_data.get("comms_consent")
    if consent is None:
        raise RequestRefused("MISSING_COMMS_CONSENT", "is missing", field=where)
    if not isinstance(consent, bool):
        raise RequestRefused("INVALID_COMMS_CONSENT_TYPE", "must be true or false", field=where)
    return consent


def _check_project_data(payload: Json) -> None:
    project_data = payload.get("project_data", {})
    if (
        not isinstance(project_data, dict)
        or depth(project_data) > DEEPEST_PROJECT_DATA
        or keys(project_data) > MOST_PROJECT_KEYS
    ):
        message = f"must be an object with at most {MOST_PROJECT_KEYS} keys, at most {DEEPEST_PROJECT_DATA} levels deep"
        raise RequestRefused("INVALID_PROJECT_DATA", message, field="project_data")
    if reserved := RESERVED_NAMES & project_data.keys():
        message = f"is a reserved name; the reserved names are {', '.join(sorted(RESERVED_NAMES))}"
        raise RequestRefused("INVALID_PROJECT_DATA", message, field=f"project_data.{min(reserved)}")
