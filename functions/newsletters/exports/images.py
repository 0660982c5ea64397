"""Formats and sizes of images, read from their first bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# A decoder needs four bytes for each pixel; a small file may declare a huge image.
MOST_PIXELS: Final = 25_000_000
# Of all images of a PDF, which decodes them at the same time: together they must fit into the function's memory.
MOST_PIXELS_TOGETHER: Final = 150_000_000
_FRAME_HEADER: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # of JPEG: SOF0 to SOF15


@dataclass(frozen=True, slots=True)
class Image:
    """An image: *kind* is png, jpg, gif or webp; width and height are in pixels."""

    kind: str
    width: int
    height: int
    body: bytes

    def fitted(self, most_width: float, most_height: float, per_pixel: float = 1) -> float:
        """Return the width at which the image is displayed: its own, reduced to fit; *per_pixel* converts pixels."""
        return min(self.width * per_pixel, most_width, most_height * self.width / self.height)


def usable(bodies: Mapping[str, bytes]) -> dict[str, Image]:
    """Return the images, by URL, that have a known format and a size and fit together; only https URLs."""
    images = ((url, read(body)) for url, body in bodies.items() if url.startswith("https://"))
    found: dict[str, Image] = {}
    pixels = 0
    for url, image in images:
        if image and pixels + image.width * image.height <= MOST_PIXELS_TOGETHER:
            found[url] = image
            pixels += image.width * image.height
    return found


def read(body: bytes) -> Image | None:
    """Return an image with its format and size; None if the format is unknown or the size is 0 or too large."""
    for kind, size in (("png", _png), ("jpg", _jpg), ("gif", _gif), ("webp", _webp)):
        found = size(body)
        if found and 0 < found[0] * found[1] <= MOST_PIXELS:
            return Image(kind, *found, body)
    return None


def _png(body: bytes) -> tuple[int, int] | None:
    if body[:8] != b"\x89PNG\r\n\x1a\n" or body[12:16] != b"IHDR" or b"IEND" not in body[-16:]:
        return None
    return int.from_bytes(body[16:20]), int.from_bytes(body[20:24])


def _gif(body: bytes) -> tuple[int, int] | None:
    if body[:6] not in {b"GIF87a", b"GIF89a"}:
        return None
    return int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")


def _jpg(body: bytes) -> tuple[int, int] | None:
    if body[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(body) and body[at] == 0xFF:  # noqa: PLR2004 - the first byte of each segment
        if body[at + 1] in _FRAME_HEADER:
            return int.from_bytes(body[at + 7 : at + 9]), int.from_bytes(body[at + 5 : at + 7])
        at += 2 + int.from_bytes(body[at + 2 : at + 4])
    return None


def _webp(body: bytes) -> tuple[int, int] | None:
    if body[:4] != b"RIFF" or body[8:12] != b"WEBP":
        return None
    chunk = body[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(body[24:27], "little"), 1 + int.from_bytes(body[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(body[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 " and body[23:26] == b"\x9d\x01\x2a":
        width, height = (int.from_bytes(body[at : at + 2], "little") for at in (26, 28))
        return width & 0x3FFF, height & 0x3FFF
    return None
