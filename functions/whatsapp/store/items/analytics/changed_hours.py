"""Hours that are counted again. A module of its own, since the worker imports no other class of counts."""

from typing import Annotated, ClassVar

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem


class ChangedHours(WhatsAppItem):
    """Hours whose messages changed in another hour, `yyyymmddHH`, after they were over."""

    item_type: ClassVar[str] = "CHANGED_HOURS"
    pk_pattern: ClassVar[str] = "CHANGED_HOURS#{hour}"
    ttl_days: ClassVar[int | None] = 10  # an hour is counted for eight days

    hours: Annotated[set[str], AtMost(200)] = Field(default_factory=set)

    @classmethod
    def hour_of(cls, key: str) -> str:
        """Return the hour contained in a key."""
        return key.removeprefix(cls.pk_pattern.partition("{")[0])
