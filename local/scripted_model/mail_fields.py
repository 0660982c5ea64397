"""
Finds the fields of a request in the mails of a thread, for the scripted analysis.

Each value has the text that it comes from: an exact part of the subject or text of one mail. The newest mail of the
customer that has a value decides, except for title, description and type, which come from the first mail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.ai.phrases.phrase_list import has_phrase
from email_threads.threading.evidence import subjects
from local.scripted_model.mail_wordings import OTHER_TYPE, REQUEST_TYPES
from shared.ai.texts.languages.function_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from re import Match, Pattern

    from local.scripted_model.mail_input import AnalysisInput, FieldInput, MailInput

_LONGEST = 300  # characters of a description, a value and a quote
_MONTHS = """january february march april may june july august september october november december januar februar märz
    mai juni juli oktober dezember"""
_DAYS = """monday tuesday wednesday thursday friday saturday sunday tomorrow today montag dienstag mittwoch donnerstag
    freitag samstag sonntag morgen heute"""
_MONTH, _DAY = ("|".join(words.split()) for words in (_MONTHS, _DAYS))
_DATE = rf"""
    \d{{4}}-\d{{2}}-\d{{2}}
    | \d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{4}}
    | \d{{1,2}}/\d{{1,2}}/\d{{4}}
    | \d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s)?(?:{_MONTH})(?:,?\s\d{{4}})?
    | (?:{_MONTH})\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?
"""
_RELATIVE = rf"""
    {_DAY} | end\sof\s(?:the\s)?(?:week|month|year) | ende\s(?:der\swoche|des\s(?:monats|jahres)|{_MONTH})
"""
_DEADLINE = re.compile(
    rf"""
    \b(?:by|until|before|no\slater\sthan|bis|spätestens|vor)\s
        (?:the\s|zum\s|am\s|dem\s)*
        (?P<value>{_DATE}|(?:(?:next|this|nächsten|kommenden|diesen)\s)?(?:{_RELATIVE}))(?!\w)
    | \b(?P<bare>{_DATE})(?!\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_BUDGET = re.compile(
    r"[$€£]\s?\d+(?:[.,]\d+)*|(?<![\d.,])\d+(?:[.,]\d+)*\s?(?:€|(?:EUR|USD|GBP|CHF|euros?|dollars?)\b)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"""
    \b(?:order|invoice|ticket|reference|ref|bestellung|bestellnummer|auftrag|rechnung|referenz)
        (?:\s(?:number|no\.?|nr\.?|nummer|id))?\s?[:#.]?\s?\#?(?P<named>[A-Z]{0,4}-?\d{4,}(?:-\d+)*)\b
    | (?<!\w)\#(?P<value>[A-Z]{0,4}-?\d{3,}(?:-\d+)*)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ITEM = re.compile(r"^[ \t]*[-*][ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_CONTACT_NAME = re.compile(
    r"""
    ^[ \t]*(?i:(?:(?:best|kind|warm)\ )?regards|(?:yours\ )?sincerely|cheers|(?:many\ )?thanks|thank\ you|best
        |(?:mit\ )?(?:freundlichen|freundliche|beste|besten|viele|vielen|liebe|herzliche)\ gr(?:ü|ue)(?:ß|ss)en?
        |gruß|mfg|lg)[ \t]*[,.!]?[ \t]*\n\s*
    (?P<value>[^\W\d_a-zß-ÿ][\w.'\u2019-]*(?:[ ][^\W\d_a-zß-ÿ][\w.'\u2019-]*){0,3})[ \t]*$
    """,
    re.MULTILINE | re.VERBOSE,
)
_YES = frozenset({"yes", "true", "y", "ja", "wahr"})
_NO = frozenset({"no", "false", "n", "nein", "falsch"})


@dataclass(frozen=True, slots=True)
class Found:
    """A value, and the *quote* from the mail *n* that it comes from."""

    value: Any
    n: int
    quote: str


def find(request: AnalysisInput) -> dict[str, Found | None]:
    """Return what the mails say about each field; None if nothing."""
    return {name: _find(request, name, field) for name, field in request.fields.items()}


def request_type(mail: MailInput) -> str:
    """Return the type of the request in a mail, by its words."""
    return _type_of(f"{mail.subject}\n{mail.text}")


def _type_of(text: str) -> str:
    words = plain_words(text)
    return next(
        (kind for kind, phrases in REQUEST_TYPES.items() if has_phrase(phrases, words)), OTHER_TYPE
    )


def _find(request: AnalysisInput, name: str, field: FieldInput) -> Found | None:
    of_customer = request.of_customer
    if name == "title":
        candidates = [_title(mail) for mail in request.mails[:1]]
    elif name == "description":
        candidates = [_description(mail) for mail in of_customer[:1]]
    elif name == "request_type":
        candidates = [_type(mail, field) for mail in of_customer[:1]]
    else:
        usual = _USUAL.get(name)
        newest_first = list(reversed(of_customer))
        candidates = [usual(mail) for mail in newest_first] if usual else []
        candidates += [_named(mail, name) for mail in newest_first]
    for found in candidates:
        if found is not None and (value := _of_kind(found.value, field)) is not None:
            return Found(value, found.n, found.quote)
    return None


def _title(mail: MailInput) -> Found | None:
    title = subjects.cleaned(mail.subject)
    if title == subjects.NONE:
        return None
    # The cleaned subject has single spaces.
    match = re.search(r"\s+".join(map(re.escape, title.split(" "))), mail.subject)
    return Found(title, mail.n, match[0]) if match else None


def _description(mail: MailInput) -> Found | None:
    text = mail.text.strip()[:_LONGEST].rstrip()
    return Found(text, mail.n, text) if text else None


def _type(mail: MailInput, field: FieldInput) -> Found | None:
    """Return the type, with the first line that names it; `other` if it is no value of the field."""
    value = request_type(mail)
    lines = [line.strip() for line in (*mail.text.splitlines(), mail.subject) if line.strip()]
    naming = [line for line in lines if _type_of(line) == value] or lines
    fitting = value if _of_kind(value, field) is not None else OTHER_TYPE
    return Found(fitting, mail.n, naming[0][:_LONGEST]) if naming else None


def _items(mail: MailInput) -> Found | None:
    matches = list(_ITEM.finditer(mail.text))
    if not matches:
        return None
    block = mail.text[matches[0].start() : matches[-1].end()].strip()
    return Found([match[1] for match in matches], mail.n, block[:_LONGEST])


def _named(mail: MailInput, name: str) -> Found | None:
    """Return the rest of a line after the name of a field and a colon."""
    words = r"[ _-]+".join(map(re.escape, re.split(r"[_\W]+", name.strip("_"))))
    match = re.search(
        rf"(?<!\w){words}[ \t]*:[ \t]*(\S.{{0,{_LONGEST - 1}}})", mail.text, re.IGNORECASE
    )
    return Found(match[1].strip(), mail.n, match[0].strip()) if match else None


def _by(pattern: Pattern[str]) -> Callable[[MailInput], Found | None]:
    """Return a search for a pattern, whose only matching group, or whole match, is the value."""

    def search(mail: MailInput) -> Found | None:
        match = pattern.search(mail.text) or pattern.search(mail.subject)
        return Found(_value(match), mail.n, match[0].strip()) if match else None

    return search


def _value(match: Match[str]) -> str:
    groups = [group for group in match.groups() if group is not None]
    return (groups[0] if groups else match[0]).strip()


_USUAL: Mapping[str, Callable[[MailInput], Found | None]] = {
    "deadline": _by(_DEADLINE),
    "budget": _by(_BUDGET),
    "reference": _by(_REFERENCE),
    "items": _items,
    "contact_name": _by(_CONTACT_NAME),
}


def _of_kind(value: Any, field: FieldInput) -> Any:  # noqa: ANN401 - a value of any field
    """Return a found text or list as a value of the field; None if it is none."""
    listed = (
        value if isinstance(value, list) else [part.strip() for part in re.split(r"[,;]", value)]
    )
    text = ", ".join(value) if isinstance(value, list) else value
    if field.enum is not None:
        plain = text.casefold()
        return next((choice for choice in field.enum if str(choice).casefold() == plain), None)
    match field.type:
        case "list":
            return [part for part in listed if part] or None
        case "number":
            match = _NUMBER.search(text)
            return _number(match[0]) if match else None
        case "boolean":
            words = plain_words(text)
            return _boolean(words[0]) if words else None
        case "string":
            return text


def _boolean(word: str) -> bool | None:
    return True if word in _YES else False if word in _NO else None


def _number(text: str) -> float:
    """Return the number: of two separators the last is the decimal one; a single one before 3 digits groups them."""
    *whole, last = re.split(r"[.,]", text)
    separators = re.findall(r"[.,]", text)
    is_decimal = bool(whole) and (len(set(separators)) > 1 or len(last) != 3)  # noqa: PLR2004 - a group of digits
    digits = "".join(whole) + ("." if is_decimal else "") + last
    return float(digits) if is_decimal else int(digits)
