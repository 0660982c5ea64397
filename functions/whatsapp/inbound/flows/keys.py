"""The private keys of an account's forms, from the parameter store; cached for the life of a version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from botocore.exceptions import ClientError

from shared.runtime.observability import describe, logger
from whatsapp.inbound.flows import encryption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from whatsapp.store.items.contacts.customers import FlowKeys

_GONE = frozenset({"ParameterNotFound", "ParameterVersionNotFound"})
_MOST_CACHED = 100


class Parameters(Protocol):
    """The operation of the parameter store that is used."""

    def get_parameter(self, *, Name: str, WithDecryption: bool) -> dict[str, dict[str, str]]:  # noqa: N803 - the API's names
        """Return a parameter, or one of its versions."""
        ...


@dataclass(slots=True, eq=False)
class PrivateKeys:
    """The parameters below *path*, one per account; each version of a parameter is one private key (PEM)."""

    make_client: Callable[[], Parameters]
    path: str
    _cached: dict[tuple[str, int], RSAPrivateKey] = field(default_factory=dict)
    _client: Parameters | None = None

    def of_account(self, waba: str, pairs: FlowKeys) -> Iterator[RSAPrivateKey]:
        """Yield the private keys of an account's key pairs, newest first."""
        for pair in pairs.keys:
            key = self._key(waba, int(pair["version"]))
            if key is not None:
                yield key

    def _key(self, waba: str, version: int) -> RSAPrivateKey | None:
        if (waba, version) not in self._cached:
            self._client = self._client or self.make_client()
            name = f"{self.path}/{waba}:{version}"
            try:
                found = self._client.get_parameter(Name=name, WithDecryption=True)
                key = encryption.private_key(found["Parameter"]["Value"])
            except ClientError as error:
                if error.response["Error"]["Code"] not in _GONE:
                    raise
                logger.error("private key of forms is missing", extra=describe(error))
                return None
            except ValueError:
                logger.error("private key of forms is unreadable", extra={"account": waba})
                return None
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            self._cached[waba, version] = key
        return self._cached[waba, version]
