"""Selects the passages of a newsletter among the hits of its types: without duplicates, every type represented."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.ai.retrieval import Passage

FEWEST_OF_TYPE: Final = 2
MOST_OF_URL: Final = 2
_SHINGLE: Final = 5  # words
_SAME: Final = 0.8  # Jaccard similarity of shingles
_WORD: Final = re.compile(r"\w+")
_UNDATED: Final = "\x7f"  # after all dates


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage, and the display name of the type whose query found it."""

    topic: str
    passage: Passage


def selected(hits: Mapping[str, Sequence[Passage]], total: int) -> list[Hit]:
    """
    Return at most *total* passages, best first: the best one of each type, then the second one of each, then by score.

    A passage belongs to the type with its best score. Of equal or nearly equal texts the best is kept; of one address,
    two passages.
    """
    counts: dict[str, int] = {}
    in_turn: list[tuple[int, Hit]] = []
    for hit in _distinct(_best_of_each(hits)):
        place = counts.get(hit.topic, 0)
        counts[hit.topic] = place + 1
        in_turn.append((min(place, FEWEST_OF_TYPE), hit))
    in_turn.sort(key=lambda one: one[0])  # stable: by score within each turn
    return sorted((hit for _, hit in in_turn[:total]), key=_rank)


def _best_of_each(hits: Mapping[str, Sequence[Passage]]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for topic, passages in hits.items():
        for passage in passages:
            known = best.get(passage.chunk_id)
            if known is None or passage.score > known.passage.score:
                best[passage.chunk_id] = Hit(topic, passage)
    return sorted(best.values(), key=_rank)


def _distinct(ranked: Iterable[Hit]) -> list[Hit]:
    kept: list[Hit] = []
    texts: list[frozenset[tuple[str, ...]]] = []
    by_address: dict[str, int] = {}
    for hit in ranked:
        # Without an address the document of the passage is unknown.
        address = hit.passage.url or hit.passage.uri or hit.passage.chunk_id
        shingles = _shingles(hit.passage.text)
        if by_address.get(address, 0) >= MOST_OF_URL or any(
            _similarity(shingles, known) >= _SAME for known in texts
        ):
            continue
        kept.append(hit)
        texts.append(shingles)
        by_address[address] = by_address.get(address, 0) + 1
    return kept


def _rank(hit: Hit) -> tuple[float, str, str]:
    # Newer first among equals: the complement of a date's characters sorts the other way round.
    newest_first = "".join(chr(0x7F - ord(one)) for one in hit.passage.date)
    return -hit.passage.score, newest_first or _UNDATED, hit.passage.chunk_id


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    if len(words) < _SHINGLE:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))


def _similarity(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
