"""
Encryption of the data endpoint. Pure: private keys in, requests and answers as bytes and JSON.

Meta, "Implementing Endpoint for Flows": the AES key comes encrypted with RSA-OAEP (SHA-256 for hash and MGF1), the data
with AES-GCM, whose tag is the last 16 bytes. The answer has the same key, and the initial vector with each bit flipped.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import load_pem_private_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TAG_BYTES = 16
_AES_KEY_BYTES = frozenset({16, 24, 32})
_VECTOR_BYTES = range(8, 129)  # what AES-GCM of the library takes; Meta's client sends 16
_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), label=None)


class Undecryptable(Exception):
    """No key decrypts the request: it was encrypted with another public key, or altered."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A decrypted request, and what its answer is encrypted with."""

    request: dict[str, Any] = field(repr=False)
    aes_key: bytes = field(repr=False)
    vector: bytes = field(repr=False)

    def seal(self, answer: Mapping[str, Any]) -> str:
        """Return an answer as the client expects it: base64 text."""
        flipped = bytes(byte ^ 0xFF for byte in self.vector)
        encoded = json.dumps(answer).encode()
        return base64.b64encode(AESGCM(self.aes_key).encrypt(flipped, encoded, None)).decode()


def private_key(pem: str) -> RSAPrivateKey:
    """Return a private key. Raises ValueError."""
    key = load_pem_private_key(pem.encode(), password=None)
    if not isinstance(key, RSAPrivateKey):
        raise ValueError("the key is not an RSA key")  # noqa: TRY004 - the caller handles one exception of bad keys
    return key


def opened(body: bytes, keys: Iterable[RSAPrivateKey]) -> Opened:
    """
    Return the request of a body, decrypted with one of *keys*. Raises Undecryptable.

    The body has `encrypted_flow_data`, `encrypted_aes_key` and `initial_vector` in base64.
    """
    data, wrapped, vector = _parts(body)
    for key in keys:
        found = _with_key(key, data, wrapped, vector)
        if found is not None:
            return found
    raise Undecryptable("no key decrypts the request")


def _with_key(key: RSAPrivateKey, data: bytes, wrapped: bytes, vector: bytes) -> Opened | None:
    try:
        aes_key = key.decrypt(wrapped, _OAEP)
    except ValueError:
        return None
    if len(aes_key) not in _AES_KEY_BYTES:
        return None
    try:
        request = json.loads(AESGCM(aes_key).decrypt(vector, data, None))
    except (InvalidTag, ValueError, RecursionError):
        return None
    return Opened(request, aes_key, vector) if isinstance(request, dict) else None


def _parts(body: bytes) -> tuple[bytes, bytes, bytes]:
    """Return data, wrapped key and vector of a body. Raises Undecryptable."""
    try:
        envelope = json.loads(body)
        data, wrapped, vector = (
            base64.b64decode(envelope[name], validate=True)
            for name in ("encrypted_flow_data", "encrypted_aes_key", "initial_vector")
        )
    except (KeyError, TypeError, ValueError, RecursionError, binascii.Error):
        raise Undecryptable("the body has not the three encrypted parts") from None
    if len(data) <= _TAG_BYTES or len(vector) not in _VECTOR_BYTES:
        raise Undecryptable("a part has an impossible length")
    return data, wrapped, vector
