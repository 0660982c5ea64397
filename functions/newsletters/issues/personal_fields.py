"""
The names of a reader in an issue: `{{first_name|there}}` and `{{last_name|}}`, with what readers without a name see.

Names are those that the company has stored of the contact. A name in the text of the issue stands as text: it is
escaped in HTML, and placeholders in it mean nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.identity.contacts.items import Details

_FIELD: Final = re.compile(r"\{\{\s*(first_name|last_name)\s*\|([^{}\n]{0,80})\}\}")
LONGEST: Final = 100  # characters of a name in a mail


class Names(NamedTuple):
    """The names of a reader, empty where none is stored."""

    first_name: str = ""
    last_name: str = ""


NO_NAMES: Final = Names()


def names_of(stored: Details | None) -> Names:
    """
    Return the names in the details of a contact. The last name is what the whole name has before or behind the given
    names, so none is guessed if only the whole name is stored.
    """
    given = _line(stored.given_names) if stored else ""
    whole = _line(stored.name) if stored else ""
    if not given or not whole:
        return Names(given)
    if whole.startswith(f"{given} "):
        return Names(given, whole.removeprefix(given).strip())
    return Names(given, whole.removesuffix(given).strip() if whole.endswith(f" {given}") else "")


def filled(text: str, names: Names, spelt: Callable[[str], str] = str) -> str:
    """Return a text with the names of a reader in it, each as *spelt* writes it in this kind of text."""

    def value(found: re.Match[str]) -> str:
        name: str = getattr(names, found[1])
        return spelt(name) if name else found[2].strip()

    return _FIELD.sub(value, text)


def _line(text: str | None) -> str:
    """Return a stored name as one line."""
    return " ".join("".join(one if one.isprintable() else " " for one in text or "").split())[
        :LONGEST
    ]
