"""Rows of `rp_mw_idempotency`: events, and what was done for them."""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import ConfigDict

from richpanel.store.items.row import TTL_ATTRIBUTE, Row, filled
from shared import action_ledger, clock
from shared.aws.dynamodb import Attributes


class Mode(StrEnum):
    """Whether a reply was possible at all when the event came."""

    ROUTE_ONLY = "route_only"
    AUTOMATION_CANDIDATE = "automation_candidate"


class EventStatus(StrEnum):
    """Where an event stands; the last two are final."""

    PROCESSING = "processing"
    PROCESSED = "processed"
    PARKED = "parked"


class IdempotencyRow(Row):
    """
    What events and actions share: the contract's attributes.

    `source_message_id` is absent where the key is a hash. `payload_sha256` (hex) and `payload_bytes` are of the
    normalised turn, for an action of what it would write; neither text is kept.
    """

    partition_key: ClassVar[str] = "event_id"
    ttl_days: ClassVar[int] = 30

    event_id: str
    conversation_id: str
    source_message_id: str | None = None
    created_at: str  # the first claim; kept when somebody takes over
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

    `lease_owner` (request id) and `lease_until` (ms since 1970) are gone once the event is finished. `covered_by` is
    the event of a newer message that answered this one along with it.
    """

    patterns: ClassVar[tuple[str, ...]] = ("evt:rp:{conversation_id}:{message}",)

    status: EventStatus
    lease_owner: str | None = None
    lease_until: int | None = None
    attempts: int = 1
    covered_by: str | None = None

    @classmethod
    def key(cls, conversation_id: str, message: str) -> str:
        """The event of a message; *message* is its id, or the hex SHA-256 that stands in for one."""
        return filled(cls.patterns[0], conversation_id, message)


_ACTION_NAMES = {"action_id": "event_id", "state": "status", "ttl": TTL_ATTRIBUTE}


class Action(action_ledger.Action):
    """
    The ledger row of one thing that was done to a ticket: `shared.action_ledger`, in the words of the contract.

    `body_hash` is the hex SHA-256 of a reply as text with whitespace collapsed: the help desk's copy is recognised by
    it. The other facts are those of the event that it was done for.
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
    # The shop's internal order id, never the number that customers know.
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
        """What every action takes from the event that it is done for."""
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
        """The row as it is stored."""
        attributes: Attributes = self.model_dump(by_alias=True, exclude_none=True, mode="json")
        return attributes

    @classmethod
    def key(cls, pattern: str, *parts: str) -> str:
        """The action of one of `patterns`, its places filled in their order."""
        if pattern not in cls.patterns:
            raise ValueError(f"no action has the key {pattern}")
        return filled(pattern, *parts)
