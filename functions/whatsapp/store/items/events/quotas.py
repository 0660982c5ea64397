"""The counter of parked events, apart from the item types of the hot functions."""

from typing import ClassVar

from pydantic import Field

from whatsapp.store.items.item import WhatsAppItem


class ParkedQuota(WhatsAppItem):
    """
    The number of events of a company that were parked on a day (UTC); see `shared.events.recovery.quota`.

    `company` in the key is empty for events without a known company.
    """

    item_type: ClassVar[str] = "PARKED_QUOTA"
    pk_pattern: ClassVar[str] = "PARKED_QUOTA#company#{company}"
    ttl_days: ClassVar[int | None] = 2

    count_86400: int = Field(default=0, alias="count_86400")
    window_86400: int = Field(default=0, alias="window_86400")  # days since 1970
