"""The plan of a newsletter: its sections, with the number of items and words of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.drafting.retrieval.catalogue import kind_of

if TYPE_CHECKING:
    from newsletters.store.items import Metadata, Topics

INTRODUCTION: Final = "introduction"
CONCLUSION: Final = "conclusion"
FRAME: Final = frozenset({INTRODUCTION, CONCLUSION})  # sections without passages
MAIN: Final = "main"
KINDS: Final = (INTRODUCTION, MAIN, "updates", "opportunities", "resources", CONCLUSION)
_NAMES: Final = {
    INTRODUCTION: "Introduction",
    MAIN: "Main Stories",
    "updates": "Updates & News",
    "opportunities": "Opportunities",
    "resources": "Resources",
    CONCLUSION: "Conclusion",
}
_SHARES: Final = {
    INTRODUCTION: 10, MAIN: 50, "updates": 17, "opportunities": 11, "resources": 6, CONCLUSION: 6,
}  # fmt: skip
# Items of each kind in a short, a standard and a long newsletter.
_ITEMS: Final = {
    INTRODUCTION: (1, 1, 1), MAIN: (2, 4, 6), "updates": (1, 2, 3), "opportunities": (1, 2, 2),
    "resources": (0, 1, 2), CONCLUSION: (1, 1, 1),
}  # fmt: skip
_SIZES: Final = {
    "quick_read": 0, "short": 0, "standard": 1, "mixed": 1, "deep_dive": 2, "long": 2,
}  # fmt: skip
WORDS: Final = ((400, 600), (1_000, 1_500), (2_500, 3_500))  # of the whole newsletter, by size


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section with *fewest* to *items* new items: none are needed where items stay or were removed."""

    kind: str
    name: str
    items: int
    fewest: int = 1


def plan_of(metadata: Metadata, topics: Topics) -> list[PlannedSection]:
    """Return the sections that the retrieved passages can fill, in their order."""
    size = _SIZES[metadata.length_preference]
    types: dict[str, set[str]] = {}
    for chunk in topics.retrieved_content:
        types.setdefault(kind_of(chunk.topic, topics.custom_topics), set()).add(chunk.topic)
    planned: list[PlannedSection] = []
    for kind in KINDS:
        # Resources have no place in a short newsletter, unless it has nothing else.
        count = _ITEMS[kind][size] or int(set(types) == {kind})
        if count and (kind in FRAME or kind in types):
            only = next(iter(types[kind])) if kind == MAIN and len(types[kind]) == 1 else None
            planned.append(PlannedSection(kind, only or _NAMES[kind], count))
    return planned


def word_targets(metadata: Metadata, kinds: list[str]) -> list[int]:
    """Return the words of each of these sections; the shares of absent kinds go to the present ones."""
    fewest, most = WORDS[_SIZES[metadata.length_preference]]
    shares = [_SHARES.get(kind, _SHARES[MAIN]) for kind in kinds]
    total = sum(shares) or 1
    return [round((fewest + most) / 2 * share / total) for share in shares]
