"""
Renders a reply from a wording of its template. The text contains only the variables that its template declares:
others are dropped, values are cleaned and escaped, and a missing required variable is an error.
"""

import html
import unicodedata
from collections.abc import Mapping
from enum import StrEnum

from richpanel.decisions.templates import mustache
from richpanel.decisions.templates.catalogue import (
    ASKS_NUMBER,
    FIRST_NAME,
    SIGNATURE,
    Parts,
    templates,
)

LONGEST_VALUE = 300
LONGEST_FIRST_NAME = 30


class BodyFormat(StrEnum):
    """The format in which the help desk reads a reply's body. In HTML, values are escaped and lines end with `<br>`."""

    TEXT = "text"
    HTML = "html"


class VariableMissing(Exception):
    """A required variable of a template has no value. The text has the template and the variable."""


def missing(template_id: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of a template's required variables that have no value in *values*."""
    return tuple(
        sorted(name for name in templates[template_id].required if not _cleaned(values.get(name)))
    )


def render(
    template_id: str,
    wording: Parts,
    values: Mapping[str, str],
    *,
    signature: str,
    first_name: str | None,
    body_format: BodyFormat,
) -> str:
    """Render a reply from one *wording* of its template. Raises VariableMissing; KeyError for an unknown template."""
    template = templates[template_id]
    if absent := missing(template_id, values):
        raise VariableMissing(f"{template_id}: {absent[0]} is missing")
    declared = {name: _cleaned(values.get(name)) for name in template.required | template.optional}
    declared |= {
        SIGNATURE: _cleaned(signature),
        FIRST_NAME: greetable(first_name) or "",
        ASKS_NUMBER: values.get(ASKS_NUMBER, ""),
    }
    if body_format is BodyFormat.TEXT:
        return mustache.fill(wording, declared).strip()
    escaped = {name: html.escape(value) for name, value in declared.items()}
    return mustache.fill(wording, escaped).strip().replace("\n", "<br>\n")


def greetable(first_name: str | None) -> str | None:
    """Return a first name that can be used in a greeting: letters only, 30 at most; None for anything else."""
    name = unicodedata.normalize("NFC", first_name or "").strip()
    return name if name.isalpha() and len(name) <= LONGEST_FIRST_NAME else None


def _cleaned(value: str | None) -> str:
    """Return *value* as one line without control or invisible characters, so that it cannot add lines."""
    printable = "".join(
        " " if char.isspace() else char
        for char in value or ""
        if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )
    return " ".join(printable.split())[:LONGEST_VALUE]
