"""What means the same as a number of a passage: `50 %` as `1/2`, `100 %` more as `2x`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


def fraction(count: int, size: int) -> str:
    """Return a reduced fraction as `2/3`."""
    reduced = Fraction(count, size)
    return f"{reduced.numerator}/{reduced.denominator}"


def meanings_of(written: str) -> set[str]:
    """Return the notations that mean the same as a number of a passage: `1/2` as `50 %`, `2x` as `100 %` more."""
    if written.endswith("x"):
        times = int(written[:-1])
        return {written, written[:-1], f"{100 * times} %", f"{100 * (times - 1)} %"}
    count, _, size = written.partition("/")
    if size:
        share = Decimal(100 * int(count)) / int(size)
        rounded = [Decimal(round(share)), Decimal(int(share)), round(share, 1), round(share, 2)]
        return {written, decimal(share / 100), *(f"{decimal(one)} %" for one in rounded)}
    return {written, *_ratios_of(written)}


def _ratios_of(written: str) -> Iterator[str]:
    """Yield the ratios that a percentage or a decimal number of a passage supports."""
    number = Decimal(written.removesuffix(" %"))
    is_percent = written.endswith(" %")
    yield from _FRACTIONS.get(decimal(number / 100 if is_percent else number), ())
    if is_percent and number > 0 and number % 100 == 0:
        yield f"{number / 100:f}x"
        yield f"{number / 100 + 1:f}x"


def decimal(value: Decimal) -> str:
    """Return a number without zeros at its end."""
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _shares() -> dict[str, set[str]]:
    """Return the fractions up to tenths by their decimal notations, exact and rounded to percents."""
    found: dict[str, set[str]] = {}
    for size in range(2, 11):
        for count in range(1, size):
            share = Decimal(100 * count) / size
            rounded = [Decimal(round(share)), Decimal(int(share)), round(share, 1)]
            for one in rounded:
                found.setdefault(decimal(one / 100), set()).add(fraction(count, size))
    return found


_FRACTIONS: Final = _shares()
