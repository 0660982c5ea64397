"""
Fonts of the browser beside the machine's fonts, which often have no emoji and no Chinese and Japanese characters.

fontconfig finds them by a configuration of our own: neither needs an installation by the user.
"""

import struct
import zlib
from pathlib import Path

from local.stack.processes import LOCAL

_CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  {folders}
  <cachedir>{cache}</cachedir>
</fontconfig>
"""
_SANS = "@expo-google-fonts/noto-sans-sc"  # has the kana, too
_WEIGHTS = ("400Regular", "700Bold")
_EMOJI = "@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff"
# WOFF 1.0: https://www.w3.org/TR/WOFF/
_HEAD, _ENTRY = struct.Struct(">4sIIHHIHHIIIII"), struct.Struct(">4sIIII")


def configure(packages: Path, folder: Path) -> None:
    """Write into *folder* a configuration of fontconfig with the fonts of installed *packages*."""
    emoji = folder / "fonts" / "emoji.ttf"
    emoji.parent.mkdir(exist_ok=True)
    emoji.write_bytes(_sfnt((packages / _EMOJI).read_bytes()))
    folders = [emoji.parent, *(packages / _SANS / weight for weight in _WEIGHTS)]
    named = "".join(f"<dir>{one}</dir>" for one in folders)
    text = _CONFIGURATION.format(folders=named, cache=LOCAL / "font-cache")
    configuration(folder).write_text(text)


def configuration(folder: Path) -> Path:
    """Return the file that `configure` writes."""
    return folder / "fonts.conf"


def _sfnt(woff: bytes) -> bytes:
    """Return a font as TrueType: Chromium takes no compressed ones from fontconfig."""
    signature, flavor, _, count, *_ = _HEAD.unpack_from(woff)
    if signature != b"wOFF":
        raise ValueError("the font is not WOFF 1.0")
    entries = [_ENTRY.unpack_from(woff, _HEAD.size + place * _ENTRY.size) for place in range(count)]
    power = count.bit_length() - 1
    search = 16 << power
    head = struct.pack(">IHHHH", flavor, count, search, power, 16 * count - search)
    start = len(head) + 16 * count
    directory, tables = b"", b""
    for tag, offset, compressed, length, checksum in entries:
        raw = woff[offset : offset + compressed]
        table = zlib.decompress(raw) if compressed < length else raw
        directory += struct.pack(">4sIII", tag, checksum, start + len(tables), length)
        tables += table + b"\0" * (-length % 4)
    return head + directory + tables
