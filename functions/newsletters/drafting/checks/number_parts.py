"""The parts of a number in words, and the number that they form: `two hundred and five thousand`."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.number_words import HALF, HUNDRED, THOUSAND

if TYPE_CHECKING:
    from collections.abc import Sequence

TEENS: Final = 10
_UNITS_FIRST: Final = frozenset({"ar", "am"})  # elsewhere `une dizaine` is no eleven
_CENTURIES: Final = range(13, 21)  # `nineteen ninety-nine`


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a number: its value, where it stands, and whether a connector stands before it."""

    value: Decimal
    start: int
    end: int
    is_digits: bool = False
    is_vague: bool = False
    is_joined: bool = False


def summed(parts: Sequence[Part], language: str) -> tuple[int, Decimal]:
    """Return how many parts form the first number, and its value: `two hundred and five thousand`."""
    has_years = language == "en"
    total, current, scale, used = Decimal(0), Decimal(0), Decimal(1), 0
    for part in parts:
        value = part.value
        if part.is_vague and not used:
            return 1, Decimal(0)
        if value >= THOUSAND:
            raised = _raised(total, current, value)
            if raised is None:
                break
            total, current, scale = raised, Decimal(0), value
        elif value == HALF:
            if not part.is_joined:
                break
            current += HALF if current else scale / 2
        elif value == HUNDRED and 0 < current < HUNDRED:
            current *= value
        elif not used or _adds(total, current, part, language):
            current += 80 - 4 if _is_eighty(current, value) else value  # quatre-vingts
        elif has_years and used == 1 and current in _CENTURIES and TEENS <= value < HUNDRED:
            current = current * HUNDRED + value  # nineteen ninety-nine
        else:
            break
        used += 1
    return used, total + current


def _raised(total: Decimal, current: Decimal, value: Decimal) -> Decimal | None:
    """Return the total with a scale, such as a million, behind it; None if another number begins."""
    if current:
        return total + current * value
    if total and not _is_scale(value):
        return total + value  # zwei Millionen dreihunderttausend
    return None if total >= value else (total or 1) * value


def _is_scale(value: Decimal) -> bool:
    return str(value).strip("0") == "1"


def _adds(total: Decimal, current: Decimal, part: Part, language: str) -> bool:
    value = part.value
    if not current:
        return bool(total) and value < THOUSAND
    if _is_eighty(current, value):
        return True
    rest = current % HUNDRED
    if 0 < rest < TEENS:  # Arabic and Amharic: three ten, five and twenty
        return (value == TEENS and language in _UNITS_FIRST) or (
            part.is_joined and value % TEENS == 0 and TEENS < value < HUNDRED
        )
    if not rest:
        return value < HUNDRED
    if rest % TEENS == 0 and value < TEENS:
        return True
    return rest in {60, 80} and TEENS <= value < 2 * TEENS  # soixante-dix, quatre-vingt-dix


def _is_eighty(current: Decimal, value: Decimal) -> bool:
    return current % HUNDRED == 4 and value == 20  # noqa: PLR2004 - quatre-vingts
