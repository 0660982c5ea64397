"""
Labelled strings generated from a seed: personal data with its masks, and text that must not be changed.

Numbers follow the providers' and the countries' own rules, not `shared.runtime.redaction`: phones come from
the `phonenumbers` library in the ways it writes them, cards and accounts carry their check digits, tracking numbers the
layouts of the carriers. People, streets and sentences are fictitious.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from tests.redaction import numbers, people
from tests.redaction.left_alone import LEFT_ALONE

SEED = 20260302

type Make = Callable[[Random], tuple[str, str]]

# The number of cases of each kind, and its generator of a text and the expected result.
HIDDEN: Mapping[str, tuple[int, Make]] = {
    "e-mail": (250, people.email),
    "phone, international": (350, people.phone_international),
    "phone, national": (250, people.phone_national),
    "phone, American": (250, people.phone_american),
    "order number": (300, numbers.order),
    "tracking number": (250, numbers.tracking),
    "tracking number beside a carrier": (200, numbers.tracking_beside_a_carrier),
    "tracking link": (100, numbers.tracking_link),
    "card": (200, numbers.card),
    "IBAN": (100, numbers.account),
    "street address": (250, people.address),
    "name": (200, people.name),
    "token or key": (150, numbers.token),
}


@dataclass(frozen=True)
class Case:
    """One string. *expected* is the redacted string: the same if it has nothing to redact."""

    kind: str
    text: str
    expected: str


@dataclass(frozen=True)
class Figure:
    """The number of cases of a kind, and the failed ones with their results."""

    count: int
    wrong: list[tuple[Case, str]]


def corpus(seed: int = SEED) -> list[Case]:
    """All cases: 2,850 with personal data, and 1,500 without."""
    random = Random(seed)  # noqa: S311 - it generates test data
    return [
        case
        for kind, (count, make) in {**HIDDEN, **LEFT_ALONE}.items()
        for case in _distinct(kind, count, make, random)
    ]


def _distinct(kind: str, count: int, make: Make, random: Random) -> Iterator[Case]:
    seen: set[str] = set()
    while len(seen) < count:
        text, expected = make(random)
        if text not in seen:
            seen.add(text)
            yield Case(kind, text, expected)


def figures(redact: Callable[[str], str], seed: int = SEED) -> dict[str, Figure]:
    """Apply a redactor to the corpus; the results by kind."""
    found = {kind: Figure(0, []) for kind in (*HIDDEN, *LEFT_ALONE)}
    for case in corpus(seed):
        so_far, out = found[case.kind], redact(case.text)
        wrong = [] if out == case.expected else [(case, out)]
        found[case.kind] = Figure(so_far.count + 1, so_far.wrong + wrong)
    return found


def part_wrong(found: Mapping[str, Figure], kinds: Iterable[str]) -> float:
    """The share of failed cases of these kinds."""
    chosen = [found[kind] for kind in kinds]
    return sum(len(each.wrong) for each in chosen) / sum(each.count for each in chosen)
