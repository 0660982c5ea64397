"""
One-time links for the first administrator of a company, in the table of API keys.

    FIRST_LINK#{hash of the token}     `key_id`; no API key has such an id

    (nothing) --create--> open --begin(address)--> begun --finish--> used
                           +------- expires -------+

The token is random and long and is stored only as a hash. A link that was begun goes on with the same address only: a
call that was cut off is completed by its repeat, and no second person can use the link.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import TTL_ATTRIBUTE, ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.access.groups import Role
    from shared.aws.dynamodb import Attributes, Table

KEY_PATTERN: Final = "FIRST_LINK#{hash}"
VALID_SECONDS: Final = clock.DAY_SECONDS
TOKEN_PATTERN: Final = r"^[A-Za-z0-9_-]{43}$"  # noqa: S105 - the form of tokens
_TOKEN_BYTES: Final = 32
_KEY, _COMPANY, _ROLES = "key_id", "company", "roles"
_EXPIRES_AT, _BEGUN_BY, _USED_AT = "expires_at", "begun_by", "used_at"


class LinkRefused(Exception):
    """The link is unknown, expired or used, or was begun with another address; the text does not say which."""

    def __init__(self) -> None:
        super().__init__("the link is not valid: it works once, for 24 hours, for one address")


@dataclass(frozen=True, slots=True)
class FirstLink:
    """A link that may be used: the *company*, and the *roles* that its administrator gets."""

    company: str
    roles: tuple[str, ...]

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """Parse a stored item."""
        return cls(str(item[_COMPANY]), tuple(item[_ROLES]))


def create(table: Table, company: str, roles: tuple[Role, ...]) -> str:
    """Store a link and return its token, which cannot be read again."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = clock.expires_in(VALID_SECONDS)
    table.put(
        {
            **_key(token),
            _COMPANY: company,
            _ROLES: [str(role) for role in roles],
            _EXPIRES_AT: expires_at,
            TTL_ATTRIBUTE: expires_at,
        }
    )
    return token


def find(table: Table, token: str, address: str) -> tuple[FirstLink, bool]:
    """
    Return the link of a token, and whether a call with this address has begun to use it. Changes nothing.

    Raises LinkRefused.
    """
    item = table.get(_key(token))
    if item is None or _USED_AT in item or clock.is_over(int(item[_EXPIRES_AT])):
        raise LinkRefused
    begun_by = item.get(_BEGUN_BY)
    if begun_by not in {None, _hash(address)}:
        raise LinkRefused
    return FirstLink.read(item), begun_by is not None


def begin(table: Table, token: str, address: str) -> None:
    """Reserve the link for an address. Safe to repeat with the same one. Raises LinkRefused."""
    own = _hash(address)
    free = Attr(_BEGUN_BY).not_exists() | Attr(_BEGUN_BY).eq(own)
    _update(table, token, _BEGUN_BY, own, free)


def finish(table: Table, token: str, address: str) -> None:
    """Mark the link as used, by the address that began. Raises LinkRefused."""
    at = clock.to_text(clock.now_ms())
    _update(table, token, _USED_AT, at, Attr(_BEGUN_BY).eq(_hash(address)))


def _update(table: Table, token: str, name: str, value: str, when: ConditionBase) -> None:
    is_open = Attr(_KEY).exists() & Attr(_USED_AT).not_exists() & when
    try:
        table.update(_key(token), put={name: value}, when=is_open)
    except ConditionFailed as refusal:
        # This call's own write, repeated by the SDK after a lost response.
        if refusal.existing is None or refusal.existing.get(name) != value:
            raise LinkRefused from None


def _key(token: str) -> Attributes:
    return {_KEY: KEY_PATTERN.format(hash=_hash(token))}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
