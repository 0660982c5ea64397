"""
Identifiers of a customer in the one normal form that all contexts compare and store.

    phone       E.164, one spelling for each line               +447700900101
                of a later owner, with the second of the change +447700900101~20260302120010
    email       case-folded, the domain in ASCII                ann.doe@example.com
    user_id     business portfolio and WhatsApp user id         1122334455:US.13491208655302741918
    external    system and id, both the company's own           shop:C-1001

The normal form of a normal form is itself. A WhatsApp user id is unique only within a business portfolio.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from shared.identity.addresses import (
    USER_ID_PREFIX,
    AddressInvalid,
    PhoneInvalid,
    customer_number,
    email_address,
    user_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SINCE = "~"
_SECOND = re.compile(r"[0-9]{14}", re.ASCII)
_PORTFOLIO = re.compile(r"[0-9]{1,32}", re.ASCII)
_SYSTEM = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.ASCII)
LONGEST_EXTERNAL_ID = 200  # characters


class IdentifierKind(StrEnum):
    """The kinds of identifiers."""

    PHONE = "phone"
    EMAIL = "email"
    USER_ID = "user_id"
    EXTERNAL = "external"


class ExternalIdInvalid(AddressInvalid):
    """`malformed`: not `{system}:{id}`."""


class PortfolioInvalid(AddressInvalid):
    """`malformed`: a WhatsApp user id without the digits of its business portfolio."""


@dataclass(frozen=True, slots=True, order=True)
class Identifier:
    """An identifier in its normal form. Made by `identifier`."""

    kind: IdentifierKind
    value: str = field(repr=False)


def identifier(kind: IdentifierKind, text: str, *, region: str | None = None) -> Identifier:
    """
    Return the identifier that *text* spells. *region* (ISO 3166) is where a national phone number is dialled.

    Raises AddressInvalid; no message contains the text.
    """
    if kind is IdentifierKind.PHONE:
        number, since, second = text.partition(_SINCE)
        if since and not _SECOND.fullmatch(second):
            raise PhoneInvalid("malformed")
        return Identifier(kind, f"{customer_number(number, region)}{since}{second}")
    return Identifier(kind, _NORMAL[kind](text))


def of_later_owner(number: str, at: str) -> str:
    """Return how a phone number (E.164) is written that another person had until *at* (ISO 8601, UTC)."""
    return f"{number}{_SINCE}{''.join(filter(str.isdecimal, at[:19]))}"


def number_of(phone: Identifier) -> str:
    """Return the phone number (E.164) of an identifier."""
    return phone.value.partition(_SINCE)[0]


def _portfolio_user_id(text: str) -> str:
    portfolio, separator, bare = text.strip().partition(":")
    if not separator or not _PORTFOLIO.fullmatch(portfolio):
        raise PortfolioInvalid("malformed")
    return f"{portfolio}:{user_id(bare).removeprefix(USER_ID_PREFIX)}"


def _external_id(text: str) -> str:
    system, separator, own = text.strip().partition(":")
    system, own = system.strip().lower(), own.strip()
    fits = 0 < len(own) <= LONGEST_EXTERNAL_ID and own.isprintable()
    if not separator or not _SYSTEM.fullmatch(system) or not fits:
        raise ExternalIdInvalid("malformed")
    return f"{system}:{own}"


_NORMAL: Mapping[IdentifierKind, Callable[[str], str]] = {
    IdentifierKind.EMAIL: email_address,
    IdentifierKind.USER_ID: _portfolio_user_id,
    IdentifierKind.EXTERNAL: _external_id,
}
