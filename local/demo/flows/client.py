"""
Plays WhatsApp's client in front of a data endpoint: encrypts a request for a public key, signs it with the secret of
the app, and decrypts the answer.

Independent of the endpoint's own code, so that the two check each other. Meta, "Implementing Endpoint for Flows".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

if TYPE_CHECKING:
    from collections.abc import Mapping

_TAG_BYTES = 16


@dataclass(frozen=True, slots=True)
class Exchange:
    """One encrypted request. `body` is sent as it is; `aes_key` and `vector` decrypt the answer."""

    body: bytes
    aes_key: bytes
    vector: bytes

    def headers(self, app_secret: str) -> dict[str, str]:
        """Return the headers of the request, with the signature over the body."""
        signature = hmac.new(app_secret.encode(), self.body, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "X-Hub-Signature-256": f"sha256={signature}",
        }

    def event(self, app_secret: str, account: str) -> dict[str, Any]:
        """Return the request as API Gateway's proxy event."""
        return {
            "httpMethod": "POST",
            "path": "/webhooks/whatsapp/flows",
            "headers": self.headers(app_secret),
            "queryStringParameters": {"account": account},
            "body": self.body.decode(),
            "isBase64Encoded": False,
        }

    def opened(self, answer: str) -> dict[str, Any]:
        """Return the content of an answer. Raises InvalidTag if it was not encrypted for this request."""
        sealed = base64.b64decode(answer)
        flipped = bytes(255 - byte for byte in self.vector)
        mode = modes.GCM(flipped, sealed[-_TAG_BYTES:])
        decryptor = Cipher(algorithms.AES(self.aes_key), mode).decryptor()
        plain = decryptor.update(sealed[:-_TAG_BYTES]) + decryptor.finalize()
        found: dict[str, Any] = json.loads(plain)
        return found


def encrypted(
    request: Mapping[str, Any],
    public_key_pem: str,
    *,
    aes_key: bytes | None = None,
    vector: bytes | None = None,
) -> Exchange:
    """Return a request, encrypted for the holder of the private key. *aes_key* and *vector* are random by default."""
    aes_key = secrets.token_bytes(16) if aes_key is None else aes_key
    vector = secrets.token_bytes(16) if vector is None else vector
    public_key = serialization.load_pem_public_key(public_key_pem.encode())
    if not isinstance(public_key, rsa.RSAPublicKey):
        raise TypeError("the key is not an RSA key")
    oaep = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)
    encryptor = Cipher(algorithms.AES(aes_key), modes.GCM(vector)).encryptor()
    sealed = encryptor.update(json.dumps(request).encode()) + encryptor.finalize()
    parts = {
        "encrypted_flow_data": sealed + encryptor.tag,
        "encrypted_aes_key": public_key.encrypt(aes_key, oaep),
        "initial_vector": vector,
    }
    encoded = {name: base64.b64encode(part).decode() for name, part in parts.items()}
    return Exchange(json.dumps(encoded).encode(), aes_key, vector)


def request(
    action: str, token: str = "", *, screen: str = "", data: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a request of the client: `ping`, `INIT`, `BACK` or `data_exchange`."""
    parts = {"flow_token": token, "screen": screen, "data": dict(data or {})}
    return {"version": "3.0", "action": action} | {
        name: part for name, part in parts.items() if part
    }
