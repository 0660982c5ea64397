"""Stored API responses, for idempotent retries."""

from typing import Annotated, Any, ClassVar

from whatsapp.store.items.item import AtMost, WhatsAppItem


class Idempotency(WhatsAppItem):
    """The response to an API call that changed data. Contract item 25: ids, state, status code; no text, no address."""

    item_type: ClassVar[str] = "IDEMPOTENCY"
    pk_pattern: ClassVar[str] = "IDEMPOTENCY#{requestId}"
    ttl_days: ClassVar[int | None] = 1

    request_id: str
    processed_at: str | None = None
    result: Annotated[dict[str, Any], AtMost(4_000, "bytes")] | None = None
