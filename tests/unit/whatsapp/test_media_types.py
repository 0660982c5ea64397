"""The declared type of a file must match its first bytes."""

import pytest

from whatsapp.worker.media.types import extension_of, matches_type


@pytest.mark.parametrize(
    ("kind", "mime_type", "first"),
    [
        ("image", "image/jpeg", b"\xff\xd8\xff\xe0"),
        ("image", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("sticker", "image/webp", b"RIFF\x00\x00\x00\x00WEBP"),
        ("video", "video/mp4", b"\x00\x00\x00\x18ftypmp42"),
        ("audio", "audio/ogg; codecs=opus", b"OggS"),
        ("audio", "audio/amr", b"#!AMR\n"),
        ("audio", "audio/mpeg", b"ID3\x04"),
        ("document", "application/pdf", b"%PDF-1.7"),
        ("document", "application/x-of-next-year", b"anything"),
    ],
)
def test_a_file_whose_first_bytes_match_its_type_is_accepted(
    kind: str, mime_type: str, first: bytes
) -> None:
    assert matches_type(kind, mime_type, first)


@pytest.mark.parametrize(
    ("kind", "mime_type", "first"),
    [
        ("image", "image/jpeg", b"MZ\x90\x00"),
        ("image", "image/png", b"\xff\xd8\xff\xe0"),
        ("image", "image/jpeg", b""),
        ("document", "application/pdf", b"MZ\x90\x00"),
        ("document", "application/pdf", b"\x7fELF"),
        ("document", "text/plain", b"#!/bin/sh"),
        ("video", "video/mp4", b"OggS"),
    ],
)
def test_a_file_of_another_type_is_refused(kind: str, mime_type: str, first: bytes) -> None:
    assert not matches_type(kind, mime_type, first)


def test_the_object_key_ends_in_a_known_extension_for_any_file_name() -> None:
    assert extension_of("audio", "audio/ogg; codecs=opus") == "ogg"
    assert extension_of("document", "application/x-msdownload") == "bin"
