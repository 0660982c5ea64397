"""Decodes bytes of bodies and headers in the declared charset, or in the likely one."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

# Mail clients declare the first charset and write the second one, its superset.
_SUPERSETS: Final = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "iso-2022-jp": "iso2022_jp_ext",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "x-mac-roman": "mac-roman",
    "windows-874": "cp874",
    "utf8mb4": "utf-8",
    "utf-8mb4": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
}
# Codecs of Python that are no charsets of mail. Some take quadratic time.
_NOT_OF_MAIL: Final = frozenset({"idna", "punycode", "undefined", "mbcs", "oem", "unicode-escape"})
_FALLBACK: Final = "windows-1252"
_REPLACED: Final = "\N{REPLACEMENT CHARACTER}"
# Halves of characters, which UTF-7 can encode and nothing can store.
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# A damaged text stays in its declared charset if at most half of its characters beyond ASCII are damaged.
_MOST_DAMAGED: Final = 0.5


def decode(raw: bytes, charset: str | None) -> tuple[str, bool]:
    """
    Return the text, and whether the bytes were valid in the declared charset.

    If they were not: UTF-8, then windows-1252 with replacement characters. Without a declaration these are valid too.
    """
    codec = _codec(charset)
    if codec is not None:
        text = storable(raw.decode(codec, "replace"))
        damaged = text.count(_REPLACED)
        if damaged == 0:
            return text, True
        beyond = sum(character > "\x7f" for character in text)
        if codec != "ascii" and damaged <= beyond * _MOST_DAMAGED:
            return text, False
    try:
        return raw.decode("utf-8"), charset is None
    except UnicodeDecodeError:
        return raw.decode(_FALLBACK, "replace"), charset is None


def storable(text: str) -> str:
    """Return the text with halves of characters replaced."""
    return _SURROGATE.sub(_REPLACED, text)


def normal(text: str) -> str:
    r"""Return the text with `\n` as the only line end, in NFC, without NUL."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return unicodedata.normalize("NFC", lines)


def _codec(charset: str | None) -> str | None:
    """Return the name of Python's codec, None if there is none for text."""
    if not charset:
        return None
    # RFC 2231 allows a language after an asterisk.
    named = charset.partition("*")[0].strip(" \"'").lower().removeprefix("charset=")
    name = _SUPERSETS.get(named, named)
    try:
        found = codecs.lookup(name).name
        b"a".decode(found)
    except (LookupError, ValueError, UnicodeError):
        return None
    return None if found.replace("_", "-").removeprefix("raw-") in _NOT_OF_MAIL else found
