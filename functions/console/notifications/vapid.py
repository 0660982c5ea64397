"""
Identity of this deployment at push services: the keys and the signed header of RFC 8292 (VAPID).

The key is derived from the identifier key of the stage. When that is rotated, services refuse the subscriptions made
before; their pages subscribe again when they are opened.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from shared.identity import keyed_hashes
from shared.runtime import clock

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

VALID_SECONDS: Final = 12 * 3_600  # services refuse more than a day
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256


def public_key() -> str:
    """Return the public key as browsers take it: the uncompressed point in URL-safe base64. Raises KeysUnreadable."""
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - loads slowly, rarely used
        Encoding,
        PublicFormat,
    )

    point = _private_key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def authorization(endpoint: str, contact: str) -> str:
    """Return the Authorization header for a push. *contact*: an https or mailto address for the service's operator."""
    import jwt  # noqa: PLC0415 - as above

    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": clock.now_ms() // clock.SECOND_MS + VALID_SECONDS,
        "sub": contact,
    }
    return f"vapid t={jwt.encode(claims, _private_key(), algorithm='ES256')}, k={public_key()}"


def _private_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - as above

    number = int(keyed_hashes.keyed_hash("web push"), 16) % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())
