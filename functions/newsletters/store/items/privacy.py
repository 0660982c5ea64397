"""Jobs that erase or export a user."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from newsletters.store.items.item import TableItem
from shared.aws.sqs_fifo import digest
from shared.identity.keyed_hashes import keyed_hash
from shared.privacy.jobs import ID_DIGITS, Job, Kind

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

NEWSLETTER, REVIEW = "newsletter", "review"  # the kinds that receipts count


class PrivacyJob(Job, TableItem):
    """
    The erasure or export of one user of a company, by the user's id, or with *by_address* of one address.

    *export_id* is the job of exports of the same person, whose objects an erasure by an address removes.
    """

    partition: ClassVar[str] = "NLPRIVACY#{job_id}"
    sort: ClassVar[str] = "JOB"

    company_id: str
    by_address: bool | None = None
    export_id: str | None = None

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return cls.key(job_id)

    @classmethod
    def id_of(cls, kind: Kind, company_id: str, user_id: str) -> str:
        """Return the id of the job of a user."""
        return digest("newsletter privacy job", kind, company_id, user_id)[:ID_DIGITS]

    @classmethod
    def id_of_address(cls, kind: Kind, company_id: str, address: str) -> str:
        """Return the id of the job of an address. Raises as `keyed_hash`."""
        return keyed_hash("newsletter person job", kind, company_id, address)[:ID_DIGITS]
