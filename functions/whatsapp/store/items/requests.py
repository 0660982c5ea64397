"""Answers to calls of the API, kept for those who call again."""

from typing import Annotated, Any, ClassVar

from whatsapp.store.items.item import AtMost, WhatsAppItem


class Idempotency(WhatsAppItem):
    """The answer to a call that changed something. Contract item 25: ids, state, status code; no text, no address."""

    item_type: ClassVar[str] = "IDEMPOTENCY"
    pk_pattern: ClassVar[str] = "IDEMPOTENCY#{requestId}"
    ttl_days: ClassVar[int | None] = 1

    request_id: str
    processed_at: str | None = None
    result: Annotated[dict[str, Any], AtMost(4_000, "bytes")] | None = None
