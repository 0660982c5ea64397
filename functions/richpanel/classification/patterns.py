"""
What a lexicon's patterns mean, and where a text fits them.

    where .. ORDER        words next to each other; `..` lets up to three others stand between
    cancel|stop + ORDER   both in one clause, in any order, at most 8 words apart
    when > ORDER > come   the same, in this order
    delivered ~ nothing   in one sentence or two neighbouring ones, at most 15 words apart
    ordered >> got        the same, in this order
    not?                  may be left out
    =charged|bill         the first only as written, not as a form of another word
    (cash back|refund)    any of several phrases
    ^  $                  where a sentence begins, where it ends
    ORDER                 any word of that group; a group may hold phrases
    VOUCHER               what looks like a code: SAVE10
    COUNT                 a number of things or an amount, no time; MEASURE: 12oz, xl; DATE: 10/2, 3.4.25
    NUMBER                digits, or a number in words; NAME: a capitalised word inside a sentence

A pattern is compiled once and is matched in time linear in the text: each part starts from the places where its first
word stands, and looks at a fixed number of words around them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from richpanel.classification.tokens import (
    ADDRESS,
    COUNT,
    DATE,
    LINK,
    MEASURE,
    NAME,
    NUMBER,
    VOUCHER,
    Token,
    Tokens,
)
from richpanel.classification.vocabulary import unstretched

type Joint = Literal["+", ">", "~", ">>"]

REACH: Mapping[Joint, int] = {"+": 8, ">": 8, "~": 15, ">>": 15}  # words between two parts
_IN_ORDER = frozenset({">", ">>"})
_LONGEST_GAP = 3
_MOST_HITS = 40  # of one part in a text; who repeats himself more often says nothing new
_BUILT_IN = {
    "LINK": LINK,
    "ADDRESS": ADDRESS,
    "NUMBER": NUMBER,
    "COUNT": COUNT,
    "MEASURE": MEASURE,
    "DATE": DATE,
    "NAME": NAME,
    "VOUCHER": VOUCHER,
}
_JOINTS = re.compile(r"\s(\+|>|~|>>)\s")
_BRACKETS = re.compile(r"\(([^()]+)\)")
_SPELLED = re.compile(r"=?[^\W_][^\s_|?=()+~]*\*?")


class PatternBroken(Exception):
    """A lexicon holds a pattern that means nothing. Raised at import only."""


class Span(NamedTuple):
    """
    Tokens from *start* up to, not including, *end*. *words*: those that the pattern asked for, without what stands
    between them; *lead*: those of its first part.
    """

    start: int
    end: int
    words: frozenset[int]
    lead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """One place of a phrase: any of *forms*."""

    forms: frozenset[str]
    is_optional: bool = False


class Gap(NamedTuple):
    """Up to three words of no interest."""


class Edge(NamedTuple):
    """Where a sentence begins or ends."""

    is_start: bool


type Place = Word | Gap | Edge
type Phrase = tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """
    What stands between two joints: any of several phrases (one, unless it is a group with phrases in it).

    A text without any of *anchors*, the first words that the phrases need, fits none of them.
    """

    source: str
    phrases: tuple[Phrase, ...]
    anchors: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Parts and what joins each to what stands before it."""

    source: str
    first: Part
    others: tuple[tuple[Joint, Part], ...]


type Groups = Mapping[str, tuple[str, ...]]


def compiled(source: str, groups: Groups) -> Pattern:
    """The pattern that *source* writes down. Groups are phrases by name, in upper case."""
    written, brackets = _without_brackets(source.strip(), groups)
    pieces = _JOINTS.split(written)
    parts = [_part(piece, groups, brackets) for piece in pieces[::2]]
    joints: list[Joint] = [_joint(piece) for piece in pieces[1::2]]
    return Pattern(source, parts[0], tuple(zip(joints, parts[1:], strict=True)))


def _part(piece: str, groups: Groups, brackets: Groups) -> Part:
    phrases = tuple(_phrases(piece, {**groups, **brackets} if brackets else groups))
    anchors = frozenset(form for phrase in phrases for form in _needed(phrase)[0].forms)
    return Part(_in_full(piece, brackets), phrases, anchors)


def _needed(phrase: Phrase) -> list[Word]:
    """The places that no text can do without; every phrase has one."""
    return [place for place in phrase if isinstance(place, Word) and not place.is_optional]


def _without_brackets(source: str, groups: Groups) -> tuple[str, Groups]:
    """The pattern with each bracket turned into a group of its own, and those groups."""
    brackets: dict[str, tuple[str, ...]] = {}

    def name(bracket: re.Match[str]) -> str:
        name = f"BRACKET{len(brackets):04}"
        brackets[name] = tuple(
            each
            for phrase in bracket.group(1).split("|")
            for each in (_named(phrase, groups) if phrase.isupper() else (phrase,))
        )
        return name

    return _BRACKETS.sub(name, source), brackets


def _in_full(piece: str, brackets: Groups) -> str:
    """*piece* with its brackets back: equal sources are looked for once."""
    for name, phrases in brackets.items():
        piece = piece.replace(name, f"({'|'.join(phrases)})")
    return piece


def _joint(sign: str) -> Joint:
    if sign in {"+", ">", "~", ">>"}:
        return sign  # type: ignore[return-value]  # the line above is the check
    raise PatternBroken(f"no such joint: {sign}")


def _phrases(piece: str, groups: Groups) -> Iterator[Phrase]:
    """The phrase that *piece* is, once for each phrase of more than one word in its groups."""
    phrases: list[Phrase] = [()]
    words = piece.split()
    if ".." in {*words[:1], *words[-1:]}:
        raise PatternBroken(f"nothing to skip to in: {piece}")
    for written in words:
        # Without a group it always stands for the same; half of all words do.
        places = _same_places(written) if written.islower() else _places(written, groups)
        phrases = [(*phrase, *more) for phrase in phrases for more in places]
    for phrase in phrases:
        if not _needed(phrase):
            raise PatternBroken(f"nothing to look for in: {piece}")
        yield phrase


@cache
def _same_places(written: str) -> list[Phrase]:
    return _places(written, {})


def _places(written: str, groups: Groups) -> list[Phrase]:
    """What one written word can stand for: a single place, or the phrases of a group."""
    if written == "..":
        return [(Gap(),)]
    if written in {"^", "$"}:
        return [(Edge(written == "^"),)]
    is_optional = written.endswith("?")
    single: set[str] = set()
    several: list[Phrase] = []
    for name in written.removesuffix("?").split("|"):
        for phrase in _named(name, groups):
            words = phrase.split()
            if len(words) == 1:
                single.add(words[0])
            elif words:
                several.append(tuple(Word(frozenset({word})) for word in words))
    options: list[Phrase] = [(Word(frozenset(single), is_optional),)] if single else []
    if is_optional and several:
        options.append(())
    return options + several


def _named(name: str, groups: Groups) -> tuple[str, ...]:
    if name in _BUILT_IN:
        return (_BUILT_IN[name],)
    if name.isupper():
        if name not in groups:
            raise PatternBroken(f"no such group: {name}")
        return groups[name]
    return _spelled(name)


@cache
def _spelled(name: str) -> tuple[str, ...]:
    if not _SPELLED.fullmatch(name):
        raise PatternBroken(f"no word: {name or '(nothing)'}")
    return (unstretched(name.replace("-", " ")),)


def words_of(pattern: Pattern) -> Iterator[str]:
    """Every word that the pattern looks for."""
    for part in (pattern.first, *(part for _, part in pattern.others)):
        for phrase in part.phrases:
            for place in phrase:
                if isinstance(place, Word):
                    yield from place.forms


class Search:
    """One text, and what was found in it so far: parts that patterns share are looked for once."""

    def __init__(self, tokens: Tokens) -> None:
        """Look through *tokens*, which stay as they are."""
        self.tokens = tokens
        self._forms = frozenset(tokens.positions)
        self._found: dict[str, list[Span]] = {}

    def spans(self, pattern: Pattern) -> list[Span]:
        """Where the text fits *pattern*, in order of its first part."""
        # Nearly all patterns end here: a message has few of the words that they begin with.
        if self._forms.isdisjoint(pattern.first.anchors):
            return []
        spans = self._of_part(pattern.first)
        for joint, part in pattern.others:
            if not spans:
                return []
            spans = list(self._joined(spans, joint, self._of_part(part)))
        return spans

    def _of_part(self, part: Part) -> list[Span]:
        if part.source not in self._found:
            spans = {span for phrase in part.phrases for span in self._of_phrase(phrase)}
            self._found[part.source] = sorted(spans, key=lambda span: span[:2])[:_MOST_HITS]
        return self._found[part.source]

    def _of_phrase(self, phrase: Phrase) -> Iterator[Span]:
        needed = _needed(phrase)
        if any(self._forms.isdisjoint(place.forms) for place in needed):
            return
        # From the first word that must be there; what may stand before it is tried with and without.
        lead = phrase.index(needed[0])
        starts = sorted(
            {at for form in needed[0].forms for at in self.tokens.positions.get(form, ())}
        )
        for at in starts[:_MOST_HITS]:
            before = self._before(phrase[:lead], at)
            words = None if before is None else self._words(phrase[lead:], at, at)
            if before is not None and words is not None:
                words = (*before, *words)
                yield Span(words[0], words[-1] + 1, frozenset(words), words)

    def _before(self, places: Phrase, at: int) -> tuple[int, ...] | None:
        """Tokens of the *places* in front of the first needed word, at *at*; None where the text does not fit."""
        found: list[int] = []
        for place in reversed(places):
            if isinstance(place, Edge):
                if not self.tokens.starts_sentence(at):
                    return None
            elif isinstance(place, Word) and at and self._fits(place, at - 1, at):
                at -= 1
                found.insert(0, at)
        return tuple(found)

    def _words(self, places: Phrase, at: int, sentence_of: int) -> tuple[int, ...] | None:
        """The tokens that *places* fit, read from *at* on; None where they do not."""
        if not places:
            return ()
        place, rest = places[0], places[1:]
        if isinstance(place, Edge):
            return self._words(rest, at, sentence_of) if self.tokens.ends_sentence(at - 1) else None
        if isinstance(place, Gap):
            for skipped in range(_LONGEST_GAP + 1):
                words = self._words(rest, at + skipped, sentence_of)
                if words is not None:
                    return words
            return None
        if at < len(self.tokens.words) and self._fits(place, at, sentence_of):
            words = self._words(rest, at + 1, sentence_of)
            if words is not None:
                return (at, *words)
        return self._words(rest, at, sentence_of) if place.is_optional else None

    def _fits(self, place: Word, at: int, other: int) -> bool:
        word = self.tokens.words[at]
        if word.sentence != self.tokens.words[other].sentence:
            return False
        return not place.forms.isdisjoint(word.forms)

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
        before, behind = (left, right) if left.start <= right.start else (right, left)
        if behind.start < before.end or behind.start - before.end > REACH[joint]:
            return False
        one: Token = self.tokens.words[before.end - 1]
        other: Token = self.tokens.words[behind.start]
        if joint in {"~", ">>"}:
            return other.sentence - one.sentence <= 1
        return one.clause == other.clause
