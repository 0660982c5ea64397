"""
Whether one of two variants is better: a two-sided test of two proportions with a pooled variance.

A test that is looked at again and again finds a difference by chance more often than its confidence says. So there are
only LOOKS looks at times that are fixed before, and each has the part of the error that it may make (Bonferroni). The
true error is smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

LOOKS: Final = 4


@dataclass(frozen=True, slots=True)
class Counted:
    """The messages of a variant that were sent, and those of them that count by the measure."""

    sent: int
    counted: int


def is_significant(one: Counted, other: Counted, confidence: int) -> bool:
    """Return whether the shares of two variants differ, at one of LOOKS looks with a *confidence* in percent."""
    if not one.sent or not other.sent:
        return False
    pooled = (one.counted + other.counted) / (one.sent + other.sent)
    deviation = sqrt(pooled * (1 - pooled) * (1 / one.sent + 1 / other.sent))
    if not deviation:
        return False
    distance = abs(one.counted / one.sent - other.counted / other.sent) / deviation
    error = (1 - confidence / 100) / LOOKS
    return distance >= NormalDist().inv_cdf(1 - error / 2)


def better(one: Counted, other: Counted) -> bool:
    """Return whether the first variant has the larger share."""
    return one.counted * other.sent > other.counted * one.sent
