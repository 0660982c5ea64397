"""Webhook signatures: over the raw bytes, with every active secret, compared in constant time."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping

_META_SIGNATURE = re.compile(r"sha256=[0-9a-fA-F]{64}", re.ASCII)
_HEX_SHA256 = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_EPOCH_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
# How far the clock of a sender that signs the time may be off, or its request under way.
CLOCK_SKEW_SECONDS = 300


def meta_app(
    body: bytes, signature: str, secrets_of_apps: Mapping[str, Iterable[str]]
) -> str | None:
    """
    The id of the Meta app that signed *body*, or None.

    *signature* is the header `X-Hub-Signature-256` as it came: `sha256=` and 64 hex digits of HMAC-SHA256 over the raw
    body with the app secret (Meta, "Validating payloads"). Every secret is tried, whichever matches, so that the time
    taken does not tell which one did.
    """
    if not _META_SIGNATURE.fullmatch(signature):
        return None
    given = bytes.fromhex(signature.removeprefix("sha256="))
    signer = None
    for app, secrets in secrets_of_apps.items():
        for secret in secrets:
            expected = hmac.digest(secret.encode(), body, hashlib.sha256)
            if hmac.compare_digest(expected, given):
                signer = app
    return signer


def meta_signature(body: bytes, secret: str) -> str:
    """The header `X-Hub-Signature-256` of *body*, as `meta_app` takes it."""
    return f"sha256={hmac.digest(secret.encode(), body, hashlib.sha256).hex()}"


def is_timely_signed(
    body: bytes, timestamp: str, signature: str, keys: Iterable[str], now_seconds: int
) -> bool:
    """
    Whether one of *keys* signed *body* at *timestamp*, no more than five minutes from now.

    *timestamp* is seconds since 1970 as they came, *signature* the hex HMAC-SHA256 over them, a dot and the raw body:
    who changes the time breaks the signature. Every key is tried, whichever matches.
    """
    if not (_EPOCH_SECONDS.fullmatch(timestamp) and _HEX_SHA256.fullmatch(signature)):
        return False
    given = bytes.fromhex(signature)
    matches = [
        hmac.compare_digest(bytes.fromhex(timed_signature(body, timestamp, key)), given)
        for key in keys
    ]
    return any(matches) and abs(now_seconds - int(timestamp)) <= CLOCK_SKEW_SECONDS


def timed_signature(body: bytes, timestamp: str, key: str) -> str:
    """The signature of *body* at *timestamp*, as `is_timely_signed` takes it."""
    signed = timestamp.encode() + b"." + body
    return hmac.digest(key.encode(), signed, hashlib.sha256).hex()


def is_one_of(given: str, expected: Iterable[str]) -> bool:
    """Whether *given* equals one of the *expected* texts, in constant time for each."""
    # compare_digest refuses str with non-ASCII (TypeError), and the sender chooses what comes: compare bytes.
    given_bytes = given.encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(given_bytes, text.encode()) for text in expected]
    return any(matches)
