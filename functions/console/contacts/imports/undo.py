"""
The undoing of an import into a list, as a job: the memberships that it alone has made, and the opt-ins that it has
attested where nothing was known, are taken back.

    withdrawn    the contact is taken out of the list
    kept         people, a reader or another import have brought the contact into the list since, or before
    gone         the contact is not in the list any more

Each page of rows is written with what it will do before anything is taken back, so a repeated step reports the same.
Contacts and their details stay, as they may be used otherwise, and so do opt-outs and bounces.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from console.contacts.imports.attestations import take_back
from console.store.contacts import imports as contact_imports
from console.store.contacts import work as contact_work
from shared.contacts import lists
from shared.runtime import clock
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from console.store.contacts.imports import Import, ImportRows
    from console.store.contacts.work import OpenWork
    from shared.aws.dynamodb import Table
    from shared.policy.consent.records import Consents

type Undone = Literal["withdrawn", "kept", "gone"]

DAYS: Final = 7  # after the end of an import
DAYS_MS: Final = DAYS * clock.DAY_SECONDS * clock.SECOND_MS


class NotUndoable(Exception):
    """The import has brought no one into a list, or it has ended too long ago."""


def begin(table: Table, found: Import, by: str) -> None:
    """Begin to undo an import; nothing if that has begun before. Raises NotUndoable."""
    if found.undo is not None:
        return
    if found.stage != "done" or found.list_id is None:
        raise NotUndoable("only an import into a list that has ended can be undone")
    if clock.from_text(str(found.finished_at)) + DAYS_MS < clock.now_ms():
        raise NotUndoable(f"an import can be undone for {DAYS} days")
    contact_work.require_room(table, found.company_id)
    contact_imports.begin_undo(table, found, by)


@dataclass(slots=True)
class UndoSteps:
    """The steps of a run. *work* is the job as it was stored last."""

    table: Table
    consents: Consents
    work: OpenWork

    def step(self) -> bool:
        """Take back the memberships of the next rows; return whether the undoing has ended."""
        found = contact_imports.get(self.table, self.work.company_id, self.work.object_id)
        if found is None or found.list_id is None:
            contact_work.finish(self.table, self.work)
            return True
        rows = contact_imports.rows_after(self.table, found, self.work.progress.get("after"))
        if rows is None:
            return self._ended(found)
        planned = self._planned(found, found.list_id, rows)
        for one in planned.rows:
            if one.get("undone") == "withdrawn":
                one["undone"] = self._withdrawn(found, found.list_id, str(one["contact"]))
            if found.consent is not None and "contact" in one:
                contact_id, own = str(one["contact"]), found.import_id
                take_back(self.consents, self.table, found.company_id, contact_id, own)
        counts = self._counts(planned.rows)
        progress = {"after": rows.sk, "counts": counts}
        written = self.table.to_put(planned.attributes())
        self.work = contact_work.save(self.table, self.work, progress, written)
        return False

    def _planned(self, found: Import, list_id: str, rows: ImportRows) -> ImportRows:
        """Return rows with what becomes of their memberships, which is stored before it is done."""
        if all("undone" in one or "contact" not in one for one in rows.rows):
            return rows
        planned: list[dict[str, Any]] = []
        for one in rows.rows:
            contact_id = one.get("contact")
            if contact_id is None:
                planned.append(one)
                continue
            known = lists.membership(self.table, found.company_id, list_id, str(contact_id))
            undone: Undone = "gone"
            if known is not None:
                undone = "withdrawn" if known.import_id == found.import_id else "kept"
            planned.append({**one, "undone": undone})
        changed = rows.model_copy(update={"rows": planned})
        written = self.table.to_put(changed.attributes())
        self.work = contact_work.save(self.table, self.work, self.work.progress, written)
        return changed

    def _withdrawn(self, found: Import, list_id: str, contact_id: str) -> Undone:
        """Take a membership back; one that people have wanted since it was planned stays."""
        company, own = found.company_id, found.import_id
        if lists.withdraw(self.table, company, list_id, contact_id, own):
            return "withdrawn"
        # Without the membership an earlier run of this step has taken it back.
        known = lists.membership(self.table, company, list_id, contact_id)
        return "withdrawn" if known is None else "kept"

    def _ended(self, found: Import) -> bool:
        counts = self._counts([])
        written = contact_imports.undo_end_written(self.table, found, counts)
        contact_work.finish(self.table, self.work, written)
        facts = {"company": found.company_id, "import": found.import_id}
        logger.info("import undone", extra=facts | {"count": sum(counts.values())})
        return True

    def _counts(self, rows: list[dict[str, Any]]) -> dict[str, int]:
        stored = {name: int(count) for name, count in self.work.progress.get("counts", {}).items()}
        undone = Counter(str(one["undone"]) for one in rows if "undone" in one)
        return dict(Counter(stored) + undone)
