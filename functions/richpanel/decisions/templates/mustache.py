"""
A subset of Mustache: variables, and sections shown if a variable has a value. No loops, no partials, no code. Any
other tag fails at parsing, so that a typo never reaches a customer.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TAG = re.compile(r"\{\{([#/]?)([a-z_]+)\}\}")
# A section tag alone on its line is removed together with the line break.
_TAG_LINE = re.compile(r"^[ \t]*(\{\{[#/][a-z_]+\}\})[ \t]*\n", re.MULTILINE)


class TemplateBroken(Exception):
    """A template is invalid. The text has the rule, and the variable if one is at fault. Raised at import only."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A placeholder for a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Section:
    """Parts that are shown only if the variable *name* has a value."""

    name: str
    parts: "tuple[Part, ...]"


type Part = str | Variable | Section


def parse(text: str) -> tuple[Part, ...]:
    """Parse the parts of a template's *text*. Raises TemplateBroken."""
    opened: list[tuple[str, list[Part]]] = [("", [])]
    position = 0
    text = _TAG_LINE.sub(r"\1", text)
    for tag in _TAG.finditer(text):
        kind, name = tag.groups()
        opened[-1][1].append(_literal(text[position : tag.start()]))
        position = tag.end()
        if kind == "#":
            opened.append((name, []))
        elif kind == "/":
            if len(opened) == 1 or opened[-1][0] != name:
                raise TemplateBroken(f"section {name} is closed but not open")
            _, parts = opened.pop()
            opened[-1][1].append(Section(name, tuple(parts)))
        else:
            opened[-1][1].append(Variable(name))
    if len(opened) > 1:
        raise TemplateBroken(f"section {opened[-1][0]} is not closed")
    opened[0][1].append(_literal(text[position:]))
    return tuple(opened[0][1])


def fill(parts: tuple[Part, ...], values: Mapping[str, str]) -> str:
    """Render *parts* with *values*, unescaped and in a single pass. Raises KeyError for a variable without a value."""
    return "".join(_filled(part, values) for part in parts)


def names_in(
    parts: tuple[Part, ...], inside: frozenset[str] = frozenset()
) -> Iterator[tuple[str, bool]]:
    """Yield each variable and section, and whether it is a section or inside a section of the same variable."""
    for part in parts:
        if isinstance(part, Variable):
            yield part.name, part.name in inside
        elif isinstance(part, Section):
            yield part.name, True
            yield from names_in(part.parts, inside | {part.name})


def _filled(part: Part, values: Mapping[str, str]) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Variable):
        return values[part.name]
    return fill(part.parts, values) if values.get(part.name) else ""


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise TemplateBroken("braces outside a variable or section tag")
    return text
