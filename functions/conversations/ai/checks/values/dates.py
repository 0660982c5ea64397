"""Dates in a text, as month and day; those with a slash may be in either order."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from conversations.ai.checks.values.calendar_words import MONTH_OF, TOMORROW, WEEKDAY_OF
from shared.ai.texts.languages.function_words import plain_words

type Day = tuple[int, int]  # month and day

_NAMES = "|".join(sorted(MONTH_OF, key=len, reverse=True))
# In English, these months are also verbs: only capitalised they name a month.
_VERBS = frozenset({"may", "march", "mar"})
_DATE = re.compile(
    r"(?<![\d.-])(?P<y>\d{4})-(?P<ym>\d{1,2})-(?P<yd>\d{1,2})(?!\d)"
    r"|(?<![\d.,:])(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})(?:(?P=sep)(?:\d{4}|\d{2})(?!\d)|(?P<dot>\.)(?![\d]))"
    rf"|(?<![\d.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|ª)?\.?\s?(?:of\s|de\s|d['\u2019])?\s?(?P<dm>{_NAMES})\b"
    rf"|\b(?P<md>{_NAMES})\.?\s(?:the\s)?(?P<mday>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.,]?\d|\s?(?:am|pm|Uhr|%))"
    r"|(?<!\d)(?P<jm>\d{1,2})\s?[月월]\s?(?P<jd>\d{1,2})\s?[日일]",
    re.IGNORECASE,
)
# In a known text, `24/12` and `24.12` may be dates; in an answer they may be something else.
_SHORT = re.compile(r"(?<![\d.,:/-])(\d{1,2})([/.])(\d{1,2})(?![\d/:]|[.,]\d)")
_DAY_ALONE = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)\b|\bden (\d{1,2})\.|\bam (\d{1,2})\.|\ble (\d{1,2})\b|\bel (\d{1,2})\b"
)
_DAYS_AHEAD = 7
_DAYS_OF_A_YEAR = 365
_A_YEAR = 2025


def days_in(text: str) -> Iterator[frozenset[Day]]:
    """Yield the readings of each date that *text* states."""
    for match in _DATE.finditer(text):
        if match["y"]:
            readings = {(int(match["ym"]), int(match["yd"]))}
        elif match["jm"]:
            readings = {(int(match["jm"]), int(match["jd"]))}
        elif match["a"]:
            if match["sep"] == "/" and match["dot"]:
                continue
            readings = _of_numbers(match["a"], match["sep"], match["b"])
        else:
            name, day = match["dm"] or match["md"], int(match["d"] or match["mday"])
            if name in _VERBS:
                continue
            readings = {(MONTH_OF[name.casefold()], day)}
        if valid := frozenset(filter(_is_day, readings)):
            yield valid


def possible_days_in(text: str) -> Iterator[Day]:
    """Yield the days that *text* states, and those that its numbers can mean: `24/12`."""
    for readings in days_in(text):
        yield from readings
    for match in _SHORT.finditer(text):
        yield from filter(_is_day, _of_numbers(*match.groups()))


def days_ahead(texts: Iterable[str], today: date) -> Iterator[Day]:
    """Yield the next dates that weekdays and "tomorrow" in *texts* can mean."""
    words = {word for text in texts for word in plain_words(text)}
    named = {WEEKDAY_OF[word] for word in words if word in WEEKDAY_OF}
    ahead = [today + timedelta(days=count) for count in range(1, _DAYS_AHEAD + 1)]
    yield from ((day.month, day.day) for day in ahead if day.weekday() in named)
    if not TOMORROW.isdisjoint(words):
        yield ahead[0].month, ahead[0].day


def days_alone_in(text: str) -> Iterator[int]:
    """Yield the days that *text* names without a month: "the 19th"."""
    for match in _DAY_ALONE.finditer(text):
        yield int(next(filter(None, match.groups())))


def without_dates(text: str) -> str:
    """Return *text* without the dates that it states."""
    return _DATE.sub(" * ", text)


def distances(days: Iterable[Day]) -> set[int]:
    """Return the numbers of days between two of *days*, in a year without a 29th of February."""
    dates = [date(_A_YEAR, *day) for day in days if day != (2, 29)]
    return {(later - earlier).days % _DAYS_OF_A_YEAR for earlier in dates for later in dates}


def _of_numbers(first: str, separator: str, second: str) -> set[Day]:
    day, month = int(first), int(second)
    return {(month, day)} | ({(day, month)} if separator == "/" else set())


def _is_day(day: Day) -> bool:
    try:
        date(_A_YEAR - 1, *day)  # a leap year
    except ValueError:
        return False
    return True
