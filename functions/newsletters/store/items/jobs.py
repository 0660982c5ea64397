"""Work on a newsletter: jobs, their finished units, and the mark of a deleted newsletter."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from newsletters.store.items.item import TableItem, timestamp

OPEN_WORK: Final = "NLDUE"  # partition of GSI1 with the work that is not done
NO_OWNER: Final = "-"


class JobState(StrEnum):
    """
    The state of a job.

        queued -> running -> done | failed
           '---------'-----> cancelled
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN: Final = frozenset({JobState.QUEUED, JobState.RUNNING})


def due_key(due_ms: int, code: str, name: str) -> str:
    """Return the sort key of open work in GSI1: the schedule looks at it from *due_ms* (since 1970) on."""
    return f"{timestamp(due_ms)}#{code}#{name}"


class Job(TableItem):
    """
    The newest job of one kind: *name* is a step, or `export-{format}`.

    *job_id* identifies the run. *lease_owner* is the worker's invocation until *lease_until* (ms since 1970); both are
    removed when the job ends. *units_done* of *units* are stored; *doing* names the current work. *due_ms* is when the
    schedule looks after an open job; *deadline_ms* when it fails.
    """

    partition: ClassVar[str] = "NLWORK#{newsletter_code}"
    sort: ClassVar[str] = "JOB#{name}"
    ttl_days: ClassVar[int] = 30

    code: str
    name: str
    job_id: str
    company_id: str
    state: JobState = JobState.QUEUED
    options: dict[str, Any] = Field(default_factory=dict)
    requested_by: str
    started_at: str
    ended_at: str | None = None
    deadline_ms: int
    units: int = 1
    units_done: int = 0
    doing: str = "queued"
    error_code: str | None = None
    content_hash: str = ""  # of the content that an export shows
    lease_owner: str | None = NO_OWNER
    lease_until: int | None = 0
    attempts: int = 0
    turn: int = 0  # number of the newest message about the job
    tokens_in: int = 0
    tokens_out: int = 0
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None  # of open work only
    ttl: int

    @property
    def is_open(self) -> bool:
        """Whether the job has not ended."""
        return self.state in OPEN


class FinishedUnit(TableItem):
    """
    The result of one unit of a job, as JSON. A redelivery repeats the unit only if its inputs (*inputs_hash*) have
    changed. *ai_version*: of the company's settings. *cost_micros*: of its calls; None if the price is not known.
    """

    partition: ClassVar[str] = "NLWORK#{newsletter_code}"
    sort: ClassVar[str] = "UNIT#{job_id}#{number}"
    ttl_days: ClassVar[int] = 7

    result: str = Field(repr=False)
    inputs_hash: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int | None = None
    ai_version: int | None = None
    ttl: int


class Revision(TableItem):
    """
    Replaced content of a step: its version, and a pointer to it. *by* caused the replacement; *cause* is `generated`,
    `restored` or `discarded`.
    """

    partition: ClassVar[str] = "NLWORK#{newsletter_code}"
    sort: ClassVar[str] = "REV#{step}#{version}"

    step: str
    version: int
    at: str
    by: str
    cause: str
    content: dict[str, Any]  # pointer to the object


class Deletion(TableItem):
    """
    Mark of a deleted newsletter: its code is never used again, and no late worker writes for it.

    It is open work until the objects and jobs are removed.
    """

    partition: ClassVar[str] = "NLWORK#{newsletter_code}"
    sort: ClassVar[str] = "DELETED"

    code: str
    deleted_at: str
    purge: Literal["pending", "done"] = "pending"
    turn: int = 0
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None  # of open work only
