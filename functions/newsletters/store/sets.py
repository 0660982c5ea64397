"""Where the sets of scenarios of a company's newsletters and their runs are."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from newsletters.store.items.evaluation import (
    SettingsRun,
    SettingsSet,
    evaluation_item,
    evaluation_key,
)
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.ai.evaluation.sets.stored import Evaluations
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import filled

if TYPE_CHECKING:
    from pydantic import BaseModel

    from shared.aws.dynamodb import Attributes, Table


def of_company(table: Table, company_id: str) -> Evaluations:
    """Return the sets of a company."""
    return Evaluations(table, _Places(company_id))


def forget_author(table: Table, company_id: str, user_id: str, name: str) -> None:
    """Replace a user who stored sets or began runs by *name*. Idempotent."""
    for kind in (SettingsSet, SettingsRun):
        of_kind: ConditionBase = Key(PARTITION_KEY).eq(filled(kind.partition, company_id))
        of_kind &= Key(SORT_KEY).begins_with(kind.first_sort)
        start: Attributes | None = None
        while True:
            items, start = table.query(None, of_kind, start=start)
            for item in items:
                if item[kind.name_of("by")] == user_id:
                    _replace_author(table, item, user_id, name)
            if start is None:
                break


def _replace_author(table: Table, item: Attributes, user_id: str, name: str) -> None:
    key = {part: item[part] for part in (PARTITION_KEY, SORT_KEY)}
    by = SettingsSet.name_of("by")  # of runs, too
    with suppress(ConditionFailed):  # replaced or removed meanwhile
        table.update(key, put={by: name}, when=Attr(by).eq(user_id))


@dataclass(frozen=True, slots=True)
class _Places:
    """See `Places`."""

    company_id: str

    @property
    def listed_by(self) -> ConditionBase:
        """The sets of the company."""
        partition = filled(SettingsSet.partition, self.company_id)
        sets: ConditionBase = Key(PARTITION_KEY).eq(partition)
        return sets & Key(SORT_KEY).begins_with(SettingsSet.first_sort)

    def key_of(self, kind: type[BaseModel], *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation_key(kind, self.company_id, *parts)

    def item_of(self, kept: BaseModel, *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation_item(kept, self.key_of(type(kept), *parts))
