"""
Amounts that an answer may calculate: their parts must be known.

    sum        of two known amounts of money
    multiple   of one, by a whole number that was named, or the days between two known dates
    share      a known percentage of one, and the amount without it or with it
    difference of two that the answer names, too: one between other prices says nothing
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FEWEST, _MOST = 2, 31  # nights, instalments, people
_CENT = Decimal("0.01")
_HUNDRED = 100


@dataclass(frozen=True)
class Parts:
    """Known amounts of money, percentages, and the numbers by which an amount may be multiplied."""

    money: frozenset[Decimal] = field(repr=False)
    percentages: frozenset[Decimal] = field(repr=False)
    counts: frozenset[int] = field(repr=False)
    named: frozenset[Decimal] = field(default=frozenset(), repr=False)

    @classmethod
    def of(
        cls,
        money: Iterable[str],
        percentages: Iterable[str],
        counts: Iterable[int],
        named: Iterable[str] = (),
    ) -> Parts:
        """Read amounts in the notation of `money_in`; *named* are the answer's amounts."""
        known = frozenset(map(Decimal, money))
        return cls(
            known,
            frozenset(map(Decimal, percentages)),
            frozenset(count for count in counts if _FEWEST <= count <= _MOST),
            known & frozenset(map(Decimal, named)),
        )

    def make(self, amount: str) -> bool:
        """Return whether *amount* is a sum, multiple or share of these."""
        wanted = Decimal(amount)
        return any(abs(total - wanted) < _CENT for total in self._totals())

    def _totals(self) -> Iterator[Decimal]:
        for one, other in combinations(self.money, 2):
            yield one + other
        yield from (abs(one - other) for one, other in combinations(self.named, 2))
        for one in self.money:
            yield from (one * count for count in self.counts)
            for percentage in self.percentages:
                share = one * percentage / _HUNDRED
                yield from (share, one - share, one + share)
