"""Vectors for the two ingress handlers: accepted by Meta's signature or a topic's ARN, refused otherwise, no crash."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from events.whatsapp.gateway import meta_bytes, utf8_bytes
from events.whatsapp.sample_data import VERIFY_TOKEN
from tests.integration.whatsapp.inbound.ingress import Ingress, open_ingress

ACTIVE = "current"
SECRETS = {
    "100": [ACTIVE, "older"],
    "200": "of another app, as a text",
    "300": ["schl\u00fcssel \U0001f511"],
    "400": [],
    "500": [""],
    "600": None,
    "700": ["with a line end\n"],
}
HEADER = "X-Hub-Signature-256"
LIMIT = 3 << 20

TEXT = {
    "object": "whatsapp_business_account",
    "entry": [{"id": "9", "changes": [{"field": "messages", "value": {"messages": [
        {"id": "wamid.1", "from": "447700900101", "text": {"body": "Gr\u00fc\u00dfe / 😀"}},
    ]}}]}],
}  # fmt: skip
META = meta_bytes(TEXT)
UTF8 = utf8_bytes(TEXT)
PRETTY = json.dumps(TEXT, indent=2).encode()


def signature(raw: bytes, secret: str = ACTIVE) -> str:
    return "sha256=" + hmac.digest(secret.encode(), raw, hashlib.sha256).hex()


RIGHT = signature(META)


def event(body: str | None, headers: dict[str, Any] | None, **changes: Any) -> dict[str, Any]:
    return {
        "httpMethod": "POST",
        "headers": headers,
        "body": body,
        "isBase64Encoded": False,
    } | changes


def signed(raw: bytes, secret: str = ACTIVE, body: str | None = None) -> dict[str, Any]:
    """A POST of *raw*, signed; *body* is what arrives instead."""
    return event(raw.decode() if body is None else body, {HEADER: signature(raw, secret)})


def packed(raw: bytes, body: str | None = None, **headers: str) -> dict[str, Any]:
    """The same in base64, as API Gateway passes binary bodies."""
    text = base64.b64encode(raw).decode() if body is None else body
    given = headers or {HEADER: signature(raw)}
    return event(text, given, isBase64Encoded=True)


def bearing(*values: Any, name: str = HEADER) -> dict[str, Any]:
    """A POST with these values of the header, as API Gateway represents repeated headers: the last one, and all."""
    return event(META.decode(), {name: values[-1]}, multiValueHeaders={name: list(values)})


def value(text: Any) -> dict[str, Any]:
    return event(META.decode(), {HEADER: text})


FULL = META + b" " * (LIMIT - len(META))
FULL_OF_EMOJI = b'{"a":"' + "\U0001f600".encode() * ((LIMIT - 8) // 4) + b'"}'
LONE = '{"a": "\ud83d"}'

LET_IN: dict[str, dict[str, Any]] = {
    # bodies
    "escaped as Meta writes": signed(META),
    "raw UTF-8": signed(UTF8),
    "upper-case escapes": signed(META.replace(b"\\u00fc", b"\\u00FC")),
    "escaped slash": signed(META.replace(b"/", b"\\/")),
    "pretty with CRLF": signed(PRETTY.replace(b"\n", b"\r\n")),
    "line end behind": signed(META + b"\n"),
    "blank in front": signed(b" " + META),
    "BOM in front": signed(b"\xef\xbb\xbf" + META),
    "empty": signed(b""),
    "null body": event(None, {HEADER: signature(b"")}),
    "NUL, raw": signed(b'{"a": "\x00"}'),
    "NUL, escaped": signed(b'{"a": "\\u0000"}'),
    "lone surrogate, escaped": signed(b'{"a": "\\ud83d"}'),
    "lone surrogate, raw": event(LONE, {HEADER: signature(LONE.encode("utf-8", "surrogatepass"))}),
    "half an emoji at the end": signed(META[:-9] + b"\\ud83d"),
    "decomposed letters": signed(unicodedata.normalize("NFD", UTF8.decode()).encode()),
    "right to left marks": signed('{"a": "\u202e\u2066"}'.encode()),
    "not JSON": signed(b"hello"),
    "form data": signed(b"object=whatsapp_business_account&entry="),
    "JSON, no object": signed(b"[1, 2]"),
    "names twice": signed(b'{"object": "page", ' + META[1:]),
    "nested deeply": signed(b"[" * 50_000 + b"]" * 50_000),
    "number of 5,000 digits": signed(b'{"a": ' + b"9" * 5_000 + b"}"),
    "not a number": signed(b'{"a": NaN}'),
    "three megabytes": signed(FULL),
    "three megabytes of emoji": signed(FULL_OF_EMOJI),
    # base64
    "packed": packed(META),
    "packed UTF-8": packed(UTF8),
    "packed, empty": packed(b""),
    "packed, UTF-16": packed(META.decode().encode("utf-16")),
    "packed, no UTF-8": packed(b"\xff\xfe\x00{"),
    "packed, three megabytes": packed(FULL),
    # secrets
    "older secret": signed(META, "older"),
    "another app": signed(META, "of another app, as a text"),
    "secret with emoji": signed(META, "schl\u00fcssel \U0001f511"),
    "secret with a line end": signed(META, "with a line end\n"),
    # headers
    "upper-case hex": value("sha256=" + RIGHT[7:].upper()),
    "mixed-case hex": value("sha256=" + RIGHT[7:39].upper() + RIGHT[39:]),
    "lower-case name": event(META.decode(), {HEADER.lower(): RIGHT}),
    "upper-case name": event(META.decode(), {HEADER.upper(): RIGHT}),
    "odd-case name": event(META.decode(), {"x-HUB-signature-256": RIGHT}),
    "in the list of values": bearing(RIGHT),
    "in the list of values only": event(META.decode(), None, multiValueHeaders={HEADER: [RIGHT]}),
    "with the older header": event(
        META.decode(), {"X-Hub-Signature": "sha1=" + "0" * 40, HEADER: RIGHT}
    ),
    "no list of values": event(META.decode(), {HEADER: RIGHT}, multiValueHeaders=None),
}

KEPT_OUT: dict[str, dict[str, Any]] = {
    # bodies that differ from the signed one
    "written again": signed(META, body=UTF8.decode()),
    "escaped again": signed(UTF8, body=META.decode()),
    "other case of escapes": signed(META, body=META.decode().replace("\\u00fc", "\\u00FC")),
    "slash unescaped": signed(META, body=META.decode().replace("\\/", "/")),
    "keys sorted": signed(META, body=json.dumps(TEXT, sort_keys=True)),
    "keys reversed": signed(META, body=json.dumps(dict(reversed(TEXT.items())))),
    "compact": signed(PRETTY, body=META.decode()),
    "CRLF to LF": signed(PRETTY.replace(b"\n", b"\r\n"), body=PRETTY.decode()),
    "LF to CRLF": signed(PRETTY, body=PRETTY.decode().replace("\n", "\r\n")),
    "line end added": signed(META, body=META.decode() + "\n"),
    "line end cut": signed(META + b"\n", body=META.decode()),
    "BOM cut": signed(b"\xef\xbb\xbf" + META, body=META.decode()),
    "BOM added": signed(META, body="\ufeff" + META.decode()),
    "a byte short": signed(META, body=META.decode()[:-1]),
    "a byte long": signed(META, body=META.decode() + "}"),
    "NUL behind": signed(META, body=META.decode() + "\x00"),
    "one letter changed": signed(META, body=META.decode().replace("447700900101", "447700900102")),
    "composed letters": signed(
        unicodedata.normalize("NFD", UTF8.decode()).encode(), body=UTF8.decode()
    ),
    "what is no UTF-8 was replaced": event("\ufffd\ufffd{", {HEADER: signature(b"\xff\xfe{")}),
    "body lost": signed(META, body=""),
    "body came from nowhere": event(META.decode(), {HEADER: signature(b"")}),
    # base64
    "not base64": packed(META, META.decode()),
    "letters outside base64": packed(META, "!" + base64.b64encode(META).decode()),
    "wrong padding": packed(b"a", "YQ"),
    "URL-safe letters": packed(b"\xfb\xff\xfe", "-__-"),
    "folded base64": packed(META, base64.encodebytes(META).decode()),
    "base64, not ASCII": packed(META, "\u00e9" * 8),
    "not base64, signed as if empty": packed(b"", "!"),
    "the base64 text was signed": packed(META, **{HEADER: signature(base64.b64encode(META))}),
    "base64 without its flag": event(base64.b64encode(META).decode(), {HEADER: RIGHT}),
    "packed twice": packed(META, base64.b64encode(base64.b64encode(META)).decode()),
    # secrets
    "removed secret": signed(META, "removed"),
    "empty secret": signed(META, ""),
    "secret in other case": signed(META, "Current"),
    "part of a secret": signed(META, "curren"),
    "secret and a line end": signed(META, "current\n"),
    "secret without its line end": signed(META, "with a line end"),
    "list of secrets as text": signed(META, str(["current", "older"])),
    "id of the app": signed(META, "100"),
    "verify token": signed(META, VERIFY_TOKEN),
    "no secret at all": value("sha256=" + hashlib.sha256(META).hexdigest()),
    "secret in front": value("sha256=" + hashlib.sha256(b"current" + META).hexdigest()),
    "body as the key": value("sha256=" + hmac.digest(META, b"current", "sha256").hex()),
    "SHA-1": value("sha1=" + hmac.digest(b"current", META, "sha1").hex()),
    "SHA-512": value("sha512=" + hmac.digest(b"current", META, "sha512").hex()),
    "SHA-512 under a false name": value("sha256=" + hmac.digest(b"current", META, "sha512").hex()),
    # headers
    "no headers": event(META.decode(), None),
    "empty headers": event(META.decode(), {}, multiValueHeaders={}),
    "empty value": value(""),
    "null value": value(None),
    "null in the list of values": bearing(None),
    "empty list of values": event(META.decode(), None, multiValueHeaders={HEADER: []}),
    "twice, right and wrong": bearing(RIGHT, signature(b"")),
    "twice, wrong and right": bearing(signature(b""), RIGHT),
    "twice the same": bearing(RIGHT, RIGHT),
    "under two names": event(META.decode(), {HEADER: RIGHT, HEADER.lower(): signature(b"")}),
    "two in one line": value(f"{RIGHT}, {RIGHT}"),
    "older header only": event(META.decode(), {"X-Hub-Signature": RIGHT}),
    "a name like it": event(META.decode(), {f"{HEADER} ": RIGHT, "X-Hub-Signature-2567": RIGHT}),
    "in the query": event(META.decode(), {}, queryStringParameters={HEADER: RIGHT}),
    "without its prefix": value(RIGHT[7:]),
    "prefix only": value("sha256="),
    "prefix in upper case": value("SHA256=" + RIGHT[7:]),
    "prefix twice": value("sha256=" + RIGHT),
    "blank in the prefix": value("sha256 =" + RIGHT[7:]),
    "short": value(RIGHT[:-1]),
    "short by a byte": value(RIGHT[:-2]),
    "long": value(RIGHT + "0"),
    "long by a byte": value(RIGHT + "00"),
    "line end behind the value": value(RIGHT + "\n"),
    "CRLF behind the value": value(RIGHT + "\r\n"),
    "blank behind the value": value(RIGHT + " "),
    "blank in front of the value": value(" " + RIGHT),
    "tab in front of the value": value("\t" + RIGHT),
    "in quotes": value(f'"{RIGHT}"'),
    "NUL behind the value": value(RIGHT + "\x00"),
    "blanks between the bytes": value("sha256=" + bytes.fromhex(RIGHT[7:]).hex(" ")),
    "in base64": value("sha256=" + base64.b64encode(bytes.fromhex(RIGHT[7:])).decode()),
    "0x in front": value("sha256=0x" + RIGHT[9:]),
    "zeros": value("sha256=" + "0" * 64),
    "no hex": value("sha256=" + "g" * 64),
    "accents": value("sha256=" + "\u00e9" * 64),
    "wide digits": value("sha256=" + "".join(chr(ord(c) + 0xFEE0) for c in RIGHT[7:])),
    "Arabic digits": value("sha256=" + "\u0661" * 64),
    "lone surrogate in the value": value("sha256=" + "\ud800" * 64),
    "very long": value("sha256=" + "0" * 100_000),
}

TOO_LARGE: dict[str, dict[str, Any]] = {
    "a byte over": signed(FULL + b" "),
    "a byte over, packed": packed(FULL + b" "),
    "a byte over, not signed": event((FULL + b" ").decode(), None),
    "fewer letters, more bytes": signed(FULL_OF_EMOJI + b"    "),
}

VECTORS = [
    pytest.param(sent, status, id=f"{status} {name}")
    for status, vectors in ((200, LET_IN), (403, KEPT_OUT), (413, TOO_LARGE))
    for name, sent in vectors.items()
]


@pytest.fixture(scope="module")
def module_ingress() -> Iterator[Ingress]:
    with open_ingress() as ingress:
        ingress.rotate(verify_token=VERIFY_TOKEN, apps=SECRETS)
        yield ingress


@pytest.fixture
def ingress(module_ingress: Ingress) -> Ingress:
    """The same handlers for all vectors: they change only the queue."""
    module_ingress.sqs.entries.clear()
    return module_ingress


@pytest.mark.parametrize(("sent", "status"), VECTORS)
def test_only_calls_signed_over_their_bytes_with_an_active_secret_are_accepted(
    ingress: Ingress, sent: dict[str, Any], status: int
) -> None:
    answer = ingress.webhook.handler(sent, None)

    assert (answer["statusCode"], answer["body"]) == (status, "")
    assert bool(ingress.sqs.entries) == (status == 200)


TOPIC = "arn:aws:sns:eu-central-1:123456789012:parley-prod-whatsapp-social"
SECOND_TOPIC = "arn:aws:sns:eu-central-1:123456789012:parley-prod-whatsapp-social-2"


@pytest.mark.parametrize(
    ("topic", "is_taken"),
    [
        (TOPIC, True),
        (SECOND_TOPIC, True),
        (TOPIC.replace("123456789012", "210987654321"), False),
        (TOPIC.replace("eu-central-1", "us-east-1"), False),
        (TOPIC.replace("arn:aws:", "arn:aws-cn:"), False),
        (TOPIC.replace("prod", "dev"), False),
        (TOPIC[:-1], False),
        (TOPIC + "-3", False),
        (TOPIC + ".fifo", False),
        (TOPIC + ":0a1b2c3d-0000-4000-8000-000000000000", False),
        (TOPIC.upper(), False),
        (TOPIC + " ", False),
        (TOPIC + "\n", False),
        (" " + TOPIC, False),
        (f"{TOPIC},{SECOND_TOPIC}", False),
        (TOPIC.replace("-social", "*"), False),
        ("*", False),
        (TOPIC.rpartition(":")[2], False),
        (TOPIC.replace("a", "\u0430"), False),
        (TOPIC.replace(":sns:", ":sqs:"), False),
        ("\ud800", False),
        ("", False),
        (None, False),
        ([TOPIC], False),
        (0, False),
    ],
    ids=lambda value: ascii(value)[:80],
)
def test_a_message_is_accepted_from_a_listed_topic_only(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch, topic: Any, is_taken: bool
) -> None:
    listen(ingress, monkeypatch)

    ingress.social.handler({"Records": [record(TopicArn=topic)]}, None)

    assert len(ingress.sqs.entries) == is_taken


def test_a_record_without_a_topic_is_dropped_and_the_other_record_is_accepted(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    listen(ingress, monkeypatch)

    ingress.social.handler({"Records": [record(), record(TopicArn=TOPIC)]}, None)

    assert len(ingress.sqs.entries) == 1


def listen(ingress: Ingress, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = type(ingress.social.settings)(
        whatsapp_queue_url="url",
        media_bucket_name="bucket",
        social_topic_arns=(TOPIC, SECOND_TOPIC),
    )
    monkeypatch.setattr(ingress.social, "settings", settings)


def record(**facts: Any) -> dict[str, Any]:
    published = {"whatsAppWebhookEntry": json.dumps(TEXT["entry"][0])}
    return {"EventSource": "aws:sns", "Sns": {"Message": json.dumps(published)} | facts}
