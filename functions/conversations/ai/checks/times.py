"""Times of day in a text, in minutes since midnight. A time without its half of the day has both readings."""

import re
from collections.abc import Iterator

type Minutes = int

_NOON = 12
_HALF_DAY = 12 * 60
_H = r"(?:[01]?\d|2[0-4])"
_M = r"[0-5]\d"
_HALF = r"[ap]\.?m\b"
_ALONE = r"(?<![\d.,:/])"
# Words before a time. Behind the second ones a number without minutes is a time, too.
_BEFORE = r"\b(?:um|ab|om|vanaf|tot|rond|alle|dalle|o|od|do|at|from|until)"
_HOUR_BEFORE = r"(?:(?<!\d\s)\b(?:kl|klo|klokken|godz|saat|ore|orele|a las|a la)\b\.?|الساعة)"
_TIME = re.compile(
    rf"{_ALONE}(?P<h>{_H})(?::|(?<=\d)\s?[hH]\s?)(?P<m>{_M})(?![\d:])\s?(?P<half>{_HALF})?"
    rf"|{_ALONE}(?P<ph>{_H})\.(?P<pm>{_M})(?=\s?(?:Uhr\b|uur\b|hod\b|{_HALF}|[-\u2013]\s?\d{{1,2}}\.\d\d(?!\d)))"
    rf"\s?(?P<phalf>{_HALF})?"
    rf"|(?:{_BEFORE}|{_HOUR_BEFORE})\s(?P<bh>{_H})\.(?P<bm>{_M})(?![\d.,]?\d|\s?[€$£%])"
    rf"|{_HOUR_BEFORE}\s(?P<bo>{_H})(?![\d:/]|[.,]\d|\s?[€$£%])"
    rf"|{_ALONE}(?P<jh>{_H})[時시](?!間|간)\s?(?:(?P<jm>{_M})[分분])?"
    rf"|{_ALONE}(?P<o>{_H})\s?(?P<ohalf>{_HALF}|Uhr\b|o['\u2019]clock\b|h\b|heures\b)",
    re.IGNORECASE,
)
# In a known text, `9.30` may be a time; in an answer only with words that say so.
_DOTTED = re.compile(r"(?<![\d.,])([01]?\d|2[0-4])\.([0-5]\d)(?![\d.])")
_HOUR = re.compile(r"(?<![\d.,:/-])([01]?\d|2[0-4])(?![\d:/]|[.,]\d)")
_RANGE = re.compile(r"(?<![\d.,:/-])([01]?\d|2[0-4])[-\u2013]([01]?\d|2[0-4])(?![\d:/-]|[.,]\d)")


def times_in(text: str) -> Iterator[frozenset[Minutes]]:
    """Yield the readings of each time that *text* states."""
    for match in _TIME.finditer(text):
        found = match.groupdict()
        hour, minute = (_first(found, names) for names in _GROUPS)
        half = (found["half"] or found["phalf"] or found["ohalf"] or "").casefold()
        yield frozenset(_clock(int(hour), int(minute or 0), half[:1]))


def possible_times_in(text: str) -> frozenset[Minutes]:
    """Return the times that *text* states, and those that its numbers can mean: `9.30`, `9`, `9-17`."""
    found = {time for one in times_in(text) for time in one}
    for match in _DOTTED.finditer(text):
        found |= _clock(int(match[1]), int(match[2]), None)
    hours = {int(match[1]) for match in _HOUR.finditer(text)}
    hours |= {int(hour) for match in _RANGE.finditer(text) for hour in match.groups()}
    return frozenset(found.union(*map(hour_of_day, hours)))


def hour_of_day(hour: int) -> set[Minutes]:
    """Return the times that a full hour can mean."""
    return _clock(hour, 0, None)


def without_times(text: str) -> str:
    """Return *text* without the times that it states in hours and minutes or with a word for a time."""
    return _TIME.sub(" * ", text)


_GROUPS = (("h", "ph", "bh", "bo", "jh", "o"), ("m", "pm", "bm", "jm"))


def _first(found: dict[str, str | None], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := found[name])), "")


def _clock(hour: int, minute: int, half: str | None) -> set[Minutes]:
    if half in {"a", "p"}:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
        return {hour * 60 + minute}
    time = hour % 24 * 60 + minute
    # `2:30` may be in the afternoon; `14:30` may not be in the night.
    return {time, time + _HALF_DAY} if hour <= _NOON and time < _HALF_DAY else {time}
