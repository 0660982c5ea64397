"""Stored events: events without an item type, parked events and dead letters."""

from typing import Annotated, Any, ClassVar, Self

from shared.events.recovery import states
from whatsapp.store.items.item import AtMost, WhatsAppItem


class WebhookEvent(WhatsAppItem):
    """
    An event of a webhook. Contract item 16; fields below the gap are ours. TTL 30 days, payload at most 16 KB.

    For a larger event `payload` is only an outline; the whole event is in S3 at `full_event`.
    Parked: `webhook_event_type` is `parked`, `reason` says why, and `payload` is only an outline; the whole event is in
    S3 at `full_event`. `company` is absent if the event's number is unknown.
    Dead letter: `webhook_event_type` is `dead_letter`, `reason` is the error of the last of `attempts`.

    A parked event is open until it is replayed, and again when a replay is parked again:

        open --replay n--> replayed --handled--> resolved
         ^                     |
         +-- same reason ------+-- another reason, another item --> replaced

    Replays are numbered. Workers record their outcomes at any time and in any order, so the state is derived from the
    highest number sent and the highest number parked again.

    `replayed_by` is the authenticated caller of the last replay or redrive. Erased: only the key and the ids of the
    event are kept, for 35 days, so that a redelivery is recognised.
    """

    item_type: ClassVar[str] = "WEBHOOK_EVENT"
    pk_pattern: ClassVar[str] = "WEBHOOK#{eventId}"
    indexes: ClassVar[tuple[str, ...]] = (
        "gsi_waba_itemtype",
        "gsi_webhook_event",
        "gsi_customer_phone",
    )
    ttl_days: ClassVar[int | None] = 30

    webhook_event_type: str
    event_id: str
    event_type: str
    waba_meta_id: str | None = None
    payload: Annotated[dict[str, Any], AtMost(16_000, "bytes")] | None = None
    processed_at: str
    received_at: str

    phone: str | None = None
    # `subject#` and a keyed hash of the customer's id, with `created_at`: an erasure finds the event by it, also one
    # without a company.
    customer_phone: str | None = None
    created_at: str | None = None
    occurred_at: str | None = None  # the provider's time
    reason: str | None = None
    # A pointer (`shared.aws.stored_objects`).
    full_event: Annotated[dict[str, Any], AtMost(3)] | None = None
    correlation_id: str | None = None
    attempts: int | None = None
    replay_count: int | None = None  # number of the last replay that is known to be queued
    replayed_at: str | None = None
    replayed_by: str | None = None
    returned: int | None = None  # number of the last replay that was parked again
    parked_again_at: str | None = None
    replaced_by: str | None = None  # id of the event under which that replay was parked
    resolved_at: str | None = None
    erased: bool | None = None

    @property
    def state(self) -> str:
        """State of a parked event."""
        return states.state_of(self)

    @property
    def next_replay(self) -> int:
        """Number of the next replay."""
        return states.next_replay(self)


class ParkedEntry(WhatsAppItem):
    """
    Lists a parked event under its company in gsi_webhook_event, so a company's list reads no other company's events.

    `webhook_event_type` is `parked#` and the company; names of provider fields are stored without `#`.
    """

    item_type: ClassVar[str] = "PARKED_ENTRY"
    pk_pattern: ClassVar[str] = "PARKED#{eventId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_webhook_event",)
    ttl_days: ClassVar[int | None] = 30
    type_pattern: ClassVar[str] = "parked#{company}"

    webhook_event_type: str
    event_id: str
    received_at: str

    @classmethod
    def of(cls, event: WebhookEvent, company: str) -> Self:
        """Return the entry of a company's parked event."""
        return cls(
            pk=cls.key(event.event_id),
            company=company,
            webhook_event_type=cls.type_pattern.format(company=company),
            event_id=event.event_id,
            received_at=event.received_at,
            ttl=event.ttl,
        )
