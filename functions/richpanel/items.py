"""
The rows of the three tables: key patterns and attribute names, as the contract prints them.

    rp_mw_idempotency         Event (evt:rp:...), Action (act:...)
    rp_mw_conversation_state  ConversationState, and of the same shape CustomerState, TokenBucket, Sweep
    rp_mw_audit_actions       AuditAction

Times are text (ISO 8601 UTC, `shared.clock.to_text`) where the contract prints them; numbers that the code counts with
are milliseconds since 1970. Nothing here holds a text, name, address or full number of a customer.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared import clock, delivery
from shared.dynamodb import Attributes

TTL_ATTRIBUTE = "expires_at"  # of all three tables; epoch seconds
_PLACEHOLDER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class AtMost:
    """The bound of an attribute that holds several things: no row grows without one."""

    count: int


class Row(BaseModel):
    """One type of row. Absent and empty values are not stored; attributes that a newer version wrote are kept."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    partition_key: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]]  # of the partition key; the first is the usual one
    ttl_days: ClassVar[int]

    expires_at: int

    @classmethod
    def attr(cls, field: str) -> Attr:
        """The attribute of a field, for conditions. Raises KeyError for a field that is not declared."""
        return Attr(_declared(cls, field))

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Field values as they are stored, for updates; `None` stands for "leave as it is"."""
        return {_declared(cls, field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """The row that *attributes* are."""
        return cls.model_validate(attributes)

    @classmethod
    def time_to_live(cls) -> int:
        """`expires_at` of a row that is written now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self) -> Attributes:
        """The row as it is stored."""
        stored = self.model_dump(exclude_none=True)
        return {name: value for name, value in stored.items() if value not in ("", {}, [], set())}


def _declared(row: type[Row], field: str) -> str:
    if field not in row.model_fields:
        raise KeyError(f"{row.__name__} has no {field}")
    return field


def _filled(pattern: str, *parts: str) -> str:
    """*pattern* with *parts* in its places, in its order. Raises ValueError for an empty one."""
    names = _PLACEHOLDER.findall(pattern)
    if len(parts) != len(names) or not all(parts):
        raise ValueError(f"{pattern} needs {names}, none of them empty")
    return pattern.format(**dict(zip(names, parts, strict=True)))


# rp_mw_idempotency


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
        return _filled(cls.patterns[0], conversation_id, message)


_ACTION_NAMES = {"action_id": "event_id", "state": "status", "ttl": TTL_ATTRIBUTE}


class Action(delivery.Action):
    """
    The ledger row of one thing that was done to a ticket: `shared.delivery`, in the words of the contract.

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
    state: delivery.State
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
            "state": delivery.State.RESERVED,
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
        return _filled(pattern, *parts)


# rp_mw_conversation_state


class PendingFlow(BaseModel):
    """A question that we asked; `attempts` is how often, `requested_at` when last."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    type: str
    requested_at: str
    attempts: int


class AutoReply(BaseModel):
    """The last automatic reply: `order_status`, `need_order_number`, or the intent that it was about."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    type: str
    sent_at: str
    source_message_id: str


class ReservedReply(BaseModel):
    """
    A reply that was about to be sent: what its ledger row is made from, written with the slot before the attempt.

    Times are in ms since 1970; `owner` is the last part of the ledger's. `pending_flow` is the question that was open
    before. Once the ledger row stands, that row alone tells what became of the reply; this only tells that the rest was
    written ahead of it. Whatever is added here makes the write of an answered turn larger: below 1 KB it is one unit.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    source_message_id: str
    owner: str
    reserved_at: int
    deadline: int
    body_hash: str
    payload_bytes: int
    template: str
    pending_flow: PendingFlow | None = None


class StateRow(Row):
    """What all rows of the table share. `version` goes up by one with every write, which is conditional on it."""

    partition_key: ClassVar[str] = "conversation_id"

    conversation_id: str
    updated_at: str
    version: int = 0


class ConversationState(StateRow):
    """
    What is remembered of one ticket.

    The head (`last_processed_message_...`) only moves forward. `risk_flags` are taken off by people alone. `erased_at`
    makes the row a tombstone: nothing else is kept, and nothing is written to it again.

    A reply is reserved here, in the one write that its turn makes anyway: what the turn changes stands here before the
    reply is sent, as if it had been.
    """

    patterns: ClassVar[tuple[str, ...]] = ("{conversation_id}",)
    ttl_days: ClassVar[int] = 90

    last_processed_at: str | None = None
    last_processed_message_id: str | None = None
    last_processed_message_at: str | None = None
    last_routed_team: str | None = None
    last_routing_confidence: float | None = None
    last_intent: str | None = None
    risk_flags: Annotated[set[str], AtMost(7)] | None = None
    pending_flow: PendingFlow | None = None
    last_auto_reply: AutoReply | None = None
    auto_reply_times: Annotated[list[str], AtMost(3)] | None = None
    reserved_reply: ReservedReply | None = None
    erased_at: str | None = None

    def is_slot_of(self, message: str) -> bool:
        """Whether the last automatic reply, sent or about to be, is that to this message."""
        last = self.last_auto_reply
        return last is not None and last.source_message_id == message

    def reservation_of(self, message: str) -> ReservedReply | None:
        """The reply to this message, where it was reserved here and nobody replied to another one since."""
        reserved = self.reserved_reply
        if reserved is None or reserved.source_message_id != message:
            return None
        # Its ledger row is gone by then, and no delivery comes that late: it tells nothing any more.
        is_over = clock.now_ms() - reserved.reserved_at > Action.ttl_seconds * clock.SECOND_MS
        return None if is_over else reserved

    def flow_before(self, message: str) -> PendingFlow | None:
        """The question that was open when this message came: what was written ahead of its reply is left out."""
        reserved = self.reservation_of(message)
        return reserved.pending_flow if reserved else self.pending_flow


class CustomerState(StateRow):
    """
    How often one customer was answered, over all tickets. The key holds an HMAC of the address, never it.

    `counted_for` is a hash of the event that the last of the times was counted for, `counted_in` which attempt at it.
    """

    patterns: ClassVar[tuple[str, ...]] = ("cust:{hmac}",)
    ttl_days: ClassVar[int] = 7

    auto_reply_times: Annotated[list[str], AtMost(5)] | None = None
    counted_for: str | None = None
    counted_in: int | None = None

    def times_beside(self, event_hash: str) -> list[str]:
        """When the customer was answered, without what an earlier run of this event has counted."""
        times = self.auto_reply_times or []
        return times[:-1] if self.counted_for == event_hash else times

    def is_counted_after(self, event_hash: str, attempt: int) -> bool:
        """Whether a later attempt at this event has counted the customer."""
        return self.counted_for == event_hash and (self.counted_in or 0) > attempt

    @classmethod
    def key(cls, hmac: str) -> str:
        """The row of the customer with this HMAC."""
        return _filled(cls.patterns[0], hmac)


class TokenBucket(StateRow):
    """
    The help desk's request limit: tokens of the whole account. See `limiter`.

    `tokens` are those at `refilled_at`; nobody calls before `blocked_until`. Both times are ms since 1970.
    """

    patterns: ClassVar[tuple[str, ...]] = ("sys:limiter:richpanel",)
    ttl_days: ClassVar[int] = 90

    tokens: Decimal  # no float: what is counted with stays exact
    refilled_at: int
    blocked_until: int | None = None


class Sweep(StateRow):
    """
    How far the sweep has come.

    `completed_at` is when the last pass began that read all it had to. A pass that needs several runs leaves when it
    began, and the page of the list where the next run goes on.
    """

    patterns: ClassVar[tuple[str, ...]] = ("sys:sweep",)
    ttl_days: ClassVar[int] = 90

    completed_at: str | None = None
    began_at: str | None = None
    next_page: int | None = None


# rp_mw_audit_actions


class AuditAction(Row):
    """
    One thing that was done, or left undone, and why. Written once and never changed.

    `ts_action_id` is `{created_at of the event}#{action id}`, so that a redelivery writes the same row.
    `action_payload_redacted` is JSON of at most 1 KB: codes, scores and ids; never text.
    """

    SWITCHES: ClassVar[str] = (
        "sys:switches"  # stands in for the conversation where people change a switch
    )
    partition_key: ClassVar[str] = "conversation_id"
    patterns: ClassVar[tuple[str, ...]] = ("{conversation_id}",)
    ttl_days: ClassVar[int] = 60

    conversation_id: str
    ts_action_id: str
    action_type: Literal[
        "route", "tag", "assign", "auto_reply", "escalate", "close", "park", "switch"
    ]
    action_payload_redacted: str
    idempotency_key: str
    result: str  # `success`, `skipped: <reason>` or `fail: <reason>`

    @classmethod
    def sort_key(cls, created_at: str, action_id: str) -> str:
        """`ts_action_id` of an action of the event that was first claimed at *created_at*."""
        return _filled("{created_at}#{action_id}", created_at, action_id)


ROWS: dict[str, tuple[type[Row | Action], ...]] = {
    "idempotency": (Event, Action),
    "conversation_state": (ConversationState, CustomerState, TokenBucket, Sweep),
    "audit_actions": (AuditAction,),
}  # by the contract's names of the tables
RESERVED_PREFIXES = ("sys:", "cust:")  # no conversation may have an id that begins like this


def key_of(row: type[Row | Action], value: str) -> Attributes:
    """The key of a row in a table without a sort key."""
    return {row.partition_key: value}
