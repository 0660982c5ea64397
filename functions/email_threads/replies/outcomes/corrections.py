"""Changes of people in the text of a model before it was sent: the edit distance in words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_COMPARED: Final = 250_000  # pairs of words, some 30 ms


def edits_of(written: str, sent: str) -> int:
    """
    Return how many words were inserted, removed or replaced, at the fewest. Of long texts that differ in most of their
    words it is the number of words of the longer one, which is no less.
    """
    before, after = _without_common(written.split(), sent.split())
    if not before or not after or len(before) * len(after) > MOST_COMPARED:
        return max(len(before), len(after))
    row = list(range(len(after) + 1))
    for n, word in enumerate(before, start=1):
        above, row[0] = row[0], n
        for m, other in enumerate(after, start=1):
            above, row[m] = row[m], min(row[m] + 1, row[m - 1] + 1, above + (word != other))
    return row[-1]


def _without_common(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return two texts without the words that both begin and end with."""
    fewest, start = min(len(before), len(after)), 0
    while start < fewest and before[start] == after[start]:
        start += 1
    end = 0
    while end < fewest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return list(before[start : len(before) - end]), list(after[start : len(after) - end])
