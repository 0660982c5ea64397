"""Public keys of the login provider, from its JSON Web Key Set."""

import json
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

ALGORITHM = "RS256"
# A key that the provider has withdrawn is accepted for at most this time.
CACHE_MS = clock.HOUR_MS
# Without this limit, every token with a made-up key id would cause a request to the provider.
REFRESH_AT_MOST_EVERY_MS = 60 * clock.SECOND_MS
_WITHIN_MS = 3 * clock.SECOND_MS


class SigningKeys:
    """The keys of one provider, cached for an hour; an unknown key id refreshes them at most once a minute."""

    def __init__(self) -> None:
        self._url = ""
        self._keys: dict[str, PyJWK] = {}
        self._tried_at = 0

    def find(self, key_id: str, url: str) -> PyJWK | None:
        """
        Return the key with this id from the key set at *url*; None if the provider has no such key.

        Raises Transient if there are no keys and the provider does not answer. Keys that were read before stay valid
        while it does not.
        """
        age = clock.now_ms() - self._tried_at
        is_old = age >= CACHE_MS or (key_id not in self._keys and age >= REFRESH_AT_MOST_EVERY_MS)
        if url != self._url or not self._keys or is_old:
            self._refresh(url)
        return self._keys.get(key_id)

    def _refresh(self, url: str) -> None:
        self._tried_at = clock.now_ms()
        try:
            keys = _keys_at(url)
        except Transient:
            if url != self._url or not self._keys:
                raise
            logger.warning("signing keys unreadable; keys of the last hour stay valid")
            return
        self._url, self._keys = url, keys


def _keys_at(url: str) -> dict[str, PyJWK]:
    """Read a key set; ignores keys of other algorithms and purposes. Raises Transient."""
    try:
        answer = http.call("GET", url, headers={}, within_ms=_WITHIN_MS)
        entries: list[dict[str, Any]] = json.loads(answer.data)["keys"]
        keys = {str(entry["kid"]): _key_of(entry) for entry in entries if _is_for_signatures(entry)}
    except (NotSent, InDoubt, ValueError, KeyError, TypeError, AttributeError, PyJWTError):
        raise Transient("no signing keys of the login provider") from None
    if not keys:
        raise Transient("the login provider has no signing key")
    return keys


def _is_for_signatures(entry: dict[str, Any]) -> bool:
    is_signature = entry.get("use", "sig") == "sig"
    return is_signature and entry.get("kty") == "RSA" and entry.get("alg", ALGORITHM) == ALGORITHM


def _key_of(entry: dict[str, Any]) -> PyJWK:
    return PyJWK(entry, algorithm=ALGORITHM)
