"""
The use and the holder of a token: an access token or another one, its client, a person or software.

Providers disagree about the claims that tell. A token that is not certainly an access token of a named client is
refused.
"""

from collections.abc import Collection, Mapping
from typing import Any

# The claim that names the client, by provider: RFC 9068 and Cognito, OpenID Connect, Okta, Entra ID (tokens of v1).
_CLIENT_CLAIMS = ("client_id", "azp", "cid", "appid")
_RFC_9068 = frozenset({"at+jwt", "application/at+jwt"})
_HEADER_TYPES = _RFC_9068 | {"", "jwt"}
# Claims that say what a token is for, with the values of access tokens: Cognito, Keycloak, Oracle.
_USES = {
    "token_use": frozenset({"access"}),
    "typ": frozenset({"bearer"}),
    "tok_type": frozenset({"at"}),
}
# OpenID Connect has them in identity tokens only.
_OF_IDENTITY = ("at_hash", "c_hash", "s_hash")
_GRANTS_OF_MACHINES = frozenset({"client-credentials", "client_credentials"})
# Keycloak adds them to tokens of service accounts.
_OF_SERVICE_ACCOUNTS = ("clientId", "clientHost", "clientAddress")


def is_access_token(
    header: Mapping[str, Any], claims: Mapping[str, Any], clients: Collection[str | None]
) -> bool:
    """
    Whether this is an access token, not one for identity, refreshing or logging out.

    The audience of an identity token is its client (OpenID Connect); an access token's only where the header
    says that it is one (RFC 9068). *clients*: the token's and the console, since a token may name none.
    """
    kind = str(header.get("typ") or "").casefold()
    if kind not in _HEADER_TYPES or any(name in claims for name in _OF_IDENTITY):
        return False
    if any(
        name in claims and str(claims[name]).casefold() not in allowed
        for name, allowed in _USES.items()
    ):
        return False
    return kind in _RFC_9068 or not any(one in clients for one in _listed(claims.get("aud")))


def clients_of(claims: Mapping[str, Any]) -> list[object]:
    """Return the clients that the claims name: none, one, or several that differ."""
    named: list[object] = []
    for claim in _CLIENT_CLAIMS:
        if claim in claims and claims[claim] not in named:
            named.append(claims[claim])
    return named


def is_of_machine(claims: Mapping[str, Any], client: str | None, *, of_cognito: bool) -> bool:
    """
    Whether software got this token for itself (grant client_credentials).

    Signs that the providers document; not confirmed by our own traffic. The console's client has no secret, so no
    provider issues such a token to it: this covers other clients, and a console that was registered wrongly.
    """
    subject = claims.get("sub")
    grants = {*_listed(claims.get("gty")), *_listed(claims.get("grant_type"))}
    return (
        not subject
        or subject == client  # RFC 9068, Cognito, Okta
        or str(subject).endswith("@clients")  # Auth0
        or not grants.isdisjoint(_GRANTS_OF_MACHINES)  # Auth0
        or (of_cognito and not claims.get("username"))
        or claims.get("idtyp") == "app"  # Entra ID, if the API asks for the claim
        or ("oid" in claims and not claims.get("scp"))  # Entra ID: only people delegate scopes
        or str(claims.get("preferred_username", "")).startswith("service-account-")  # Keycloak
        or any(name in claims for name in _OF_SERVICE_ACCOUNTS)
        or claims.get("sub_type") == "client"  # Oracle
    )


def _listed(given: object) -> list[str]:
    listed = given if isinstance(given, list) else [given]
    return [one for one in listed if isinstance(one, str)]
