"""Media limits of WhatsApp: sizes, types, and the leading bytes of each file type."""

from collections.abc import Mapping
from dataclasses import dataclass

MB = 1 << 20
SNIFFED_BYTES = 64
LARGEST_STILL_STICKER_BYTES = 100_000
_ANIMATION = 0b10  # of the flags of WebP's extended format (RFC 9649)
_FLAGS_AT = 20

# Executables of Windows, Linux, macOS and scripts: never stored, under any name.
_EXECUTABLE = (
    b"MZ",
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"#!",
)
_AMR = b"#!AMR"  # a recording, although it begins as a script
# WhatsApp takes no other codec in Ogg (RFC 7845: the first packet follows a page header of 28 bytes).
_OGG, _OPUS, _OPUS_AT = b"OggS", b"OpusHead", 28
# (offset, bytes) -> MIME types with these leading bytes.
_MAGIC_BYTES: tuple[tuple[int, bytes, frozenset[str]], ...] = (
    (0, b"\xff\xd8\xff", frozenset({"image/jpeg"})),
    (0, b"\x89PNG\r\n\x1a\n", frozenset({"image/png"})),
    (8, b"WEBP", frozenset({"image/webp"})),
    (4, b"ftyp", frozenset({"video/mp4", "video/3gpp", "audio/mp4", "audio/aac"})),
    (0, _OGG, frozenset({"audio/ogg", "audio/opus"})),
    (0, _AMR, frozenset({"audio/amr"})),
    (0, b"ID3", frozenset({"audio/mpeg"})),
    (0, b"\xff\xfb", frozenset({"audio/mpeg"})),
    (0, b"\xff\xf3", frozenset({"audio/mpeg"})),
    (0, b"\xff\xf2", frozenset({"audio/mpeg"})),
    (0, b"\xff\xfa", frozenset({"audio/mpeg"})),  # with checksums
    (0, b"\xff\xe3", frozenset({"audio/mpeg"})),  # MPEG-2.5, of low sampling rates
    (0, b"\xff\xe2", frozenset({"audio/mpeg"})),
    (0, b"%PDF-", frozenset({"application/pdf"})),
    (0, b"\xff\xf1", frozenset({"audio/aac"})),
    (0, b"\xff\xf9", frozenset({"audio/aac"})),
    (0, b"\xff\xf0", frozenset({"audio/aac"})),
    (0, b"\xff\xf8", frozenset({"audio/aac"})),
)
_KNOWN_TYPES = frozenset().union(*(types for _, _, types in _MAGIC_BYTES))
# Brands (ISO/IEC 14496-12) of pictures and of QuickTime, whose files begin as files of MP4.
_FTYP_AT = 4
_OTHER_BRANDS = tuple(
    b"ftyp" + brand for brand in (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"qt  ")
)
_SOUND_BRANDS = (b"ftypM4A ", b"ftypM4B ", b"ftypM4P ")


@dataclass(frozen=True, slots=True)
class Limit:
    """The size limit of a kind of file; provider limits, to be checked against Meta's "Media" page when they change."""

    largest_bytes: int
    extensions: Mapping[str, str]  # MIME type -> file extension


_AUDIO: Mapping[str, str] = {
    "audio/aac": "aac",
    "audio/amr": "amr",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/opus": "ogg",
}
LIMITS: Mapping[str, Limit] = {
    "image": Limit(5 * MB, {"image/jpeg": "jpg", "image/png": "png"}),
    "video": Limit(16 * MB, {"video/mp4": "mp4", "video/3gpp": "3gp"}),
    "audio": Limit(16 * MB, _AUDIO),
    "recording": Limit(100 * MB, _AUDIO),  # of a call; larger than a voice message
    "document": Limit(100 * MB, {"application/pdf": "pdf", "text/plain": "txt"}),
    "sticker": Limit(500_000, {"image/webp": "webp"}),
}


def extension_of(kind: str, mime_type: str) -> str:
    """Return the file extension of our key: `bin` for a document of another type. User file names never become keys."""
    return LIMITS[kind].extensions.get(plain(mime_type), "bin")


def matches_type(kind: str, mime_type: str, first_bytes: bytes) -> bool:
    """Whether a file's leading bytes match its type. Documents may have any content except executables."""
    if first_bytes.startswith(_EXECUTABLE) and not first_bytes.startswith(_AMR):
        return False
    if kind == "document":
        return True
    return plain(mime_type) in _types_of(first_bytes)


def _types_of(first_bytes: bytes) -> frozenset[str]:
    """Return the types with these leading bytes; none if they are not known."""
    return frozenset().union(
        *(types for at, magic, types in _MAGIC_BYTES if first_bytes[at:].startswith(magic))
    )


def refusal_of(kind: str, mime_type: str, first_bytes: bytes) -> str | None:
    """
    Return the rule that a file breaks which shall be sent as *kind*, by its type and its first bytes; None if it keeps
    all. Received files have a wider one (`matches_type`): they are kept as they come.
    """
    limit, named = LIMITS[kind], plain(mime_type)
    accepted = ", ".join(sorted(limit.extensions))
    if kind != "document" and named not in limit.extensions:
        return f"a file that is sent as {kind} must be one of {accepted}"
    if kind == "document":
        known = _types_of(first_bytes)
        is_other = bool(known) and named in _KNOWN_TYPES and named not in known
    else:
        others = _OTHER_BRANDS + _SOUND_BRANDS if kind == "video" else _OTHER_BRANDS
        is_other = first_bytes.startswith(others, _FTYP_AT)
    if is_other or not matches_type(kind, named, first_bytes):
        listed = f"; accepted are {accepted}" if kind != "document" else ""
        return f"the file's content differs from its type{listed}"
    if (
        first_bytes.startswith(_OGG)
        and kind == "audio"
        and not first_bytes.startswith(_OPUS, _OPUS_AT)
    ):
        return f"a file in Ogg must be encoded in Opus; accepted are {accepted}"
    return None


def type_of(kind: str, mime_type: str, first_bytes: bytes) -> str:
    """
    Return the type of a file that shall be sent as *kind*: the type that its host names, or an accepted one that begins
    like it if that is not known here. Hosts often name no type, or a general one.
    """
    named, accepted = plain(mime_type), LIMITS[kind].extensions
    if kind == "document" or named in _KNOWN_TYPES:
        return named
    return next((one for one in sorted(accepted) if one in _types_of(first_bytes)), named)


def is_animated(first_bytes: bytes) -> bool:
    """Whether a WebP picture is animated."""
    is_extended = first_bytes[12:16] == b"VP8X" and len(first_bytes) > _FLAGS_AT
    return is_extended and bool(first_bytes[_FLAGS_AT] & _ANIMATION)


def plain(mime_type: str) -> str:
    """Return the MIME type without parameters: `audio/ogg; codecs=opus` becomes audio/ogg."""
    return mime_type.partition(";")[0].strip().lower()
