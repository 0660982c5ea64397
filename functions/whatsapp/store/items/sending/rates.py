"""Rates of sending, apart from the item types of the hot functions."""

from typing import ClassVar

from pydantic import Field

from whatsapp.store.items.item import WhatsAppItem


class SendRate(WhatsAppItem):
    """
    When a number, or a pair of number and customer, may send again; see `shared.aws.tables.rate_limits.gcra`.

    `subject` is `phone#` and Meta's id of the number, `bulk#` and that id for its campaigns, `campaign#` and the id of
    a campaign with a configured pace, `templates#` and Meta's id for questions about unknown templates, or `pair#` and
    a keyed hash of number and customer.
    """

    item_type: ClassVar[str] = "SEND_RATE"
    pk_pattern: ClassVar[str] = "SEND_RATE#{subject}"
    ttl_days: ClassVar[int | None] = 1

    free_at: int = Field(default=0, alias="free_at")  # ms since 1970
