"""Valid and forged signatures of Meta over the raw body."""

import hashlib
import hmac
import json

import pytest

from shared.api.webhook_signatures import is_one_of, is_timely_signed, meta_app
from tests.cases import each

SECRETS = {"100": ["current", "older"], "200": ["of another app"]}
BODIES = [
    b"",
    b"{}",
    b'{"text":"plain"}',
    json.dumps({"text": "Grüße 😀"}).encode(),  # escaped, as Meta writes it
    json.dumps({"text": "Grüße 😀"}, ensure_ascii=False).encode(),
    b'{"url":"https:\\/\\/example.com"}',
    b"\xff\xfe not utf-8",
    b" " * 1_000_000,
]


def signed(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@each("body", BODIES)
@each(("secret", "app"), [("current", "100"), ("older", "100"), ("of another app", "200")])
def test_the_app_whose_secret_signed_the_raw_bytes_is_returned(
    body: bytes, secret: str, app: str
) -> None:
    assert meta_app(body, signed(body, secret), SECRETS) == app


@each("body", BODIES)
def test_upper_case_hex_is_the_same_signature(body: bytes) -> None:
    signature = signed(body, "current")

    assert meta_app(body, "sha256=" + signature[7:].upper(), SECRETS) == "100"


@each(
    "signature",
    [
        "",
        "sha256=",
        "sha256",
        "sha1=" + "0" * 40,
        "SHA256=" + signed(b"{}", "current")[7:],
        signed(b"{}", "current")[7:],
        signed(b"{}", "current")[:-1],
        signed(b"{}", "current") + "0",
        signed(b"{}", "current") + "\n",
        " " + signed(b"{}", "current"),
        signed(b"{}", "removed"),
        signed(b"{ }", "current"),
        "sha256=" + "g" * 64,
        "sha256=" + "é" * 64,
        "sha256=" + "\u0661" * 64,  # digits, but not ASCII ones
        "sha256=" + "\ud800" * 64,
        "sha256=" + "0" * 64,
    ],
)
def test_any_other_header_is_no_valid_signature(signature: str) -> None:
    assert meta_app(b"{}", signature, SECRETS) is None


def test_a_body_that_was_decoded_and_encoded_again_does_not_verify() -> None:
    raw = json.dumps({"text": "Grüße"}).encode()
    again = json.dumps(json.loads(raw), ensure_ascii=False).encode()

    assert meta_app(again, signed(raw, "current"), SECRETS) is None


def test_without_configured_apps_no_signature_is_valid() -> None:
    assert meta_app(b"{}", signed(b"{}", ""), {}) is None
    assert meta_app(b"{}", signed(b"{}", ""), {"100": []}) is None


def test_a_verify_token_is_one_of_several_active_ones() -> None:
    assert is_one_of("new", ["old", "new"])
    assert not is_one_of("ne", ["old", "new"])
    assert not is_one_of("", ["old"])
    assert not is_one_of("névé\ud800", ["old"])


NOW = 1_772_445_600
KEYS = ["current", "older"]


def timed(body: bytes, at: int, key: str = "current") -> str:
    return hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


@each("body", BODIES)
@each("key", KEYS)
@each("skew", [-300, 0, 300])
def test_a_timed_signature_is_valid_for_five_minutes(body: bytes, key: str, skew: int) -> None:
    at = NOW + skew

    assert is_timely_signed(body, str(at), timed(body, at, key), KEYS, NOW)


@pytest.mark.parametrize(
    ("at", "timestamp", "key"),
    [
        (NOW - 301, str(NOW - 301), "current"),
        (NOW + 301, str(NOW + 301), "current"),
        (NOW - 400, str(NOW), "current"),
        (NOW, f"{NOW} ", "current"),
        (NOW, str(NOW), "removed"),
        (NOW, "", "current"),
    ],
)
def test_another_time_or_another_key_is_invalid(at: int, timestamp: str, key: str) -> None:
    assert not is_timely_signed(b"{}", timestamp, timed(b"{}", at, key), KEYS, NOW)


def test_without_keys_no_signature_is_valid() -> None:
    assert not is_timely_signed(b"{}", str(NOW), timed(b"{}", NOW, ""), [], NOW)
