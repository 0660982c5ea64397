"""The words that rendering adds to a document, in its language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Labels:
    """Headings of lists that are added at the end."""

    sources: str
    links: str


_ENGLISH: Final = Labels("Sources", "Links")
_LABELS: Final = {
    "en": _ENGLISH,
    "de": Labels("Quellen", "Links"),
    "fr": Labels("Sources", "Liens"),
    "es": Labels("Fuentes", "Enlaces"),
    "pt": Labels("Fontes", "Ligações"),
    "ar": Labels("المصادر", "الروابط"),
    "sw": Labels("Vyanzo", "Viungo"),
    "am": Labels("ምንጮች", "አገናኞች"),
}


def labels(primary_language: str) -> Labels:
    """Return the labels in a language given by its primary subtag, the English ones for an unknown language."""
    return _LABELS.get(primary_language, _ENGLISH)
