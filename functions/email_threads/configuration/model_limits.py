"""Limits of the settings of a mailbox's model."""

from typing import Final

FEWEST_TOKENS: Final = 2_048  # of an answer: fields, quotes, questions and a reply
