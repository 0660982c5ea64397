"""
Amounts, dates, times, IBANs and street addresses of an answer: each must occur in the known texts.

    amount     the number occurs, in any notation, with or without its currency
    date       day and month occur, or the day with the words around it: "the 19th"; a weekday that was named allows
               the next date with that weekday
    time       the time occurs on a clock of 12 or 24 hours, or its full hour as a number or word
    IBAN       occurs, with or without blanks
    address    house number and name of the street occur

Words for relative times ("tomorrow") and weekdays are not checked.
Telephone numbers and e-mail addresses: `guardrails`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

from conversations.ai.checks.faults import Fault
from shared.ai.languages.function_words import plain_words
from shared.ai.texts import amounts_in, numbers_in

type Day = tuple[int, int]  # month and day
type Minutes = int  # since midnight

_MONTHS: tuple[str, ...] = (
    "january jan januar janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février fevrier févr febrero febbraio fevereiro fev februari",
    "march mar märz maerz mars marzo março marco maart mrz",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro december",
)
_MONTH_OF: Mapping[str, int] = {
    name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()
}
_WEEKDAYS: tuple[str, ...] = (
    "monday mon montag lundi lunes lunedì segunda maandag",
    "tuesday tue dienstag mardi martes martedì terça dinsdag",
    "wednesday wed mittwoch mercredi miércoles mercoledì quarta woensdag",
    "thursday thu donnerstag jeudi jueves giovedì quinta donderdag",
    "friday fri freitag vendredi viernes venerdì sexta vrijdag",
    "saturday sat samstag sonnabend samedi sábado sabato zaterdag",
    "sunday sun sonntag dimanche domingo domenica zondag",
)
_WEEKDAY_OF: Mapping[str, int] = {
    word: number for number, names in enumerate(_WEEKDAYS) for word in plain_words(names)
}
_TOMORROW = frozenset(plain_words("tomorrow morgen demain mañana domani amanhã"))
_HOUR_WORDS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "midnight mitternacht minuit medianoche mezzanotte", "one eins une una uma", "two zwei deux dos due duas",
            "three drei trois tres tre três", "four vier quatre cuatro quattro quatro", "five fünf cinq cinco cinque",
            "six sechs seis sei", "seven sieben sept siete sette sete", "eight acht huit ocho otto oito",
            "nine neun neuf nueve nove", "ten zehn dix diez dieci dez", "eleven elf onze once undici",
            "twelve zwölf douze doce dodici noon midday mittag mittags midi mediodía mezzogiorno",
        )
    )
    for word in plain_words(words)
}  # fmt: skip
_NAMES = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
# In English, these months are also verbs: only capitalised they name a month.
_VERBS = frozenset({"may", "march", "mar"})
_DATE = re.compile(
    r"(?<![\d.-])(?P<y>\d{4})-(?P<ym>\d{1,2})-(?P<yd>\d{1,2})(?!\d)"
    r"|(?<![\d.,:])(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})(?:(?P=sep)(?:\d{4}|\d{2})(?!\d)|(?P<dot>\.)(?![\d]))"
    rf"|(?<![\d.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|ª)?\.?\s?(?:of\s|de\s|d['\u2019])?\s?(?P<dm>{_NAMES})\b"
    rf"|\b(?P<md>{_NAMES})\.?\s(?:the\s)?(?P<mday>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.,]?\d|\s?(?:am|pm|Uhr|%))",
    re.IGNORECASE,
)
_DAY_ALONE = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)\b|\bden (\d{1,2})\.|\bam (\d{1,2})\.|\ble (\d{1,2})\b|\bel (\d{1,2})\b"
)
_TIME = re.compile(
    r"(?<![\d.,:/])(?P<h>[01]?\d|2[0-4])(?::|(?<=\d)\s?[hH]\s?)(?P<m>[0-5]\d)(?![\d:])\s?(?P<half>[ap]\.?m\b)?"
    r"|(?<![\d.,:/])(?P<ph>[01]?\d|2[0-4])\.(?P<pm>[0-5]\d)(?=\s?(?:Uhr\b|[ap]\.?m\b|[-\u2013]\s?\d{1,2}\.\d\d(?!\d)))"
    r"\s?(?P<phalf>[ap]\.?m\b)?"
    r"|(?<![\d.,:/])(?P<o>[01]?\d|2[0-4])\s?(?P<ohalf>[ap]\.?m\b|Uhr\b|o['\u2019]clock\b|h\b|heures\b)",
    re.IGNORECASE,
)
# In a known text, `9.30` may be a time; in an answer only with words that say so.
_DOTTED = re.compile(r"(?<![\d.,])([01]?\d|2[0-4])\.([0-5]\d)(?![\d.])")
_HOUR = re.compile(r"(?<![\d.,:/-])([01]?\d|2[0-4])(?![\d:/]|[.,]\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")
_STREETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<number>\d{1,4}[a-z]?)\s+(?P<name>(?:[A-Z][\w'\u2019-]+\s+){1,3}?)"
        r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Square|Court|Place|Boulevard|Blvd|Close|Crescent|Terrace|Row)\b",
        r"\b(?P<name>[A-ZÄÖÜ][\wäöüß-]*?)\s?(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Dd]amm"
        r"|[Uu]fer)\s+(?P<number>\d{1,4}\s?[a-z]?)\b",
        r"(?i)\b(?P<number>\d{1,4}),?\s+(?:(?:bis|ter)\s+)?(?:rue|avenue|av\.|boulevard|bd|place|chemin|allée|quai|impasse)"
        r"\s+(?:(?:de la|de|du|des|la|le|l['\u2019])\s*)*(?P<name>[\w-]+)",
        r"(?i)\b(?:calle|avenida|avda\.|plaza|paseo|via|viale|corso|piazza|rua|praça)\s+"
        r"(?:(?:de la|de|del|da|do|della)\s+)?(?P<name>[\w-]+(?:\s[\w-]+){0,2}?),?\s+(?P<number>\d{1,4})\b",
    )
)  # fmt: skip
_NOON = 12
_HALF_DAY = 12 * 60
_DAYS_AHEAD = 7


@dataclass(frozen=True)
class KnownTexts:
    """
    Texts that an answer may repeat values of: facts, documents, results of functions, prompts and the conversation.

    *today* is the customer's date; None if it is not known.
    """

    texts: frozenset[str] = field(default=frozenset(), repr=False)
    today: date | None = None

    @cached_property
    def words(self) -> frozenset[str]:
        """The words, without case and accents."""
        return frozenset(word for text in self.texts for word in plain_words(text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers, in the notation of `amounts_in`."""
        return frozenset(numbers_in(self.texts) | amounts_in(self.texts))

    @cached_property
    def days(self) -> frozenset[Day]:
        """The dates, and those that named weekdays can mean."""
        found = {day for text in self.texts for one in _days_in(text) for day in one}
        if self.today is not None:
            found.add((self.today.month, self.today.day))
            others = self.texts - {
                f"{self.today:%A, %Y-%m-%d}"
            }  # the date of today names its weekday
            words = {word for text in others for word in plain_words(text)}
            named = {_WEEKDAY_OF[word] for word in words if word in _WEEKDAY_OF}
            ahead = [self.today + timedelta(days=count) for count in range(1, _DAYS_AHEAD + 1)]
            found |= {(day.month, day.day) for day in ahead if day.weekday() in named}
            if not _TOMORROW.isdisjoint(words):
                found.add((ahead[0].month, ahead[0].day))
        return frozenset(found)

    @cached_property
    def days_alone(self) -> frozenset[int]:
        """Days named without a month: "the 19th"."""
        matches = (match for text in self.texts for match in _DAY_ALONE.finditer(text))
        return frozenset(int(next(filter(None, match.groups()))) for match in matches)

    @cached_property
    def times(self) -> frozenset[Minutes]:
        """The times, and the full hours that numbers and words can mean."""
        found = {time for text in self.texts for one in _times_in(text) for time in one}
        dotted = (match for text in self.texts for match in _DOTTED.finditer(text))
        found |= {time for m in dotted for time in _clock(int(m[1]), int(m[2]), None)}
        hours = {int(match[1]) for text in self.texts for match in _HOUR.finditer(text)}
        hours |= {_HOUR_WORDS[word] for word in self.words if word in _HOUR_WORDS}
        return frozenset(found | {time for hour in hours for time in _clock(hour, 0, None)})

    @cached_property
    def ibans(self) -> frozenset[str]:
        """The IBANs without blanks."""
        return frozenset(iban for text in self.texts for iban in _ibans_in(text))


def unknown_values(text: str, known: KnownTexts) -> Iterator[Fault]:
    """Yield a fault for each kind of value of *text* that does not occur in the known texts."""
    if not any(sign.isdecimal() for sign in text):
        return
    text, ibans = without_ibans(text), _ibans_in(text)
    if not ibans <= known.ibans:
        yield Fault.UNKNOWN_IBAN
    if not amounts_in([text]) <= known.numbers:
        yield Fault.UNKNOWN_AMOUNT
    if any(
        one.isdisjoint(known.days) and {day for _, day in one}.isdisjoint(known.days_alone)
        for one in _days_in(text)
    ):
        yield Fault.UNKNOWN_DATE
    if any(one.isdisjoint(known.times) for one in _times_in(text)):
        yield Fault.UNKNOWN_TIME
    if not all(_is_known(address, known) for address in _addresses_in(text)):
        yield Fault.UNKNOWN_ADDRESS


def without_ibans(text: str) -> str:
    """Return *text* without IBANs, whose digits can look like a telephone number."""
    return _IBAN.sub("*", text)


def _ibans_in(text: str) -> set[str]:
    return {"".join(match[0].split()) for match in _IBAN.finditer(text)}


def _days_in(text: str) -> Iterator[frozenset[Day]]:
    """Yield the readings of each date: a day and a month with a slash may be in either order."""
    for match in _DATE.finditer(text):
        if match["y"]:
            readings = {(int(match["ym"]), int(match["yd"]))}
        elif match["a"]:
            if match["sep"] == "/" and match["dot"]:
                continue
            first, second = int(match["a"]), int(match["b"])
            readings = {(second, first)} | ({(first, second)} if match["sep"] == "/" else set())
        else:
            name, day = match["dm"] or match["md"], int(match["d"] or match["mday"])
            if name in _VERBS:
                continue
            readings = {(_MONTH_OF[name.casefold()], day)}
        if valid := frozenset((m, d) for m, d in readings if 1 <= m <= 12 and 1 <= d <= 31):  # noqa: PLR2004 - a calendar
            yield valid


def _times_in(text: str) -> Iterator[frozenset[Minutes]]:
    """Yield the readings of each time: without a half of the day it may be in either."""
    for match in _TIME.finditer(text):
        hour = int(match["h"] or match["ph"] or match["o"])
        half = (match["half"] or match["phalf"] or match["ohalf"] or "").casefold()
        yield frozenset(_clock(hour, int(match["m"] or match["pm"] or 0), half[:1]))


def _clock(hour: int, minute: int, half: str | None) -> set[Minutes]:
    if half in {"a", "p"}:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
        return {hour * 60 + minute}
    time = hour % 24 * 60 + minute
    # `2:30` may be in the afternoon; `14:30` may not be in the night.
    return {time, time + _HALF_DAY} if hour <= _NOON and time < _HALF_DAY else {time}


def _addresses_in(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _STREETS:
        for match in pattern.finditer(text):
            yield match["name"], match["number"]


def _is_known(address: tuple[str, str], known: KnownTexts) -> bool:
    name, number = address
    names_are_known = all(
        any(word.startswith(part) for word in known.words) for part in plain_words(name)
    )
    return names_are_known and set(plain_words(number)) <= known.words
