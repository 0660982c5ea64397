"""
Matches lexicon patterns (see `patterns`) against a text, in time linear in its length.

The search for a part starts at the positions of its first required word and inspects a fixed number of words around
each.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from richpanel.classification.lexicon.patterns import (
    Edge,
    Gap,
    Joint,
    Part,
    Pattern,
    Phrase,
    Word,
    needed,
)
from richpanel.classification.lexicon.tokens import Token, Tokens

REACH: Mapping[Joint, int] = {"+": 8, ">": 8, "~": 15, ">>": 15}  # words between two parts
_IN_ORDER = frozenset({">", ">>"})
_LONGEST_GAP = 3
_MOST_HITS = 40  # per part and text; further repetitions add no information


class Span(NamedTuple):
    """
    A match: tokens from *start* up to, not including, *end*. *words* are the indices of the matched tokens, without the
    tokens in between; *lead* are the indices of the first part.
    """

    start: int
    end: int
    words: frozenset[int]
    lead: tuple[int, ...]


class Search:
    """One text with a cache of its matches: parts shared by several patterns are searched once."""

    def __init__(self, tokens: Tokens) -> None:
        """Search in *tokens*, which are not modified."""
        self.tokens = tokens
        self._forms = frozenset(tokens.positions)
        self._spans_by_part: dict[str, list[Span]] = {}

    def spans(self, pattern: Pattern) -> list[Span]:
        """Return the matches of *pattern*, in the order of its first part."""
        # Nearly all patterns end here: a message contains few of their first words.
        if self._forms.isdisjoint(pattern.first.anchors):
            return []
        spans = self._of_part(pattern.first)
        for joint, part in pattern.others:
            if not spans:
                return []
            spans = list(self._joined(spans, joint, self._of_part(part)))
        return spans

    def _of_part(self, part: Part) -> list[Span]:
        if part.source not in self._spans_by_part:
            spans = {span for phrase in part.phrases for span in self._of_phrase(phrase)}
            self._spans_by_part[part.source] = sorted(spans, key=lambda span: span[:2])[:_MOST_HITS]
        return self._spans_by_part[part.source]

    def _of_phrase(self, phrase: Phrase) -> Iterator[Span]:
        required = needed(phrase)
        if any(self._forms.isdisjoint(element.forms) for element in required):
            return
        # Start at the first required word, then extend to the optional elements before it.
        lead = phrase.index(required[0])
        starts = sorted(
            {at for form in required[0].forms for at in self.tokens.positions.get(form, ())}
        )
        for at in starts[:_MOST_HITS]:
            before = self._before(phrase[:lead], at)
            words = None if before is None else self._words(phrase[lead:], at, at)
            if before is not None and words is not None:
                words = (*before, *words)
                yield Span(words[0], words[-1] + 1, frozenset(words), words)

    def _before(self, elements: Phrase, at: int) -> tuple[int, ...] | None:
        """Return the tokens for the *elements* before the first required word at *at*; None without a match."""
        indices: list[int] = []
        for element in reversed(elements):
            if isinstance(element, Edge):
                if not self.tokens.starts_sentence(at):
                    return None
            elif isinstance(element, Word) and at and self._fits(element, at - 1, at):
                at -= 1
                indices.insert(0, at)
        return tuple(indices)

    def _words(self, elements: Phrase, at: int, sentence_of: int) -> tuple[int, ...] | None:
        """Return the tokens that match *elements* from *at* on; None without a match."""
        if not elements:
            return ()
        element, rest = elements[0], elements[1:]
        if isinstance(element, Edge):
            return self._words(rest, at, sentence_of) if self.tokens.ends_sentence(at - 1) else None
        if isinstance(element, Gap):
            for skipped in range(_LONGEST_GAP + 1):
                words = self._words(rest, at + skipped, sentence_of)
                if words is not None:
                    return words
            return None
        if at < len(self.tokens.words) and self._fits(element, at, sentence_of):
            words = self._words(rest, at + 1, sentence_of)
            if words is not None:
                return (at, *words)
        return self._words(rest, at, sentence_of) if element.is_optional else None

    def _fits(self, element: Word, at: int, other: int) -> bool:
        word = self.tokens.words[at]
        if word.sentence != self.tokens.words[other].sentence:
            return False
        return not element.forms.isdisjoint(word.forms)

    def _joined(self, lefts: Iterable[Span], joint: Joint, rights: list[Span]) -> Iterator[Span]:
        reach = REACH[joint]
        starts = [span.start for span in rights]
        longest = max((span.end - span.start for span in rights), default=0)
        for left in lefts:
            first = bisect_left(
                starts, left.end if joint in _IN_ORDER else left.start - reach - longest
            )
            for right in rights[first:]:
                if right.start > left.end + reach:
                    break
                if self._are_joined(left, joint, right):
                    start, end = min(left.start, right.start), max(left.end, right.end)
                    yield Span(start, end, left.words | right.words, left.lead)
                    break

    def _are_joined(self, left: Span, joint: Joint, right: Span) -> bool:
        before, after = (left, right) if left.start <= right.start else (right, left)
        if after.start < before.end or after.start - before.end > REACH[joint]:
            return False
        last_of_first: Token = self.tokens.words[before.end - 1]
        first_of_second: Token = self.tokens.words[after.start]
        if joint in {"~", ">>"}:
            return first_of_second.sentence - last_of_first.sentence <= 1
        return last_of_first.clause == first_of_second.clause
