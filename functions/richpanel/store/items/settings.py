"""Rows of the shop's stored settings, in `rp_mw_conversation_state`."""

from typing import ClassVar

from richpanel.store.items.row import Row
from shared.aws.tables.items import filled


class SettingsVersion(Row):
    """
    One version of the shop's settings; the row without a number is a copy of the version in force.

    `settings` is JSON (`richpanel.configuration.shop_settings`). `cause` is the hash of the request that stored it,
    `based_on` the version whose settings its author changed.
    Versions never expire: `expires_at` is absent.
    """

    partition_key: ClassVar[str] = "conversation_id"
    patterns: ClassVar[tuple[str, ...]] = ("sys:settings", "sys:settings:{number}")
    ttl_days: ClassVar[int] = 0  # none

    conversation_id: str
    number: int
    settings: str
    changed_at: str
    changed_by: str
    cause: str
    note: str = ""
    based_on: int | None = None
    expires_at: int | None = None  # type: ignore[assignment] # the only rows of the table without an expiry

    @classmethod
    def key(cls, number: int) -> str:
        """Return the row key of a version."""
        return filled(cls.patterns[1], str(number))
