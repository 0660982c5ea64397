"""
Amounts, dates, times, IBANs and street addresses of an answer: each must occur in the known texts.

    amount     the number occurs, in any notation, with or without its currency; or its parts do, see `totals`
    date       day and month occur, or the day with the words around it: "the 19th"; a weekday that was named allows
               the next date with that weekday; or it is a known one moved by a known duration, see `durations`
    time       the time occurs on a clock of 12 or 24 hours, or its full hour as a number or word; an hour after 12
               occurs as such, with its part of the day, or on a clock of 12 hours; moved as a date
    IBAN       occurs, with or without blanks
    address    house number and name of the street occur

Words for relative times ("tomorrow") and weekdays are not checked.
Telephone numbers and e-mail addresses: `guardrails`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from conversations.ai.checks.faults import Fault
from conversations.ai.checks.values.addresses import (
    addresses_in,
    numbers_of,
    postal_addresses_in,
    without_addresses,
)
from conversations.ai.checks.values.calendar_words import NUMBER_WORDS
from conversations.ai.checks.values.dates import (
    Day,
    days_ahead,
    days_alone_in,
    days_in,
    distances,
    possible_days_in,
    without_dates,
)
from conversations.ai.checks.values.durations import durations_in, moved_days, moved_times
from conversations.ai.checks.values.times import KnownTimes, known_times_in, times_in, without_times
from conversations.ai.checks.values.totals import Parts
from shared.ai.texts.languages.function_words import plain_words
from shared.ai.texts.values import amounts_in, money_in, numbers_in, percentages_in
from shared.runtime.redaction.phone_numbers import phones_in

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")
_ENDING, _FEWEST_WITH_ENDING = 2, 6  # letters
_FEWEST_OF_FORMS = 5  # letters of words that may be forms of each other


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
        """The numbers, in the notation of `amounts_in`, that are no parts of other values."""
        plain = [_without_other_values(text) for text in self.texts]
        return frozenset(numbers_in(plain) | amounts_in(self.texts))

    def parts_for(self, text: str) -> Parts:
        """Return the parts of which an amount in the answer *text* may be calculated."""
        numbers = numbers_in([*self.texts, text])
        counts = {int(number) for number in numbers if number.isdecimal()}
        counts |= {NUMBER_WORDS[word] for word in plain_words(text) if word in NUMBER_WORDS}
        return Parts.of(
            money_in(self.texts),
            percentages_in(self.texts),
            counts | distances(self.days),
            money_in([text]),
        )

    @cached_property
    def days(self) -> frozenset[Day]:
        """The dates, and those that named weekdays can mean."""
        found = {day for text in self.texts for day in possible_days_in(text)}
        if self.today is None:
            return frozenset(found)
        # The date of today names its weekday.
        others = self.texts - {f"{self.today:%A, %Y-%m-%d}"}
        found.add((self.today.month, self.today.day))
        return frozenset(found.union(days_ahead(others, self.today)))

    @cached_property
    def days_alone(self) -> frozenset[int]:
        """Days named without a month: "the 19th"."""
        return frozenset(day for text in self.texts for day in days_alone_in(text))

    @cached_property
    def times(self) -> KnownTimes:
        """The times, and the hours that numbers and words can mean."""
        return KnownTimes.of(map(known_times_in, self.texts))

    @cached_property
    def stated_times(self) -> frozenset[int]:
        """The readings of the times of day that the texts state."""
        stated = (time.readings for text in self.texts for time in times_in(text))
        return frozenset().union(*stated)

    def durations_of(self, text: str) -> set[int]:
        """Return the durations that the answer *text* names and that are known."""
        named = set(durations_in(text))
        return named and named & {one for known in self.texts for one in durations_in(known)}

    @cached_property
    def addresses(self) -> frozenset[tuple[str, str]]:
        """The street addresses, as name and number."""
        named = frozenset(address for text in self.texts for address in addresses_in(text))
        return named | self.postal_addresses

    @cached_property
    def postal_addresses(self) -> frozenset[tuple[str, str]]:
        """The addresses before a postal code, whose streets may have any name: "Am Bach 3, 99084 Erfurt"."""
        return frozenset(address for text in self.texts for address in postal_addresses_in(text))

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
    if not _has_known_amounts(text, known):
        yield Fault.UNKNOWN_AMOUNT
    yield from _unknown_times(text, known)
    stated = [*addresses_in(text), *numbers_of(known.postal_addresses, text)]
    if not all(_is_known(address, known) for address in stated):
        yield Fault.UNKNOWN_ADDRESS


def _unknown_times(text: str, known: KnownTexts) -> Iterator[Fault]:
    durations = known.durations_of(text)
    days = known.days | moved_days(known.days, durations)
    if any(
        one.isdisjoint(days) and {day for _, day in one}.isdisjoint(known.days_alone)
        for one in days_in(text)
    ):
        yield Fault.UNKNOWN_DATE
    times = moved_times(known.stated_times, durations)
    if not all(known.times.prove(one) or one.readings & times for one in times_in(text)):
        yield Fault.UNKNOWN_TIME


def without_ibans(text: str) -> str:
    """Return *text* without IBANs, whose digits can look like a telephone number."""
    return _IBAN.sub("*", text)


def _ibans_in(text: str) -> set[str]:
    return {"".join(match[0].split()) for match in _IBAN.finditer(text)}


def _has_known_amounts(text: str, known: KnownTexts) -> bool:
    unknown = amounts_in([text]) - known.numbers
    if not unknown:
        return True
    parts = known.parts_for(text)
    return unknown <= money_in([text]) and all(map(parts.make, unknown))


def _without_other_values(text: str) -> str:
    """Return *text* without dates, times, street addresses, accounts and telephone numbers."""
    text = without_times(without_dates(without_addresses(without_ibans(text))))
    for phone in phones_in(text):
        text = text.replace(phone, " * ")
    return text


def _is_known(address: tuple[str, str], known: KnownTexts) -> bool:
    name, number = address
    of_street = [other for street, other in known.addresses if _is_same_name(street, name)]
    if of_street:
        return number.casefold() in {other.casefold() for other in of_street}
    names_are_known = all(
        any(_is_form_of(word, part) for word in known.words) for part in plain_words(name)
    )
    return names_are_known and set(plain_words(number)) <= known.words


def _is_same_name(street: str, name: str) -> bool:
    words, others = plain_words(street), plain_words(name)
    return len(words) == len(others) and all(map(_is_form_of, words, others))


def _is_form_of(known: str, word: str) -> bool:
    """Return whether two words have the same stem: `Długa` and `Długiej`."""
    longest = max(len(known), len(word))
    is_inflected = min(len(known), len(word)) >= _FEWEST_OF_FORMS
    shared = max(4, longest - 3)
    return known.startswith(_stem(word)) or (is_inflected and known[:shared] == word[:shared])


def _stem(word: str) -> str:
    """Return a long word without the letters that cases change: `садов` for `садовую`."""
    return word[:-_ENDING] if len(word) >= _FEWEST_WITH_ENDING else word
