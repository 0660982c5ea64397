"""Companies' secrets: named in their set-up, read when they are needed, kept for five minutes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.channels.outcomes import Misconfigured, NotSent
from shared.secrets import JsonSecret, SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_secretsmanager import SecretsManagerClient

_DENIED = frozenset({"AccessDeniedException", "ResourceNotFoundException"})


@dataclass(frozen=True, slots=True)
class Credentials:
    """The secrets of companies by their ids."""

    make_client: Callable[[], SecretsManagerClient]
    _known: dict[str, JsonSecret] = field(default_factory=dict)

    def secret(self, secret_id: str) -> JsonSecret:
        """One secret; the same object each time, as it remembers what it read."""
        return self._known.setdefault(secret_id, JsonSecret(self.make_client, secret_id))

    def value(self, secret_id: str | None) -> dict[str, Any]:
        """What a secret holds. Raises Misconfigured where there is none for us, NotSent where AWS fails."""
        if secret_id is None:
            raise Misconfigured("secrets_missing")
        with readable():
            return self.secret(secret_id).value()


@contextmanager
def readable() -> Iterator[None]:
    """A secret is read in here: Misconfigured where there is none for us, NotSent where AWS fails."""
    try:
        yield
    except SecretUnreadable:
        raise Misconfigured("secrets_missing") from None
    except ClientError as error:
        if error.response["Error"]["Code"] in _DENIED:
            raise Misconfigured("secrets_missing") from None
        raise NotSent("secrets_unreadable") from None
    except BotoCoreError:
        raise NotSent("secrets_unreadable") from None
