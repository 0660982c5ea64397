"""Attachments: safe file names, detected types, and files that are never served."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from email.message import Message
from typing import TYPE_CHECKING, Final

from email_threads.parsing import charsets
from email_threads.parsing.headers.fields import Headers, decoded

if TYPE_CHECKING:
    from collections.abc import Collection

MOST_NAME_BYTES: Final = 120

_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_EXTENSION: Final = re.compile(r"\.[^.\s]{1,10}$")

# The first bytes of a file and its type. Archives are listed, and never opened.
_SIGNATURES: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x1f\x8b", "application/gzip"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"{\\rtf", "application/rtf"),
    (b"MZ", "application/x-msdownload"),
    (b"\x7fELF", "application/x-elf"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"#!", "text/x-script"),
)
_EXECUTABLE: Final = frozenset(
    {"application/x-msdownload", "application/x-elf", "application/java-vm", "text/x-script"}
)
_BLOCKED_EXTENSION: Final = re.compile(
    r"apk|app|bat|bin|cmd|com|cpl|dll|dmg|exe|gadget|hta|iso|jar|jse?|lnk|ms[cip]|pif|ps1|reg|scr|sh|sys|vbe?|vbs|ws[cfh]|xll"
)
# Extensions of files without a name. Programs and scripts have none.
_EXTENSIONS: Final = {
    "application/epub+zip": "epub",
    "application/gzip": "gz",
    "application/ics": "ics",
    "application/json": "json",
    "application/msword": "doc",
    "application/pdf": "pdf",
    "application/pgp-keys": "asc",
    "application/pgp-signature": "asc",
    "application/pkcs7-mime": "p7m",
    "application/pkcs7-signature": "p7s",
    "application/postscript": "ps",
    "application/rfc822": "eml",
    "application/rtf": "rtf",
    "application/vnd.apple.keynote": "key",
    "application/vnd.apple.numbers": "numbers",
    "application/vnd.apple.pages": "pages",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-outlook": "msg",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.ms-word": "doc",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.rar": "rar",
    "application/x-7z-compressed": "7z",
    "application/x-gzip": "gz",
    "application/x-msexcel": "xls",
    "application/x-pdf": "pdf",
    "application/x-pkcs7-mime": "p7m",
    "application/x-pkcs7-signature": "p7s",
    "application/x-rar-compressed": "rar",
    "application/x-tar": "tar",
    "application/x-zip-compressed": "zip",
    "application/xhtml+xml": "xhtml",
    "application/xml": "xml",
    "application/zip": "zip",
    "audio/aac": "aac",
    "audio/amr": "amr",
    "audio/mp3": "mp3",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/opus": "opus",
    "audio/wav": "wav",
    "audio/x-m4a": "m4a",
    "audio/x-wav": "wav",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/heif": "heif",
    "image/jpeg": "jpg",
    "image/jpg": "jpg",
    "image/pjpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/tiff": "tif",
    "image/vnd.microsoft.icon": "ico",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "image/x-png": "png",
    "message/global": "eml",
    "message/rfc822": "eml",
    "text/calendar": "ics",
    "text/css": "css",
    "text/csv": "csv",
    "text/directory": "vcf",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
    "text/rtf": "rtf",
    "text/tab-separated-values": "tsv",
    "text/vcard": "vcf",
    "text/x-vcard": "vcf",
    "text/xml": "xml",
    "text/yaml": "yaml",
    "video/3gpp": "3gp",
    "video/mp4": "mp4",
    "video/mpeg": "mpg",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-msvideo": "avi",
}
# Types that a detected type must match if the mail declares one of them.
_VERIFIABLE: Final = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """
    A file of a mail, decoded.

    *content_type* is the declared one. *is_mismatch*: the content is of another type. *is_blocked*: an executable or a
    script, stored and never served. *is_inline*: an image shown inside the HTML. *is_shown*: a text that the body has,
    too.
    """

    filename: str
    content_type: str
    content: bytes = field(repr=False)
    content_id: str | None = None
    is_inline: bool = False
    is_mismatch: bool = False
    is_blocked: bool = False
    is_shown: bool = False

    @property
    def size(self) -> int:
        """Bytes of the decoded content."""
        return len(self.content)

    @property
    def sha256(self) -> str:
        """Hash of the decoded content, in hex."""
        return hashlib.sha256(self.content).hexdigest()


def make(
    content: bytes,
    *,
    name: str,
    content_type: str,
    content_id: str | None,
    is_inline: bool,
    is_shown: bool = False,
) -> Attachment:
    """Build an attachment with its detected properties. *name* is a safe name."""
    detected = _detected(content)
    extension = name.rpartition(".")[2].lower()
    return Attachment(
        filename=name,
        content_type=content_type,
        content=content,
        content_id=content_id,
        is_inline=is_inline,
        is_mismatch=content_type in _VERIFIABLE and bool(content) and detected != content_type,
        is_blocked=detected in _EXECUTABLE or bool(_BLOCKED_EXTENSION.fullmatch(extension)),
        is_shown=is_shown,
    )


def extension_of(content_type: str, content: bytes = b"") -> str:
    """Return the extension, with its dot, of a file without a name: of its declared, else of its detected type."""
    known = _EXTENSIONS.get(content_type)
    return f".{known}" if known else _dotted(_EXTENSIONS.get(_detected(content) or ""))


def _dotted(extension: str | None) -> str:
    return f".{extension}" if extension else ""


def _detected(content: bytes) -> str | None:
    return next((kind for start, kind in _SIGNATURES if content.startswith(start)), None)


def given_name(part: Message) -> str:
    """Return the file name that a part declares (RFC 2231 or encoded words), decoded; "" if none."""
    fields = Headers.of(part)
    # A copy with decoded bytes: the original would return a question mark for each byte beyond ASCII.
    copy = Message()
    for name in ("content-disposition", "content-type"):
        copy[name] = fields.first(name) or ""
    try:
        given = copy.get_filename("")
    except (ValueError, LookupError, TypeError):
        return ""
    return decoded(charsets.storable(str(given)))


def safe_name(given: str, number: int, taken: Collection[str], *, extension: str = "") -> str:
    """
    Return a name without path, control characters and device names, of at most 120 bytes, unique in its mail.

    Without a name the file is numbered, with the *extension* of its type.
    """
    name = _FORBIDDEN.sub("_", re.split(r"[/\\]", given)[-1]).strip(". ")
    if not name:
        name = f"attachment-{number}{extension}"
    if _DEVICES.match(name):
        name = f"_{name}"
    ending = found[0] if (found := _EXTENSION.search(name)) else ""
    stem = _cut_bytes(name.removesuffix(ending), MOST_NAME_BYTES - len(ending.encode()) - 5)
    unique, copy = stem + ending, 2
    lowered = {other.casefold() for other in taken}
    while unique.casefold() in lowered:
        unique, copy = f"{stem}-{copy}{ending}", copy + 1
    return unique


def _cut_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode("utf-8", "ignore")
