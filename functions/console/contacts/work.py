"""
Runs of the work on contacts that goes on after the answer: lists whose members are removed, imports.

A run is started by the request or by the run before it, and by the schedule that looks for open work: so nothing is
lost if a process dies at any moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from console.store import contact_work
from console.store.contact_work import OpenWork
from shared.contacts import lists
from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.bulk.calls import Functions
    from shared.aws.dynamodb import Table

STARTED: Final = "contact_work"  # in the event of a run
SPARE_MS: Final = 5 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The table of the contacts, and the function that starts itself."""

    table: Table
    functions: Functions

    def start(self, work: OpenWork, run: int = 1) -> None:
        """Start a run. The work is stored: if no run starts now, the schedule starts one."""
        event = {STARTED: {"work": work.model_dump(mode="json"), "run": run}}
        try:
            self.functions.invoke_own(event)
        except (ClientError, BotoCoreError) as failure:
            logger.warning("work on contacts not started", extra=describe(failure))

    def start_opened(self) -> None:
        """Start a run of all open work."""
        for one in contact_work.opened(self.table):
            self.start(one)

    def go_on(self, started: dict[str, Any], remaining_ms: Callable[[], int], most: int) -> None:
        """Do the work of a run, then start the next one if some is left and fewer than *most* have run."""
        work, run = OpenWork.read(started["work"]), int(started["run"])
        is_done = self._remove_members(work, remaining_ms)
        if is_done:
            contact_work.close(self.table, work)
        elif run < most:
            self.start(work, run + 1)

    def _remove_members(self, work: OpenWork, remaining_ms: Callable[[], int]) -> bool:
        while remaining_ms() > SPARE_MS:
            if lists.remove_members(self.table, work.company_id, work.object_id):
                return True
        return False
