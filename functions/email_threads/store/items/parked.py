"""Events that cannot be processed, and the reasons of dead letters."""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import Field

from email_threads.store.items.item import ThreadItem, date_of
from shared.aws.dynamodb import Attributes
from shared.events.recovery import event_items
from shared.runtime import clock

NO_COMPANY = "-"


class ParkReason(StrEnum):
    """The reason why an event is parked. Also: the reasons of `shared.events.record_body`, and `internal_error`."""

    UNREADABLE = "unreadable"  # no mail, or one without a From field
    UNKNOWN_MAILBOX = "unknown_mailbox"  # no mailbox is registered for it, or it is disabled
    MESSAGE_ID_REUSED = "message_id_reused"  # another mail with this Message-ID is stored
    UNKNOWN_REFERENCE = "unknown_reference"  # a bounce or complaint about a mail that is not stored
    OTHER_COMPANY = "other_company"  # a merge of threads of two companies
    NO_PRIVACY_JOB = "no_privacy_job"  # an erasure or export that is not stored


class ParkedEvent(ThreadItem, event_items.ParkedEvent):
    """
    A parked event: the reason, and the whole event as JSON, which names the raw mail and has no content of it.

    Its id is a hash of event and reason. Replays are numbered (`shared.events.recovery.event_store`).
    """

    pattern: ClassVar[str] = "parked#{event_id}"

    conversation_id: str  # the item's key
    company_status: str  # its list in CompanyIndex
    parked_at: str = Field(alias="updated_at")  # when it was parked: the order of the list
    ttl_date: str
    # Of an event without a company: a keyed hash of the person, under which ParticipantIndex lists it.
    participant: str | None = None

    @staticmethod
    def list_of(company_id: str | None) -> str:
        """Return the partition of CompanyIndex with the parked events of a company, or of none."""
        return f"{company_id or NO_COMPANY}#parked"

    @classmethod
    def listed(cls, event_id: str, company: str | None, parked_at: str, ttl: int) -> Attributes:  # noqa: ARG003 - see the base
        """Return the partitions of CompanyIndex and TTLIndex with an event."""
        return {"company_status": cls.list_of(company), "ttl_date": date_of(ttl)}


class DeadLetterNote(ThreadItem, event_items.DeadLetterNote):
    """The reason why the last attempt at an event failed: a dead letter does not contain its error."""

    pattern: ClassVar[str] = "letter#{event_id}"

    conversation_id: str  # the item's key


class StoredAnswer(ThreadItem):
    """An API call that changes data, and its answer (`shared.api.idempotency`): ids, states and codes."""

    pattern: ClassVar[str] = "request#{request_id}"

    conversation_id: str  # the item's key
    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None  # ms since 1970
    answer: dict[str, Any] | None = None
    ttl: int

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""
        return cls.key(request)

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new item as it is stored."""
        return cls(
            conversation_id=cls.key(request)["conversation_id"],
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            ttl=clock.expires_in(clock.DAY_SECONDS),
        ).attributes()
