"""Events that are kept as such: what has no item of its own, and what was parked."""

from typing import Annotated, Any, ClassVar

from whatsapp.items.item import AtMost, WhatsAppItem


class WebhookEvent(WhatsAppItem):
    """
    An event of a webhook. Contract item 16; below the gap is ours. TTL 30 days, payload at most 16 KB.

    A payload over that is an outline here, and the whole event lies in S3 at `full_event`.
    Parked: `webhook_event_type` is `parked`, `reason` says why, and `payload` is only its outline; the whole event lies
    in S3 at `full_event`. `company` is absent where the event's number is unknown.
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
    full_event: str | None = None
