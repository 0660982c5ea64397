"""
Writes the reference pages of the tables, `docs/*-table*.md`: every item type from its declaration.

    python -m local.docs.table_reference            write the pages
    python -m local.docs.table_reference --check    compare the pages with the declarations; 1 if one differs
"""

import inspect
import io
import sys
import tokenize
from collections.abc import Callable, Iterator
from enum import Enum
from types import UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from conversations.store.items import log as conversation_log
from conversations.store.items.base import ONLY, LogItem
from conversations.store.items.catalogue import OF_THE_LOG
from conversations.store.items.conversation import PARTITION_KEY, SORT_KEY, Conversation, Entry
from local.stack.processes import ROOT
from shared.action_ledger import Action
from shared.consent.records import Consent
from whatsapp.store.items import ACTION_PK_PATTERN, AtMost, WhatsAppItem
from whatsapp.store.items.register import CONTRACTED, SUPPORT

DOCS = ROOT / "docs"
TABLE_TYPES = {str: "S", int: "N", bool: "BOOL", list: "L", dict: "M", set: "SS"}
MADE = "Made by `make docs` from the item classes in `functions/{context}/store/items/`; a test holds it."
BODY = 4  # the column at which the fields of a class begin
_OF_EVERY_ITEM = frozenset(WhatsAppItem.model_fields)
_OF_EVERY_LOG_ITEM = frozenset(LogItem.model_fields)


def whatsapp_page() -> str:
    """Return the whole page of the whatsapp table, in Markdown."""
    return _joined(
        "# The whatsapp table",
        MADE.format(context="whatsapp"),
        "One table with the string key `pk`. Every item has `itemType` and, where it is known, `company`; items with a"
        " lifetime have `ttl` (epoch seconds), and no read shows them after it. A required attribute is in **bold**.",
        "## Items of the contract",
        *(_chapter(item, number) for number, item in enumerate(CONTRACTED, start=1)),
        "## Support items",
        *(_chapter(item) for item in SUPPORT),
        _ledger(ACTION_PK_PATTERN),
    )


def conversations_page() -> str:
    """Return the whole page of the two tables of conversations, in Markdown."""
    return _joined(
        "# The tables of conversations",
        MADE.format(context="conversations"),
        "Two tables. Items with a lifetime have `ttl` (epoch seconds), and no read shows them after it; where no number"
        " of days stands, it is the `retention_days` of the project after the last turn. A required attribute is in"
        " **bold**.",
        "## The conversation, `conversations-<stage>`",
        _part(Conversation, f"- Key: `{PARTITION_KEY}`, `{SORT_KEY}`\n- Indexes: {_indexes()}"),
        "### An element of `messages`",
        _part(Entry),
        "## The log, `conversation-log-<stage>`",
        "Keys are the strings `pk` and `sk`; every item has `item_type`. `due-index` holds the keys of items with a"
        f" `due_bucket`. {inspect.cleandoc(conversation_log.__doc__ or '').splitlines()[-1]}",
        *(_log_chapter(item) for item in OF_THE_LOG),
        _ledger(conversation_log.ACTION_PK_PATTERN, ONLY),
        "### CONSENT",
        _part(Consent, f"- Key: `{Consent.pk_pattern}` / `{Consent.sk_pattern}`\n- Lifetime: kept"),
    )


PAGES: dict[str, Callable[[], str]] = {
    "whatsapp-table.md": whatsapp_page,
    "conversations-tables.md": conversations_page,
}


def _joined(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"


def _chapter(item: type[WhatsAppItem], number: int | None = None) -> str:
    heading = f"### {f'{number}. ' if number else ''}{item.item_type}"
    lifetime = f"{item.ttl_days} days" if item.ttl_days else ""
    facts = [
        f"- Key: `{item.pk_pattern}`",
        f"- Lifetime: {' '.join(filter(None, (lifetime, item.ttl_note))) or 'kept'}",
        f"- Indexes: {', '.join(f'`{index}`' for index in item.indexes) or 'none'}",
    ]
    return f"{heading}\n\n{_part(item, '\n'.join(facts), _OF_EVERY_ITEM)}"


def _log_chapter(item: type[LogItem]) -> str:
    lifetime = f"{item.ttl_days} days" if item.ttl_days else item.ttl_note or "the conversation's"
    facts = f"- Key: `{item.pk_pattern}` / `{item.sk_pattern}`\n- Lifetime: {lifetime}"
    return f"### {item.item_type}\n\n{_part(item, facts, _OF_EVERY_LOG_ITEM)}"


def _ledger(*patterns: str) -> str:
    key = " / ".join(f"`{pattern}`" for pattern in patterns)
    facts = f"- Key: {key}\n- Lifetime: 35 days\n- Indexes: none"
    rows = [_row(name, field, "") for name, field in Action.model_fields.items()]
    return "\n\n".join(
        [f"### {Action.item_type}", inspect.getdoc(Action) or "", facts, _table(rows)]
    )


def _part(item: type[BaseModel], facts: str = "", left_out: frozenset[str] = frozenset()) -> str:
    """Return a class's docstring, its key facts and its attributes."""
    shown = {name: field for name, field in item.model_fields.items() if name not in left_out}
    notes = dict(_notes(item))
    rows = [_row(name, field, notes.get(name, "")) for name, field in shown.items()]
    parts = [inspect.getdoc(item) or "", facts, _table(rows) if rows else ""]
    return "\n\n".join(filter(None, parts))


def _indexes() -> str:
    pairs = [index for index, _, _ in Conversation.by_pair.values()]
    own = [
        Conversation.by_company, Conversation.by_created, Conversation.by_task_complete, Conversation.by_status,
        Conversation.by_channel,
    ]  # fmt: skip
    return ", ".join(f"`{index}`" for index in [*own, *pairs])


def _table(rows: list[str]) -> str:
    return "\n".join(["| attribute | type | values, bounds | |", "|---|---|---|---|", *rows])


def _row(name: str, field: FieldInfo, note: str) -> str:
    values = list(allowed(field.annotation))
    words = [part for part in values if isinstance(part, str)]
    types = {TABLE_TYPES.get(p, "S") for p in values if isinstance(p, type)} or {"S"}
    types -= {"S"} if any(_is_map(part) for part in values) else set()
    types |= {"M"} if any(_is_map(part) for part in values) else set()
    bounds = [f"at most {bound.count:,} {bound.what}" for bound in bounds_of(field)]
    stored = str(field.alias or name)
    name = f"**{stored}**" if field.is_required() else stored
    return f"| {name} | {', '.join(sorted(types))} | {', '.join([*words, *bounds])} | {note.replace('|', 'or')} |"


def _is_map(part: object) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)


def allowed(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - any type expression
    """Yield the types and literal values of an annotation, without None."""
    if isinstance(annotation, TypeAliasType):
        yield from allowed(annotation.__value__)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from allowed(part)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif hasattr(annotation, "__metadata__"):
        yield from allowed(annotation.__origin__)
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(member.value) for member in annotation)
    elif annotation is not type(None):
        yield get_origin(annotation) or annotation


def bounds_of(field: FieldInfo) -> list[AtMost]:
    """Return the bounds that a field declares."""
    found = [*field.metadata]
    for part in get_args(field.annotation):
        found += getattr(part, "__metadata__", ())
    return [entry for entry in found if isinstance(entry, AtMost)]


def _notes(item: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the comment of each field in the class's source: the trailing one, or the one above it."""
    above = field = ""
    for token in tokenize.generate_tokens(io.StringIO(inspect.getsource(item)).readline):
        is_of_class = token.start[1] == BODY
        if token.type == tokenize.COMMENT:
            text = token.string.removeprefix("#").strip()
            if is_of_class:
                above = f"{above} {text}".strip()
            elif field and not token.line.startswith(" " * (BODY + 1)):
                yield field, text
        elif token.type == tokenize.NAME and is_of_class:
            field = token.string
            if above:
                yield field, above
            above = ""


def main(arguments: list[str]) -> int:
    """Write or check the pages; return the exit code."""
    behind = 0
    for name, made in PAGES.items():
        page, wanted = DOCS / name, made()
        if "--check" not in arguments:
            page.write_text(wanted)
        elif not page.exists() or page.read_text() != wanted:
            print(f"{name} is behind the item classes: make docs")
            behind = 1
    return behind


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
