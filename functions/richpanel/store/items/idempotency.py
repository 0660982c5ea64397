"""Rows of `rp_mw_idempotency`: events, the actions taken for them, dead letters, requests of the admin API."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict

from richpanel.store.items.row import TTL_ATTRIBUTE, AtMost, Row
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import filled
from shared.aws.tables.leases import LeaseAttributes
from shared.providers import action_ledger
from shared.runtime import clock


class Mode(StrEnum):
    """Whether a reply was possible at all when the event arrived."""

    ROUTE_ONLY = "route_only"
    AUTOMATION_CANDIDATE = "automation_candidate"


class EventStatus(StrEnum):
    """Status of an event; the last two are final."""

    PROCESSING = "processing"
    PROCESSED = "processed"
    PARKED = "parked"


class IdempotencyRow(Row):
    """
    The contract's attributes that events and actions share.

    `source_message_id` is absent if the key is a hash. `payload_sha256` (hex) and `payload_bytes` describe the
    normalised turn, or for an action the content that it writes; neither text is stored.
    """

    partition_key: ClassVar[str] = "event_id"
    ttl_days: ClassVar[int] = 30

    event_id: str
    conversation_id: str
    source_message_id: str | None = None
    created_at: str  # the first claim; kept when another worker takes over
    last_processed_at: str
    received_at: str | None = None
    status: str
    mode: Mode
    safe_mode: bool
    automation_enabled: bool
    payload_sha256: str
    payload_bytes: int
    intent: str | None = None
    reason: str | None = None


class Event(IdempotencyRow):
    """
    One customer message, and the lease of the worker that handles it.

    `lease_owner` (request id) and `lease_until` (ms since 1970) are removed once the event is finished. `covered_by` is
    the event of a newer message whose turn included this one.

    Replays of a parked event are numbered: `replay_count` is the last one, `replayed_by` its authenticated caller.
    """

    patterns: ClassVar[tuple[str, ...]] = ("evt:rp:{conversation_id}:{message}",)
    lease: ClassVar[LeaseAttributes] = LeaseAttributes("lease_owner", "lease_until", "attempts")

    status: EventStatus
    lease_owner: str | None = None
    lease_until: int | None = None
    attempts: int = 1
    covered_by: str | None = None
    replay_count: int | None = None
    replayed_at: str | None = None  # removed when the event is reopened
    replayed_by: str | None = None

    @classmethod
    def key(cls, conversation_id: str, message: str) -> str:
        """Return the event key of a message; *message* is its id, or the hex SHA-256 used in place of one."""
        return filled(cls.patterns[0], conversation_id, message)


_ACTION_NAMES = {"action_id": "event_id", "state": "status", "ttl": TTL_ATTRIBUTE}


class Action(action_ledger.Action):
    """
    The ledger row of one action on a ticket: `shared.providers.action_ledger` with the contract's attribute names.

    `body_hash` is the hex SHA-256 of a reply's text without whitespace, and identifies the help desk's copy. The other
    facts are copied from the event that caused the action.
    """

    model_config = ConfigDict(
        alias_generator=lambda name: _ACTION_NAMES.get(name, name),
        populate_by_name=True,
        extra="allow",
    )
    partition_key: ClassVar[str] = "event_id"
    ttl_days: ClassVar[int] = IdempotencyRow.ttl_days
    ttl_seconds: ClassVar[int] = IdempotencyRow.ttl_days * clock.DAY_SECONDS

    REPLY: ClassVar[str] = "act:rp_reply:{conversation_id}:{message}"
    TAG: ClassVar[str] = "act:rp_tag:{conversation_id}:{tag_name}:{message}"
    ASSIGN: ClassVar[str] = "act:rp_assign:{conversation_id}:{assignee}:{message}"
    CLOSE: ClassVar[str] = "act:rp_close:{conversation_id}:{message}"
    # The shop's internal order id, never the order number that customers see.
    LOOKUP: ClassVar[str] = "act:shopify_lookup:{conversation_id}:{order_id}"
    patterns: ClassVar[tuple[str, ...]] = (REPLY, TAG, ASSIGN, CLOSE, LOOKUP)

    provider: str = "richpanel"
    state: action_ledger.State
    ttl: int
    conversation_id: str
    source_message_id: str | None = None
    created_at: str
    last_processed_at: str
    received_at: str | None = None
    mode: Mode
    safe_mode: bool
    automation_enabled: bool
    payload_sha256: str
    payload_bytes: int
    intent: str | None = None

    @staticmethod
    def facts_of(event: Event) -> dict[str, Any]:
        """Return the fields that every action copies from its event."""
        return {
            "conversation_id": event.conversation_id,
            "source_message_id": event.source_message_id,
            "created_at": event.created_at,
            "last_processed_at": event.last_processed_at,
            "received_at": event.received_at,
            "mode": event.mode,
            "safe_mode": event.safe_mode,
            "automation_enabled": event.automation_enabled,
            "state": action_ledger.State.RESERVED,
            "ttl": clock.expires_in(Action.ttl_seconds),
        }

    def stored(self) -> Attributes:
        """Return the row as it is stored."""
        attributes: Attributes = self.model_dump(by_alias=True, exclude_none=True, mode="json")
        return attributes

    @classmethod
    def key(cls, pattern: str, *parts: str) -> str:
        """Return the key of one of `patterns`, its placeholders filled in order. Raises ValueError otherwise."""
        if pattern not in cls.patterns:
            raise ValueError(f"no action has the key {pattern}")
        return filled(pattern, *parts)


class DeadLetter(Row):
    """The reason of an event's last failed attempt, by the hash of its body: the dead letter does not contain it."""

    partition_key: ClassVar[str] = "event_id"
    patterns: ClassVar[tuple[str, ...]] = ("dead:{body_hash}",)
    ttl_days: ClassVar[int] = IdempotencyRow.ttl_days

    event_id: str
    reason: str
    attempts: int
    died_at: str

    @classmethod
    def key(cls, body: str) -> str:
        """Return the key of the dead letter with this body; the same after a redrive."""
        return filled(cls.patterns[0], digest("letter", body))


class ApiRequest(Row):
    """
    A call of the admin API that changes data, and its answer (`shared.api.idempotency`): ids and codes.

    The key is a hash of the caller and the idempotency key; `fingerprint` is a hash of the content. `owner` (request
    id) and `lease_until` (ms since 1970) are removed once the call is answered.
    """

    partition_key: ClassVar[str] = "event_id"
    patterns: ClassVar[tuple[str, ...]] = ("req:{request}",)
    ttl_days: ClassVar[int] = IdempotencyRow.ttl_days

    event_id: str
    created_at: str
    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None
    answer: Annotated[dict[str, Any], AtMost(2)] | None = None

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's row."""
        return {cls.partition_key: filled(cls.patterns[0], request)}

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new row as it is stored."""
        row = cls(
            event_id=filled(cls.patterns[0], request),
            created_at=clock.to_text(clock.now_ms()),
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            expires_at=cls.time_to_live(),
        )
        return row.attributes()
