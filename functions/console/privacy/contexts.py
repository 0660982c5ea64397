"""What the erasure or export of a person asks of the contexts: a job for each identifier, and rows without a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from console.store.person_jobs import Named, PersonJob
    from shared.privacy.exports import ExportFolder
    from shared.privacy.jobs import Job, Kind
    from shared.privacy.remainders import Remainder


class ContextJobs(Protocol):
    """The jobs of one context. A subject is what a job is named by in the context."""

    @property
    def context(self) -> str:
        """The name of the context."""

    @property
    def remainders(self) -> Iterable[Remainder]:
        """What an erasure leaves there."""

    def known_as(self, company: str, name: Named, /) -> list[Named]:
        """Return further identifiers of the person who has this one today."""

    def has_passed_on(self, company: str, name: Named, /) -> bool:
        """Whether an identifier was another person's before: what its contact proves is that person's."""

    def subjects(self, names: Sequence[Named], /) -> list[str]:
        """Return the subjects of a person, in the same order at every call."""

    def id_of(self, kind: Kind, company: str, subject: str, /) -> str:
        """Return the id of the job of a subject."""

    def since(self, request: PersonJob, subject: str, /) -> Job:
        """
        Return the job of a subject, whose run was requested at or after the person's; start it if there is none.

        It may be done by then or not. Raises NotEnqueued and Transient.
        """

    def stored(self, job_id: str, /) -> Job | None:
        """Return a job."""

    def folder(self, job: Job, /) -> ExportFolder:
        """Return the folder of a job's current export."""


class CustomerRows(Protocol):
    """The rows of the help desk about a customer, whose keys are keyed hashes."""

    def keys(self, name: Named, /) -> list[str]:
        """Return the keys of existing rows."""

    def remove(self, key: str, /) -> None:
        """Remove a row. Safe to repeat."""
