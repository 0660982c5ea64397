"""The jobs that erase or export a person in all contexts, in the table of the contacts."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import Field

from shared.aws.tables.items import filled
from shared.identity.keyed_hashes import keyed_hash
from shared.privacy.jobs import ID_DIGITS, Job, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes


class NameKind(StrEnum):
    """The kinds of identifiers by which a person is named."""

    PHONE = "phone"
    EMAIL = "email"
    USER_ID = "user_id"


class Named(NamedTuple):
    """
    An identifier of the person in its normal form: +447700900101, ann@example.com, or a user id of WhatsApp, which is
    of any business portfolio of the company.
    """

    kind: NameKind
    value: str


class PersonJob(Job):
    """
    The erasure or export of one person in all contexts, by the identifiers `given`.

    `identifiers` are all of the person, and `contact_ids` the ids of all profiles, those that others lead to last; both
    are removed when a run is done. `parts` names the jobs of the contexts, as `{context, job_id}`, whose receipts are
    parts of this one's. `reason` and `reference` are the operator's words.
    """

    pk_pattern: ClassVar[str] = "PRIVACY#{job}"
    sk_pattern: ClassVar[str] = "JOB"
    of_run: ClassVar[tuple[str, ...]] = (*Job.of_run, "given", "identifiers", "contact_ids")

    pk: str
    sk: str
    company_id: str
    reason: str
    reference: str | None = None
    given: list[list[str]] | None = Field(default=None, repr=False)
    identifiers: list[list[str]] | None = Field(default=None, repr=False)
    contact_ids: list[str] | None = Field(default=None, repr=False)
    parts: list[dict[str, str]] = Field(default_factory=list)

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return {"pk": filled(cls.pk_pattern, job_id), "sk": cls.sk_pattern}

    @classmethod
    def id_of(cls, kind: Kind, company_id: str, given: Iterable[Named]) -> str:
        """Return the id of the job of a person by these identifiers. Raises as `keyed_hash`."""
        named = (text for one in sorted(given) for text in one)
        return keyed_hash("person job", kind, company_id, *named)[:ID_DIGITS]

    @property
    def names(self) -> list[Named]:
        """All identifiers of the person that are known to the run."""
        return [
            Named(NameKind(kind), value) for kind, value in self.identifiers or self.given or []
        ]
