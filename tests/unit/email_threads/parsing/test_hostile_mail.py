"""Mail that is built to break a parser is held, with its headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_threads.parsing import caps
from email_threads.parsing.__main__ import view
from email_threads.parsing.body import parts
from email_threads.parsing.mail import parse
from tests.cases import each
from tests.unit.email_threads.samples import MAILS, NAMES, mail

HEADER = b"From: ann@example.com\nTo: support@shop.example\nSubject: Chairs\nMessage-ID: <1@example.com>\n"
MIXED = b"Content-Type: multipart/mixed; boundary=b\n\n"


def nested(levels: int) -> bytes:
    """Multiparts inside each other."""
    return b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
        for level in range(levels)
    )


@each(
    ("raw", "reason"),
    [
        (HEADER + b"\n" + b"a" * caps.MOST_BYTES, "too_large"),
        (HEADER + MIXED + b"--b\n\nx\n" * 500_000, "too_many_lines"),
        (HEADER + MIXED + b"--b\n\nx\n" * 1_001, "too_many_parts"),
        (HEADER + nested(21), "nested_too_deep"),
        (HEADER + nested(2_000), "nested_too_deep"),
        (HEADER + b"Content-Type: message/rfc822\n\n" * 2_000, "nested_too_deep"),
        (HEADER + b"X: " + b"a" * 300_000 + b"\n\n", "headers_too_large"),
        (HEADER + b"X: a\n" * 500 + b"\n", "too_many_header_fields"),
        (HEADER + b"Cc: " + b",".join([b"a@b.example"] * 501) + b"\n\n", "too_many_addresses"),
        (HEADER + b"Cc: " + b"(" * 51 + b"a@b.example\n\n", "too_many_comments"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mail_over_a_cap_is_held_with_its_headers(raw: bytes, reason: str) -> None:
    read = parse(raw)

    assert (read.kind, read.hold_reason, read.text) == ("held", reason, f"[{reason}]")
    assert (read.sender, read.subject, read.message_id) == (
        "ann@example.com",
        "Chairs",
        "1@example.com",
    )


@pytest.mark.parametrize(
    "raw",
    [
        HEADER + MIXED + b"--b\n\nx\n" * 1_000,
        HEADER + nested(20) + b"Content-Type: text/plain\n\nx\n",
        HEADER + b"Cc: " + b",".join(b"a%d@b.example" % number for number in range(500)) + b"\n\n",
        HEADER + b"\n" + b"Content-Type: multipart/mixed; boundary=b\n" * 50,
        HEADER + b"\n" + b"--b\n" * 5_000,
    ],
    ids=["1,000 parts", "20 levels", "500 addresses", "quoted headers", "lines with hyphens"],
)
def test_a_mail_at_the_caps_is_read(raw: bytes) -> None:
    assert parse(raw).hold_reason is None


@pytest.mark.long
@each(
    "raw",
    [
        b"",
        b"\0" * 1_000,
        bytes(range(256)) * 100,
        HEADER,
        HEADER + b"Subject: " + b"=?a?q?" * 5_000 + b"\n\n",
        HEADER + b"To: " + b"a:" * 3_900 + b"\n\n",
        HEADER + b'To: "' + b"\\" * 50_000 + b"\n\n",
        HEADER + b"References: " + b"<" * 50_000 + b"\n\n",
        HEADER + b"Content-Type: text/html\n\n" + b"<!--" * 50_000,
        HEADER + b"Content-Type: text/html\n\n" + b"<blockquote>" * 3_000,
        HEADER + b"Content-Type: text/html\n\n" + b"&" * 300_000,
        HEADER + b"Content-Transfer-Encoding: base64\n\n" + b"!!!!abc=" * 10_000,
        HEADER + b"Content-Disposition: attachment; " + b"filename*0*=x;" * 5_000 + b"\n\n",
        HEADER
        + b'Content-Type: message/rfc822; charset="a\0"\nContent-Disposition: attachment\n\n\xff',
    ],
    ids=lambda raw: f"{len(raw)} bytes",
)
def test_damaged_and_hostile_mail_is_parsed(raw: bytes) -> None:
    assert parse(raw).kind in {"mail", "held"}


DAMAGE = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [
            b"=?utf-7?Q?+2AA-=FF?=", b"=?utf-8?B?", b"?=", b"\n\n", b"\r", b"<", b'"', b"\\", b"(", b";", b":", b"\xff",
            b"\nContent-Type: multipart/mixed; boundary=", b"\nContent-Type: message/rfc822\n\n", b"filename*0*=",
            b"\nContent-Transfer-Encoding: base64\n", b"charset=utf-16", b"charset=\"idna\0", b"\nFrom: ", b"\nDate: ",
        ]
    ),
)  # fmt: skip


@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, 1_500), DAMAGE), max_size=8))
def test_a_damaged_sample_is_parsed_and_printed(name: str, damage: list[tuple[int, bytes]]) -> None:
    raw = bytearray((MAILS / f"{name}.eml").read_bytes())
    for position, text in damage:
        raw[position:position] = text

    read = parse(bytes(raw))
    assert read.hold_reason != "unparseable"
    assert view(read).model_dump_json()


def test_a_mail_that_the_standard_library_cannot_parse_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(parts, "read", fail)

    assert mail().hold_reason == "unparseable"


def test_a_mail_that_takes_too_long_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    def loop(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(caps, "SECONDS", 0.01)
    monkeypatch.setattr(parts, "read", loop)

    assert mail().hold_reason == "too_slow"
