"""Events that cannot be processed, the reasons of dead letters, and the answers of API calls."""

from typing import ClassVar, Final

from newsletters.store.items.item import TableItem
from shared.aws.dynamodb import Attributes
from shared.aws.tables.stored_answers import AnsweredOnce
from shared.events.recovery import event_items
from shared.events.recovery.event_store import KEPT_DAYS

NO_COMPANY: Final = "-"
PARKED: Final = "NLPARKED"  # partition of GSI1 with all parked events


class ParkedEvent(TableItem, event_items.ParkedEvent):
    """
    A parked event: the reason, and the whole event as JSON, which has ids only.

    Its id is a hash of event and reason. Replays are numbered (`shared.events.recovery.event_store`).
    """

    partition: ClassVar[str] = "NLPARKED#{event_id}"
    sort: ClassVar[str] = "EVENT"
    ttl_days: ClassVar[int] = KEPT_DAYS

    GSI1PK: str = PARKED
    GSI1SK: str  # its company, when it was parked, and its id

    @staticmethod
    def list_of(company_id: str | None) -> str:
        """Return the prefix of sort keys in GSI1 of a company's parked events; None: of events without a company."""
        return f"{company_id or NO_COMPANY}#"

    @classmethod
    def listed(cls, event_id: str, company: str | None, parked_at: str, ttl: int) -> Attributes:  # noqa: ARG003 - see the base
        """Return the sort key by which GSI1 lists an event."""
        return {"GSI1SK": f"{cls.list_of(company)}{parked_at}#{event_id}"}


class DeadLetterNote(TableItem, event_items.DeadLetterNote):
    """The reason why the last attempt at an event failed: a dead letter does not contain its error."""

    partition: ClassVar[str] = "NLLETTER#{event_id}"
    sort: ClassVar[str] = "NOTE"
    ttl_days: ClassVar[int] = KEPT_DAYS

    event_id: str

    @classmethod
    def identity(cls, letter_id: str) -> Attributes:
        """Return the key of a note, and its id."""
        return {**cls.key(letter_id), "event_id": letter_id}


class StoredAnswer(AnsweredOnce, TableItem):
    """An API call that changes data, and its answer (`shared.api.idempotency`)."""

    partition: ClassVar[str] = "NLIDEM#{request_id}"
    sort: ClassVar[str] = "HEAD"
    ttl_days: ClassVar[int] = 1

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""
        return cls.key(request)
