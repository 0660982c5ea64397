"""Events that are kept as such: what has no item of its own, and what was parked."""

from typing import Annotated, Any, ClassVar, Self

from whatsapp.store.items.item import AtMost, WhatsAppItem

OPEN, REPLAYED, RESOLVED, REPLACED = "open", "replayed", "resolved", "replaced"


class WebhookEvent(WhatsAppItem):
    """
    An event of a webhook. Contract item 16; below the gap is ours. TTL 30 days, payload at most 16 KB.

    A payload over that is an outline here, and the whole event lies in S3 at `full_event`.
    Parked: `webhook_event_type` is `parked`, `reason` says why, and `payload` is only its outline; the whole event lies
    in S3 at `full_event`. `company` is absent where the event's number is unknown.
    Dead letter: `webhook_event_type` is `dead_letter`, `reason` says what the last of `attempts` raised.

    A parked event is open until it is replayed, and again when a replay comes back:

        open --replay n--> replayed --handled--> resolved
         ^                     |
         +-- same reason ------+-- another reason, another item --> replaced

    Replays are numbered. What became of one is written by the worker, whenever and in whatever order it learns of it;
    so the state is read off the highest number that was sent and the highest that came back.

    `replayed_by` is the authenticated caller of the last replay or redrive.
    """

    item_type: ClassVar[str] = "WEBHOOK_EVENT"
    pk_pattern: ClassVar[str] = "WEBHOOK#{eventId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype", "gsi_webhook_event")
    ttl_days: ClassVar[int | None] = 30

    webhook_event_type: str
    event_id: str
    event_type: str
    waba_meta_id: str | None = None
    payload: Annotated[dict[str, Any], AtMost(16_000, "bytes")] | None = None
    processed_at: str
    received_at: str

    phone: str | None = None
    reason: str | None = None
    # A pointer (`shared.aws.stored_objects`).
    full_event: Annotated[dict[str, Any], AtMost(3)] | None = None
    correlation_id: str | None = None
    attempts: int | None = None
    replay_count: int | None = None  # number of the last replay that is known to be on the queue
    replayed_at: str | None = None
    replayed_by: str | None = None
    returned: int | None = None  # number of the last replay that was parked again
    parked_again_at: str | None = None
    replaced_by: str | None = None  # id of the event under which that one is parked
    resolved_at: str | None = None

    @property
    def state(self) -> str:
        """Of a parked event: open, replayed (on its way), resolved (handled) or replaced (by another parked event)."""
        if self.resolved_at:
            return RESOLVED
        if self.replaced_by:
            return REPLACED
        return REPLAYED if (self.replay_count or 0) > (self.returned or 0) else OPEN

    @property
    def next_replay(self) -> int:
        """The number that no replay of a parked event had; `returned` may be ahead of a replay whose sender died."""
        return max(self.replay_count or 0, self.returned or 0) + 1


class ParkedEntry(WhatsAppItem):
    """
    Lists a parked event under its company in gsi_webhook_event, so that a company's list reads no events of others.

    `webhook_event_type` is `parked#` and the company; no field of a provider is kept under a name with `#`.
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
        """The entry of a company's parked event."""
        return cls(
            pk=cls.key(event.event_id),
            company=company,
            webhook_event_type=cls.type_pattern.format(company=company),
            event_id=event.event_id,
            received_at=event.received_at,
            ttl=event.ttl,
        )
