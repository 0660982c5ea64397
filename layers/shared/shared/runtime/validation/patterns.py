"""
Patterns of texts, each with its rule in words: callers read words, and never a regular expression.

A pattern of one or two classes, such as `^[a-z][a-z0-9_]{0,39}$`, says its rule by itself. Any other one is declared
with `worded`. Digits are `[0-9]`: the class of digits has those of all scripts.
"""

from __future__ import annotations

import re
from typing import Final

NO_WORDS: Final = "must have the permitted form"  # A test finds patterns of inputs without words.
_WORDS: Final[dict[str, str]] = {}
_CLASSES: Final = re.compile(
    r"\^\[([^\]^\\]+)\](?:\[([^\]^\\]+)\])?(?:\{([0-9]+)(?:,([0-9]+))?\}|([+*]))?\$"
)
_PART: Final = re.compile(r"[A-Za-z0-9]-[A-Za-z0-9]|.")
_ASCII: Final = {" -~": "printable ASCII", "!-~": "printable ASCII without blanks"}


def worded(pattern: str, rule: str) -> str:
    """Return *pattern*; `rule_of` returns *rule* for it, such as `must be a time such as 08:30`."""
    _WORDS[pattern] = rule
    return pattern


def rule_of(pattern: str) -> str:
    """Return the rule of a pattern in words; NO_WORDS for one that was not declared with them."""
    if (rule := _WORDS.get(pattern)) is not None:
        return rule
    found = _CLASSES.fullmatch(pattern)
    if found is None:
        return NO_WORDS
    first, rest, least, most, repeated = found.groups()
    of, begin = (first, "") if rest is None else (rest, f", the first of {_characters(first)}")
    if repeated:
        fewest = 0 if repeated == "*" and rest is None else 1
        return f"must have {fewest} or more characters of {_characters(of)}{begin}"
    more = 1 if rest is not None else 0
    least, most = (str(int(one or 1) + more) for one in (least, most or least))
    count = least if least == most else f"{least} to {most}"
    return f"must have {count} characters of {_characters(of)}{begin}"


def _characters(text: str) -> str:
    """Return the content of a class, its parts apart: `A-Z 0-9 _`."""
    return _ASCII.get(text) or " ".join(_PART.findall(text))


NOT_BLANK: Final = worded(r"\S", "must not be blank")
DATE: Final = worded(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "must be a date such as 2026-02-28")
MONTH: Final = worded(r"^[0-9]{4}-(0[1-9]|1[0-2])$", "must be a month such as 2026-02")
TIME: Final = worded(r"^([01][0-9]|2[0-3]):[0-5][0-9]$", "must be a time such as 08:30")
LANGUAGE: Final = worded(
    r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$", "must be a language such as de-AT"
)
PHONE: Final = worded(r"^\+[1-9][0-9]{4,14}$", "must be a phone number such as +447700900123")
EMAIL: Final = worded(r"^[^@\s]+@[^@\s]+$", "must be an e-mail address such as ann@example.com")
MEDIA_TYPE: Final = worded(
    r"^[A-Za-z0-9_.+-]+/[A-Za-z0-9_.+-]+$", "must be a media type such as image/png"
)
ATTRIBUTE: Final = worded(
    r"^[a-z][a-z0-9_]{0,39}:.+$", "must be an attribute and its value such as tier:gold"
)
