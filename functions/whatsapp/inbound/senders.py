"""
Senders and receivers: the fields of a webhook that identify a customer.

A customer has a phone (`wa_id`, digits), a business-scoped user id (BSUID, such as `GB.8f3a...`), or both. The names of
the BSUID's fields were announced by Meta and are not confirmed by traffic of ours: only this module uses them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_BSUID_FIELDS = ("from_user_id", "to_user_id", "user_id")
_PHONE_FIELDS = ("from", "to", "wa_id")
_LONGEST_NAME = 256


def customer_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the key that orders a customer's events: the BSUID, else the digits, else the group's id, else empty."""
    return (
        bsuid_of(kind, item, contact)
        or phone_of(kind, item, contact)
        or _first(item, ("group_id",))
    )


def bsuid_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the customer's business-scoped user id; empty if the event has none."""
    user_id_change = item.get("user_id")
    if kind == "identity" and isinstance(user_id_change, dict):
        return _first(user_id_change, ("previous",))  # {previous, current}: not confirmed either
    field = "to_user_id" if _is_outbound(kind, item) else "from_user_id"
    # A call's status names only the callee.
    called = ("recipient_user_id",) if kind == "call" else ()
    return _first(item, (field, *called, "user_id")) or _first(contact or {}, ("user_id",))


def phone_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the digits of the customer's phone; empty if the event has none."""
    field = "to" if _is_outbound(kind, item) else "from"
    # Call statuses name only the callee; preferences and new user ids have only the field `wa_id`.
    own = {"call": "recipient_id", "preference": "wa_id", "identity": "wa_id"}.get(kind, field)
    phone = _first(item, (field, own)) or _first(contact or {}, ("wa_id",))
    digits = phone.removeprefix("+")
    return digits if digits.isascii() and digits.isdecimal() else ""


def _is_outbound(kind: str, item: Mapping[str, Any]) -> bool:
    """Whether the customer is the receiver: of an echo, or of a call that the business makes."""
    return kind == "echo" or item.get("direction") == "BUSINESS_INITIATED"


def name_of(contact: Mapping[str, Any] | None) -> str | None:
    """Return the customer's profile name in the webhook."""
    profile = (contact or {}).get("profile")
    name = profile.get("name") if isinstance(profile, dict) else None
    return name[:_LONGEST_NAME] if isinstance(name, str) and name else None


def recipient_of(status: Mapping[str, Any]) -> str:
    """Return the recipient of a status: the BSUID, else the digits, else a group's id; empty if none."""
    return _first(status, ("recipient_user_id", "recipient_id", "recipient"))


class Contacts:
    """The `contacts[]` of a change, indexed by id: a change may contain thousands of contacts and items."""

    def __init__(self, entries: Sequence[dict[str, Any]] = ()) -> None:
        self._entries = entries
        self._positions: dict[str, int] = {}
        for position, entry in enumerate(entries):
            for name in ("wa_id", "user_id"):
                self._positions.setdefault(_first(entry, (name,)), position)
        self._positions.pop("", None)

    def of(self, item: Mapping[str, Any], index: int) -> dict[str, Any] | None:
        """
        Return the entry of the item's sender.

        The first with the sender's `wa_id` or `user_id`; else the one at the same position; else the only one.
        """
        ids = (_first(item, (name,)) for name in (*_BSUID_FIELDS, *_PHONE_FIELDS))
        position = min(
            (self._positions[contact_id] for contact_id in ids if contact_id in self._positions),
            default=None,
        )
        if position is None:
            position = 0 if len(self._entries) == 1 else index
        return self._entries[position] if position < len(self._entries) else None


def _first(source: Mapping[str, Any], names: Sequence[str]) -> str:
    return next(
        (str(source[name]) for name in names if isinstance(source.get(name), str) and source[name]),
        "",
    )
