"""Formats and sizes of images."""

import pytest

from newsletters.exports.images import MOST_PIXELS, MOST_PIXELS_TOGETHER, read, usable
from tests.unit.newsletters.exports.samples import IMAGE_URL, png

JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffc00011080040006003012200021101031101"
)
GIF = b"GIF89a" + bytes((0x60, 0, 0x40, 0)) + bytes(8)
WEBP = b"RIFF" + bytes(4) + b"WEBPVP8 " + bytes(7) + b"\x9d\x01\x2a" + bytes((0x60, 0, 0x40, 0))
WEBP_EXTENDED = b"RIFF" + bytes(4) + b"WEBPVP8X" + bytes(8) + bytes((0x5F, 0, 0, 0x3F, 0, 0))
WEBP_LOSSLESS = (
    b"RIFF"
    + bytes(4)
    + b"WEBPVP8L"
    + bytes(4)
    + b"\x2f"
    + (0x5F | 0x3F << 14).to_bytes(4, "little")
)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (png(96, 64), "png"),
        (JPEG, "jpg"),
        (GIF, "gif"),
        (WEBP, "webp"),
        (WEBP_EXTENDED, "webp"),
        (WEBP_LOSSLESS, "webp"),
    ],
)
def test_format_and_size_are_read_from_the_first_bytes(body: bytes, kind: str) -> None:
    image = read(body)
    assert image is not None
    assert (image.kind, image.width, image.height) == (kind, 96, 64)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg/>",
        b"\x89PNG",
        png(3, 3)[:-20],
        b"GIF89a" + bytes(8),
        b"\xff\xd8\xff\xd9",
        b"RIFF0000WEBPVP8 ",
    ],
)
def test_a_body_without_format_or_size_is_no_image(body: bytes) -> None:
    assert read(body) is None


def test_an_image_that_declares_too_many_pixels_is_refused() -> None:
    side = int(MOST_PIXELS**0.5) + 1
    assert read(b"GIF89a" + side.to_bytes(2, "little") * 2 + bytes(8)) is None


def test_images_are_used_until_their_pixels_together_are_too_many() -> None:
    side = int(MOST_PIXELS**0.5)
    large = b"GIF89a" + side.to_bytes(2, "little") * 2 + bytes(8)
    urls = [f"https://images.example.org/{number}.gif" for number in range(20)]

    found = usable(dict.fromkeys(urls, large) | {IMAGE_URL: png(2, 2)})

    assert list(found) == urls[: MOST_PIXELS_TOGETHER // MOST_PIXELS]
    assert usable(dict.fromkeys([*urls[:5], IMAGE_URL], png(2, 2))).keys() == {
        *urls[:5],
        IMAGE_URL,
    }


def test_an_image_is_displayed_at_its_size_or_reduced_to_fit() -> None:
    wide, high = read(png(200, 10)), read(png(10, 200))
    assert wide is not None
    assert high is not None
    assert wide.fitted(500, 500) == 200
    assert wide.fitted(100, 500) == 100
    assert high.fitted(500, 100) == 5


def test_only_https_urls_are_used() -> None:
    assert usable({IMAGE_URL: png(2, 2), "http://images.example.org/a.png": png(2, 2)}).keys() == {
        IMAGE_URL
    }
