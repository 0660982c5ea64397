"""
Keyed hashes of guessable values such as phone numbers: HMAC-SHA256 with a secret key per stage.

A plain hash of a phone number can be reversed by hashing every phone number; a keyed hash cannot, without the key. The
secret holds `identifier_key`: a text, or a list during rotation. The first key is used for writing, all keys for
reading.

Each process has one keyring. The composition root of a function calls `configure`; the secret is read at first use.
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
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from shared.aws.secrets import JsonSecret

FINGERPRINT_CHARACTERS = 2  # base32: 10 bits


class NotConfigured(Exception):
    """The function uses a keyed hash, but its composition root does not call `configure`."""


class KeysUnreadable(Transient):
    """The secret cannot be read, holds no key, or holds two keys with the same fingerprint."""


class KeyUnknown(Transient):
    """
    No key of the secret has the requested fingerprint.

    Transient: the worker retries, then the dead-letter queue keeps the record until an operator restores the key.
    """


@dataclass(frozen=True, slots=True)
class Key:
    """One key. *fingerprint* (two base32 characters, lower case) identifies it without revealing it."""

    secret: bytes = field(repr=False)
    fingerprint: str

    def hex(self, *parts: str) -> str:
        """Return the keyed hash of the *parts* as 64 hex digits. Different splits into parts give different hashes."""
        return self._hash(parts).hex()

    def base32(self, *parts: str) -> str:
        """Return the same hash as 52 base32 characters in lower case."""
        return _base32(self._hash(parts))

    def _hash(self, parts: tuple[str, ...]) -> bytes:
        # JSON, because a plain separator could occur inside a part.
        return hmac.digest(self.secret, json.dumps(parts).encode(), hashlib.sha256)


_secret: JsonSecret | None = None


def configure(secret: JsonSecret) -> None:
    """Use the keys of *secret* in this process. Does not read the secret yet."""
    global _secret  # noqa: PLW0603 - one keyring for each process, see the module docstring
    _secret = secret


def all_keys() -> tuple[Key, ...]:
    """Return all keys, the write key first. Raises KeysUnreadable and NotConfigured."""
    try:
        held = tuple(dict.fromkeys(texts(_configured().value().get("identifier_key"))))
    except (SecretUnreadable, ClientError, BotoCoreError):
        raise KeysUnreadable("identifier_keys_unreadable") from None
    return _keys_of(held)


def key_named(fingerprint: str) -> Key:
    """
    Return the key with this fingerprint. If it is not cached, the secret is read again, at most once a minute, to find
    newly added keys.

    Raises KeyUnknown, KeysUnreadable and NotConfigured.
    """
    key = _find(fingerprint)
    if key is None and _refreshed():
        key = _find(fingerprint)
    if key is None:
        raise KeyUnknown("identifier_key_unknown")
    return key


def keyed_hash(*parts: str) -> str:
    """
    Return the hash of the *parts* (hex) with the write key. The first part names the kind of value.

    The hash changes when the key rotates: use `keyed_hashes` to look up stored values.
    Raises KeysUnreadable and NotConfigured.
    """
    return all_keys()[0].hex(*parts)


def keyed_hashes(*parts: str) -> list[str]:
    """Return the hashes of the *parts* with all keys, the write key first. Raises as `keyed_hash`."""
    return [key.hex(*parts) for key in all_keys()]


def address_hash(address: str) -> str:
    """Return the hash of a normalised address (`shared.identity.addresses`), for writing item keys."""
    return keyed_hash("address", address)


def address_hashes(address: str) -> list[str]:
    """Return the hashes of a normalised address with all keys, the write key first, for reading item keys."""
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
def _keys_of(texts: tuple[str, ...]) -> tuple[Key, ...]:
    keys = tuple(_key_of(text.encode()) for text in texts)
    if not keys:
        raise KeysUnreadable("identifier_keys_missing")
    # Ids store the fingerprint of their key, so it must identify exactly one key regardless of the keys' order.
    if len({key.fingerprint for key in keys}) < len(keys):
        raise KeysUnreadable("identifier_keys_alike")
    return keys


def _key_of(secret: bytes) -> Key:
    hashed = hashlib.sha256(b"fingerprint of an identifier key\0" + secret).digest()
    return Key(secret, _base32(hashed)[:FINGERPRINT_CHARACTERS])


def _base32(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()
