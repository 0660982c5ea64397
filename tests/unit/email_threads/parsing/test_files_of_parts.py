"""Parts of a mail that are files: named texts, embedded mails, files without a name, winmail.dat."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from tests.cases import each
from tests.unit.email_threads.samples import mail

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail

INNER = "From: bob@mill.example\nSubject: The offer\nMessage-ID: <inner@x>\n\nTwelve chairs.\n"


def mixed(*parts: str, kind: str = "mixed") -> ParsedMail:
    """A mail with a text and these parts, each with its header fields."""
    joined = "".join(f"--b\n{part}\n" for part in ("Content-Type: text/plain\n\nHello.", *parts))
    return mail(f"{joined}--b--\n", content_type=f"multipart/{kind}; boundary=b")


def names(read: ParsedMail) -> list[str]:
    return [file.filename for file in read.attachments]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ('Content-Type: text/plain; name="notes.txt"', "notes.txt"),
        ('Content-Type: text/plain\nContent-Disposition: inline; filename="log.txt"', "log.txt"),
        ('Content-Type: text/html; name="page.html"', "page.html"),
        ('Content-Type: text/html\nContent-Disposition: inline; filename="a.htm"', "a.htm"),
        ("Content-Type: text/plain\nContent-Disposition: inline;\n filename*=utf-8''%C3%BC.txt", "ü.txt"),
        ('Content-Type: text/csv\nContent-Disposition: inline; filename="list.csv"', "list.csv"),
        ('Content-Type: text/markdown; name="read.md"', "read.md"),
    ],
)  # fmt: skip
def test_a_named_text_is_a_file_with_its_name(fields: str, name: str) -> None:
    read = mixed(f"{fields}\n\nThe words.")

    assert names(read) == [name]
    (file,) = read.attachments
    assert file.content.strip() == b"The words."
    assert not file.is_inline
    assert "Hello." in read.text


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_a_named_inline_text_is_shown_as_well(kind: str) -> None:
    read = mixed(f'Content-Type: {kind}; name="notes"\nContent-Disposition: inline\n\nThe words.')

    assert "The words." in read.text
    assert len(read.attachments) == 1


def test_a_named_html_alternative_is_shown_and_a_file() -> None:
    read = mixed('Content-Type: text/html; name="letter.html"\n\n<p>Hello.</p>', kind="alternative")

    assert read.text == "Hello."
    assert read.html is not None
    assert names(read) == ["letter.html"]


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_a_mail_that_is_one_attached_text_has_it_as_its_body_and_as_a_file(kind: str) -> None:
    read = mail("The words.", content_type=f"{kind}\nContent-Disposition: attachment; filename=a.x")

    assert (read.text, names(read)) == ("The words.", ["a.x"])
    assert read.new_text == "The words."


def test_a_text_without_a_name_is_no_file() -> None:
    assert names(mixed("Content-Type: text/plain\nContent-Disposition: inline\n\nMore.")) == []


def test_a_file_that_is_shown_changes_no_fingerprint() -> None:
    """Mails that an earlier version has stored are recognised when they are delivered again."""
    named = mixed('Content-Type: text/plain; name="a.txt"\n\nThe words.')
    plain = mixed("Content-Type: text/plain\n\nThe words.")

    assert named.fingerprint == plain.fingerprint


@pytest.mark.parametrize(
    ("fields", "is_inline"),
    [
        ("Content-Type: image/png\nContent-Disposition: inline; filename=a.png", True),
        ("Content-Type: application/pdf\nContent-Disposition: inline; filename=a.pdf", False),
        ("Content-Type: video/mp4\nContent-Disposition: inline; filename=a.mp4", False),
    ],
)
def test_only_images_are_inline(fields: str, is_inline: bool) -> None:
    assert [file.is_inline for file in mixed(f"{fields}\n\nx").attachments] == [is_inline]


@each(
    ("kind", "content", "name"),
    [
        ("application/pdf", "x", "attachment-1.pdf"),
        ("image/png", "x", "attachment-1.png"),
        ("image/jpeg", "x", "attachment-1.jpg"),
        ("image/heic", "x", "attachment-1.heic"),
        ("text/calendar", "BEGIN:VCALENDAR", "attachment-1.ics"),
        ("text/vcard; x=y", "x", "attachment-1.vcf"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "x", "attachment-1.docx"),
        ("application/octet-stream", "%PDF-1.7", "attachment-1.pdf"),
        ("application/octet-stream", "GIF89a", "attachment-1.gif"),
        ("application/pdf", "GIF89a", "attachment-1.pdf"),
        ("application/x-unknown", "x", "attachment-1"),
        ("application/octet-stream", "MZ program", "attachment-1"),
        ("audio/ogg", "x", "attachment-1.ogg"),
        ("image/jpg", "x", "attachment-1.jpg"),
        ("application/x-zip-compressed", "x", "attachment-1.zip"),
        ("application/vnd.oasis.opendocument.text", "x", "attachment-1.odt"),
        ("application/vnd.ms-outlook", "x", "attachment-1.msg"),
        ("video/3gpp", "x", "attachment-1.3gp"),
        ("audio/amr", "x", "attachment-1.amr"),
        ("application/octet-stream", "OggS", "attachment-1.ogg"),
    ],
)  # fmt: skip
def test_a_file_without_a_name_gets_one_by_its_type(kind: str, content: str, name: str) -> None:
    assert names(mixed(f"Content-Type: {kind}\nContent-Disposition: attachment\n\n{content}")) == [
        name
    ]


@pytest.mark.parametrize(
    "name", ['""', '"..."', '"/"', "=?utf-8?q??="], ids=["empty", "dots", "a slash", "encoded"]
)
def test_a_name_of_which_nothing_is_left_counts_as_none(name: str) -> None:
    fields = f"Content-Type: application/pdf\nContent-Disposition: attachment; filename={name}"
    assert names(mixed(f"{fields}\n\nx")) == ["attachment-1.pdf"]


@pytest.mark.parametrize(
    "part",
    [
        f"Content-Type: message/rfc822\n\n{INNER}",
        f"Content-Type: message/rfc822\nContent-Disposition: inline\n\n{INNER}",
        f'Content-Type: message/rfc822; name="x.eml"\nContent-Disposition: attachment\n\n{INNER}',
        "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
        + base64.b64encode(INNER.encode()).decode(),
        f"Content-Type: message/global\n\n{INNER}",
    ],
    ids=["plain", "inline", "with a name", "in base64", "with utf-8 fields"],
)
def test_a_forwarded_mail_is_a_file_named_by_its_subject(part: str) -> None:
    read = mixed(part)

    assert names(read) == ["The offer.eml"]
    assert b"Twelve chairs." in read.attachments[0].content
    assert read.text == "Hello."


def test_a_forwarded_mail_without_a_subject_keeps_its_name() -> None:
    read = mixed('Content-Type: message/rfc822; name="Offer.eml"\n\nFrom: b@x.example\n\nx')

    assert names(read) == ["Offer.eml"]
    assert names(mixed("Content-Type: message/rfc822\n\nFrom: b@x.example\n\nx")) == [
        "attachment-1.eml"
    ]


def test_the_mails_of_a_digest_are_files() -> None:
    read = mixed(f'Content-Type: multipart/digest; boundary="d"\n\n--d\n\n{INNER}\n--d--')

    assert names(read) == ["The offer.eml"]


@pytest.mark.parametrize(
    "fields",
    [
        'Content-Type: application/ms-tnef; name="winmail.dat"',
        'Content-Type: application/vnd.ms-tnef; name="x.bin"',
        'Content-Type: application/octet-stream; name="WINMAIL.DAT"',
        "Content-Type: application/ms-tnef",
    ],
)
def test_the_files_of_outlook_are_said_to_be_unreadable(fields: str) -> None:
    read = mixed(f"{fields}\n\n\x78")

    assert "tnef" in read.flags
    assert len(read.attachments) == 1
    assert read.text == "Hello."
