"""JSON that people write in the console: the line at which it cannot be read, and the line of each value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.console.typescript import run

MODULE = "whatsapp/json.ts"
FORM = """{
  "version": "7.0",
  "screens": [
    {
      "id": "ONE",
      "title": "a, {b} [c] \\"d\\": e"
    },
    { "id": "TWO" }
  ]
}"""


def line_of(path: str, text: str = FORM) -> int:
    found: int = run(MODULE, "m.lineOf(value[0], value[1])", [text, path])
    return found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("version", 2),
        ("screens", 3),
        ("screens.0", 4),
        ("screens.0.title", 6),
        ("screens.1.id", 8),
        ("screens.1.layout.children", 8),  # absent: where it would be
        ("routing_model", 1),
    ],
)
def test_a_value_is_found_at_its_line_and_an_absent_one_at_what_it_belongs_to(
    path: str, line: int
) -> None:
    assert line_of(path) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n"a": 1\n"b": 2\n}', 3),
        ('{\n"a": [1,\n}', 3),
        ('{\n"a": 1,\n', 2),
        ("[]", 1),
        ("1", 1),
        ("", 1),
        ('{\n"a":\u00a01\n}', 2),
        ('{\n"a": 1,\n"b"\u2003: 2}', 3),
        ("\ufeff{}", 1),
    ],
)
def test_a_text_that_is_no_object_is_refused_at_its_line(text: str, line: int) -> None:
    assert run(MODULE, "m.parsed(value)", text) == {"line": line}


def test_the_lines_that_are_shown_are_those_of_the_text_that_the_provider_gets() -> None:
    value: dict[str, Any] = {"a": {}, "b": [], "c": [{"d": "x\ny", "e": [1, 2]}], "f": None}

    shown = run(MODULE, "m.lined(value)", value).split("\n")
    sent = json.dumps(value, indent=0, separators=(",", ":")).split("\n")

    assert [one.strip().replace(": ", ":") for one in shown] == sent
