"""Finds the signature below the text that the sender of a mail wrote."""

from __future__ import annotations

from typing import Final

from email_threads.parsing.body import quotes
from email_threads.parsing.body.footers import is_closing
from email_threads.parsing.body.quotes import is_quoted

_MOST_LINES: Final = 12
_LONGEST: Final = 1_000  # characters


def text_of(text: str, new_text: str, subject: str, marked: str) -> str:
    """
    Return the signature of a mail: what its program has *marked*, else what stands between the sender's text and the
    quoted mail; and what the sender wrote below a closing formula.

    At most 12 lines of each. Nothing that the mail quotes or forwards is part of it.
    """
    _, _, below = text.partition(new_text) if new_text else ("", "", "")
    parts = [marked[:_LONGEST]] if marked.strip() else [_own(below, subject)]
    return "\n".join([*parts, _below_closing(new_text, subject)])


def _own(text: str, subject: str) -> str:
    """Return the first lines of a text, without the mail that it quotes."""
    lines = text[:_LONGEST].split("\n")
    opening = quotes.first_opening(lines, subject, None)
    return "\n".join(lines[: min(_first_quoted(lines), opening.lines.start, _MOST_LINES)])


def _below_closing(text: str, subject: str) -> str:
    """Return the last lines of a text below a formula such as "Best regards"; none if the text has a quoted mail."""
    lines = text.split("\n")
    if _first_quoted(lines) < len(lines):
        return ""
    if quotes.first_opening(lines, subject, None).lines.start < len(lines):
        return ""
    last = lines[-_MOST_LINES:]
    closing = next((n for n, line in enumerate(last) if is_closing(line.strip())), len(last))
    return "\n".join(last[closing + 1 :])[:_LONGEST]


def _first_quoted(lines: list[str]) -> int:
    return next((n for n, line in enumerate(lines) if is_quoted(line)), len(lines))
