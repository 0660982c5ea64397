"""
Hashes of values that can be guessed, such as phone numbers: HMAC-SHA256 with a secret key of the stage.

A plain hash of a phone number is reversed by hashing every phone number; a keyed hash is not, without the key. The
secret holds `identifier_key`: a text, or a list while it rotates. The first key writes, all keys read.

Each process has one keyring. The composition root of a function calls `configure`; the secret is read at the first use.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.secrets import SecretUnreadable, texts
from shared.failures import Transient

if TYPE_CHECKING:
    from shared.aws.secrets import JsonSecret

FINGERPRINT_CHARACTERS = 2  # base32: 10 bits


class NotConfigured(Exception):
    """The function uses a keyed hash, and its composition root does not call `configure`."""


class KeysUnreadable(Transient):
    """The secret cannot be read, holds no key, or holds two keys with one fingerprint."""


class KeyUnknown(Transient):
    """
    No key of the secret has the wanted fingerprint.

    Transient: a worker tries again, then the dead-letter queue keeps the record until an operator restores the key.
    """


@dataclass(frozen=True, slots=True)
class Key:
    """One key. *fingerprint* (two base32 characters, lower case) names it without telling it."""

    secret: bytes = field(repr=False)
    fingerprint: str

    def hex(self, *parts: str) -> str:
        """The keyed hash of the *parts* as 64 hex digits, unambiguous in where one part ends."""
        return self._hash(parts).hex()

    def base32(self, *parts: str) -> str:
        """The same hash as 52 base32 characters in lower case."""
        return _base32(self._hash(parts))

    def _hash(self, parts: tuple[str, ...]) -> bytes:
        # JSON, because a plain separator could be part of a part.
        return hmac.digest(self.secret, json.dumps(parts).encode(), hashlib.sha256)


_secret: JsonSecret | None = None


def configure(secret: JsonSecret) -> None:
    """Use the keys of *secret* in this process. The secret is not read yet."""
    global _secret  # noqa: PLW0603 - one keyring for each process, see above
    _secret = secret


def all_keys() -> tuple[Key, ...]:
    """All keys, the one that writes first. Raises KeysUnreadable, and NotConfigured."""
    try:
        held = tuple(dict.fromkeys(texts(_configured().value().get("identifier_key"))))
    except (SecretUnreadable, ClientError, BotoCoreError):
        raise KeysUnreadable("identifier_keys_unreadable") from None
    return _keys_of(held)


def key_named(fingerprint: str) -> Key:
    """
    The key with this fingerprint. A key that is new in the secret is found too: the secret is read again, at most once
    a minute.

    Raises KeyUnknown, KeysUnreadable and NotConfigured.
    """
    found = _find(fingerprint)
    if found is None and _refreshed():
        found = _find(fingerprint)
    if found is None:
        raise KeyUnknown("identifier_key_unknown")
    return found


def keyed_hash(*parts: str) -> str:
    """
    The hash of the *parts* (hex) by the key that writes. The first part says what is hashed.

    It changes when the key rotates: what must be found afterwards is looked up by `keyed_hashes`.
    Raises KeysUnreadable and NotConfigured.
    """
    return all_keys()[0].hex(*parts)


def keyed_hashes(*parts: str) -> list[str]:
    """The hashes of the *parts* by all keys, the one that writes first. Raises as `keyed_hash`."""
    return [key.hex(*parts) for key in all_keys()]


def address_hash(address: str) -> str:
    """The hash of a normalised address (`shared.addresses`), for item keys that are written."""
    return keyed_hash("address", address)


def address_hashes(address: str) -> list[str]:
    """The hashes of a normalised address by all keys, the one that writes first, for item keys that are read."""
    return keyed_hashes("address", address)


def _configured() -> JsonSecret:
    if _secret is None:
        raise NotConfigured("the identifier keys are not configured")
    return _secret


def _find(fingerprint: str) -> Key | None:
    return next((key for key in all_keys() if key.fingerprint == fingerprint), None)


def _refreshed() -> bool:
    try:
        return _configured().refreshed()
    except (SecretUnreadable, ClientError, BotoCoreError):
        raise KeysUnreadable("identifier_keys_unreadable") from None


@lru_cache(maxsize=2)
def _keys_of(held: tuple[str, ...]) -> tuple[Key, ...]:
    found = tuple(_key_of(text.encode()) for text in held)
    if not found:
        raise KeysUnreadable("identifier_keys_missing")
    # An id that says which key made it must name one key only, in whatever order the keys stand.
    if len({key.fingerprint for key in found}) < len(found):
        raise KeysUnreadable("identifier_keys_alike")
    return found


def _key_of(secret: bytes) -> Key:
    hashed = hashlib.sha256(b"fingerprint of an identifier key\0" + secret).digest()
    return Key(secret, _base32(hashed)[:FINGERPRINT_CHARACTERS])


def _base32(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()
