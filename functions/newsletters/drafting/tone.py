"""Tone and audience in words for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from newsletters.store.items import Metadata

# The numbers of `tone_professional` and `tone_technical`.
PRESETS: Final = {
    "expert_analysis": (90, 90),
    "industry_insight": (70, 50),
    "friendly_summary": (30, 20),
}
DEFAULT_PRESET: Final = "industry_insight"
_LOW, _HIGH = 34, 66
_PROFESSIONAL: Final = ("casual and warm", "friendly and factual", "formal and professional")
_TECHNICAL: Final = (
    "plain words without jargon; explain every term",
    "common technical terms, explained briefly when they are rare",
    "the technical terms of experts",
)


def nearest_preset(professional: int, technical: int) -> str:
    """Return the preset whose numbers are nearest."""
    return min(
        PRESETS,
        key=lambda name: (
            (PRESETS[name][0] - professional) ** 2 + (PRESETS[name][1] - technical) ** 2
        ),
    )


def tone_of(metadata: Metadata) -> str:
    """Return the tone in words."""
    professional = _PROFESSIONAL[_band(metadata.tone_professional)]
    return f"{professional}; {_TECHNICAL[_band(metadata.tone_technical)]}"


def audience_of(metadata: Metadata) -> str:
    """Return the audience in words."""
    names = [name.replace("_", " ") for name in metadata.target_audience if name != "myself"]
    return ", ".join(names) or "the author"


def _band(number: int) -> int:
    if number < _LOW:
        return 0
    return 1 if number <= _HIGH else 2
