"""Rows of `rp_mw_conversation_state`: tickets, and of the same shape customers, the request limit, the sweep."""

from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict

from richpanel.store.items.idempotency import Action
from richpanel.store.items.row import AtMost, Row, filled
from shared import clock

RESERVED_PREFIXES = ("sys:", "cust:")  # no conversation may have an id that begins like this


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
        return filled(cls.patterns[0], hmac)


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
