"""
The tokenizer: words of a text with their lexicon forms, and the boundaries of sentences and clauses.

A token is a whole word. Its forms are the word as written, its base forms in the vocabulary ("cancelled": "cancel"),
and for a misspelt word the vocabulary words of six letters or more at an edit distance of one.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from richpanel.classification.lexicon.vocabulary import (
    Vocabulary,
    expanded,
    unaccented,
    unstretched,
)

# Placeholders that cannot collide with a word of a lexicon.
LINK, ADDRESS, NUMBER, NAME, VOUCHER = "<link>", "<address>", "<number>", "<name>", "<voucher>"
COUNT, MEASURE, DATE = "<count>", "<measure>", "<date>"
_VOUCHER = re.compile(
    r"[A-Z]{4,12}\d{1,3}|(?:welcome|save|take|get|off|first|hello|summer|spring|winter|fall|holiday|bf)\d{1,3}"
)
_NUMBERS_IN_WORDS = frozenset(
    [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "dozen",
        "fifteen",
        "twenty",
        "thirty",
    ]
)

_LINK = r"(?:https?://|www\.)[^\s<>]{1,2000}"
_ADDRESS = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
_DATE = r"(?<![\w/.-])\d{1,4}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?![\w/-])"
_WORD = r"[^\W_]+(?:['*@$]{1,6}[^\W_]+)*\**'?"
_END = r"[.!?;\u2026\u00a1\u00bf]+(?=\s|$|[A-Z\u00a1\u00bf])|[!?;]+|\n+"
_TOKEN = re.compile(
    rf"(?P<link>{_LINK})|(?P<address>(?<![\w.+-]){_ADDRESS})|(?P<date>{_DATE})|(?P<word>{_WORD})"
    rf"|(?P<end>{_END})|(?P<comma>,)|[^\s\w]"
)
_SPACED_OUT = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .-]){4,40}[^\W\d_](?![^\W_])")
_SHOUTED = re.compile(r"\b(b|sh)!(?=t)", re.IGNORECASE)  # in rude words "!" stands for "i"
_MASKED = str.maketrans({"@": "a", "$": "s"})
_COUNT = re.compile(r"\d{1,4}(?:pk|pc|pcs|ct|x)?")
_MEASURE = re.compile(r"\d{1,4}(?:oz|ml|l|g|kg|lb|lbs|cm|mm|in|ft|xl|w|v|inch|gb)|x{0,3}[slm]|xl")
_TIME = re.compile(
    r"[ -]?(?:business |working |more |full |whole )?"
    r"(?:days?|weeks?|wks?|months?|years?|yrs?|hours?|hrs?|minutes?|mins?|times?|am|pm|"
    r"a\.m|p\.m|st|nd|rd|th|percent|%|:\d|[a-z]+ ago)\b|%",
    re.IGNORECASE,
)
_STARTS_CLAUSE = frozenset({"but", "also", "and", "then", "pero", "tambien", "y", "luego"})
_WRAPPED_LINE = 55  # characters: the end of a line this long is rarely the end of a sentence


@dataclass(frozen=True, slots=True)
class Token:
    """One word. *sentence* and *clause* count from 0; *comma*: a comma follows directly."""

    text: str
    forms: frozenset[str]
    sentence: int
    clause: int
    comma: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenized text. *positions* maps each form to the indices of the tokens that have it, in order."""

    words: tuple[Token, ...]
    positions: Mapping[str, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.words)

    def ends_sentence(self, at: int) -> bool:
        """Return whether the token at *at* is the last one of its sentence."""
        last = len(self.words) - 1
        return at >= last or self.words[at + 1].sentence != self.words[at].sentence

    def starts_sentence(self, at: int) -> bool:
        """Return whether the token at *at* is the first one of its sentence."""
        return at == 0 or self.words[at - 1].sentence != self.words[at].sentence


def tokens_of(text: str, vocabulary: Vocabulary) -> Tokens:
    """Tokenize a prepared text, with contractions expanded."""
    closed = _SPACED_OUT.sub(_closed_up, _SHOUTED.sub(r"\1i", unstretched(text)))
    words = _words(_unwrapped(closed), vocabulary)
    positions: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        for form in word.forms:
            positions[form].append(at)
    return Tokens(tuple(words), {form: tuple(indices) for form, indices in positions.items()})


def _closed_up(spaced: re.Match[str]) -> str:
    return re.sub(r"[ .-]", "", spaced.group())


def _unwrapped(text: str) -> str:
    """Join lines that a mail program wrapped: a long line followed by one that starts in lower case."""
    lines = text.split("\n")
    joined = lines[:1]
    for before, line in pairwise(lines):
        continues = len(before) >= _WRAPPED_LINE and line[:1].islower() and joined[-1:] != [""]
        if continues and before[-1] not in ".!?;:":
            joined.append(" ")
        else:
            joined.append("\n")
        joined.append(line)
    return "".join(joined)


def _words(text: str, vocabulary: Vocabulary) -> list[Token]:
    words: list[Token] = []
    sentence = clause = 0
    fresh = True  # this sentence has no word yet
    for match in _TOKEN.finditer(text):
        if match["end"]:
            if not fresh:
                sentence, clause, fresh = sentence + 1, clause + 1, True
        elif match["comma"]:
            if words and not fresh:
                words[-1] = _with_comma(words[-1])
        else:
            for word in _spelled(match):
                if word in _STARTS_CLAUSE and not fresh:
                    clause += 1
                forms = vocabulary.forms(word) | _kinds(word, match, is_first=fresh)
                words.append(Token(word, forms, sentence, clause))
                fresh = False
    return words


def _kinds(word: str, match: re.Match[str], *, is_first: bool) -> frozenset[str]:
    """Return the additional kinds of a word. *is_first*: first in its sentence, so a capital does not mean a name."""
    kinds: set[str] = set()
    written = match.group()
    if word[0].isdigit() or word in _NUMBERS_IN_WORDS:
        kinds.add(NUMBER)
        is_count = word in _NUMBERS_IN_WORDS or _COUNT.fullmatch(word)
        if is_count and not _TIME.match(match.string, match.end()):
            kinds.add(COUNT)
    if _MEASURE.fullmatch(word):
        kinds.add(MEASURE)
    if _VOUCHER.fullmatch(written):
        kinds.add(VOUCHER)
    if not is_first and written.istitle() and len(written) > 1:
        kinds.add(NAME)
    return frozenset(kinds)


def _with_comma(word: Token) -> Token:
    return Token(word.text, word.forms, word.sentence, word.clause, comma=True)


def _spelled(match: re.Match[str]) -> tuple[str, ...]:
    """Return the words of a token match; empty for punctuation, while an emoji counts as a word."""
    for kind, placeholder in (("link", LINK), ("address", ADDRESS), ("date", DATE)):
        if match[kind]:
            return (placeholder,)
    if match["word"]:
        plain_word = unaccented(match["word"]).translate(_MASKED).rstrip("'")
        return tuple(part for part in expanded(plain_word) if part)
    sign = match.group()
    return (sign,) if not sign.isascii() or sign == "&" else ()
