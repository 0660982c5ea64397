"""Finds the customer that a call names, at all numbers of the company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from shared.identity import addresses
from whatsapp.actions.calls import participants

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call


def named(call: Call[Any], text: str, field: str) -> str:
    """
    Return the digits or the user id of a customer. A number without + is read in the region of the company's first
    number. Raises InvalidInput.
    """
    if text[:2].isalpha():
        return text
    phones = participants.phones_of(call)
    if phones:
        return participants.number_of(text, phones[0], field)
    try:
        return addresses.phone_number(text).removeprefix("+")
    except addresses.PhoneInvalid:
        raise InvalidInput([{"field": field, "problem": "must be a phone number"}]) from None


def spelt(who: str) -> str:
    """Return digits or a user id as a parameter spells it: without + digits could be read as a national number."""
    return f"+{who}" if who.isdecimal() else who


def address_of(each: str) -> str:
    """Return the address of an id, as consent is recorded for it."""
    return spelt(each) if each.isdecimal() else f"{addresses.USER_ID_PREFIX}{each}"
