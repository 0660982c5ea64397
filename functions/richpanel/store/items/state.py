"""Rows of `rp_mw_conversation_state`: tickets, of the same shape customers and the sweep, and the request limit."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict

from richpanel.store.items.idempotency import Action
from richpanel.store.items.row import AtMost, Row
from shared.aws.tables.items import filled
from shared.runtime import clock

RESERVED_PREFIXES = ("sys:", "cust:")  # no conversation id may begin with these


class PendingFlow(BaseModel):
    """A question that an automatic reply asked; `attempts` is how often, `requested_at` when last."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    type: str
    requested_at: str
    attempts: int


class AutoReply(BaseModel):
    """The last automatic reply; `type` is `order_status`, `need_order_number`, or the intent that it was about."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    type: str
    sent_at: str
    source_message_id: str


class ReservedReply(BaseModel):
    """
    A reply about to be sent: the data for its ledger row, written together with the slot before the attempt.

    Times are in ms since 1970; `owner` is the last part of the ledger's owner. `pending_flow` is the question that was
    pending before. Once the ledger row exists, only that row gives the reply's outcome; the reservation then only shows
    that the turn's changes were written ahead of it. New fields make this write larger: below 1 KB it costs one unit.
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
    """Attributes of versioned rows. Every write increments `version` and is conditional on its old value."""

    partition_key: ClassVar[str] = "conversation_id"

    conversation_id: str
    updated_at: str
    version: int = 0


class ConversationState(StateRow):
    """
    State of one ticket.

    The head (`last_processed_message_...`) only moves forward. Only operators remove `risk_flags`. `handed_back_at` is
    the time of the customer's message at which an agent last handed the ticket back to the automation. `erased_at`
    makes the row a tombstone, which is never written again.

    `contact_id` is the contact of the customer who opened the ticket (`shared.contacts.tickets`), a keyed hash; a
    tombstone keeps it, so that the ticket beside the contact is found.

    `question_language`: the language of the newest request in `pending_flow`; `en` if it is absent.

    A reply is reserved in this row, in the one write that its turn makes anyway: the turn's changes are written before
    the reply is sent, as if it had been sent.
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
    question_language: str | None = None
    last_auto_reply: AutoReply | None = None
    auto_reply_times: Annotated[list[str], AtMost(3)] | None = None
    reserved_reply: ReservedReply | None = None
    handed_back_at: str | None = None
    contact_id: str | None = None
    erased_at: str | None = None

    def is_slot_of(self, message: str) -> bool:
        """Whether the last automatic reply, sent or about to be, answers this message."""
        last = self.last_auto_reply
        return last is not None and last.source_message_id == message

    def reservation_of(self, message: str) -> ReservedReply | None:
        """Return the reservation of the reply to this message, unless it was replaced or has expired."""
        reserved = self.reserved_reply
        if reserved is None or reserved.source_message_id != message:
            return None
        # Its ledger row has expired by then, and no delivery is that late: the reservation has no meaning any more.
        is_over = clock.now_ms() - reserved.reserved_at > Action.ttl_seconds * clock.SECOND_MS
        return None if is_over else reserved

    def flow_before(self, message: str) -> PendingFlow | None:
        """Return the question pending before this message, without changes written ahead of its reply."""
        reserved = self.reservation_of(message)
        return reserved.pending_flow if reserved else self.pending_flow


class CustomerState(StateRow):
    """
    Times of automatic replies to one customer, over all tickets. The key holds an HMAC in place of the address.

    `counted_for` is a hash of the event for which the last time was counted, `counted_in` the number of its attempt.
    """

    patterns: ClassVar[tuple[str, ...]] = ("cust:{hmac}",)
    ttl_days: ClassVar[int] = 7

    auto_reply_times: Annotated[list[str], AtMost(5)] | None = None
    counted_for: str | None = None
    counted_in: int | None = None

    def times_beside(self, event_hash: str) -> list[str]:
        """Return the times of replies to the customer, without one that an earlier run of this event counted."""
        times = self.auto_reply_times or []
        return times[:-1] if self.counted_for == event_hash else times

    def is_counted_after(self, event_hash: str, attempt: int) -> bool:
        """Whether a later attempt at this event has counted the customer."""
        return self.counted_for == event_hash and (self.counted_in or 0) > attempt

    @classmethod
    def key(cls, hmac: str) -> str:
        """Return the row key of the customer with this HMAC."""
        return filled(cls.patterns[0], hmac)


class TokenBucket(Row):
    """
    The help desk's request limit for the whole account. See `richpanel.store.rate_limit`.

    `free_at` (ms since 1970): the time from which requests are free again. Not versioned: each write is an addition, or
    conditional on `free_at` itself.
    """

    partition_key: ClassVar[str] = "conversation_id"
    patterns: ClassVar[tuple[str, ...]] = ("sys:limiter:richpanel",)
    ttl_days: ClassVar[int] = 90

    conversation_id: str
    updated_at: str
    free_at: int


class Sweep(StateRow):
    """
    Progress of the sweep.

    `completed_at` is the start of the last pass that read all its pages. A pass that needs several runs stores its
    start in `began_at`, and in `next_page` the page at which the next run continues.
    """

    patterns: ClassVar[tuple[str, ...]] = ("sys:sweep",)
    ttl_days: ClassVar[int] = 90

    completed_at: str | None = None
    began_at: str | None = None
    next_page: int | None = None
