"""Jobs that erase or export a contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from shared.aws.sqs_fifo import digest
from shared.privacy.jobs import ID_DIGITS, Job, Kind
from shared.privacy.tombstones import Tombstone
from whatsapp.store.items.item import AtMost, WhatsAppItem, pk

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes


class ErasedContact(Tombstone, WhatsAppItem):
    """
    The tombstone of an id of an erased contact: events of the id up to `until` are not stored again.

    The key has the company and a keyed hash of the id. It outlives an event that waits 14 days in the queue, 14 days
    as a dead letter, and 30 days parked, once each way round.
    """

    item_type: ClassVar[str] = "ERASED_CONTACT"
    pk_pattern: ClassVar[str] = "ERASED#{company}#{subject}"
    ttl_days: ClassVar[int | None] = 120


class PrivacyJob(Job, WhatsAppItem):
    """The erasure or export of one contact of a company, by digits or user id, or by a contact key if `by_key`."""

    item_type: ClassVar[str] = "PRIVACY_JOB"
    pk_pattern: ClassVar[str] = "PRIVACY_JOB#{jobId}"
    company_field: ClassVar[str] = "company"
    of_run: ClassVar[tuple[str, ...]] = (*Job.of_run, "contact")

    by_key: bool | None = None
    contact: Annotated[dict[str, Any], AtMost(6)] | None = None  # the resolved ids
    start: Annotated[dict[str, Any], AtMost(5)] | None = Field(default=None, repr=False)
    joining: Annotated[dict[str, Any], AtMost(3)] | None = None
    planned: Annotated[list[dict[str, str]], AtMost(1_000)] = Field(
        default_factory=list, repr=False
    )
    counts: Annotated[dict[str, int], AtMost(40)] = Field(default_factory=dict)
    receipts: Annotated[list[dict[str, Any]], AtMost(10)] = Field(default_factory=list)

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return pk(cls.key(job_id))

    @classmethod
    def id_of(cls, kind: Kind, company: str, contact: str, *, by_key: bool = False) -> str:
        """
        Return the id of the job of a contact: its digits or user id, or *by_key* its contact key.

        They differ, because the number that was a contact's first id may belong to another contact today.
        """
        named_as = ("key",) if by_key else ()
        return digest("privacy job", kind, company, contact, *named_as)[:ID_DIGITS]
