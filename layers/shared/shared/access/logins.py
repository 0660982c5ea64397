"""
Settings of the login provider for people. The deployment writes them to the parameter store as one JSON
text (stacks/logins.yaml); the authorizer verifies tokens with them, and the console sends browsers to the login pages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Self

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable

CACHE_MS = 300 * clock.SECOND_MS
# The only scopes that the console requests: groups are in every access token.
SCOPES: Final = ("openid", "email", "profile")
COGNITO: Final = "cognito"
UNNAMED_CLIENT: Final = "(none)"
_CONFIGURATION_WITHIN_MS = 3 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginSettings:
    """
    A login provider and the console's client there. Contains no secret.

    *provider*: `cognito` (the user pool of the deployment) or `oidc` (another OpenID provider). *audience*: the
    audience of access tokens; empty for Cognito, whose access tokens have none. *other_clients*: other apps whose
    people may call the API, comma separated; UNNAMED_CLIENT stands for tokens that name no client. *machine_clients*:
    software that may call it with its tokens. *console_url*: the page of the console, which mails name.
    """

    provider: str
    issuer: str
    client_id: str
    audience: str
    groups_claim: str
    keys_url: str
    authorize_url: str
    token_url: str
    logout_url: str
    # Settings that an earlier release wrote lack these.
    revoke_url: str = ""
    other_clients: str = ""
    machine_clients: str = ""
    console_url: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse the stored text. Raises ValueError, KeyError or TypeError for any other."""
        stored = {field.name: "" for field in fields(cls) if field.default == ""} | json.loads(text)
        return cls(**{field.name: str(stored[field.name]) for field in fields(cls)})

    def is_client_of_people(self, client: str | None) -> bool:
        """Whether people call the API with tokens of this client; None: tokens that name none."""
        others = _named(self.other_clients)
        if client is None:
            return UNNAMED_CLIENT in others
        return client in {self.client_id, *others} - {UNNAMED_CLIENT}

    def is_machine(self, client: str | None) -> bool:
        """Whether this client calls the API as itself."""
        return client in _named(self.machine_clients) - {self.client_id}

    @property
    def is_cognito(self) -> bool:
        """Whether people log in to the user pool of the deployment."""
        return self.provider == COGNITO

    @property
    def user_pool(self) -> str | None:
        """The id of the user pool, which its issuer ends with; None for another provider."""
        return self.issuer.rpartition("/")[2] if self.is_cognito else None


def _named(listed: str) -> set[str]:
    return {name for name in listed.split(",") if name}


class StoredLogins:
    """
    The login settings, at most five minutes old. The client is created at the first read, not at import.

    *completes*: whether another provider is asked for its addresses; without, they stay empty.
    """

    def __init__(
        self, make_client: Callable[[], Any], name: str, *, completes: bool = True
    ) -> None:
        self._make_client = make_client
        self._client: Any = None
        self._name = name
        self._completes = completes
        self._value: LoginSettings | None = None
        self._read_at = 0

    def value(self) -> LoginSettings:
        """
        Return the settings. Raises Transient if they cannot be read.

        Settings that were read before stay valid while the parameter store or the provider does not answer.
        """
        if self._value is None or clock.now_ms() - self._read_at >= CACHE_MS:
            try:
                self._value = self._read()
            except (BotoCoreError, ClientError, Transient) as failure:
                logger.warning("login settings unreadable", extra=describe(failure))
                if self._value is None:
                    raise Transient("login settings unreadable") from None
            self._read_at = clock.now_ms()
        return self._value

    def _read(self) -> LoginSettings:
        self._client = self._client or self._make_client()
        stored = self._client.get_parameter(Name=self._name)["Parameter"]["Value"]
        settings = LoginSettings.read(stored)
        return settings if settings.keys_url or not self._completes else _completed(settings)


def _completed(settings: LoginSettings) -> LoginSettings:
    """Return settings with the addresses of the provider's OpenID configuration. Raises Transient."""
    from shared.providers import http  # noqa: PLC0415 - only another provider needs it
    from shared.providers.outcomes import InDoubt, NotSent  # noqa: PLC0415 - with the client

    url = f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        answer = http.call("GET", url, headers={}, within_ms=_CONFIGURATION_WITHIN_MS)
        published = json.loads(answer.data)
        found = replace(
            settings,
            keys_url=str(published["jwks_uri"]),
            authorize_url=str(published["authorization_endpoint"]),
            token_url=str(published["token_endpoint"]),
            logout_url=str(published.get("end_session_endpoint", "")),
            revoke_url=str(published.get("revocation_endpoint", "")),
        )
    except (NotSent, InDoubt, ValueError, KeyError, TypeError, AttributeError):
        raise Transient("no OpenID configuration of the login provider") from None
    if published.get("issuer") != settings.issuer:
        raise Transient("the OpenID configuration names another issuer")
    return found
