"""
Authentication vectors: credentials of calls that must be accepted as the help desk's, and those that must not.

Each is sent to the handler as an API Gateway event, in all three values of AUTH_MODE.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import pytest

from events.richpanel.samples import START
from tests.integration.richpanel.inbound.ingress import (
    MINIMAL,
    Ingress,
    call,
    open_ingress,
    signature,
)

TOKENS = ["current-token", "older-token", "t\u00f6ken \U0001f511"]
KEYS = ["current-key", "older-key", "schl\u00fcssel \U0001f511"]
SECRET = {"active_tokens": TOKENS, "active_hmac_keys": KEYS}
TOKEN_HEADER = "X-Middleware-Token"
OTHER_HEADER = "x-richpanel-webhook-token"
RIGHT = signature(key="current-key")


def token(value: Any, name: str = TOKEN_HEADER) -> dict[str, Any]:
    return call(headers={name: value})


def tokens(*values: Any, name: str = TOKEN_HEADER) -> dict[str, Any]:
    """A repeated header, as API Gateway represents it: the last value, and all values."""
    many = {name: list(values), "Content-Type": ["application/json"]}
    return call(headers={name: values[-1]}) | {"multiValueHeaders": many}


def signed(
    given: Any = None,
    at: Any = START,
    *,
    key: str = "current-key",
    signed_at: Any = None,
    body: bytes = MINIMAL,
    signed_body: bytes | None = None,
    beside: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A signed call; *given* and *at* are the sent headers, the others the signed values and further headers."""
    claimed_at = at if signed_at is None else signed_at
    made = signature(body if signed_body is None else signed_body, claimed_at, key)
    proof = {"X-Timestamp": str(at), "X-Signature": made if given is None else given}
    return call(body, proof | (beside or {}))


def packed(body: bytes, text: str | None = None) -> dict[str, Any]:
    """A signed call in base64, as API Gateway passes binary bodies."""
    encoded = base64.b64encode(body).decode() if text is None else text
    return signed(body=body) | {"body": encoded, "isBase64Encoded": True}


def without(event: dict[str, Any], name: str) -> dict[str, Any]:
    return event | {"headers": {k: v for k, v in event["headers"].items() if k != name}}


GOOD_TOKENS: dict[str, dict[str, Any]] = {
    "current": token("current-token"),
    "older": token("older-token"),
    "not ASCII": token(TOKENS[2]),
    "other header": token("current-token", OTHER_HEADER),
    "upper-case name": token("current-token", TOKEN_HEADER.upper()),
    "lower-case name": token("current-token", TOKEN_HEADER.lower()),
    "odd-case name": token("current-token", "x-RICHPANEL-webhook-Token"),
    "in the list of values": tokens("current-token"),
    "in both headers": call(headers={TOKEN_HEADER: "current-token", OTHER_HEADER: "older-token"}),
}

BAD_TOKENS: dict[str, dict[str, Any]] = {
    "missing": call(headers={}),
    "no headers": call(headers={}) | {"headers": None},
    "empty": token(""),
    "null": token(None),
    "number": token(5),
    "wrong": token("wrong"),
    "removed": token("removed-token"),
    "other case": token("Current-Token"),
    "a part": token("current-toke"),
    "longer": token("current-token0"),
    "blank behind": token("current-token "),
    "line end behind": token("current-token\n"),
    "NUL behind": token("current-token\x00"),
    "in quotes": token('"current-token"'),
    "as bearer": call(headers={"Authorization": "Bearer current-token"}),
    "list of tokens as text": token(str(TOKENS)),
    "two in one line": token("current-token,older-token"),
    "accents": token("\u00e9" * 13),
    "lone surrogate": token("\ud800"),
    "very long": token("x" * 100_000),
    "a key": token("current-key"),
    "its hash": token(hashlib.sha256(b"current-token").hexdigest()),
    "twice, right and wrong": tokens("current-token", "wrong"),
    "twice, wrong and right": tokens("wrong", "current-token"),
    "twice the same": tokens("current-token", "current-token"),
    "under two cases": call(
        headers={TOKEN_HEADER: "current-token", TOKEN_HEADER.lower(): "current-token"}
    ),
    "empty list of values": call(headers={}) | {"multiValueHeaders": {TOKEN_HEADER: []}},
    "a name like it": token("current-token", "X-Middleware-Token2"),
    "in the query": call(headers={}) | {"queryStringParameters": {"token": "current-token"}},
    "in the body": call(b'{"ticket_id": "1", "token": "current-token"}', {}),
    "wrong in the first header": call(
        headers={TOKEN_HEADER: "wrong", OTHER_HEADER: "current-token"}
    ),
}

GOOD_SIGNATURES: dict[str, dict[str, Any]] = {
    "current": signed(),
    "older key": signed(key="older-key"),
    "key not ASCII": signed(key=KEYS[2]),
    "upper-case hex": signed(RIGHT.upper()),
    "five minutes ago": signed(at=START - 300),
    "five minutes ahead": signed(at=START + 300),
    "leading zeros": signed(at=f"00{START}"),
    "lower-case names": call(headers={"x-timestamp": str(START), "x-signature": RIGHT}),
    "raw UTF-8": signed(body='{"ticket_id": "1", "text": "\u00fc\U0001f600"}'.encode()),
    "escapes": signed(body=b'{"ticket_id": "1", "text": "\\u00fc\\/"}'),
    "line end behind": signed(body=MINIMAL + b"\n"),
    "packed": packed(MINIMAL),
}

BAD_SIGNATURES: dict[str, dict[str, Any]] = {
    "no signature": without(signed(), "X-Signature"),
    "no time": without(signed(), "X-Timestamp"),
    "empty signature": signed(""),
    "empty time": signed(at="", signed_at=START),
    "wrong key": signed(key="wrong"),
    "removed key": signed(key="removed-key"),
    "empty key": signed(key=""),
    "a token as the key": signed(key="current-token"),
    "a second too old": signed(at=START - 301),
    "a second too new": signed(at=START + 301),
    "a day ago": signed(at=START - 86_400),
    "time changed": signed(at=START + 1, signed_at=START),
    "zero": signed(at=0),
    "negative": signed(at=f"-{START}"),
    "plus": signed(at=f"+{START}"),
    "in milliseconds": signed(at=START * 1_000),
    "with a fraction": signed(at=f"{START}.5"),
    "blank around": signed(at=f" {START} "),
    "line end behind the time": signed(at=f"{START}\n"),
    "as a date": signed(at="2026-03-02T10:00:00Z"),
    "in hex": signed(at=hex(START)),
    "with underscores": signed(at="1_772_445_600"),
    "in Arabic digits": signed(at="".join(chr(0x660 + int(d)) for d in str(START))),
    "very long time": signed(at="9" * 100_000),
    "another body": signed(signed_body=b'{"ticket_id": "70412"}'),
    "body written again": signed(body=b'{"ticket_id":"70411"}', signed_body=MINIMAL),
    "line end cut": signed(body=MINIMAL, signed_body=MINIMAL + b"\n"),
    "body lost": signed(body=b"", signed_body=MINIMAL),
    "not base64": packed(MINIMAL, "not base64!"),
    "the base64 was signed": signed(body=base64.b64encode(MINIMAL)) | {"isBase64Encoded": True},
    "time not signed": signed(hmac.digest(b"current-key", MINIMAL, "sha256").hex()),
    "no dot": signed(hmac.digest(b"current-key", f"{START}".encode() + MINIMAL, "sha256").hex()),
    "time behind": signed(
        hmac.digest(b"current-key", MINIMAL + f".{START}".encode(), "sha256").hex()
    ),
    "no key at all": signed(hashlib.sha256(f"{START}.".encode() + MINIMAL).hexdigest()),
    "SHA-1": signed(hmac.digest(b"current-key", f"{START}.".encode() + MINIMAL, "sha1").hex()),
    "SHA-512": signed(hmac.digest(b"current-key", f"{START}.".encode() + MINIMAL, "sha512").hex()),
    "with a prefix": signed("sha256=" + RIGHT),
    "in base64": signed(base64.b64encode(bytes.fromhex(RIGHT)).decode()),
    "short": signed(RIGHT[:-1]),
    "short by a byte": signed(RIGHT[:-2]),
    "long by a byte": signed(RIGHT + "00"),
    "blank behind": signed(RIGHT + " "),
    "line end behind the value": signed(RIGHT + "\n"),
    "blanks between the bytes": signed(bytes.fromhex(RIGHT).hex(" ")),
    "zeros": signed("0" * 64),
    "no hex": signed("g" * 64),
    "accents": signed("\u00e9" * 64),
    "wide digits": signed("".join(chr(ord(c) + 0xFEE0) for c in RIGHT)),
    "lone surrogates": signed("\ud800" * 64),
    "very long": signed("0" * 100_000),
    "signature twice": signed()
    | {
        "multiValueHeaders": {
            "X-Timestamp": [str(START)],
            "X-Signature": [RIGHT, RIGHT],
            "Content-Type": ["application/json"],
        }
    },
    "time twice": signed()
    | {
        "multiValueHeaders": {
            "X-Timestamp": [str(START), str(START)],
            "X-Signature": [RIGHT],
            "Content-Type": ["application/json"],
        }
    },
}

SIGNED_AND_TOKEN: dict[str, dict[str, Any]] = {
    "good signature, bad token": signed(beside={TOKEN_HEADER: "wrong"}),
    "bad signature, good token": signed("0" * 64, beside={TOKEN_HEADER: "current-token"}),
    "stale signature, good token": signed(at=START - 301, beside={TOKEN_HEADER: "current-token"}),
    "only a time, good token": call(
        headers={"X-Timestamp": str(START), TOKEN_HEADER: "current-token"}
    ),
    "empty signature, good token": call(headers={"X-Signature": "", TOKEN_HEADER: "current-token"}),
}
GOOD_SIGNATURE = "good signature, bad token"

# Each call, and the values of AUTH_MODE that accept it.
VECTORS = [
    *((f"token {n}", sent, {"token", "either"}) for n, sent in GOOD_TOKENS.items()),
    *((f"token {n}", sent, set[str]()) for n, sent in BAD_TOKENS.items()),
    *((f"signature {n}", sent, {"hmac", "either"}) for n, sent in GOOD_SIGNATURES.items()),
    *((f"signature {n}", sent, set[str]()) for n, sent in BAD_SIGNATURES.items()),
    # A signature must be valid if one is sent; without a signature only the token counts.
    *(
        (n, sent, {"hmac", "either"} if n == GOOD_SIGNATURE else {"token"})
        for n, sent in SIGNED_AND_TOKEN.items()
    ),
]


@pytest.fixture(scope="module", params=["token", "hmac", "either"])
def module_ingress(request: pytest.FixtureRequest) -> Iterator[Ingress]:
    """One webhook for all vectors of a mode: they change only the queue."""
    with open_ingress(request.param) as ingress:
        ingress.rotate(**SECRET)
        yield ingress


@pytest.mark.parametrize(
    ("event", "enough_in"), [pytest.param(sent, modes, id=name) for name, sent, modes in VECTORS]
)
def test_only_authenticated_calls_of_the_help_desk_are_accepted(
    module_ingress: Ingress, event: dict[str, Any], enough_in: set[str]
) -> None:
    answer = module_ingress.take(event)

    is_let_in = module_ingress.webhook.settings.auth_mode in enough_in
    assert answer[0] == (200 if is_let_in else 401)
    if not is_let_in:
        assert answer == (401, {"status": "error", "code": "unauthorized"})
    assert len(module_ingress.mail()) == is_let_in
