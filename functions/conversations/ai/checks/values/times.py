"""
Times of day in a text, in minutes since midnight.

An hour up to 12 is one of the morning where hours are written to 24: `kl 9`, `9 Uhr`, `09:00`, or beside an hour after
12 in the same text. With its part of the day it is that hour (`day_parts`), and else it has both readings. But only a
text that uses the clock of 12 hours, such as an English one, proves an hour after 12 without naming it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from conversations.ai.checks.values import day_parts
from conversations.ai.checks.values.calendar_words import HOUR_NAMES, SPOKEN_HOURS
from shared.ai.texts.languages.function_words import language_of
from shared.ai.texts.values import CURRENCY

type Minutes = int

_NOON = 12
_DAY = 24
_HALF_DAY = 12 * 60
_H = r"(?:[01]?\d|2[0-4])"
_M = r"[0-5]\d"
_HALF = r"[ap]\.?m\b"
_ALONE = r"(?<![\d.,:/])"
# Behind a number that is no time: "at 19.50 EUR", "from 2.15 kg".
_UNIT = rf"{CURRENCY}|%|percent\b|prozent\b|(?:k?g|k?m|cm|mm|m?l|kwh|gb|mb|degrees|°)\b"
# Words before a time. Behind the second ones a number without minutes is a time, too; "alle 2 Wochen" is none.
_BEFORE = r"\b(?:um|ab|om|vanaf|tot|rond|alle|dalle|o|od|do|at|from|until)"
_HOUR_BEFORE = r"(?:(?<!\d\s)\b(?:kl|klo|klokken|godz|saat|ore|orele|a las|a la)\b\.?|الساعة)"
_TIME = re.compile(
    rf"{_ALONE}(?P<h>{_H})(?::|(?<=\d)\s?[hH]\s?)(?P<m>{_M})(?![\d:])\s?(?P<half>{_HALF})?"
    rf"|{_ALONE}(?P<ph>{_H})\.(?P<pm>{_M})(?=\s?(?:Uhr\b|uur\b|hod\b|{_HALF}|[-\u2013]\s?\d{{1,2}}\.\d\d(?!\d)))"
    rf"\s?(?:(?P<phalf>{_HALF})|(?:Uhr|uur|hod)\b)?"
    rf"|(?:{_BEFORE}|{_HOUR_BEFORE})\s(?P<bh>{_H})\.(?P<bm>{_M})(?![\d.,]?\d|\s?(?:{_UNIT}))"
    rf"|(?:{_HOUR_BEFORE}|\b(?:d?alle|às))\s(?P<bo>{_H})(?![\d:/]|[.,]\d|\s?(?:{_UNIT})|\s(?-i:[A-ZÄÖÜ]))(?:\s?(?P<bhalf>{_HALF}))?"
    rf"|{_ALONE}(?P<jh>{_H})[時시](?!間|간)\s?(?:(?P<jm>{_M})[分분])?"
    rf"|{_ALONE}(?P<o>{_H})\s?(?:(?P<ohalf>{_HALF})|Uhr\b|uur\b|o['\u2019]clock\b|h\b|heures\b)",
    re.IGNORECASE,
)
# In a known text, `9.30` may be a time; in an answer only with words that say so.
_DOTTED = re.compile(r"(?<![\d.,])([01]?\d|2[0-4])\.([0-5]\d)(?![\d.])")
_HOUR = re.compile(r"(?<![\d.,:/-])([01]?\d|2[0-4])(?![\dA-Za-z:/]|[.,]\d)")
_RANGE = re.compile(
    rf"(?<![\d.,:/-])({_H})(?:[:.]({_M}))?\s?(?:[-\u2013]|to|until|till|bis|tot)\s?({_H})(?:[:.]({_M}))?(?![\d:/-]|[.,]\d)",
    re.IGNORECASE,
)
# Of languages that write hours to 24. An hour with a zero in front is one, too.
_BY_24 = re.compile(
    r"^(?:um|ab|om|vanaf|tot|rond|o|od|do|kl|klo|klokken|godz|saat|ore|orele)\b|^0\d|\d\s?(?:h|uhr|uur|hod|heures)\b|\dh\d|[時]",
    re.IGNORECASE,
)
_BY_24_BEFORE = re.compile(
    r"\b(?:um|ab|om|vanaf|tot|rond|kl|klo|klokken|godz|saat|ore|orele)\.?\s$", re.IGNORECASE
)
_BY_12 = re.compile(
    rf"\d\s?{_HALF}|\b(?:at|from|until|before|after|between|around)\s(?=\d|{'|'.join(HOUR_NAMES)})", re.IGNORECASE
)  # fmt: skip
_BY_12_BEFORE = re.compile(r"\b(?:at|from|until|before|after|between|around)\s$", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:kurz (?:nach|vor)|gegen|etwa|ungefähr|ca\.?|around|about|shortly (?:after|before)|just (?:after|before)"
    r"|vers|environ|sobre|hacia|alrededor de|poco (?:después|antes) de|verso|circa|poco (?:dopo|prima d)\w*"
    r"|por volta d\w+|cerca d\w+|pouco (?:depois|antes) d\w+|rond|omstreeks|około|tuż (?:po|przed)|omkring|runt"
    r"|strax (?:efter|före)|около|примерно|yaklaşık)(?: (?:um|at|le|las|les|alle|kl\.?))?\s$",
    re.IGNORECASE,
)
_ABOUT_MINUTES = 30
_LONGEST_ABOUT = 30  # characters
# "Between 15 and 17", with nothing behind it that the numbers may count.
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra le|fra le|tussen|mellan|mellem|mellom|między|mezi|medzi|между|між)\s"
    rf"(?P<first>{_H})\s(?:and|und|et|y|e|e le|en|och|og|a|и|і|та)\s(?P<last>{_H})(?=\s?(?:[.!?,;\"]|$))",
    re.IGNORECASE | re.MULTILINE,
)
# Around a spoken hour that is also another word: "om tien uur", "klockan tio", "o dziesiątej", "saat onda".
_SPOKEN_BEFORE = re.compile(
    r"\b(?:om|rond|vanaf|tot|voor|na|klockan|klokken|kl\.?|o|od|do|około|po|godzin\w+|[wvk]|ve|в|к|с|до|о|на|saat)\s$",
    re.IGNORECASE,
)
_SPOKEN_BEHIND = re.compile(r"\s(?:uur|час\w*|годин\w*|hodin\w*|godzin\w*)\b", re.IGNORECASE)
# The Turkish "on" is an English word.
_TURKISH = re.compile(
    r"\bsaat\s(?P<hour>bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on\s?bir|on\s?iki|on)(?:['\u2019]?(?:[dt][ea]|[yn]?[eaiı]))?(?:n)?\b",
    re.IGNORECASE,
)
_TURKISH_HOURS = (
    "bir",
    "iki",
    "üç",
    "dört",
    "beş",
    "altı",
    "yedi",
    "sekiz",
    "dokuz",
    "on",
    "onbir",
    "oniki",
)
_WORD = re.compile(rf"\b(?:{'|'.join({*HOUR_NAMES, *SPOKEN_HOURS})})\b", re.IGNORECASE)
_LONGEST_WORD_BEFORE = 10


@dataclass(frozen=True, slots=True)
class Time:
    """A time that a text states. *names_hour*: as an hour after 12, which only texts with this hour prove."""

    readings: frozenset[Minutes]
    names_hour: bool = False

    def about(self) -> "Time":
        """Return what "shortly after" or "around" this time may mean."""
        near = range(-_ABOUT_MINUTES, _ABOUT_MINUTES + 1)
        around = frozenset(one + minutes for one in self.readings for minutes in near)
        return replace(self, readings=around)


@dataclass(frozen=True, slots=True)
class KnownTimes:
    """The times that a known text can mean, and those that prove an hour after 12."""

    possible: frozenset[Minutes] = frozenset()
    proven: frozenset[Minutes] = frozenset()

    @classmethod
    def of(cls, known: Iterable["KnownTimes"]) -> "KnownTimes":
        """Return the times of several texts."""
        found = list(known)
        return cls(
            frozenset().union(*(one.possible for one in found)),
            frozenset().union(*(one.proven for one in found)),
        )

    def prove(self, time: Time) -> bool:
        """Whether an answer may state this time."""
        return not time.readings.isdisjoint(self.proven if time.names_hour else self.possible)


@dataclass(frozen=True, slots=True)
class _Clock:
    """The notation of hours in a text, as far as it shows."""

    by_24: bool
    by_12: bool

    @classmethod
    def of(cls, text: str) -> "_Clock":
        late = any(
            _hour_of(match) > _NOON or match[0].startswith("0") for match in _TIME.finditer(text)
        ) or any(_NOON < int(match[3]) < _DAY for match in _RANGE.finditer(text))
        by_12 = bool(_BY_12.search(text)) or language_of(text) == "en"
        return cls(late, by_12 and not late)

    def known(self, time: Minutes, *, is_by_24: bool, is_time: bool) -> KnownTimes:
        """Return what a time before noon, without its part of the day, can mean and proves."""
        both = frozenset({time, time + _HALF_DAY} if time < _HALF_DAY else {time})
        if time < _HALF_DAY and (is_by_24 or self.by_24):
            both = frozenset({time})
        return KnownTimes(both, both if self.by_12 and is_time else frozenset({time}))


def times_in(text: str) -> Iterator[Time]:
    """Yield each time that *text*, an answer, states."""
    is_late_in_day = day_parts.names_late_part(text)
    for match in _TIME.finditer(text):
        time = _time_of(text, match, is_late_in_day=is_late_in_day)
        before = text[max(0, match.start() - _LONGEST_ABOUT) : match.start()]
        yield time.about() if _ABOUT.search(before) else time
    for match in _BETWEEN.finditer(text):
        for hour in (int(match["first"]), int(match["last"])):
            first = hour % _DAY * 60
            both = {first, first + _HALF_DAY} if hour < _NOON else {first}
            yield Time(frozenset(both), names_hour=hour > _NOON)


def _time_of(text: str, match: re.Match[str], *, is_late_in_day: bool) -> Time:
    hour, minute = _hour_of(match), _minute_of(match)
    part = _part_of(text, match)
    if part is not None:
        return Time(frozenset({day_parts.hour_in(part, hour) * 60 + minute}))
    time = hour % _DAY * 60 + minute
    if time >= _HALF_DAY or hour == _DAY:
        return Time(frozenset({time}), names_hour=hour > _NOON)
    if _is_by_24(text, match) and not is_late_in_day:
        return Time(frozenset({time}))
    return Time(frozenset({time, time + _HALF_DAY}))


def known_times_in(text: str) -> KnownTimes:
    """Return the times that *text* states, and those that its numbers and words can mean: `9.30`, `nine`, `9-17`."""
    clock = _Clock.of(text)
    return KnownTimes.of(
        [
            *_stated(text, clock),
            *_numbers(text, clock),
            *_ranges(text, clock),
            *_words(text),
        ]
    )


def without_times(text: str) -> str:
    """Return *text* without the times that it states in hours and minutes or with a word for a time."""
    return _BETWEEN.sub(" * ", _TIME.sub(" * ", text))


def _stated(text: str, clock: _Clock) -> Iterator[KnownTimes]:
    for match in _TIME.finditer(text):
        hour, minute = _hour_of(match), _minute_of(match)
        part = _part_of(text, match)
        if part is not None:
            yield _exactly(day_parts.hour_in(part, hour) * 60 + minute)
        else:
            time = hour % _DAY * 60 + minute
            yield clock.known(time, is_by_24=_is_by_24(text, match), is_time=True)


def _numbers(text: str, clock: _Clock) -> Iterator[KnownTimes]:
    """Yield what numbers that are no stated times can mean."""
    stated = [match.span() for match in _TIME.finditer(text)]
    for match in (*_DOTTED.finditer(text), *_HOUR.finditer(text)):
        if any(start <= match.start() < end for start, end in stated):
            continue
        hour, minute = int(match[1]), int(match[2]) if match.re is _DOTTED else 0
        part = day_parts.day_part_at(text, match.start(), match.end())
        before = text[max(0, match.start() - _LONGEST_WORD_BEFORE) : match.start()]
        if part is not None:
            yield _exactly(day_parts.hour_in(part, hour) * 60 + minute)
        else:
            yield clock.known(
                hour % _DAY * 60 + minute,
                is_by_24=bool(_BY_24_BEFORE.search(before)) or match[0].startswith("0"),
                is_time=match.re is _DOTTED or bool(_BY_12_BEFORE.search(before)),
            )


def _ranges(text: str, clock: _Clock) -> Iterator[KnownTimes]:
    """Yield the ends of ranges: `9-17`, and `9-5`, which ends after noon."""
    for match in _RANGE.finditer(text):
        first, last = (int(match[n]) % _DAY * 60 + int(match[n + 1] or 0) for n in (1, 3))
        part = day_parts.day_part_at(text, match.start(), match.end())
        if part is not None:
            continue
        if last <= first and last < _HALF_DAY:
            yield _exactly(first)
            yield _exactly(last + _HALF_DAY)
        for time in (first, last):
            yield clock.known(time, is_by_24=False, is_time=True)


def _words(text: str) -> Iterator[KnownTimes]:
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        part = day_parts.day_part_at(text, match.start(), match.end())
        hour = HOUR_NAMES.get(word)
        if part is not None:
            yield _exactly(
                day_parts.hour_in(part, SPOKEN_HOURS[word] if hour is None else hour) * 60
            )
        elif hour is not None:
            time = hour * 60
            both = frozenset({time, time + _HALF_DAY} if time < _HALF_DAY else {time})
            before = text[max(0, match.start() - _LONGEST_WORD_BEFORE) : match.start()]
            yield KnownTimes(both, both if _BY_12_BEFORE.search(before) else frozenset({time}))
        elif _SPOKEN_BEHIND.match(text, match.end()) or _SPOKEN_BEFORE.search(
            text[max(0, match.start() - _LONGEST_WORD_BEFORE) : match.start()]
        ):
            yield _either_half(SPOKEN_HOURS[word])
    for match in _TURKISH.finditer(text):
        yield _either_half(_TURKISH_HOURS.index("".join(match["hour"].casefold().split())) + 1)


def _either_half(hour: int) -> KnownTimes:
    time = hour % _NOON * 60
    return KnownTimes(frozenset({time, time + _HALF_DAY}), frozenset({hour * 60}))


def _exactly(time: Minutes) -> KnownTimes:
    return KnownTimes(frozenset({time}), frozenset({time}))


def _part_of(text: str, match: re.Match[str]) -> day_parts.DayPart | None:
    """Return the part of the day of a stated time: in the match, or beside it."""
    half = next(filter(None, (match[name] for name in _HALVES)), "").casefold()
    if half:
        return "pm" if half.startswith("p") else "am"
    return day_parts.day_part_at(text, match.start(), match.end())


def _is_by_24(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _LONGEST_WORD_BEFORE) : match.start()]
    return bool(_BY_24.search(match[0]) or _BY_24_BEFORE.search(before))


_HOURS = ("h", "ph", "bh", "bo", "jh", "o")
_MINUTES = ("m", "pm", "bm", "jm")
_HALVES = ("half", "phalf", "bhalf", "ohalf")


def _hour_of(match: re.Match[str]) -> int:
    return int(next(filter(None, (match[name] for name in _HOURS))))


def _minute_of(match: re.Match[str]) -> int:
    return int(next(filter(None, (match[name] for name in _MINUTES)), 0))
