"""
Times and dates that an answer calculates with a duration that it names: "10 minutes, so until 10:50", "3 days before,
so until 7 July". The duration and the other time or date must be known.
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from conversations.ai.checks.values.calendar_words import NUMBER_WORDS
from shared.ai.texts.languages.function_words import plain_words
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from conversations.ai.checks.values.dates import Day

type Duration = int  # minutes

_HOUR = 60
_DAY = clock.DAY_SECONDS // 60
_WEEK = 7 * _DAY
_A_LEAP_YEAR = 2024
# First letters of words without accents.
_WORDS: Mapping[Duration, str] = {
    1: "min dakika минут хвилин perc λεπτ دقيق",
    _HOUR: """hour hr stunde heure hora ora ore uur uren timm timer godzin hodin saat час годин tunti tunnin ساع""",
    _DAY: """day tag jour dia giorn dag dni dzien dny dnu gun дн день paiv nap يوم ايام""",
    _WEEK: """week woche semaine semana settiman weken veck uge uke tydzien tygodni tydn hafta недел тижн viikko""",
}
_UNITS = {begin: size for size, words in _WORDS.items() for begin in words.split()}
_MOST_DIGITS = 3


def durations_in(text: str) -> Iterator[Duration]:
    """Yield the durations that *text* names: a number and the unit behind it."""
    for number, unit in pairwise(plain_words(text)):
        is_number = number.isdecimal() and len(number) <= _MOST_DIGITS
        if count := int(number) if is_number else NUMBER_WORDS.get(number):
            yield from (count * size for begin, size in _UNITS.items() if unit.startswith(begin))


def moved_times(times: Iterable[int], by: Iterable[Duration]) -> set[int]:
    """Return the times of day that are a duration before or after one of *times*."""
    known = list(times)
    return {(time + sign * one) % _DAY for one in by for time in known for sign in (1, -1)}


def moved_days(days: Iterable[Day], by: Iterable[Duration]) -> set[Day]:
    """Return the days that are a duration of whole days before or after one of *days*."""
    known = [date(_A_LEAP_YEAR, *day) for day in days]
    whole = [timedelta(minutes=sign * one) for one in by if one % _DAY == 0 for sign in (1, -1)]
    moved = (day + distance for day in known for distance in whole)
    return {(day.month, day.day) for day in moved}
