"""Events that cannot be processed, the reasons of dead letters, and the answers of API calls."""

from typing import Any, ClassVar, Final

from newsletters.store.items.item import TableItem
from shared.aws.dynamodb import Attributes
from shared.recovery import states
from shared.runtime import clock

NO_COMPANY: Final = "-"
KEPT_DAYS: Final = 30
PARKED: Final = "NLPARKED"  # partition of GSI1 with all parked events


class ParkedEvent(TableItem):
    """
    A parked event: the reason, and the whole event as JSON, which has ids only.

    Its id is a hash of event and reason. Replays are numbered; workers record their outcomes at any time and in any
    order, so the state is derived from the highest number sent and the highest number parked again.
    """

    partition: ClassVar[str] = "NLPARKED#{event_id}"
    sort: ClassVar[str] = "EVENT"
    ttl_days: ClassVar[int] = KEPT_DAYS

    event_id: str
    company_id: str | None = None
    GSI1PK: str = PARKED
    GSI1SK: str  # its company, when it was parked, and its id
    parked_at: str
    ttl: int
    reason: str
    kind: str | None = None
    correlation_id: str | None = None
    received_at: str | None = None
    body: str
    replay_count: int | None = None  # number of the last replay that is known to be queued
    replayed_at: str | None = None
    replayed_by: str | None = None
    returned: int | None = None  # number of the last replay that was parked again
    parked_again_at: str | None = None
    replaced_by: str | None = None  # id of the event under which that replay was parked
    resolved_at: str | None = None

    @staticmethod
    def list_of(company_id: str | None) -> str:
        """Return the prefix of sort keys in GSI1 of a company's parked events; None: of events without a company."""
        return f"{company_id or NO_COMPANY}#"

    @property
    def state(self) -> str:
        """State of a parked event."""
        return states.state_of(self)

    @property
    def next_replay(self) -> int:
        """Number of the next replay."""
        return states.next_replay(self)


class DeadLetterNote(TableItem):
    """The reason why the last attempt at an event failed: a dead letter does not contain its error."""

    partition: ClassVar[str] = "NLLETTER#{event_id}"
    sort: ClassVar[str] = "NOTE"
    ttl_days: ClassVar[int] = KEPT_DAYS

    event_id: str
    reason: str
    attempts: int
    failed_at: str
    ttl: int
    redriven_at: str | None = None
    redriven_by: str | None = None


class StoredAnswer(TableItem):
    """An API call that changes data, and its answer (`shared.api.idempotency`)."""

    partition: ClassVar[str] = "NLIDEM#{request_id}"
    sort: ClassVar[str] = "HEAD"
    ttl_days: ClassVar[int] = 1

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
            **cls.key(request),
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            ttl=clock.expires_in(cls.ttl_days * clock.DAY_SECONDS),
        ).attributes()
