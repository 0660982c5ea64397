"""The declared type of a file must match its first bytes."""

import pytest

from tests.cases import each
from whatsapp.worker.media.types import extension_of, matches_type, refusal_of


@each(
    ("kind", "mime_type", "first"),
    [
        ("image", "image/jpeg", b"\xff\xd8\xff\xe0"),
        ("image", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("sticker", "image/webp", b"RIFF\x00\x00\x00\x00WEBP"),
        ("video", "video/mp4", b"\x00\x00\x00\x18ftypmp42"),
        ("audio", "audio/ogg; codecs=opus", b"OggS"),
        ("audio", "audio/amr", b"#!AMR\n"),
        ("audio", "audio/mpeg", b"ID3\x04"),
        ("audio", "audio/mpeg", b"\xff\xfa\x90\x00"),
        ("audio", "audio/mpeg", b"\xff\xe3\x18\xc4"),
        ("audio", "audio/aac", b"\xff\xf0\x50\x80"),
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


OGG_PAGE = b"OggS" + bytes(24)
WEBP, JPEG, MP3 = b"RIFF\0\0\0\0WEBPVP8L", b"\xff\xd8\xff\xe0", b"ID3\x04"


@each(
    ("kind", "mime_type", "first", "accepted"),
    [
        ("image", "image/webp", WEBP, "image/jpeg, image/png"),
        ("image", "image/gif", b"GIF89a", "image/jpeg, image/png"),
        ("image", "image/png", WEBP, "image/jpeg, image/png"),
        ("sticker", "image/jpeg", JPEG, "image/webp"),
        ("sticker", "image/png", b"\x89PNG\r\n\x1a\n", "image/webp"),
        ("audio", "audio/ogg", MP3, "audio/ogg"),
        ("audio", "audio/ogg; codecs=opus", b"\0\0\0\x18ftypM4A ", "audio/ogg"),
        ("audio", "audio/ogg", OGG_PAGE + b"\x01vorbis", "audio/ogg"),
        ("audio", "video/mp4", b"\0\0\0\x18ftypmp42", "audio/mp4"),
        ("video", "image/jpeg", JPEG, "video/3gpp, video/mp4"),
        ("video", "video/mp4", b"\0\0\0\x18ftypheic", "video/3gpp, video/mp4"),
        ("video", "video/mp4", b"\0\0\0\x18ftypM4A ", "video/3gpp, video/mp4"),
        ("document", "application/pdf", JPEG, "the file's content differs from its type"),
        ("document", "image/png", JPEG, "the file's content differs from its type"),
        ("video", "video/mp4", b"\0\0\0\x14ftypqt  ", "video/3gpp, video/mp4"),
    ],
)
def test_a_file_that_whatsapp_does_not_take_as_its_kind_is_refused_with_the_accepted_types(
    kind: str, mime_type: str, first: bytes, accepted: str
) -> None:
    assert accepted in (refusal_of(kind, mime_type, first) or "")


@pytest.mark.parametrize(
    "name",
    ["audio/ogg", "audio/ogg; codecs=opus", "audio/ogg;codecs=opus", "Audio/OGG", "audio/opus"],
)
def test_ogg_with_opus_is_sent_under_each_of_its_names(name: str) -> None:
    assert refusal_of("audio", name, OGG_PAGE + b"OpusHead\x01") is None


def test_the_object_key_ends_in_a_known_extension_for_any_file_name() -> None:
    assert extension_of("audio", "audio/ogg; codecs=opus") == "ogg"
    assert extension_of("document", "application/x-msdownload") == "bin"
