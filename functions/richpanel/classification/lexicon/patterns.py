"""
The pattern language of the lexicons and its compiler; `search` matches patterns against a text.

    where .. ORDER        adjacent words; `..` allows up to three others in between
    cancel|stop + ORDER   both in one clause, in any order, at most 8 words apart
    when > ORDER > come   the same, in this order
    delivered ~ nothing   in one sentence or two adjacent ones, at most 15 words apart
    ordered >> got        the same, in this order
    not?                  optional
    =charged|bill         the first only as written, not as an inflection of another word
    (cash back|refund)    any of several phrases
    ^  $                  start and end of a sentence
    ORDER                 any word of that group; a group may contain phrases
    VOUCHER               a text that looks like a code: SAVE10
    COUNT                 a quantity or an amount, not a time; MEASURE: 12oz, xl; DATE: 10/2, 3.4.25
    NUMBER                digits, or a number in words; NAME: a capitalised word inside a sentence

A pattern is compiled once, into parts, phrases and elements.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from richpanel.classification.lexicon.tokens import (
    ADDRESS,
    COUNT,
    DATE,
    LINK,
    MEASURE,
    NAME,
    NUMBER,
    VOUCHER,
)
from richpanel.classification.lexicon.vocabulary import unstretched

type Joint = Literal["+", ">", "~", ">>"]

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
    """A lexicon contains an invalid pattern. Raised at import only."""


@dataclass(frozen=True, slots=True)
class Word:
    """One element of a phrase: any of *forms*."""

    forms: frozenset[str]
    is_optional: bool = False


class Gap(NamedTuple):
    """A gap of up to three arbitrary words."""


class Edge(NamedTuple):
    """The start or the end of a sentence."""

    is_start: bool


type Element = Word | Gap | Edge
type Phrase = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """
    The operand of a joint: any of several phrases (only one, unless the part names a group that contains phrases).

    *anchors* are the first required words of the phrases: a text with none of them cannot match.
    """

    source: str
    phrases: tuple[Phrase, ...]
    anchors: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The first part, and each further part with the joint that connects it to the parts before."""

    source: str
    first: Part
    others: tuple[tuple[Joint, Part], ...]


type Groups = Mapping[str, tuple[str, ...]]


def compiled(source: str, groups: Groups) -> Pattern:
    """Compile *source*. *groups* maps names in upper case to phrases. Raises PatternBroken."""
    written, brackets = _without_brackets(source.strip(), groups)
    pieces = _JOINTS.split(written)
    parts = [_part(piece, groups, brackets) for piece in pieces[::2]]
    joints: list[Joint] = [_joint(piece) for piece in pieces[1::2]]
    return Pattern(source, parts[0], tuple(zip(joints, parts[1:], strict=True)))


def _part(piece: str, groups: Groups, brackets: Groups) -> Part:
    phrases = tuple(_phrases(piece, {**groups, **brackets} if brackets else groups))
    anchors = frozenset(form for phrase in phrases for form in needed(phrase)[0].forms)
    return Part(_in_full(piece, brackets), phrases, anchors)


def needed(phrase: Phrase) -> list[Word]:
    """Return the required words of *phrase*; every phrase has at least one."""
    return [element for element in phrase if isinstance(element, Word) and not element.is_optional]


def _without_brackets(source: str, groups: Groups) -> tuple[str, Groups]:
    """Replace each bracket of the pattern by a generated group; return the pattern and these groups."""
    brackets: dict[str, tuple[str, ...]] = {}

    def name(bracket: re.Match[str]) -> str:
        name = f"BRACKET{len(brackets):04}"
        brackets[name] = tuple(
            word
            for phrase in bracket.group(1).split("|")
            for word in (_named(phrase, groups) if phrase.isupper() else (phrase,))
        )
        return name

    return _BRACKETS.sub(name, source), brackets


def _in_full(piece: str, brackets: Groups) -> str:
    """Return *piece* with its brackets restored, so that equal parts have equal sources and are searched once."""
    for name, phrases in brackets.items():
        piece = piece.replace(name, f"({'|'.join(phrases)})")
    return piece


def _joint(sign: str) -> Joint:
    if sign in {"+", ">", "~", ">>"}:
        return sign  # type: ignore[return-value]  # the line above is the check
    raise PatternBroken(f"unknown joint: {sign}")


def _phrases(piece: str, groups: Groups) -> Iterator[Phrase]:
    """Yield the phrases of *piece*: one for each combination of the multi-word phrases in its groups."""
    phrases: list[Phrase] = [()]
    words = piece.split()
    if ".." in {*words[:1], *words[-1:]}:
        raise PatternBroken(f"gap at the start or end of: {piece}")
    for written in words:
        # Words without a group (half of all) always give the same result, so it is cached.
        elements = _same_elements(written) if written.islower() else _elements(written, groups)
        phrases = [(*phrase, *more) for phrase in phrases for more in elements]
    for phrase in phrases:
        if not needed(phrase):
            raise PatternBroken(f"no required word in: {piece}")
        yield phrase


@cache
def _same_elements(written: str) -> list[Phrase]:
    return _elements(written, {})


def _elements(written: str, groups: Groups) -> list[Phrase]:
    """Return the alternatives for one word of a pattern: a single element, or the phrases of a group."""
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
            raise PatternBroken(f"unknown group: {name}")
        return groups[name]
    return _spelled(name)


@cache
def _spelled(name: str) -> tuple[str, ...]:
    if not _SPELLED.fullmatch(name):
        raise PatternBroken(f"invalid word: {name or '(empty)'}")
    return (unstretched(name.replace("-", " ")),)


def words_of(pattern: Pattern) -> Iterator[str]:
    """Yield every word of the pattern."""
    for part in (pattern.first, *(part for _, part in pattern.others)):
        for phrase in part.phrases:
            for element in phrase:
                if isinstance(element, Word):
                    yield from element.forms
