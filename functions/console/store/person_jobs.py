"""The jobs that erase or export a person in all contexts, in the table of the contacts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from shared.aws.tables.items import filled
from shared.privacy.jobs import Job
from shared.privacy.parts import Asked, Named, NameKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes


class PersonJob(Job):
    """
    The erasure or export of one person in all contexts, by the names of its subject.

    `identifiers` are all names of the person, `contact_ids` the ids of all profiles, those that others lead to last,
    and `subjects` what the jobs of the contexts are named by, as `[context, subject]`; they are removed when a run is
    done. `parts` names these jobs, as `{context, job_id}`, whose receipts are parts of this one's. `reason` and
    `reference` are the words of the caller.
    """

    context: ClassVar[str] = "contacts"
    pk_pattern: ClassVar[str] = "PRIVACY#{job}"
    sk_pattern: ClassVar[str] = "JOB"
    of_run: ClassVar[tuple[str, ...]] = (
        *Job.of_run,
        "identifiers",
        "contact_ids",
        "subjects",
    )

    pk: str
    sk: str
    company_id: str
    reason: str
    reference: str | None = None
    identifiers: list[list[str]] | None = Field(default=None, repr=False)
    contact_ids: list[str] | None = Field(default=None, repr=False)
    subjects: list[list[str]] | None = Field(default=None, repr=False)
    parts: list[dict[str, str]] = Field(default_factory=list)
    contexts: list[str] | None = None  # the only ones, by a request about these

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return {"pk": filled(cls.pk_pattern, job_id), "sk": cls.sk_pattern}

    @staticmethod
    def subject_of(given: Iterable[Named], contexts: Iterable[str] | None = None) -> str:
        """Return the subject of the person with these names, in any order; with *contexts* only in some."""
        return json.dumps([sorted(given), sorted(contexts) if contexts is not None else None])

    @property
    def asked(self) -> Asked:
        """The request, as parts know it."""
        return Asked(
            kind=self.kind,
            company=self.company_id,
            requested_at=self.requested_at,
            requested_by=self.requested_by,
        )

    @property
    def names(self) -> list[Named]:
        """All names of the person that are known to the run."""
        return _named(self.identifiers) if self.identifiers else self.given

    @property
    def given(self) -> list[Named]:
        """The names of the subject; none once a run is done."""
        return _named(json.loads(self.requested_for)[0]) if self.requested_for else []


def _named(stored: Iterable[list[str]]) -> list[Named]:
    return [Named(NameKind(kind), value) for kind, value in stored]
