"""The removal of the members of a deleted list, as a job (`console.jobs`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.store.contacts import work as contact_work
from shared.contacts import lists

if TYPE_CHECKING:
    from console.store.contacts.work import OpenWork
    from shared.aws.dynamodb import Table


@dataclass(frozen=True, slots=True)
class Removal:
    """The steps of a removal."""

    table: Table
    work: OpenWork

    def step(self) -> bool:
        """Remove some of the members; return whether the list is gone."""
        is_gone = lists.remove_members(self.table, self.work.company_id, self.work.object_id)
        if is_gone:
            contact_work.finish(self.table, self.work)
        return is_gone
