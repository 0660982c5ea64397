"""
Senders and receivers: the fields of a webhook that identify a customer.

A customer has a phone (`wa_id`, digits), a business-scoped user id (BSUID, such as `GB.8f3a...`), or both. A new phone
gives the customer a new BSUID. (Meta, "Business-scoped user IDs", "System messages webhook reference".) The names of
the BSUID's fields are documented by Meta and not confirmed by live traffic: only this module uses them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NUMBER = re.compile(r"[1-9][0-9]{6,14}")
# Written for people, after `+` only: ids may have the same characters.
_SEPARATORS = re.compile(r"[\s().\u2010-\u2015-]+")
_LONGEST_NAME = 256
_LONGEST_USER_ID = 256  # two letters, at most `.ENT.` and 128 characters
_LONGEST_HASH = 256
# Call statuses name only the callee; preferences, new user ids and contacts have only the field `wa_id`.
_PHONE_FIELDS = {
    "call": "recipient_id",
    "preference": "wa_id",
    "identity": "wa_id",
    "contact": "wa_id",
}
# Kinds whose items are of the only entry of `contacts[]`, if they name no customer.
_OF_ONLY_ENTRY = frozenset({"message", "echo", "call", "preference"})
_IDS = ("user_id", "wa_id")  # of an entry of `contacts[]`
# A user id in a field for a phone: Meta's ids have a country and a full stop before letters and digits.
_USER_ID = re.compile(r"[A-Z]{2}\.[A-Za-z0-9.]{1,140}")
_CHANGES = frozenset({"user_changed_number", "customer_changed_number", "user_changed_user_id"})


@dataclass(frozen=True, slots=True)
class Sender:
    """The ids of a customer in one event; empty ones are None. Only `phone` and `user_id` determine the contact."""

    phone: str | None = None
    user_id: str | None = None
    parent_user_id: str | None = None  # shared by linked business portfolios
    username: str | None = None
    identity_hash: str | None = None


@dataclass(frozen=True, slots=True)
class IdChange:
    """A customer's new ids, and the previous ones as far as the notice names them; empty if unknown."""

    phone: str = ""
    user_id: str = ""
    previous_phone: str = ""
    previous_user_id: str = ""


def customer_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the key that orders a customer's events: the BSUID, else the digits, else the group's id, else empty."""
    return (
        bsuid_of(kind, item, contact)
        or phone_of(kind, item, contact)
        or _first(item, ("group_id",))
    )


def bsuid_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the customer's business-scoped user id; empty if the event has none."""
    change = change_of(kind, item)
    if change is not None:
        return change.previous_user_id
    field = "to_user_id" if is_outbound(kind, item) else "from_user_id"
    # A call's status names only the callee.
    called = ("recipient_user_id",) if kind == "call" else ()
    named = _first(item, (field, *called, "user_id")) or _first(contact or {}, ("user_id",))
    as_phone = "" if named else _named_as(kind, item)
    return as_phone if _USER_ID.fullmatch(as_phone) else named


def phone_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> str:
    """Return the digits of the customer's phone; empty if the event has none."""
    return _digits(_named_as(kind, item)) or _digits(_first(contact or {}, ("wa_id",)))


def sender_of(kind: str, item: Mapping[str, Any], contact: Mapping[str, Any] | None) -> Sender:
    """Return all ids of the customer in a message, as the webhook names them."""
    part = contact or {}
    profile = part.get("profile")
    username = _first(profile if isinstance(profile, dict) else {}, ("username",))
    parent = _first(item, ("from_parent_user_id",)) or _first(part, ("parent_user_id",))
    key_hash = _first(part, ("identity_key_hash",)) or _new_hash(item)
    return Sender(
        phone=_possible(phone_of(kind, item, contact)),
        user_id=bsuid_of(kind, item, contact)[:_LONGEST_USER_ID] or None,
        parent_user_id=parent[:_LONGEST_USER_ID] or None,
        username=(username or _first(part, ("username",)))[:_LONGEST_NAME] or None,
        identity_hash=key_hash[:_LONGEST_HASH] or None,
    )


def change_of(kind: str, item: Mapping[str, Any]) -> IdChange | None:
    """
    Return the change of a customer's ids that an event reports; None for any other event.

    A `system` message has the new ids in `system`, the previous phone in `from` and the previous user id in `system`;
    one without it has the previous one in `from_user_id`. A `user_id_update` has both as {previous, current}.
    """
    system = item.get("system")
    if isinstance(system, dict) and str(system.get("type")) in _CHANGES:
        user_id = _first(system, ("user_id", "new_user_id"))
        sender = _first(item, ("from_user_id",))
        previous = _digits(_first(item, ("from",)))
        phone = _digits(_first(system, ("new_wa_id", "wa_id")))
        return IdChange(
            phone=phone if phone != previous else "",
            user_id=user_id,
            previous_phone=previous,
            previous_user_id=_first(system, ("previous_user_id",))
            or (sender if sender != user_id else ""),
        )
    user_id_change = item.get("user_id")
    if kind == "identity" and isinstance(user_id_change, dict):
        return IdChange(
            user_id=_first(user_id_change, ("current",)),
            previous_user_id=_first(user_id_change, ("previous",)),
        )
    return None


def _new_hash(item: Mapping[str, Any]) -> str:
    """Return the hash in a `system` message about a changed identity. Not confirmed by live traffic."""
    system = item.get("system")
    return _first(system if isinstance(system, dict) else {}, ("identity",))


def _digits(phone: str) -> str:
    """Return the digits of a phone number, which may begin with `+` and then have separators; empty if it is none."""
    text = phone.strip()
    digits = _SEPARATORS.sub("", text[1:]) if text.startswith("+") else text
    return digits if digits.isascii() and digits.isdecimal() else ""


def _possible(digits: str) -> str | None:
    """Return digits that can be a number (E.164: 7 to 15 digits, the country code first); None for any others."""
    return digits if _NUMBER.fullmatch(digits) else None


def is_outbound(kind: str, item: Mapping[str, Any]) -> bool:
    """Whether the customer is the receiver: of an echo, or of a call that the business makes."""
    return kind == "echo" or item.get("direction") == "BUSINESS_INITIATED"


def name_of(contact: Mapping[str, Any] | None) -> str | None:
    """Return the customer's profile name in the webhook."""
    profile = (contact or {}).get("profile")
    name = profile.get("name") if isinstance(profile, dict) else None
    return name[:_LONGEST_NAME] if isinstance(name, str) and name else None


def saved_contact(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an entry of the business app's address book as `contacts[]` has customers; None if it names none."""
    given = item.get("contact")
    saved = given if isinstance(given, dict) else {}
    ids = {
        "wa_id": _digits(_first(saved, ("phone_number",))),
        "user_id": _first(saved, ("user_id",)),
    }
    if not any(ids.values()):
        return None
    name = _first(saved, ("full_name", "first_name"))
    return {key: value for key, value in ids.items() if value} | (
        {"profile": {"name": name}} if name else {}
    )


def with_contact(fields: Mapping[str, Any], contact: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a provider's *fields* and the customer's entry of `contacts[]`, under a name that no field has."""
    name = "contact"
    while name in fields:
        name = f"sender_{name}"
    return {**fields, **({name: contact} if contact else {})}


def recipient_of(status: Mapping[str, Any]) -> str:
    """Return the recipient of a status: the BSUID, else the digits, else a group's id; empty if none."""
    return _first(status, ("recipient_user_id", "recipient_id", "recipient"))


def participant_of(status: Mapping[str, Any]) -> str:
    """Return the participant of a group that a status is about; empty in any other status."""
    named = _first(status, ("recipient_participant_id", "participant_recipient_id"))
    return named or (recipient_of(status) if status.get("recipient_type") == "group" else "")


class Contacts:
    """The `contacts[]` of a change, indexed by id: a change may contain thousands of contacts and items."""

    def __init__(self, entries: Sequence[dict[str, Any]] = ()) -> None:
        self._of_user: dict[str, dict[str, Any]] = {}
        self._of_phone: dict[str, dict[str, Any] | None] = {}  # None: entries of several users
        self._only = _only_customer(entries)
        for entry in entries:
            user_id, phone = _first(entry, ("user_id",)), _digits(_first(entry, ("wa_id",)))
            self._of_user.setdefault(user_id, entry)
            same = self._of_phone.setdefault(phone, entry)
            if same is not None and _first(same, ("user_id",)) != user_id:
                self._of_phone[phone] = None

    def of(self, kind: str, item: Mapping[str, Any]) -> dict[str, Any] | None:
        """
        Return the entry that names the item's customer: by the user id, else by the phone. None if there is none.

        An entry of the same phone with another user id is another customer's. A message, a call or a preference that
        names no customer is of the only customer that the entries name, if they name one.
        """
        user_id, phones = _named(kind, item)
        if kind in _OF_ONLY_ENTRY and not user_id and not any(phones) and not _named_as(kind, item):
            return self._only
        named = user_id or _named_as(kind, item)
        if named and named in self._of_user:
            return self._of_user[named]
        for phone in phones:
            entry = self._of_phone.get(phone) if phone else None
            if entry is not None and not (user_id and _first(entry, ("user_id",))):
                return entry
        return None


def _only_customer(entries: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the entry with most ids of the only customer that entries name; None if they name none or several."""
    named = [entry for entry in entries if _first(entry, _IDS)]
    users = {_first(entry, ("user_id",)) for entry in named}
    phones = {phone for entry in named if (phone := _digits(_first(entry, ("wa_id",))))}
    if len(users) != 1 or len(phones) > 1:
        return None
    return max(named, key=lambda entry: sum(bool(_first(entry, (name,))) for name in _IDS))


def _named_as(kind: str, item: Mapping[str, Any]) -> str:
    """Return the text that an item has for its customer's phone, which may be none; empty if it has no text."""
    field = "to" if is_outbound(kind, item) else "from"
    return _first(item, (field, _PHONE_FIELDS.get(kind, field)))


def _named(kind: str, item: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return the user id and the phones by which an item names its customer."""
    if kind in {"status", "payment"}:
        recipient = _first(item, ("recipient_user_id",))
        return recipient, (_digits(_first(item, ("recipient_id",))),)
    if kind == "history":
        user_id = _first(item, ("from_user_id", "to_user_id"))
        return user_id, (_digits(_first(item, ("from",))), _digits(_first(item, ("to",))))
    return bsuid_of(kind, item, None), (phone_of(kind, item, None),)


def _first(source: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of the fields that is a text or a number, as text; empty if none is."""
    found = (source.get(name) for name in names)
    is_text = (str(one) for one in found if isinstance(one, str | int) and one and one is not True)
    return next(is_text, "")
