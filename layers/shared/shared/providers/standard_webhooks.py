"""Signs requests to companies' systems as Standard Webhooks (standardwebhooks.com, "Signature scheme")."""

import base64
import binascii
import hashlib
import hmac

from shared.providers.outcomes import Misconfigured
from shared.runtime import clock

_KEY_PREFIX = "whsec_"


def signed(body: bytes, message_id: str, *keys: str) -> dict[str, str]:
    """
    Return the headers: id, time, and for each key `v1,` with an HMAC of `id.time.body`, with blanks between them.
    *keys*: `whsec_` and base64. Raises Misconfigured for an invalid key.
    """
    at = str(clock.now_ms() // clock.SECOND_MS)
    content = f"{message_id}.{at}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": at,
        "webhook-signature": " ".join(f"v1,{_signature(content, key)}" for key in keys),
    }


def secret_text(secret: bytes) -> str:
    """Return a secret as receivers store it."""
    return _KEY_PREFIX + base64.b64encode(secret).decode()


def _signature(content: bytes, key: str) -> str:
    try:
        secret = base64.b64decode(key.removeprefix(_KEY_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not secret:
        raise Misconfigured("function_signing_key")
    return base64.b64encode(hmac.digest(secret, content, hashlib.sha256)).decode()
