"""The sample issues: exported, with the footer of an issue, as a reader gets them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Final

from newsletters.exports.document import Citation, Document
from newsletters.exports.formats import render
from newsletters.issues import content
from newsletters.issues.content import PLACEHOLDERS
from newsletters.store.items import Issue

FOLDER: Final = Path(__file__).parent
LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "ar")
BORDER: Final = 8  # pixels beside each bar
IMAGE_URL: Final = "https://images.example.org/rainfall.png"
_CITATIONS: Final = (
    Citation(1, "A trial of sorghum", "https://research.example.org/trial", "2026-11-20"),
    Citation(2, "Rain by text message", "https://climate.example.org/sms", "2026-11-18"),
)
_PERMISSIONS: Final = {
    "en": "You get this mail because you signed up on our site.",
    "de": "Sie erhalten diese E-Mail, weil Sie sich auf unserer Seite angemeldet haben.",
    "fr": "Vous recevez cet e-mail parce que vous vous êtes inscrit sur notre site.",
    "es": "Recibe este correo porque se suscribió en nuestra página.",
    "pt": "Recebe este e-mail porque se inscreveu na nossa página.",
    "ar": "تصلك هذه الرسالة لأنك اشتركت في موقعنا.",
}


def document_of(language: str) -> Document:
    """Return the newsletter of a sample."""
    text = (FOLDER / f"{language}.md").read_text()
    title = text.partition("\n")[0].removeprefix("# ")
    return Document(title, language, text, "2026-11-30T08:00:00Z", _CITATIONS)


def mail_of(language: str) -> str:
    """Return the HTML of a sample's mail to one reader."""
    document = document_of(language)
    html, text = (
        render(name, document, {IMAGE_URL: IMAGE}).body.decode() for name in ("email", "text")
    )
    sealed = content.composed(_issue(document), html, text)
    urls = dict.fromkeys(PLACEHOLDERS, "https://api.example.org/u/token")
    return content.body_for(sealed, urls).html or ""


def _issue(document: Document) -> Issue:
    at = document.updated_at
    return Issue(
        **Issue.key("IS-20261130-00000000"),
        issue_id="IS-20261130-00000000",
        company_id="acme",
        newsletter_code="NL-20261130-0000",
        subject=document.title,
        sender="news@farms.example",
        sender_name="Highland Farms",
        postal_address="Highland Farms, 1 Mill Lane, Leeds",
        permission_line=_PERMISSIONS[document.language],
        language=document.language,
        created_at=at,
        created_by="sample",
        updated_at=at,
        cause="sample",
    )


def _png(width: int, height: int) -> bytes:
    """Return a picture of bars."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        checked = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + checked

    bar, ground = bytes((26, 79, 139)), bytes((238, 243, 249))
    heights = [40, 75, 120, 160, 130, 90, 60, 45, 85, 140, 170, 110]
    step = width // len(heights)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            column = min(x // step, len(heights) - 1)
            is_bar = BORDER < x % step < step - BORDER and height - y <= heights[column]
            rows += bar if is_bar else ground
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (
        chunk(b"IHDR", header),
        chunk(b"IDAT", zlib.compress(bytes(rows))),
        chunk(b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


IMAGE: Final = _png(1072, 200)
