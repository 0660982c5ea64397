"""
The contexts as parts of one request about a person: how a person is named, and what each part answers.

A part is in the process of the caller, or behind its context's function (`shared.privacy.part_calls`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence  # noqa: TC003 - fields of models
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from pydantic import BaseModel, ConfigDict

from shared.inbox.entries import ReadableHeads
from shared.privacy import engine, remainders
from shared.privacy.jobs import Job, Kind
from shared.privacy.views import ReceiptView

if TYPE_CHECKING:
    from shared.privacy.engine import Engine
    from shared.privacy.requests import Jobs


class NameKind(StrEnum):
    """
    The kinds of names of a person: identifiers, the id of a contact, the authenticated caller of the APIs, and a ticket
    of the help desk, which is known by its id alone.
    """

    PHONE = "phone"
    EMAIL = "email"
    USER_ID = "user_id"
    EXTERNAL = "external_id"
    CONTACT = "contact_id"
    PRINCIPAL = "principal"
    TICKET = "ticket_id"


class Named(NamedTuple):
    """
    A name of the person in its normal form: +447700900101, ann@example.com, a user id of WhatsApp, which is of any
    business portfolio of the company, shop:C-1001, a contact's id, user:<id> and api-key:<id> of a colleague, or the id
    of a ticket.
    """

    kind: NameKind
    value: str


class _Stated(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


class Asked(_Stated):
    """The request that a part works for. A job belongs to it if it was requested at the same time or later."""

    kind: Kind
    company: str
    requested_at: str
    requested_by: str


class Known(_Stated):
    """
    What a part knows of a name: further names of the person who has it today, and whether it was another person's
    before; what its contact proves is then that person's.
    """

    names: list[Named]
    has_passed_on: bool


class Subject(_Stated):
    """The person, or a name of the person, as a job of the part names it; and the id of the job."""

    name: str
    job_id: str


class PartJob(_Stated):
    """
    A job of a part: the receipt of its newest run, and the folder of its export.

    `left`: ids of copies that an operator has to delete at the model's provider.
    """

    job_id: str
    is_done: bool
    requested_at: str
    finished_at: str | None
    counts: dict[str, int]
    receipt: ReceiptView | None
    left: list[str]
    bucket: str
    prefix: str


class Part(Protocol):
    """The jobs of one context."""

    @property
    def context(self) -> str:
        """The name of the context."""

    def known(self, company: str, name: Named, /) -> Known:
        """Return what the context knows of a name."""

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return the subjects of a person, in the same order at every call."""

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """
        Return the job of a subject that belongs to the request; start it if there is none.

        *queues*: an unfinished job is queued again, since the process that has stored it may have died before it queued
        it. It may be done by then or not. Raises NotEnqueued and Transient.
        """

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""


class PersonHeads(ReadableHeads, Protocol):
    """The heads of a context's conversations, which are read in batches."""

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after a batch read of these; `read` answers the first call for each with it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsPart[J: Job]:
    """
    The jobs of a context as its part, one for each subject.

    *subject_of*: returns the subject that a name is; None for a name that leads to nothing there. *engine*: of jobs in
    no queue, of which each call of `since` makes a turn.
    """

    context: str
    jobs: Jobs[J]
    subject_of: Callable[[Named], str | None]
    engine: Engine[J] | None = None

    def known(self, _company: str, _name: Named, /) -> Known:
        """Return nothing: most contexts know no further names of a person, and no owner that changes."""
        return Known(names=[], has_passed_on=False)

    def of_names(self, _company: str, names: Sequence[Named], /) -> Sequence[str]:
        """Return the subjects of a person with these names, in the same order at every call."""
        found = map(self.subject_of, names)
        return list(dict.fromkeys(one for one in found if one is not None))

    def left(self, _job: J, /) -> Sequence[str]:
        """Return the ids of copies that an operator has to delete."""
        return ()

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return the subjects of a person, with the ids of their jobs."""
        return [
            Subject(name=one, job_id=self.jobs.id_of(kind, company, one))
            for one in self.of_names(company, names)
        ]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """
        Return the job of a subject whose run was requested with the person's or later: the stored one, or after a
        start, and a turn of one in no queue.
        """
        job = self.jobs.get(self.jobs.id_of(asked.kind, asked.company, subject))
        is_theirs = job is not None and job.requested_at >= asked.requested_at
        goes_on = queues or self.engine is not None
        if job is None or not is_theirs or (goes_on and not job.is_done):
            by, at = asked.requested_by, asked.requested_at
            job = self.jobs.start(asked.kind, asked.company, subject, by=by, at=at)
            if self.engine is not None:
                job = engine.turn(self.engine, job.job_id)
        return self._stated(job)

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = self.jobs.get(job_id)
        return self._stated(job) if job is not None else None

    def _stated(self, job: J) -> PartJob:
        is_over = job.is_done and bool(job.receipts)
        stated = self.jobs.remainders(job)
        return PartJob(
            job_id=job.job_id,
            is_done=job.is_done,
            requested_at=job.requested_at,
            finished_at=job.finished_at,
            counts=job.counts,
            receipt=remainders.receipt(stated, job.receipts[0]) if is_over else None,
            left=list(self.left(job)),
            bucket=self.jobs.bucket.name,
            prefix=self.jobs.folder(job).prefix,
        )
