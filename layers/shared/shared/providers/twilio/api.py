"""Calls of Twilio's REST API: credentials, a single HTTP attempt, and the mapping of Twilio's errors to outcomes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from shared.providers import http
from shared.providers.outcomes import (
    AddressUnusable,
    CredentialsRefused,
    InDoubt,
    Misconfigured,
    NotSent,
    OptedOut,
    Refused,
    Throttled,
    WindowClosed,
)
from shared.runtime import clock
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

# Twilio's error codes with a more specific meaning than "refused". (Twilio, "Error and Warning Dictionary".)
_NOT_NOW = frozenset({20429, 21611, 63018})
_OUTCOMES: Mapping[int, type[Refused]] = {
    20003: CredentialsRefused,
    21606: Misconfigured,
    21608: Misconfigured,
    21610: OptedOut,
    21211: AddressUnusable,
    21614: AddressUnusable,
    63024: AddressUnusable,
    63016: WindowClosed,
}
_UNAUTHORIZED, _TOO_MANY = 401, 429
_REDIRECTS, _CLIENT_ERRORS, _SERVER_ERRORS = 300, 400, 500
_LONGEST_NUMBER = 6  # digits


@dataclass(frozen=True, slots=True)
class Credentials:
    """The account, and the user and password of Basic authentication."""

    account_sid: str
    user: str
    password: str = field(repr=False)

    @property
    def path(self) -> str:
        """The path prefix of all resources of the account."""
        return f"/2010-04-01/Accounts/{quote(self.account_sid, safe='')}"


def credentials_of(secret: Mapping[str, Any]) -> Credentials:
    """Return the credentials in a company's secret: its API key, else the auth token. Raises Misconfigured."""
    account = secret.get("twilio_account_sid")
    user, password = secret.get("twilio_api_key_sid"), secret.get("twilio_api_key_secret")
    if user is None and password is None:
        user, password = account, secret.get("twilio_auth_token")
    if not all(isinstance(part, str) and part for part in (account, user, password)):
        raise Misconfigured("twilio_secret")
    return Credentials(str(account), str(user), str(password))


def request(
    method: str,
    url: str,
    credentials: Credentials,
    form: bytes | None = None,
    within_ms: int = http.LONGEST_ANSWER_MS,
) -> dict[str, Any]:
    """Make one attempt and return the JSON object of the response. Raises Refused, NotSent or InDoubt."""
    pair = f"{credentials.user}:{credentials.password}".encode()
    headers = {"Authorization": f"Basic {b64encode(pair).decode()}", "Accept": "application/json"}
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    answer = http.call(method, url, headers=headers, body=form, within_ms=within_ms)
    if answer.status >= _REDIRECTS:
        raise _failure(answer)
    payload = json_object(answer.data)
    if payload is None:
        raise InDoubt("twilio_no_json")
    return payload


def check_account(base_url: str, credentials: Credentials) -> None:
    """
    Ask Twilio for the account of these credentials: an account belongs to a company that can read it.

    Raises Refused if Twilio does not show it or it is not active, NotSent and InDoubt. (Twilio, "Account resource".)
    """
    account = request("GET", f"{base_url}{credentials.path}.json", credentials)
    if account.get("sid") != credentials.account_sid or account.get("status") != "active":
        raise CredentialsRefused("twilio_account")


def refusal(code: int) -> Refused | NotSent:
    """Map Twilio's error code of a message that was rejected, or accepted and dropped at once, to an exception."""
    if code in _NOT_NOW:
        return Throttled(f"twilio_{code}")
    return _OUTCOMES.get(code, Refused)(f"twilio_{code}")


def number(value: object) -> int:
    """Parse a small number, which Twilio sends as a number or as text; 0 if it is neither."""
    text = str(value)
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return int(text) if is_number else 0


def _failure(answer: http.Answer) -> Refused | NotSent | InDoubt:
    """Map an unsuccessful response to an exception."""
    code = number((json_object(answer.data) or {}).get("code")) or answer.status
    # Redirects are not followed: the request was neither executed nor refused by the host we called.
    if answer.status >= _SERVER_ERRORS or answer.status < _CLIENT_ERRORS:
        return InDoubt(f"twilio_{code}")
    if answer.status == _TOO_MANY or code in _NOT_NOW:
        seconds = number(answer.headers.get("retry-after"))
        return Throttled(f"twilio_{code}", seconds * clock.SECOND_MS or None)
    if answer.status == _UNAUTHORIZED:
        return CredentialsRefused(f"twilio_{code}")
    return refusal(code)
