"""Parts of a model's text that are checked: placeholders, control characters, amounts and numbers."""

import re
from collections.abc import Iterable
from typing import Final

# Tabs and line breaks are allowed. Bidirectional control characters can disguise a link or a number.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_PLACEHOLDER = re.compile(
    r"\{[^{}\n]{0,60}\}"  # {name}, {{1}}
    r"|\[[^\W\d_][^\[\]\n]{1,60}\](?!\()"  # [Your name], but not a Markdown link
    r"|<[^\W\d_][\w -]{0,40}>"  # <name>
    r"|\bX{3,}\b|\bTODO\b|_{3,}|%s\b|(?i:\blorem ipsum\b)"  # left to be filled in
    r"|(?:^|[:=]\s{0,3})TBD\b"  # "the room is TBD" is speech
)
_ALONE: Final = r"(?<![^\W\d_])"  # not within a word
_SIGNS: Final = r"[$\u00a2-\u00a5\u20a0-\u20c0]"
# Codes in capitals only, if they are also words: "try 2 of them".
CURRENCY: Final = (
    rf"{_SIGNS}|{_ALONE}(?:USD|EUR|GBP|CHF|JPY|INR|CAD|AUD|NZD|SGD|HKD|CNY|RMB|KRW|SEK|NOK|DKK|ISK|PLN|CZK|HUF|BGN"
    r"|RUB|UAH|ZAR|BRL|MXN|AED|SAR|ILS|THB|(?-i:TRY|TL|RON|COP|CLP|ARS|PEN)|euros?|euroa|ευρώ|dollars?|pounds?|francs?"
    r"|franken|kr|kronor|kroner|öre|zł|Kč|lei|leva|forint|liras?|lira[s\u0131]\u0131|Rs\.?|rupees?|yen|yuan|pesos?|reais|cents?"
    r"|руб(?:л[ьяей]+)?|р\.|грн|гривень|гривні|ريال|درهم|دينار|جنيه|ليرة)(?![^\W\d_])|[円元원]"
)
_PERCENT: Final = (
    rf"[%\u066a]|{_ALONE}(?:percent|per cent|prozent|procent|prosent|prosenttia|pour cent|por ciento|p[eo]r cento"
    r"|процент\w*|відсотк\w*|százalék|بالمئة|بالمائة|في المئة|τοις εκατό)(?![^\W\d_])|パーセント"
)
_GAP: Final = r"[.,'\u2019 \u00a0\u202f]"  # between groups of three digits
_NUMBER: Final = rf"\d{{1,3}}(?:{_GAP}\d{{3}})+(?!\d)(?:[.,]\d{{1,2}}(?!\d))?|\d+(?:[.,]\d+)?"
_START: Final = r"(?<![\d.,])"  # of a number
# Compiled by the first text, not at a cold start.
_MONEY: Final = (
    rf"(?i)(?:{CURRENCY})\s?(?P<after>{_NUMBER})"
    rf"|{_START}(?P<before>{_NUMBER})(?:\s?(?:{CURRENCY})(?!\d)|:-|,-(?!\w)|,\u2013(?!\w))"
)
# In Turkish the sign or word stands before the number.
_PERCENTAGE: Final = (
    rf"(?i)(?:(?<![\d\s])|(?<![\d\s]\s)(?<=\s)|^)(?:%|yüzde\s)(?P<after>{_NUMBER})"
    rf"|{_START}(?P<before>{_NUMBER})\s?(?:{_PERCENT})"
)
_ANY_NUMBER: Final = rf"{_START}(?:{_NUMBER})"
_THOUSANDS: Final = rf"(?<=\d){_GAP}(?=\d{{3}}(?!\d))"


def has_placeholder(text: str) -> bool:
    """Return whether *text* contains something that was left to be filled in."""
    return _PLACEHOLDER.search(text) is not None


def has_control_character(text: str) -> bool:
    """Return whether *text* contains a control character."""
    return _CONTROL.search(text) is not None


def without_control_characters(text: str) -> str:
    """Return *text* without control characters."""
    return _CONTROL.sub("", text)


def amounts_in(texts: Iterable[str]) -> set[str]:
    """Return the amounts of money and percentages in texts in one notation: `1200.5` for `1.200,50 €`."""
    read = list(texts)
    return money_in(read) | percentages_in(read)


def money_in(texts: Iterable[str]) -> set[str]:
    """Return the amounts of money in texts, in the notation of `amounts_in`."""
    return _found(_MONEY, texts)


def percentages_in(texts: Iterable[str]) -> set[str]:
    """Return the percentages in texts, in the notation of `amounts_in`, without their sign."""
    return _found(_PERCENTAGE, texts)


def numbers_in(texts: Iterable[str]) -> set[str]:
    """Return all numbers in texts, in the notation of `amounts_in`."""
    return {_plain(match[0]) for text in texts for match in re.finditer(_ANY_NUMBER, text)}


def _found(pattern: str, texts: Iterable[str]) -> set[str]:
    return {
        _plain(match["after"] or match["before"])
        for text in texts
        for match in re.finditer(pattern, text)
    }


def _plain(amount: str) -> str:
    """Return an amount without separators of thousands and zeros at the end: `500.00` and `500` are the same."""
    amount = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in amount)
    whole, _, fraction = re.sub(_THOUSANDS, "", amount).replace(",", ".").partition(".")
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") if fraction else whole
