"""Kinds of jobs whose items are in the table of the contacts (`console.store.contacts.work`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from console.jobs.runs import Job
from console.store.contacts import work as contact_work
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from console.store.contacts.work import OpenWork, WorkKind
    from shared.aws.dynamodb import Table
    from shared.runtime.failures import Transient

SPARE_MS: Final = 8 * clock.SECOND_MS
FAILED_MS: Final = 3 * clock.SECOND_MS
MOST_FAILURES: Final = 3


class Steps(Protocol):
    """The work of a kind on a job that a run holds, as it is stored."""

    def step(self) -> bool:
        """Do the next part, and store it; return whether the job has ended. Raises LeaseLost and Transient."""


@dataclass(frozen=True, slots=True)
class _Turn:
    table: Table
    work: OpenWork
    steps: Steps

    def step(self) -> int | None:
        """Do the next part of the job."""
        return None if self.steps.step() else 0

    def failed(self, failure: Transient) -> int:
        """Wait before the next attempt."""
        del failure
        return FAILED_MS

    def leave(self) -> None:
        """Release the job: each step has stored its progress."""
        contact_work.release(self.table, self.work)


@dataclass(frozen=True, slots=True)
class ContactWork:
    """The kinds of jobs on contacts: they are listed together. *steps* is what each does with a job."""

    table: Table
    steps: Mapping[WorkKind, Callable[[OpenWork], Steps]]
    spare_ms: int = SPARE_MS
    most_failures: int = MOST_FAILURES

    def opened(self) -> Iterator[Job]:
        """Yield the open jobs of these kinds, of all companies, at most MOST_OPEN of each."""
        counts = Counter[str]()
        for work in contact_work.opened(self.table):
            counts[work.company_id] += 1
            if work.kind in self.steps and counts[work.company_id] <= contact_work.MOST_OPEN:
                yield job_of(work)

    def taken(self, job: Job, owner: str, remaining_ms: int) -> _Turn | None:
        """Take a job over for a run. Raises Held and Finished."""
        work = contact_work.get(self.table, job.company, job.kind, job.name)
        if work is None:
            return None
        held = contact_work.held(self.table, work, owner, remaining_ms)
        return _Turn(self.table, held, self.steps[held.kind](held))


def job_of(work: OpenWork) -> Job:
    """Return the job of an item."""
    return Job(kind=work.kind, company=work.company_id, name=work.object_id)
