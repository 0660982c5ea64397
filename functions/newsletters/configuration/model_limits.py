"""Limits of the settings of a company's model."""

from typing import Final

FEWEST_TOKENS: Final = 4_096  # of an answer: an outline, or a section with its sources
