"""Macros of a company: one item each, and a list of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store.items import Macro, MacroList
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.seen import put as put_over

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.tables.seen import Seen

MOST: Final = 100
_names: Final = MacroList.attr("names")


class TooManyMacros(Exception):
    """The company has as many macros as it may have."""


def get(table: Table, company_id: str, name: str) -> Macro | None:
    """Return one macro (strongly consistent read)."""
    item = table.get(Macro.key(company_id, name))
    return Macro.read(item) if item else None


def of_company(table: Table, company_id: str) -> list[Macro]:
    """Return all macros of a company, by name."""
    item = table.get(MacroList.key(company_id))
    names = sorted(MacroList.read(item).names) if item else []
    found = table.get_many([Macro.key(company_id, name) for name in names])
    return sorted(map(Macro.read, found), key=lambda macro: macro.name)


def put(table: Table, macro: Macro, seen: Seen | None = None) -> None:
    """
    Write a macro in place of the one that was *seen* and list it. Idempotent. Raises TooManyMacros, ChangedMeanwhile.

    Listed first: a name without its item is left out of lists, an item without its name could not be found. One that
    was seen is listed already, and after its removal its name must not be listed again.
    """
    if seen is None or seen.updated_at is None:
        _list(table, macro)
    put_over(table, Macro.key(macro.company_id, macro.name), macro, seen)


def _list(table: Table, macro: Macro) -> None:
    room = _names.not_exists() | _names.size().lt(MOST) | _names.contains(macro.name)
    try:
        table.update(
            MacroList.key(macro.company_id),
            add=MacroList.named(names={macro.name}),
            when=room,
        )
    except ConditionFailed:
        raise TooManyMacros(f"a company has at most {MOST} macros") from None


def remove(table: Table, company_id: str, name: str) -> None:
    """Delete a macro, then its name from the list. Idempotent."""
    table.delete(Macro.key(company_id, name))
    table.update(
        MacroList.key(company_id),
        take_from_set=MacroList.named(names={name}),
    )
