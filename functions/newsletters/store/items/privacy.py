"""Jobs that erase or export a user."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from newsletters.store.items.item import TableItem
from shared.privacy.jobs import Job

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

NEWSLETTER, REVIEW = "newsletter", "review"  # the kinds that receipts count


class PrivacyJob(Job, TableItem):
    """The erasure or export of a user of a company, or of an address (`newsletters.privacy.requests`)."""

    context: ClassVar[str] = "newsletters"
    partition: ClassVar[str] = "NLPRIVACY#{job_id}"
    sort: ClassVar[str] = "JOB"

    company_id: str

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return cls.key(job_id)
