"""Colours of web pages and e-mails. Text has a contrast of at least 4.5:1 on every background it is used on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as #rrggbb: two backgrounds (around and behind the text), the text's, and lines."""

    page: str
    surface: str
    shade: str  # behind code and table headers
    text: str
    muted: str
    link: str
    line: str


LIGHT: Final = Palette("#eef1ef", "#ffffff", "#f1f5f3", "#1d2521", "#55615a", "#0b6350", "#cfd8d3")
DARK: Final = Palette("#101413", "#1a201e", "#262e2b", "#e6ebe8", "#a8b5ae", "#7ed3bd", "#3c4742")
