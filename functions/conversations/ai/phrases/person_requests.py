"""
Recognises clear requests for a human agent, clause by clause, in the languages of person_words.toml.

    "I want to talk to a person"     a word of asking, a verb and people
    "Connect me with an agent"       a verb that asks by itself, and people
    "I want a human"                 a word of asking and, at the end, a person
    "Human please"                   a person as the last clause
    "I do not want a person"         none, but "why can I not talk to a person?" is one

People who are not the company's ("my manager"), and what others did or want, are no requests.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from conversations.ai.phrases.person_words import UNSPACED, UNSPACED_NEGATIONS, words_by_language
from conversations.ai.phrases.phrase_list import has_phrase
from shared.ai.texts.languages.function_words import plain_words

_UNCLEAR = """
    call me, ring me, real person, real human, person please, agent please, rufen sie mich an, ruf mich an, echter
    mensch, echten menschen, echte person, rappelez moi, appelez moi, vraie personne, llámenme, llámame, persona real,
    mi chiami, chiamatemi, richiamatemi, persona vera, persona reale, me liga, me ligue, liguem me, pessoa real, pessoa
    de verdade, bel me, bel mij, echte persoon, zadzwońcie do mnie, proszę o telefon, ring mig, ring meg, перезвоните,
    позвоните мне"""
_REACH = 5  # words between a verb and its people
_CLAUSE = re.compile(
    r"[.!?;:,\n\u2013\u2014\u2026\u060c\u061b\u061f\u0964\u3001\u3002\uff01\uff0c\uff1b\uff1f\u037e]+"
)
_MARKS = "?\uff1f\u061f\u037e;"  # of questions; the Greek one looks like a semicolon
# Words that begin a clause also without punctuation: "I do not want a bot I want a person".
_RESTARTS = re.compile(
    r" (?=(?:but|aber|mais|pero|ma|mas|maar|ale|men|mutta|hanem|ama|но|але|αλλά|however|sondern|sino"
    r"|i (?:want|need|d like|would like)|let me|ich (?:will|mochte)|je (?:veux|voudrais)|ik wil|jag vill|jeg vil"
    r"|я хочу) )"
)
_POLITE = (
    r"(?:please|pls|plz|now|here|today|instead|thanks|just|only|on|on the line|on the phone|a|an|the|real|live"
    r"|bitte|jetzt|am telefon|einen|eine|ein|s il vous plait|svp|un|une|au bout du fil|au telephone|en ligne"
    r"|por favor|una|um|uma|per favore|al telefono|alsjeblieft|alstublieft|aub|aan de lijn|een"
    r"|prosze|tack|tak|takk|en|et|kiitos|prosim|kerem|va rog|lutfen|пожалуйста|будь ласка|παρακαλω|من فضلك|בבקשה)"
)
_FOLDED = str.maketrans(
    "łıøđ", "liod"
)  # letters without a decomposition, often typed without their stroke


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The compiled words of one language."""

    negation: re.Pattern[str]
    without: re.Pattern[str]
    why: re.Pattern[str]
    own: re.Pattern[str]
    ask: re.Pattern[str]
    request: re.Pattern[str]  # asks by itself
    talk: re.Pattern[str]  # needs a word of asking
    leading: re.Pattern[str]  # begins a clause
    alone: re.Pattern[str]


def asks_for_a_person(text: str) -> bool:
    """Return whether *text* clearly asks for a human agent, in any of the languages."""
    clauses = _clauses(text)
    while len(clauses) > 1 and re.fullmatch(rf" (?:{_POLITE} )+", clauses[-1][0]):
        clauses.pop()  # "A human, please"
    return _asks_in_unspaced_script(text) or any(
        _is_request(clause, is_question=is_question, is_last=at == len(clauses))
        for at, (clause, is_question) in enumerate(clauses, 1)
    )


def may_ask_for_a_person(text: str) -> bool:
    """Return whether *text* asks for a human agent, clearly or in words with other meanings too ("call me Ann")."""
    return asks_for_a_person(text) or has_phrase(_UNCLEAR, plain_words(text))


def _clauses(text: str) -> list[tuple[str, bool]]:
    """Return the plain words of each clause, with a blank at both ends, and whether a question mark follows it."""
    found, position = [], 0
    for end in (*_CLAUSE.finditer(text), None):
        part = text[position : end.start() if end else len(text)]
        is_question = end is not None and not set(_MARKS).isdisjoint(end[0])
        position = end.end() if end else 0
        words = " ".join(plain_words(part)).translate(_FOLDED)
        found += [(f" {one.strip()} ", is_question) for one in _RESTARTS.split(f" {words} ")]
    return [one for one in found if one[0].strip()]


def _is_request(clause: str, *, is_question: bool, is_last: bool) -> bool:
    return any(
        _is_request_in(_compiled(language), clause, is_question=is_question, is_last=is_last)
        for language in words_by_language()
        if any(phrase in clause for phrase in _people_of(language))
    )


def _is_request_in(patterns: _Patterns, clause: str, *, is_question: bool, is_last: bool) -> bool:
    if patterns.without.search(clause):
        return False
    asks_why = is_question and patterns.why.search(clause)
    if patterns.negation.search(clause) and not asks_why:
        return False
    clause = patterns.own.sub(" ", clause)
    if patterns.request.search(clause) or patterns.leading.match(clause):
        return True
    if patterns.talk.search(clause) and (asks_why or patterns.ask.search(clause)):
        return True
    return is_last and not is_question and bool(patterns.alone.fullmatch(clause))


def _asks_in_unspaced_script(text: str) -> bool:
    if text.isascii():
        return False
    return any(
        any(re.search(pattern, clause) for pattern in UNSPACED)
        and not re.search(UNSPACED_NEGATIONS, clause)
        for clause in _CLAUSE.split(unicodedata.normalize("NFKC", text))
    )


@cache
def _people_of(language: str) -> tuple[str, ...]:
    """Return the phrases of which every request in *language* has one. Most messages have none."""
    words = words_by_language()[language]
    every = _plain(f"{words.people},{words.humans},{words.alone}")
    return tuple(f" {phrase.rstrip('*')}" for phrase in every)


@cache
def _compiled(language: str) -> _Patterns:
    words = words_by_language()[language]
    ask, talk, people = map(_any_of, (words.asks, words.talks, words.people))
    connect, human = map(_any_of, (words.connects, words.humans))
    between = rf"(?: \w+){{0,{_REACH}}}? "
    near = rf"{talk}{between}{people}|{people}{between}{talk}"
    return _Patterns(
        negation=_pattern(_any_of(words.negations)),
        without=_pattern(_any_of(words.without)),
        why=_pattern(_any_of(words.whys)),
        own=_pattern(rf"{_any_of(words.own)} {people}"),
        ask=_pattern(ask),
        request=_pattern(
            rf"{connect}{between}{people}|{people}{between}{connect}"
            rf"|{ask}(?: \w+){{0,2}}? {human}(?: {_POLITE})*$|{_any_of(words.alone)}"
            rf"|{human}(?: \w+)? {ask}$"
        ),
        talk=_pattern(near),
        leading=re.compile(
            rf" {talk}{between}{people} | (?:\w+ ){{0,2}}?{people}(?: \w+)? {talk} $"
        ),
        alone=re.compile(rf" (?:{_POLITE} )*{human}(?: {_POLITE})* "),
    )


def _pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of whole words; `$` is the end of a clause."""
    return re.compile(rf"(?<= )(?:{pattern.replace('$', '(?= $)')})(?= )")


def _any_of(phrases: str) -> str:
    """Return a pattern for one of the *phrases*."""
    found = sorted(_plain(phrases), key=len, reverse=True)
    return f"(?:{'|'.join(found)})".replace("*", r"\w*") if found else "(?!)"


def _plain(phrases: str) -> list[str]:
    """Return the plain words of each of the comma-separated *phrases*; `*` is kept."""
    read = [(" ".join(plain_words(one)).translate(_FOLDED), one) for one in phrases.split(",")]
    return [plain + "*" * one.strip().endswith("*") for plain, one in read if plain]
