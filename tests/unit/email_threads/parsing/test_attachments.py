"""Files of a mail: names, content, types."""

import hashlib

import pytest

from email_threads.parsing.body.attachments import safe_name
from tests.unit.email_threads.samples import mail, sample


def test_names_have_no_path_and_are_decoded() -> None:
    assert [file.filename for file in sample("attachment-with-path-as-name").attachments] == [
        "offer_.pdf",
        "Angebot für München.pdf",
        "Rechnung Ä.pdf",
        "_con",
        "attachment-5.pdf",
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("/etc/passwd", "passwd"),
        ("C:\\x\\a.txt", "a.txt"),
        (" .hidden. ", "hidden"),
        ('a<b>:"|?*.txt', "a_b______.txt"),
        ("LPT1.txt", "_LPT1.txt"),
        ("..", "attachment-3"),
        ("", "attachment-3"),
    ],
)
def test_a_name_is_safe_on_every_system(given: str, name: str) -> None:
    assert safe_name(given, 3, ()) == name


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_bytes_beyond_ascii_in_a_name_are_utf_8_or_windows_1252(encoding: str) -> None:
    (file,) = mail(
        content_type="application/pdf",
        content_disposition='attachment; filename="Rechnung März.pdf"'.encode(encoding),
    ).attachments

    assert file.filename == "Rechnung März.pdf"


def test_a_long_name_keeps_its_extension() -> None:
    name = safe_name("ü" * 200 + ".pdf", 1, ())

    assert len(name.encode()) <= 120
    assert name.endswith("ü.pdf")


def test_a_taken_name_gets_a_number() -> None:
    assert safe_name("A.pdf", 2, ["a.pdf", "A-2.pdf"]) == "A-3.pdf"


def test_size_and_hash_are_those_of_the_decoded_content() -> None:
    (file,) = mail(
        "aGVsbG8=",
        content_type="application/x-thing; name=a.bin",
        content_transfer_encoding="base64",
    ).attachments

    assert (file.size, file.sha256) == (5, hashlib.sha256(b"hello").hexdigest())


def test_an_image_of_the_html_is_inline() -> None:
    (image,) = sample("html-with-inline-image").attachments

    assert image.is_inline
    assert image.content_id == "photo1@studio"


def test_programs_and_scripts_are_blocked_under_any_name() -> None:
    program, script = sample("disguised-program").attachments

    assert (program.filename, program.is_blocked, program.is_mismatch) == (
        "invoice.pdf",
        True,
        True,
    )
    assert script.is_blocked
    assert not any(file.is_blocked for file in sample("attachment-with-path-as-name").attachments)


def test_an_attached_mail_is_one_file_named_by_its_subject_and_its_ids_do_not_count() -> None:
    read = sample("forward-as-attachment")

    assert [file.filename for file in read.attachments] == ["Broken chair _ table.eml"]
    assert b"The leg broke." in read.attachments[0].content
    assert read.in_reply_to == ()
    assert read.text == "See the attached mail."


def test_of_more_than_100_files_the_first_100_are_listed_and_the_mail_is_flagged() -> None:
    part = "--b\nContent-Type: image/png\n\nx\n"
    read = mail(part * 101, content_type="multipart/mixed; boundary=b")

    assert len(read.attachments) == 100
    assert "attachments_cut" in read.flags
