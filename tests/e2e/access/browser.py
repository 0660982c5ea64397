"""What a browser does to log in, over plain HTTP: the login page, its form, the code, and tokens for the code."""

from __future__ import annotations

import hashlib
import html
import json
import re
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import urllib3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urllib3 import BaseHTTPResponse

    from shared.access.logins import LoginSettings

_pool = urllib3.PoolManager(retries=False)
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser that logs in at a provider and returns to the address of the console."""

    logins: LoginSettings
    returns_to: str

    def log_in(self, name: str, password: str, new_password: str = "") -> dict[str, Any]:
        """Return the tokens; a first login with a temporary password sets a new one."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        page = self.login_page(challenge=_challenge(verifier), state=state)
        answer = self.submit(page, {"username": name, "password": password})
        if new_password:
            fields = {"new_password": new_password, "confirm_password": new_password}
            answer = self.submit(answer, fields)
        return self.exchange(self.code_of(answer, state), verifier)

    def is_refused(self, name: str, password: str) -> bool:
        """Whether the login page is shown again instead of a return to the console."""
        page = self.login_page(challenge=_challenge("a" * 43))
        return self.submit(page, {"username": name, "password": password}).status == HTTPStatus.OK

    def code_of(self, answer: BaseHTTPResponse, state: str = "") -> str:
        """Return the code with which the login page returns to the console."""
        assert answer.status == HTTPStatus.FOUND, answer.data
        arrived = urlsplit(answer.headers["Location"])
        assert f"{arrived.scheme}://{arrived.netloc}{arrived.path}" == self.returns_to
        query = parse_qs(arrived.query)
        assert query.get("state", [""]) == [state]
        return query["code"][0]

    def login_page(self, *, challenge: str, state: str = "") -> BaseHTTPResponse:
        """Open the login page."""
        query = {
            "response_type": "code",
            "client_id": self.logins.client_id,
            "redirect_uri": self.returns_to,
            "scope": "openid email profile",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return self._get(f"{self.logins.authorize_url}?{urlencode(query)}")

    def exchange(self, code: str, verifier: str) -> dict[str, Any]:
        """Return the tokens for an authorization code, or the provider's error."""
        return self._token(
            grant_type="authorization_code",
            code=code,
            redirect_uri=self.returns_to,
            code_verifier=verifier,
        )

    def refresh(self, refresh_token: str) -> dict[str, Any]:
        """Return new tokens, or the provider's error."""
        return self._token(grant_type="refresh_token", refresh_token=refresh_token)

    def _token(self, **fields: str) -> dict[str, Any]:
        body = urlencode(fields | {"client_id": self.logins.client_id}).encode()
        answer = _pool.request("POST", self.logins.token_url, body=body, headers=_FORM)
        tokens: dict[str, Any] = json.loads(answer.data)
        return tokens

    def submit(self, page: BaseHTTPResponse, typed: Mapping[str, str]) -> BaseHTTPResponse:
        """Submit the form of a page, with its hidden fields."""
        assert page.status == HTTPStatus.OK, page.data
        hidden = {name: html.unescape(value) for name, value in _FIELD.findall(page.data.decode())}
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(self.logins.authorize_url))
        body = urlencode({**hidden, **typed}).encode()
        return _pool.request("POST", f"{origin}/login", body=body, headers=_FORM, redirect=False)

    def _get(self, url: str) -> BaseHTTPResponse:
        return _pool.request("GET", url, redirect=False)


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return urlsafe_b64encode(digest).decode().rstrip("=")
