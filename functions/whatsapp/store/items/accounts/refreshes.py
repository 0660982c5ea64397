"""The progress of the hourly refresh of all numbers."""

from typing import ClassVar

from whatsapp.store.items.item import WhatsAppItem


class NumberRefresh(WhatsAppItem):
    """The progress of an hour's refresh: the last number taken. Each number is taken once an hour, by one run."""

    item_type: ClassVar[str] = "NUMBER_REFRESH"
    pk_pattern: ClassVar[str] = "NUMBER_REFRESH"

    hour: str  # YYYY-MM-DDTHH, UTC
    position: str = ""  # Meta's id of the last number that was taken
    finished: bool = False
