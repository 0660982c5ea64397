"""Jobs that erase or export a contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from shared.privacy.jobs import Job
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
    """The erasure or export of one contact of a company (`whatsapp.privacy.requests` has the subjects)."""

    item_type: ClassVar[str] = "PRIVACY_JOB"
    pk_pattern: ClassVar[str] = "PRIVACY_JOB#{jobId}"
    context: ClassVar[str] = "whatsapp"
    company_field: ClassVar[str] = "company"
    of_run: ClassVar[tuple[str, ...]] = (*Job.of_run, "contact")

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
