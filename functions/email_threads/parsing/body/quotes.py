"""
Finds where a quoted mail begins in a text, by structure and in any language.

    attribution     one to three lines with a date and an author that end with a colon, above the quote or the end
    header block    lines `label: value` with a sender and a date
    separator       words between dashes, above one of them

People write forms themselves. In an unknown language a header block therefore needs further evidence: a separator
above it, the subject of this mail, or an address in brackets as the sender.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.parsing.body import quote_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_CHARACTERS: Final = 64 * 1024
_LONGEST_LINE: Final = 300
_ATTRIBUTION_LINES: Final = 3
_BLANKS: Final = 3  # empty lines between an attribution and its quote
_WRAPPED_FROM: Final = 60  # characters from which clients wrap a line
_FEWEST_LABELS: Final = 3
_MOST_LABELS: Final = 10
_LABEL_WORDS: Final = 3

_EMAIL: Final = r"[^\s<>()\[\]@:]{1,64}@[^\s<>()\[\]@]{1,255}"
# A name, an address in brackets and a verb.
_NAMED: Final = re.compile(
    rf"(?:[\w.,'\"-]{{1,30}} ){{1,6}}<(?:mailto:)?{_EMAIL}> [\w ]{{3,20}}[:\uff1a]"
)
_ADDRESS: Final = re.compile(_EMAIL)
_AUTHOR: Final = re.compile(rf"(?:\S{{1,30}} ){{0,6}}[<(\[](?:mailto:)?{_EMAIL}[>)\]],?")
_BRACKETED: Final = re.compile(
    rf"[<(\[\u00ab\u2039\"]\s*(?:mailto:)?{_EMAIL}\s*[>)\]\u00bb\u203a\"]"
)
_CLOCK: Final = re.compile(r"(?<!\d)\d{1,2}\s?[:.h\u6642\u65f6\uc2dc\u70b9]\s?\d{2}(?!\d)")
_YEAR: Final = re.compile(r"(?<!\d)\d{4}(?!\d)|(?<!\d)\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}(?!\d)")
# Marks of the direction of text, which clients put around names in right-to-left languages.
_DIRECTIONS: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Attributions without a colon: Gmail's older ones with the date first, and Zoho's, which ends with the verb.
_DATE_FIRST: Final = re.compile(
    rf"\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}} (?:\d\d:\d\d )?(?:GMT[+-]\d\d:\d\d [^<>]{{1,80}}(?:<{_EMAIL}>)?|[^<>]{{1,80}} <{_EMAIL}>):?"
)
# Tuta's, with an address alone and no verb.
_DATED_BY: Final = re.compile(
    rf"[^@:]{{4,40}}\d{{1,2}}:\d\d,? (?:by|von|par|por|da|de|door|af|av|fra|od|przez|от) {_EMAIL}:"
)
_VERB_LAST: Final = re.compile(rf".{{8,120}}[<(]{_EMAIL}[>)] \w{{3,12}}")
# The end of an address that a client wrapped: it is no mark of a quote.
_WRAPPED_ADDRESS: Final = re.compile(r">[^<>]{0,30}[:\uff1a]\s*")
_COLON: Final = re.compile(r"[:\uff1a]\s*\*?$")
_DASHES_AT_END: Final = re.compile(r"^-{3,}.*-{3,}$")
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|we|me|us|ich|wir|mir|mich|uns|j'ai|m'a|nous|nos|io|noi|mi|ci|ik|wij|mij|ons|jag|mig|jeg|meg|ja|mnie|nam|мне|нам"
    r"|minulle|meille|nekem|nekünk|bana|bize)\b",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(
    r"[*_ ]{0,3}[-_=\u2013\u2014]{2,60} ?[^\W\d_](?:[^-_=]|-(?=\w)){1,60}[-_=\u2013\u2014]{2,60}[*_ ]{0,3}"
)
_RULE: Final = re.compile(r"[-_=*\u2013\u2014]{5,}")
_LABEL: Final = re.compile(
    r"[*_|\u200e\u200f\u202a-\u202e ]{0,4}(?P<label>[^\W\d_][^:\uff1a\d@<>/.,!?]{0,29}?)[*_ ]{0,4}[:\uff1a][*_| \t]{0,4}(?P<value>.*)"
)
_PREFIXES: Final = re.compile(r"(?:\w{1,12}\s?(?:\[\d+\])?\s?[:\uff1a]\s*)+")
_ENDING: Final = (".", "!", "?", "\u3002", "\uff01", "\uff1f")


@dataclass(frozen=True, slots=True)
class Opening:
    """
    The lines that introduce a quoted mail. *is_forward*: their separator says that the mail is forwarded. *is_copied*:
    headers or a separator stand above a text without `>`.
    """

    lines: range
    is_forward: bool = False
    is_copied: bool = False


def is_quoted(line: str) -> bool:
    """Whether a line starts with the mark of a quote."""
    return line.lstrip(" ").startswith(">")


def first_opening(
    lines: Sequence[str], subject: str, marked: int | None, *, start: int = 0
) -> Opening:
    """
    Return the first introduction of a quoted mail from the line *start*; an empty range at the end if there is none.

    *marked*: the line at which the mail client marked the quote in its HTML.
    """
    length = 0
    for number, line in enumerate(lines[start:], start):
        length += len(line) + 1
        if length > _MOST_CHARACTERS:
            break
        if not line.strip() or len(line) > _LONGEST_LINE or is_quoted(line):
            continue
        found = _opening_at(lines, number, subject, marked)
        if found is not None:
            return found
    return Opening(range(len(lines), len(lines)))


def _opening_at(
    lines: Sequence[str], number: int, subject: str, marked: int | None
) -> Opening | None:
    line = lines[number].strip()
    if _SEPARATOR.fullmatch(line) or _RULE.fullmatch(line):
        separated = _below_separator(lines, number, subject, marked)
        if separated is not None or _RULE.fullmatch(line):
            return separated
    group = attribution_ending(lines, number, marked, most=_ATTRIBUTION_LINES)
    if group is not None:
        return Opening(group)
    if number > 0 and _LABEL.fullmatch(lines[number - 1].strip()):
        return None  # A line inside a form.
    block = _header_block(lines, number, subject, is_separated=False)
    return Opening(block, is_copied=True) if block is not None else None


def _below_separator(
    lines: Sequence[str], number: int, subject: str, marked: int | None
) -> Opening | None:
    """Return the opening of the mail that a separator at this line introduces."""
    line = lines[number].strip()
    below = _next_text(lines, number + 1)
    block = _header_block(lines, below, subject, is_separated=True)
    is_forward = bool(quote_words.FORWARDED.search(line))
    if block is not None:
        return Opening(range(number, block.stop), is_forward=is_forward, is_copied=True)
    if _RULE.fullmatch(line):
        return None
    group = attribution_ending(lines, below, marked, most=_ATTRIBUTION_LINES)
    if group is not None or (below < len(lines) and is_quoted(lines[below])):
        stop = group.stop if group is not None else number + 1
        return Opening(range(number, stop), is_forward=is_forward)
    is_original = bool(quote_words.ORIGINAL.search(line))
    return Opening(range(number, number + 1), is_copied=True) if is_original else None


def attribution_ending(
    lines: Sequence[str], first: int, marked: int | None, *, most: int
) -> range | None:
    """Return the lines of the attribution that starts at *first*, None if no attribution starts there."""
    for last in range(first, min(first + most, len(lines))):
        line = lines[last]
        is_end = last > first and _is_wrapped_address(lines[last - 1], line)
        if not line.strip() or len(line) > _LONGEST_LINE or (is_quoted(line) and not is_end):
            return None
        if last > first and not is_end and not _continues(lines, first, last):
            return None
        text = _DIRECTIONS.sub("", " ".join(line.strip() for line in lines[first : last + 1]))
        is_above_quote = _is_above_quote(lines, last + 1, marked)
        if not _ends_attribution(text):
            continue
        if last > first and _is_complete(lines, first + 1, last):
            return None  # The line above the attribution is text.
        if _is_attribution(text, is_above_quote=is_above_quote):
            return range(first, last + 1)
    return None


def _ends_attribution(text: str) -> bool:
    return bool(
        _COLON.search(text)
        or _DASHES_AT_END.search(text)
        or _DATE_FIRST.fullmatch(text)
        or _ends_with_verb(text)
    )


def _ends_with_verb(text: str) -> bool:
    """Whether a whole attribution ends with its verb, and no colon."""
    if not _VERB_LAST.fullmatch(text) or not (_YEAR.search(text) and _CLOCK.search(text)):
        return False
    return bool(quote_words.WROTE.fullmatch(text.rpartition(" ")[2]))


def _is_wrapped_address(above: str, line: str) -> bool:
    """Whether a line is the end of an address that began on the line above it, as "> wrote:"."""
    return above.rfind("<") > above.rfind(">") and bool(_WRAPPED_ADDRESS.fullmatch(line.strip()))


def _is_complete(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether these lines are an attribution without the line above them."""
    text = " ".join(line.strip() for line in lines[first : last + 1])
    above = lines[first - 1].strip()
    if quote_words.WROTE.match(text) or _AUTHOR.fullmatch(above):
        return False
    return _dated(text) and bool(_ADDRESS.search(text) or quote_words.WROTE.search(text))


def _continues(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether a line continues the one above it: that one is long, or has a date or an author and no end."""
    above = lines[last - 1].strip()
    word = lines[last].split(maxsplit=1)[0]
    is_author = bool(_BRACKETED.match(lines[last].strip())) and any(map(str.isdigit, above))
    if len(above) + 1 + len(word) > _WRAPPED_FROM or is_author:
        return True
    return not above.endswith(_ENDING) and bool(
        _dated(above) or _ADDRESS.search(above) or (last - first > 1 and _dated(lines[first]))
    )


def _is_attribution(text: str, *, is_above_quote: bool) -> bool:
    has_date, has_verb = _dated(text), bool(quote_words.WROTE.search(text))
    has_address = bool(_ADDRESS.search(text))
    is_exact = bool(_YEAR.search(text) and _CLOCK.search(text))
    if is_above_quote and not (_FIRST_PERSON.search(text) and not (has_address or is_exact)):
        return has_date or has_address or has_verb
    if _DATE_FIRST.fullmatch(text) or _DATED_BY.fullmatch(text) or _ends_with_verb(text):
        return True
    if _FIRST_PERSON.search(text) and not has_address:
        return False
    if not has_date:
        return bool(_NAMED.fullmatch(text)) and has_verb
    if _BRACKETED.search(text):
        return True
    # A sentence of a person names a day or a time, and rarely the year with the time.
    return has_verb and (has_address or is_exact)


def _dated(text: str) -> bool:
    text = _ADDRESS.sub(" ", text)
    return bool(_YEAR.search(text) or _CLOCK.search(text))


def _is_above_quote(lines: Sequence[str], number: int, marked: int | None) -> bool:
    below = _next_text(lines, number)
    if below - number > _BLANKS or below >= len(lines):
        return False
    return is_quoted(lines[below]) or (marked is not None and number <= marked <= below)


def _next_text(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and not lines[number].strip():
        number += 1
    return number


def _header_block(
    lines: Sequence[str], first: int, subject: str, *, is_separated: bool
) -> range | None:
    """Return the lines of the header block that starts at *first*, None if none starts there."""
    labels: list[tuple[str, str]] = []
    number = first
    while number < len(lines) and len(labels) < _MOST_LABELS:
        line = lines[number]
        found = _LABEL.fullmatch(line.strip()) if len(line) <= _LONGEST_LINE else None
        if found is not None:
            labels.append((found["label"].strip(" *_").casefold(), found["value"].strip(" *|")))
        elif labels and not line.strip() and _is_label(lines, number + 1):
            pass  # Each header is a paragraph.
        elif (
            not labels
            or not line.strip()
            or is_quoted(line)
            or not (
                _ADDRESS.search(line) or line[:1] in " \t" or labels[-1][1].endswith((",", ";"))
            )
        ):
            break
        number += 1
    return (
        range(first, number)
        if _is_header_block(labels, subject, is_separated=is_separated)
        else None
    )


def _is_label(lines: Sequence[str], number: int) -> bool:
    """Whether a line has a label of at most three words and a value."""
    found = _LABEL.fullmatch(lines[number].strip()) if number < len(lines) else None
    return (
        found is not None
        and bool(found["value"].strip())
        and len(found["label"].split()) <= _LABEL_WORDS
    )


def _is_header_block(labels: list[tuple[str, str]], subject: str, *, is_separated: bool) -> bool:
    values = [value for _, value in labels]
    has_date = any(_dated(value) for value in values[:_FEWEST_LABELS])
    if is_separated:
        return len(labels) >= _FEWEST_LABELS or (has_date and len(labels) > 1)
    if not has_date or len(labels) < _FEWEST_LABELS:
        return False
    topic = _topic(subject)
    has_subject = bool(topic) and any(_topic(value) == topic for value in values[1:])
    known = {label for label, _ in labels} & quote_words.AUTHOR_AND_DATE
    is_from_address = any(_ADDRESS.search(value) for value in values[:2])
    # A form for a journey has a start and a date, too.
    has_topic = any(label in quote_words.SUBJECT for label, _ in labels)
    is_known = labels[0][0] in known and len(known) > 1 and (has_topic or is_from_address)
    is_author = any(_BRACKETED.search(value) for value in values[:2])
    return is_known or has_subject or (is_author and len(labels) > _FEWEST_LABELS)


def _topic(subject: str) -> str:
    return " ".join(_PREFIXES.sub("", subject, count=1).split()).casefold()
