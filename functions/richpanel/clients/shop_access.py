"""
The access token for the shop's Admin API.

    static token         of an app that was created in the shop's admin. None can be created since January 2026;
                         existing ones stay valid.
    client credentials   id and secret of an app of the Dev Dashboard that belongs to the shop's own organisation,
                         exchanged for a token that is valid for 24 hours.

Source: shopify.dev, "Using the client credentials grant". Check: whether a new token ends an older one is not
documented. A refused token is therefore renewed once, so that several processes can hold different ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from richpanel.clients.calls import BadAnswer, attempt, content, refusal
from shared.providers.outcomes import Refused
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

STATIC, CLIENT_ID, CLIENT_SECRET = "shopify", "shopify_client_id", "shopify_client_secret"
KEYS = (STATIC, CLIENT_ID, CLIENT_SECRET)
# A token is renewed this long before it expires: a request that has it must still succeed.
SPARE_MS = 5 * 60 * clock.SECOND_MS
# Errors of the token endpoint that operators can resolve; others are reported by their status.
_KNOWN_ERRORS = frozenset({"app_not_installed", "invalid_client", "shop_not_permitted"})


class KeysInvalid(Refused):
    """The keys of the shop contradict each other, or one of a pair is missing. The code names the rule."""


class _Token(BaseModel):
    """The response of the token endpoint; `expires_in` is in seconds."""

    model_config = ConfigDict(hide_input_in_errors=True)

    access_token: str = Field(min_length=1, repr=False)
    expires_in: int = Field(gt=0)


@dataclass(slots=True, eq=False)
class TokenCache:
    """The newest token of a process, and the client secret with which it was obtained."""

    token: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)
    renew_at: int = 0  # ms since 1970


@dataclass(slots=True, eq=False)
class ShopAccess:
    """Access to one shop. *base_url*: `https://{shop}.myshopify.com`. *cache* outlives the event."""

    base_url: str
    cache: TokenCache
    static: str | None = field(default=None, repr=False)
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, base_url: str, keys: Mapping[str, object], cache: TokenCache) -> Self | None:
        """Return the access that *keys* (`KEYS`) give, or None if there are none."""
        static, client_id, client_secret = (str(keys.get(name) or "") or None for name in KEYS)
        if not (static or client_id or client_secret):
            return None
        return cls(base_url, cache, static, client_id, client_secret)

    def token(self, deadline_ms: int) -> str:
        """Return a token. Raises KeysInvalid, Refused, NotSent, InDoubt and BadAnswer."""
        if self.static and (self.client_id or self.client_secret):
            raise KeysInvalid("shopify_static_token_and_client_credentials")
        if self.static:
            return self.static
        if not (self.client_id and self.client_secret):
            raise KeysInvalid("shopify_client_id_or_secret_missing")
        cache = self.cache
        is_current = cache.secret == self.client_secret and clock.now_ms() < cache.renew_at
        return cache.token if cache.token and is_current else self._obtained(deadline_ms)

    def renewed(self, refused: str, deadline_ms: int) -> str | None:
        """Return another token after the shop has refused *refused*, or None if there is no other."""
        if refused == self.static:
            return None
        if self.cache.token == refused:
            self.cache.token = None
        return self.token(deadline_ms)

    def _obtained(self, deadline_ms: int) -> str:
        asked_at = clock.now_ms()
        answer = attempt(
            "POST",
            f"{self.base_url}/admin/oauth/access_token",
            headers={},
            deadline_ms=deadline_ms,
            body={
                "grant_type": "client_credentials",
                "client_id": self.client_id,
                "client_secret": self.client_secret,
            },
        )
        failure = refusal("shopify_token", answer.status)
        if failure:
            error = _error(answer.data)
            raise Refused(f"shopify_{error}") if error in _KNOWN_ERRORS else failure
        try:
            token = _Token.model_validate(content(answer))
        except ValidationError:
            raise BadAnswer from None
        self.cache.token, self.cache.secret = token.access_token, self.client_secret
        self.cache.renew_at = asked_at + token.expires_in * clock.SECOND_MS - SPARE_MS
        return token.access_token


def _error(data: bytes) -> str | None:
    """Return the `error` of a refusal (RFC 6749, section 5.2), or None if it has none."""
    try:
        return _Refusal.model_validate_json(data).error
    except ValidationError:
        return None


class _Refusal(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    error: str
