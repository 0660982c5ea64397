"""A login provider: its keys, the tokens that it signs, and what it publishes over HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from shared.providers import http
from shared.providers.outcomes import NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

POOL = "https://cognito-idp.us-east-1.amazonaws.com/UserPool"
KEYS = f"{POOL}/.well-known/jwks.json"
OTHER = "https://login.example/realm"


def new_key() -> RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Provider:
    """*documents*: URL to JSON text. *requested*: every URL that was asked for; none is answered while *is_down*."""

    keys: dict[str, RSAPrivateKey] = field(default_factory=lambda: {"first": new_key()})
    documents: dict[str, Any] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    is_down: bool = False

    def published(self) -> dict[str, Any]:
        """The key set."""
        keys = [
            json.loads(RSAAlgorithm.to_jwk(key.public_key()))
            | {"kid": name, "use": "sig", "alg": "RS256"}
            for name, key in self.keys.items()
        ]
        return {"keys": keys}

    def token(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        key_id: str = "first",
        key: RSAPrivateKey | None = None,
        kind: str | None = "JWT",
    ) -> str:
        """
        An access token of the user pool for an agent of acme; a change to None removes a claim.

        *kind*: the `typ` of the header.
        """
        now = clock.now_ms() // 1_000
        claims = {
            "sub": "1df408e3",
            "iss": POOL,
            "token_use": "access",
            "client_id": "ConsoleClient",
            "iat": now,
            "exp": now + 3_600,
            "username": "1df408e3",
            "cognito:groups": ["acme:agent"],
        } | dict(changes or {})
        shown = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(
            shown,
            key or self.keys[key_id],
            algorithm="RS256",
            headers={"kid": key_id, "typ": kind},
        )

    def call(self, method: str, url: str, **_: Any) -> http.Answer:
        """Answer in place of `http.call`."""
        assert method == "GET"
        self.requested.append(url)
        if self.is_down:
            raise NotSent("no_connection")
        document = self.published() if url == KEYS else self.documents.get(url)
        if document is None:
            return http.Answer(404, b"{}")
        return http.Answer(200, json.dumps(document).encode())
