"""
Access tokens: JSON Web Tokens (RS256) of the user pool, or of another OpenID provider.

Imported when the first token arrives: calls with an API key need neither the library nor the keys of the provider.
"""

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

from access import token_uses
from access.credentials import CredentialsRefused
from access.signing_keys import ALGORITHM, SigningKeys
from shared.access import revocations
from shared.access.logins import LoginSettings
from shared.api import principals
from shared.runtime import clock

# Revocations are kept as long (shared/access/revocations.py): an older token is refused, even if its provider accepts
# it.
LONGEST_LIFE_SECONDS = revocations.KEPT_SECONDS
_CLOCKS_DIFFER_SECONDS = 60
_LATEST = 1e11  # epoch seconds, in the year 5138

# For the life of the execution environment.
signing_keys = SigningKeys()


class TokenRefused(CredentialsRefused):
    """Not a valid access token. *reason*: see `verify`."""

    kind = "access token"


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of an access token: a person, or software that the settings name. *issued_at* is in epoch seconds."""

    principal: str
    groups: tuple[str, ...]
    issued_at: int


def verify(text: str, settings: LoginSettings) -> Holder:
    """
    Return the holder of this access token.

    Raises TokenRefused: malformed, unknown_key, signature, issuer, audience, expired, not_yet_valid,
    not_an_access_token, other_client, machine, subject, invalid. Raises Transient if the keys of the provider cannot be
    read.
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
    return Holder(
        principal=_principal(header, claims, settings),
        groups=_groups_of(claims, settings.groups_claim),
        issued_at=_checked_times(claims),
    )


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
                "require": ["exp", "iat", "iss"],
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


def _checked_times(claims: Mapping[str, Any]) -> int:
    """Return when the token was issued. Raises TokenRefused for one that is over, or of the future."""
    now = clock.now_ms() / clock.SECOND_MS
    expires, issued, starts = (_moment(claims.get(name, 0)) for name in ("exp", "iat", "nbf"))
    if min(expires, issued + LONGEST_LIFE_SECONDS) <= now:
        raise TokenRefused("expired")
    # A revocation would not reach a token that was issued in the future.
    if max(starts, issued) > now + _CLOCKS_DIFFER_SECONDS:
        raise TokenRefused("not_yet_valid")
    return int(issued)


def _moment(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TokenRefused("invalid")
    if not 0 <= given < _LATEST:  # also false for NaN
        raise TokenRefused("invalid")
    return given


def _principal(
    header: Mapping[str, Any], claims: Mapping[str, Any], settings: LoginSettings
) -> str:
    """Return the principal that this token is for. Raises TokenRefused."""
    named = token_uses.clients_of(claims)
    client = named[0] if named else None
    if len(named) > 1 or not isinstance(client, str | None):
        raise TokenRefused("other_client")
    is_access = token_uses.is_access_token(header, claims, (client, settings.client_id))
    if not is_access or (settings.is_cognito and "token_use" not in claims):
        raise TokenRefused("not_an_access_token")
    try:
        if settings.is_machine(client):
            return principals.of_client(client)
        if not settings.is_client_of_people(client):
            raise TokenRefused("other_client")
        if token_uses.is_of_machine(claims, client, of_cognito=settings.is_cognito):
            raise TokenRefused("machine")
        return principals.of_person(claims["sub"])
    except ValueError:
        raise TokenRefused("subject") from None


def _groups_of(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the groups of a person; a provider may list them, or name a single one."""
    given = claims.get(name)
    listed = given if isinstance(given, list) else [given]
    return tuple(group for group in listed if isinstance(group, str))
