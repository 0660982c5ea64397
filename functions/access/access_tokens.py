"""
Access tokens of people: JSON Web Tokens (RS256) of the user pool, or of another OpenID provider.

Imported when the first token arrives: calls with an API key need neither the library nor the keys of the provider.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from jwt.exceptions import (
    InvalidAudienceError,
    InvalidIssuerError,
    InvalidSignatureError,
    PyJWTError,
)

from access.credentials import CredentialsRefused
from access.signing_keys import ALGORITHM, SigningKeys
from shared.logins import LoginSettings
from shared.runtime import clock

# `user:{subject}` is stored in items and keys, and a conversation may be assigned to it: the APIs' rule for agents.
_SUBJECT = re.compile(r"[A-Za-z0-9._@:+|-]{1,120}", re.ASCII)
# The claim that names the client, by provider: RFC 9068 and Cognito, OpenID Connect, Okta, Entra ID (tokens of v1).
_CLIENT_CLAIMS = ("client_id", "azp", "cid", "appid")


# For the life of the execution environment.
signing_keys = SigningKeys()


class TokenRefused(CredentialsRefused):
    """Not a valid access token. *reason*: see `verify`."""

    kind = "access token"


@dataclass(frozen=True, slots=True)
class Person:
    """A person that the login provider has authenticated: its id of the person, and the person's groups."""

    subject: str
    groups: tuple[str, ...]


def verify(text: str, settings: LoginSettings) -> Person:
    """
    Return the person whose access token this is.

    Raises TokenRefused: malformed, unknown_key, signature, issuer, audience, expired, not_yet_valid, other_client,
    not_an_access_token, subject, invalid. Raises Transient if the keys of the provider cannot be read.
    """
    try:
        header = jwt.get_unverified_header(text)
    except PyJWTError:
        raise TokenRefused("malformed") from None
    if header.get("alg") != ALGORITHM:
        raise TokenRefused("malformed")
    key = signing_keys.find(str(header.get("kid", "")), settings.keys_url)
    if key is None:
        raise TokenRefused("unknown_key")
    claims = _signed_claims(text, settings, key)
    _check_times(claims)
    _check_client(claims, settings)
    subject = claims["sub"]
    if not isinstance(subject, str) or not _SUBJECT.fullmatch(subject):
        raise TokenRefused("subject")
    return Person(subject, _groups_of(claims, settings.groups_claim))


def _signed_claims(text: str, settings: LoginSettings, key: jwt.PyJWK) -> dict[str, Any]:
    """Return the claims after checking signature, issuer and audience. Raises TokenRefused."""
    try:
        claims: dict[str, Any] = jwt.decode(
            text,
            key=key,
            algorithms=[ALGORITHM],
            issuer=settings.issuer,
            audience=settings.audience or None,
            # Times are checked by our own clock, which tests set.
            options={
                "require": ["exp", "iss", "sub"],
                "verify_aud": bool(settings.audience),
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
    except InvalidSignatureError:
        raise TokenRefused("signature") from None
    except InvalidIssuerError:
        raise TokenRefused("issuer") from None
    except InvalidAudienceError:
        raise TokenRefused("audience") from None
    except PyJWTError:
        raise TokenRefused("invalid") from None
    return claims


def _check_times(claims: Mapping[str, Any]) -> None:
    now = clock.now_ms() / clock.SECOND_MS
    expires, starts = claims["exp"], claims.get("nbf", 0)
    if not isinstance(expires, int | float) or not isinstance(starts, int | float):
        raise TokenRefused("invalid")
    if expires <= now:
        raise TokenRefused("expired")
    if starts > now + 60:  # clocks of providers differ by seconds
        raise TokenRefused("not_yet_valid")


def _check_client(claims: Mapping[str, Any], settings: LoginSettings) -> None:
    """
    Refuse tokens of other clients, and identity tokens.

    Cognito names the use in `token_use`. An identity token of another provider has the client as its audience, which
    the deployment does not accept as audience of access tokens.
    """
    if settings.is_cognito and claims.get("token_use") != "access":
        raise TokenRefused("not_an_access_token")
    named = [claims[name] for name in _CLIENT_CLAIMS if name in claims]
    if any(client != settings.client_id for client in named) or (
        settings.is_cognito and "client_id" not in claims
    ):
        raise TokenRefused("other_client")


def _groups_of(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the groups of a person; a provider may list them, or name a single one."""
    given = claims.get(name)
    listed = given if isinstance(given, list) else [given]
    return tuple(group for group in listed if isinstance(group, str))
