"""Access pattern of saved views: one item for each person or team."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed
from shared.inbox.items import pk
from shared.inbox.lists.items import SavedViews
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shared.aws.dynamodb import Table

type Views = Mapping[str, Mapping[str, str]]  # filters by the name of the view

_ATTEMPTS = 3  # against changes at the same time


def of_owners(table: Table, company: str, owners: Sequence[str]) -> list[SavedViews]:
    """Return what the owners have saved, in their order; without owners that have saved nothing."""
    keys = [SavedViews.key(company, owner) for owner in owners]
    items = {str(item["pk"]): item for item in table.get_many([pk(key) for key in keys])}
    return [SavedViews.read(items[key]) for key in keys if key in items]


def change(table: Table, company: str, owner: str, made: Callable[[Views], Views]) -> SavedViews:
    """
    Store what *made* makes of an owner's views, and return it. Safe to repeat if *made* is.

    Raises what *made* raises, and Transient if others change them again and again meanwhile.
    """
    for _ in range(_ATTEMPTS):
        found = of_owners(table, company, [owner])
        key = SavedViews.key(company, owner)
        before = found[0] if found else SavedViews(pk=key, company_id=company, owner=owner)
        views = {name: dict(filters) for name, filters in made(before.views).items()}
        after = before.model_copy(update={"views": views, "revision": before.revision + 1})
        revision = SavedViews.attr("revision")
        unchanged = revision.eq(before.revision) if found else revision.not_exists()
        try:
            table.put(after.attributes(), when=unchanged)
        except ConditionFailed:
            continue
        return after
    raise Transient("views_changed_meanwhile")
