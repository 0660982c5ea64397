"""
Vectors of texts of the scripted model: the same for the same text, and alike for texts with the same concepts in
English, German and Arabic (`meanings.toml`).
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS: Final = re.compile(r"\w+")
_BYTES: Final = 32  # of a hash
_LISTS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return a vector of length 1: the sum of the directions of the concepts in a text."""
    total = [0.0] * dimensions
    for concept in sorted(set(_concepts(text))) or [text]:
        for at, sign in enumerate(_direction(concept, dimensions)):
            total[at] += sign
    length = math.hypot(*total) or 1.0
    return [value / length for value in total]


def _concepts(text: str) -> Iterator[str]:
    for word in _WORDS.findall(text.lower()):
        if word not in _LISTS["meaningless"]["words"]:
            yield next(
                (
                    concept
                    for concept, beginnings in _LISTS["concepts"].items()
                    if word.startswith(tuple(beginnings))
                ),
                word,
            )


@cache
def _direction(concept: str, dimensions: int) -> tuple[float, ...]:
    """Return a direction that is nearly at a right angle to those of other concepts."""
    hashes = b"".join(
        hashlib.sha256(f"{concept} {part}".encode()).digest()
        for part in range(-(-dimensions // (8 * _BYTES)))
    )
    bits = int.from_bytes(hashes)
    return tuple(1.0 if bits >> at & 1 else -1.0 for at in range(dimensions))
