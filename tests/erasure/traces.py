"""
Finds the traces of a person in stored values: identifiers and texts in every spelling in which a value may hold them.

    letters     without regard to case, escaped as JSON or as part of a URL
    digits      of a phone number, with anything between them
    base64      also inside a longer encoded text, in both alphabets
    hex         of the text, and its SHA-256, which reveals a value that can be guessed
    compressed  gzip and zip
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SHORTEST_NUMBER: Final = 8  # digits; fewer are found in times and hashes by chance
_HASH_DIGITS: Final = 16
_NUMBER: Final = re.compile(r"\+?[\d ()/-]+", re.ASCII)


@dataclass(frozen=True)
class Word:
    """An identifier or text of a person, with its spellings."""

    text: str

    @cached_property
    def folded(self) -> frozenset[str]:
        """Spellings that are compared without regard to case."""
        plain = self.text
        encoded = plain.encode()
        spellings = {
            plain,
            json.dumps(plain)[1:-1],
            json.dumps(json.dumps(plain))[3:-3],
            quote(plain, safe=""),
            quote(plain),
            encoded.hex(),
            *(
                hashlib.sha256(one.encode()).hexdigest()[:_HASH_DIGITS]
                for one in {plain, plain.lower()}
            ),
        }
        return frozenset(one.casefold() for one in spellings)

    @cached_property
    def exact(self) -> frozenset[str]:
        """Spellings whose case has a meaning: base64 at each of its three offsets, without what neighbours change."""
        found = set()
        for one in {self.text, self.text.lower(), self.text.upper()}:
            for offset in range(3):
                padded = base64.b64encode(b"\0" * offset + one.encode()).decode().rstrip("=")
                inner = padded[-(-offset * 4 // 3) : len(padded) - 1]
                found |= {inner, inner.replace("+", "-").replace("/", "_")}
        return frozenset(found)

    @cached_property
    def digits(self) -> str | None:
        """The digits of a phone number."""
        only = re.sub(r"\D", "", self.text)
        is_number = _NUMBER.fullmatch(self.text) and len(only) >= SHORTEST_NUMBER
        return only if is_number else None

    def is_in(self, text: str) -> bool:
        """Whether a text has the word in one of its spellings."""
        folded = text.casefold()
        if any(one in folded for one in self.folded) or any(one in text for one in self.exact):
            return True
        return self.digits is not None and self.digits in re.sub(r"[ ()/.+-]", "", text)


def words(*texts: str) -> list[Word]:
    """The words of these texts."""
    return [Word(one) for one in texts]


def traces(stored: Mapping[str, Any], sought: Iterable[Word]) -> dict[str, list[str]]:
    """
    The places whose key or value has one of the words, each with the paths and the words that were found there.

    *stored* has items (attributes) and objects (bytes) by a name that contains their key.
    """
    sought = list(sought)
    found: dict[str, list[str]] = {}
    for place, value in stored.items():
        hits = [
            f"{path or '(key)'}: {word.text}"
            for path, text in [("", place), *_texts(value)]
            for word in sought
            if word.is_in(text)
        ]
        if hits:
            found[place] = hits
    return found


def _texts(value: Any, path: str = "value") -> Iterator[tuple[str, str]]:
    """Every text in a value, also in keys of maps, with its path."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield f"{path}.{name}", str(name)
            yield from _texts(part, f"{path}.{name}")
    elif isinstance(value, list | tuple | set | frozenset):
        for number, part in enumerate(value):
            yield from _texts(part, f"{path}[{number}]")
    elif isinstance(value, bytes | bytearray):
        yield from ((path, text) for text in _contents(bytes(value)))
    elif hasattr(value, "value") and isinstance(value.value, bytes):  # boto3's Binary
        yield from ((path, text) for text in _contents(value.value))
    elif value is not None:
        yield path, str(value)


def _contents(raw: bytes) -> Iterator[str]:
    yield raw.decode("utf-8", "replace")
    if raw[:2] == b"\x1f\x8b":
        yield from _contents(gzip.decompress(raw))
    if raw[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for name in archive.namelist():
                yield name
                yield from _contents(archive.read(name))
