"""Sends of unknown outcome, listed for the person who decides."""

from typing import ClassVar

from whatsapp.store.items.item import WhatsAppItem


class UnknownSend(WhatsAppItem):
    """
    Lists a send of unknown outcome under its company in gsi_webhook_event, until a person has decided about it.

    `webhook_event_type` is `#unknown_send#` and the company; names of provider fields are stored without `#`. The
    ledger says whether the outcome is still unknown: a late status settles the send, and leaves this entry.
    """

    item_type: ClassVar[str] = "UNKNOWN_SEND"
    pk_pattern: ClassVar[str] = "UNKNOWN_SEND#{actionId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_webhook_event",)
    ttl_days: ClassVar[int | None] = 35
    type_pattern: ClassVar[str] = "#unknown_send#{company}"

    webhook_event_type: str
    action_id: str
    received_at: str  # of the attempt
