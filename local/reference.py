"""
Writes `docs/whatsapp-table.md`: every item type of the whatsapp table, from its declaration.

    python -m local.reference            write the page
    python -m local.reference --check    tell whether it is what the declarations say; 1 when it is not
"""

import inspect
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from local.processes import ROOT
from shared.delivery import Action
from whatsapp.items import ACTION_PK_PATTERN, AtMost, WhatsAppItem
from whatsapp.items.register import CONTRACTED, SUPPORT

PAGE = ROOT / "docs" / "whatsapp-table.md"
TABLE_TYPES = {str: "S", int: "N", bool: "BOOL", list: "L", dict: "M", set: "SS"}
_OF_EVERY_ITEM = frozenset(WhatsAppItem.model_fields)


def page() -> str:
    """The whole page, in Markdown."""
    parts = [
        "# The whatsapp table",
        "Made by `make docs` from the item classes in `functions/whatsapp/items/`; a test holds it.",
        "One table with the string key `pk`. Every item has `itemType` and, where it is known, `company`; items with a"
        " lifetime have `ttl` (epoch seconds), and no read shows them after it. A required attribute is in **bold**.",
        "## Items of the contract",
        *(_chapter(item, number) for number, item in enumerate(CONTRACTED, start=1)),
        "## Support items",
        *(_chapter(item) for item in SUPPORT),
        _ledger(),
    ]
    return "\n\n".join(parts) + "\n"


def _chapter(item: type[WhatsAppItem], number: int | None = None) -> str:
    heading = f"### {f'{number}. ' if number else ''}{item.item_type}"
    lifetime = f"{item.ttl_days} days" if item.ttl_days else ""
    facts = [
        f"- Key: `{item.pk_pattern}`",
        f"- Lifetime: {' '.join(filter(None, (lifetime, item.ttl_note))) or 'kept'}",
        f"- Indexes: {', '.join(f'`{index}`' for index in item.indexes) or 'none'}",
    ]
    shown = {name: field for name, field in item.model_fields.items() if name not in _OF_EVERY_ITEM}
    notes = dict(_notes(item))
    rows = [_row(field, notes.get(name, "")) for name, field in shown.items()]
    return "\n\n".join([heading, inspect.getdoc(item) or "", "\n".join(facts), _table(rows)])


def _ledger() -> str:
    rows = [_row(field, "") for field in Action.model_fields.values()]
    facts = f"- Key: `{ACTION_PK_PATTERN}`\n- Lifetime: 35 days\n- Indexes: none"
    return "\n\n".join(
        [f"### {Action.item_type}", inspect.getdoc(Action) or "", facts, _table(rows)]
    )


def _table(rows: list[str]) -> str:
    return "\n".join(["| attribute | type | values, bounds | |", "|---|---|---|---|", *rows])


def _row(field: FieldInfo, note: str) -> str:
    values = list(allowed(field.annotation))
    words = [part for part in values if isinstance(part, str)]
    types = {TABLE_TYPES.get(p, "S") for p in values if isinstance(p, type)} or {"S"}
    bounds = [f"at most {bound.count:,} {bound.what}" for bound in bounds_of(field)]
    name = f"**{field.alias}**" if field.is_required() else str(field.alias)
    return f"| {name} | {', '.join(sorted(types))} | {', '.join([*words, *bounds])} | {note.replace('|', 'or')} |"


def allowed(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - any type expression
    """The types and literal values of an annotation, without None."""
    if isinstance(annotation, TypeAliasType):
        yield from allowed(annotation.__value__)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from allowed(part)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif hasattr(annotation, "__metadata__"):
        yield from allowed(annotation.__origin__)
    elif annotation is not type(None):
        yield get_origin(annotation) or annotation


def bounds_of(field: FieldInfo) -> list[AtMost]:
    """The bounds that a field declares."""
    found = [*field.metadata]
    for part in get_args(field.annotation):
        found += getattr(part, "__metadata__", ())
    return [entry for entry in found if isinstance(entry, AtMost)]


def _notes(item: type[WhatsAppItem]) -> Iterator[tuple[str, str]]:
    """What the class's source says about each field: the comment behind it, or above it."""
    above = field = ""
    for token in tokenize.generate_tokens(io.StringIO(inspect.getsource(item)).readline):
        is_first = token.line[: token.start[1]].strip() == ""
        if token.type == tokenize.COMMENT:
            text = token.string.removeprefix("#").strip()
            if is_first:
                above = f"{above} {text}".strip()
            elif field:
                yield field, text
        elif token.type == tokenize.NAME and is_first:
            field = token.string
            if above:
                yield field, above
            above = ""


def main(arguments: list[str]) -> int:
    """Write or check the page; the exit code."""
    wanted = page()
    if "--check" in arguments:
        written = PAGE.read_text() if PAGE.exists() else ""
        if written != wanted:
            print(f"{Path(PAGE).relative_to(ROOT)} is behind the item classes: make docs")
            return 1
        return 0
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
