"""Renders item classes as Markdown: docstring, key facts, and a table of the attributes."""

import inspect

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from local.docs.declarations import allowed, bounds_of, metadata_of, notes_of
from richpanel.store.items import AtMost as MostEntries
from shared.providers.action_ledger import Action

TABLE_TYPES = {str: "S", int: "N", bool: "BOOL", list: "L", dict: "M", set: "SS"}


def ledger(*patterns: str) -> str:
    """Return the chapter of the action ledger's items, whose key has these patterns."""
    key = " / ".join(f"`{pattern}`" for pattern in patterns)
    facts = f"- Key: {key}\n- Lifetime: 35 days\n- Indexes: none"
    rows = [_row(name, field, "") for name, field in Action.model_fields.items()]
    return "\n\n".join(
        [f"### {Action.item_type}", inspect.getdoc(Action) or "", facts, _table(rows)]
    )


def described(
    item: type[BaseModel], facts: str = "", left_out: frozenset[str] = frozenset()
) -> str:
    """Return a class's docstring, its key facts and its attributes."""
    shown = {name: field for name, field in item.model_fields.items() if name not in left_out}
    declaring = [part for part in reversed(item.__mro__) if issubclass(part, BaseModel)]
    notes = {name: note for part in declaring[1:] for name, note in notes_of(part)}
    rows = [_row(name, field, notes.get(name, "")) for name, field in shown.items()]
    parts = [inspect.getdoc(item) or "", facts, _table(rows) if rows else ""]
    return "\n\n".join(filter(None, parts))


def _table(rows: list[str]) -> str:
    return "\n".join(["| attribute | type | values, bounds | |", "|---|---|---|---|", *rows])


def _row(name: str, field: FieldInfo, note: str) -> str:
    values = list(allowed(field.annotation))
    words = [part for part in values if isinstance(part, str)]
    types = {TABLE_TYPES.get(p, "S") for p in values if isinstance(p, type)} or {"S"}
    types -= {"S"} if any(_is_map(part) for part in values) else set()
    types |= {"M"} if any(_is_map(part) for part in values) else set()
    bounds = [f"at most {bound.count:,} {bound.what}" for bound in bounds_of(field)]
    bounds += [
        f"at most {m.count:,} entries" for m in metadata_of(field) if isinstance(m, MostEntries)
    ]
    stored = str(field.alias or name)
    name = f"**{stored}**" if field.is_required() else stored
    return f"| {name} | {', '.join(sorted(types))} | {', '.join([*words, *bounds])} | {note.replace('|', 'or')} |"


def _is_map(part: object) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)
