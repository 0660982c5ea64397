"""Webhook signatures: checked over the raw bytes, with every active secret, in constant time."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping

_META_SIGNATURE = re.compile(r"sha256=[0-9a-fA-F]{64}", re.ASCII)
_HEX_SHA256 = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_EPOCH_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
# Permitted difference between the sender's signed time and ours; covers clock skew and network delay.
CLOCK_SKEW_SECONDS = 300


def meta_app(
    body: bytes, signature: str, secrets_of_apps: Mapping[str, Iterable[str]]
) -> str | None:
    """
    Return the id of the Meta app that signed *body*, or None.

    *signature* is the raw header `X-Hub-Signature-256`: `sha256=` and 64 hex digits of HMAC-SHA256 over the raw body
    with the app secret (Meta, "Validating payloads"). Every secret is tried even after a match, so that timing does not
    reveal which one matched.
    """
    if not _META_SIGNATURE.fullmatch(signature):
        return None
    received = bytes.fromhex(signature.removeprefix("sha256="))
    signer = None
    for app, secrets in secrets_of_apps.items():
        for secret in secrets:
            expected = hmac.digest(secret.encode(), body, hashlib.sha256)
            if hmac.compare_digest(expected, received):
                signer = app
    return signer


def meta_signature(body: bytes, secret: str) -> str:
    """Build the header `X-Hub-Signature-256` of *body*, in the format that `meta_app` checks."""
    return f"sha256={hmac.digest(secret.encode(), body, hashlib.sha256).hex()}"


def is_timely_signed(
    body: bytes, timestamp: str, signature: str, keys: Iterable[str], now_seconds: int
) -> bool:
    """
    Whether one of *keys* signed *body* at *timestamp*, at most five minutes from now.

    *timestamp* is the received text of seconds since 1970; *signature* is the hex HMAC-SHA256 over the timestamp, a dot
    and the raw body, so a changed timestamp invalidates it. Every key is tried even after a match.
    """
    if not (_EPOCH_SECONDS.fullmatch(timestamp) and _HEX_SHA256.fullmatch(signature)):
        return False
    received = bytes.fromhex(signature)
    matches = [
        hmac.compare_digest(bytes.fromhex(timed_signature(body, timestamp, key)), received)
        for key in keys
    ]
    return any(matches) and abs(now_seconds - int(timestamp)) <= CLOCK_SKEW_SECONDS


def timed_signature(body: bytes, timestamp: str, key: str) -> str:
    """Build the signature of *body* at *timestamp*, in the format that `is_timely_signed` checks."""
    signed = timestamp.encode() + b"." + body
    return hmac.digest(key.encode(), signed, hashlib.sha256).hex()


def is_one_of(received: str, expected: Iterable[str]) -> bool:
    """Whether *received* equals one of the *expected* texts; each comparison takes constant time."""
    # compare_digest raises TypeError for str with non-ASCII, and *received* is untrusted input: compare bytes.
    received_bytes = received.encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(received_bytes, text.encode()) for text in expected]
    return any(matches)
