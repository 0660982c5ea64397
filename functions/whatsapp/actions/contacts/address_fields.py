"""The fields of an address, by the contract's names, and their rules for India and other countries. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from pydantic.alias_generators import to_snake

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FIELDS = 20
LONGEST_TEXT = 512
# Names of the provider's forms -> attributes of an address.
_SAME = {"in_pin_code": "postal_code", "sg_post_code": "postal_code", "phone": "phone_number"}
CONTRACTED = ("name", "phone_number", "address", "city", "state", "postal_code", "country")
_REQUIRED = {
    "IN": ("name", "phone_number", "address", "postal_code", "city", "state"),
    "other": ("name", "phone_number", "address", "city"),
}
_INDIAN = {
    "phone_number": (re.compile(r"\d{10}", re.ASCII), "must have 10 digits"),
    "postal_code": (
        re.compile(r"[1-9]\d{5}", re.ASCII),
        "must have 6 digits and not start with 0",
    ),
}
_CAMEL = {"phone_number": "phoneNumber", "postal_code": "postalCode"}
_SEPARATORS = re.compile(r"[ \-()]")


def fields_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of an address by attribute name; fields of other types are left out."""
    named = [(to_snake(name)[:LONGEST_TEXT], value) for name, value in given.items()]
    texts = [
        (_SAME.get(name, name), value.strip()[:LONGEST_TEXT])
        for name, value in named
        if isinstance(value, str) and value.strip()
    ]
    return dict(texts[:MOST_FIELDS])


def problems_of(given: Mapping[str, Any], country: Literal["IN", "other"]) -> dict[str, str]:
    """Return one problem for each field that is missing or wrong, by the name in requests."""
    fields = fields_of(given)
    found = {name: "is required" for name in _REQUIRED[country] if name not in fields}
    if country == "IN":
        for name, (pattern, problem) in _INDIAN.items():
            if name in fields and not pattern.fullmatch(_bare(name, fields[name])):
                found[name] = problem
    return {_CAMEL.get(name, name): problem for name, problem in found.items()}


def _bare(name: str, text: str) -> str:
    """Return the digits of a field; of a phone number without India's country code."""
    bare = _SEPARATORS.sub("", text)
    return bare.removeprefix("+91") if name == "phone_number" else bare
