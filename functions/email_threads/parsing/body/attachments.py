"""Attachments: safe file names, detected types, and files that are never served."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from email.message import Message
from typing import TYPE_CHECKING, Final

from email_threads.parsing import charsets
from email_threads.parsing.headers import Headers, decoded

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
# Types that a detected type must match if the mail declares one of them.
_VERIFIABLE: Final = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """
    A file of a mail, decoded.

    *content_type* is the declared one. *is_mismatch*: the content is of another type. *is_blocked*: an executable or a
    script, stored and never served. *is_inline*: shown inside the HTML.
    """

    filename: str
    content_type: str
    content: bytes = field(repr=False)
    content_id: str | None = None
    is_inline: bool = False
    is_mismatch: bool = False
    is_blocked: bool = False

    @property
    def size(self) -> int:
        """Bytes of the decoded content."""
        return len(self.content)

    @property
    def sha256(self) -> str:
        """Hash of the decoded content, in hex."""
        return hashlib.sha256(self.content).hexdigest()


def make(
    content: bytes, *, name: str, content_type: str, content_id: str | None, is_inline: bool
) -> Attachment:
    """Build an attachment with its detected properties. *name* is a safe name."""
    detected = next((kind for start, kind in _SIGNATURES if content.startswith(start)), None)
    extension = name.rpartition(".")[2].lower()
    return Attachment(
        filename=name,
        content_type=content_type,
        content=content,
        content_id=content_id,
        is_inline=is_inline,
        is_mismatch=content_type in _VERIFIABLE and bool(content) and detected != content_type,
        is_blocked=detected in _EXECUTABLE or bool(_BLOCKED_EXTENSION.fullmatch(extension)),
    )


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


def safe_name(given: str, number: int, taken: Collection[str]) -> str:
    """Return a name without path, control characters and device names, of at most 120 bytes, unique in its mail."""
    name = _FORBIDDEN.sub("_", re.split(r"[/\\]", given)[-1]).strip(". ")
    if not name:
        name = f"attachment-{number}"
    if _DEVICES.match(name):
        name = f"_{name}"
    extension = found[0] if (found := _EXTENSION.search(name)) else ""
    stem = _cut_bytes(name.removesuffix(extension), MOST_NAME_BYTES - len(extension.encode()) - 5)
    unique, copy = stem + extension, 2
    lowered = {other.casefold() for other in taken}
    while unique.casefold() in lowered:
        unique, copy = f"{stem}-{copy}{extension}", copy + 1
    return unique


def _cut_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode("utf-8", "ignore")
