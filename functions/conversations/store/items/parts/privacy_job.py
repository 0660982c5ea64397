"""PRIVACY#<job id>  #: the erasure or export of a person from a company's conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Self

from pydantic import Field

from conversations.store.items.base import ONLY, key
from shared.aws.tables.items import filled
from shared.privacy.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes
    from shared.privacy.inventory import Found

# The kind of a copy at the model's provider that the erasure cannot delete.
THREAD_LEFT: Final = "threads_left"
SEPARATOR: Final = "\n"  # of the addresses of a subject; no address has one


class PrivacyJob(Job):
    """
    The erasure or export of the person with the addresses of its subject, one a line.

    `addresses` are all addresses that the conversations of these lead to, each after those that are found only through
    it. `rounds`: how often further ones were found after the fences had settled. `threads_left`: ids of the copies that
    an operator has to delete at the model's provider.
    """

    pk_pattern: ClassVar[str] = "PRIVACY#{job}"
    sk_pattern: ClassVar[str] = ONLY
    context: ClassVar[str] = "conversations"
    of_run: ClassVar[tuple[str, ...]] = (*Job.of_run, "addresses")

    pk: str
    sk: str
    item_type: str = "PRIVACY_JOB"
    company_id: str
    addresses: list[str] | None = Field(default=None, repr=False)
    rounds: int = 0
    threads_left: list[str] = Field(default_factory=list)

    @property
    def given(self) -> list[str]:
        """The addresses of the subject, in all spellings."""
        return str(self.requested_for).split(SEPARATOR)

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return key(filled(cls.pk_pattern, job_id))

    def removed(self, planned: Sequence[Found]) -> Self:
        """Return the job after a page, with the copies that are left."""
        left = [found.key for found in planned if found.kind == THREAD_LEFT]
        counted = super().removed(planned)
        return counted.changed(threads_left=[*self.threads_left, *left]) if left else counted
