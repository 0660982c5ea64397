"""Converts prices between minor units and the texts of Meta's catalogs. Pure."""

from __future__ import annotations

import re

# ISO 4217: currencies whose smallest unit is not a hundredth.
_DECIMALS = {
    **dict.fromkeys(
        [
            *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND"),
            *("VUV", "XAF", "XOF", "XPF"),
        ],
        0,
    ),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}
_NUMBER = re.compile(r"\d[\d.,'\u00a0\u202f ]*")
_LARGEST = 999_999_999_999


def text_of(price: int, currency: str) -> str:
    """Return a price as Meta takes it: `500.00 INR`."""
    decimals = _DECIMALS.get(currency, 2)
    if not decimals:
        return f"{price} {currency}"
    whole, part = divmod(price, 10**decimals)
    return f"{whole}.{part:0{decimals}d} {currency}"


def minor_units(text: str, currency: str) -> int | None:
    """
    Return a price that Meta shows, such as `₹1,500.00` or `1.500,00 €`; None if it cannot be read.

    Not confirmed by our own traffic: the separators. The last one is the decimal point if as many digits follow it as
    the currency has decimals.
    """
    decimals = _DECIMALS.get(currency, 2)
    found = _NUMBER.search(text)
    if found is None:
        return None
    number = found.group().rstrip(" .,'\u00a0\u202f")
    whole, separator, part = number, "", ""
    for mark in sorted(".,", key=number.rfind, reverse=True):
        if decimals and mark in number and len(number) - number.rfind(mark) - 1 == decimals:
            whole, separator, part = number.rpartition(mark)
            break
    digits = re.sub(r"\D", "", whole)
    units = int(digits or "0") * 10**decimals + (int(part) if separator else 0)
    return units if units <= _LARGEST else None
