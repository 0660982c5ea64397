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
    """
    Yield the ratios that a percentage or a decimal number of a passage supports: `a third` is said of 34 percent, and
    `doubled` of 100 percent more.
    """
    is_percent = written.endswith(" %")
    number = Decimal(written.removesuffix(" %"))
    share = number if is_percent else 100 * number
    yield from (name for name, exact in _SHARES.items() if abs(exact - share) < _LATITUDE)
    if is_percent and number > 0 and number % 100 == 0:
        yield f"{number / 100:f}x"
        yield f"{number / 100 + 1:f}x"


def decimal(value: Decimal) -> str:
    """Return a number without zeros at its end."""
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


_LATITUDE: Final = 1  # percentage point
# Parts up to tenths, in percent.
_SHARES: Final = {
    fraction(count, size): Decimal(100 * count) / size
    for size in range(2, 11)
    for count in range(1, size)
}
