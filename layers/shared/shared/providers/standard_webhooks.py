"""Signs requests to companies' systems as Standard Webhooks (standardwebhooks.com, "Signature scheme")."""

import base64
import binascii
import hashlib
import hmac

from shared.providers.outcomes import Misconfigured
from shared.runtime import clock

_KEY_PREFIX = "whsec_"


def signed(body: bytes, message_id: str, key: str) -> dict[str, str]:
    """
    Return the headers: id, time, and `v1,` with an HMAC of `id.time.body`. *key*: `whsec_` and base64. Raises
    Misconfigured for an invalid key.
    """
    try:
        secret = base64.b64decode(key.removeprefix(_KEY_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not secret:
        raise Misconfigured("function_signing_key")
    at = str(clock.now_ms() // clock.SECOND_MS)
    signature = hmac.new(secret, f"{message_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
