"""Parts of a model's text that no customer may see: placeholders and control characters."""

import re

# Tabs and line breaks are allowed. Bidirectional control characters can disguise a link or a number.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_PLACEHOLDER = re.compile(
    r"\{[^{}\n]{0,60}\}"  # {name}, {{1}}
    r"|\[[^\W\d_][^\[\]\n]{1,60}\](?!\()"  # [Your name], but not a Markdown link
    r"|<[^\W\d_][\w -]{0,40}>"  # <name>
    r"|\bX{3,}\b|\bTODO\b|\bTBD\b|_{3,}|%s\b|(?i:\blorem ipsum\b)"  # left to be filled in
)


def has_placeholder(text: str) -> bool:
    """Return whether *text* contains something that was left to be filled in."""
    return _PLACEHOLDER.search(text) is not None


def has_control_character(text: str) -> bool:
    """Return whether *text* contains a control character."""
    return _CONTROL.search(text) is not None
