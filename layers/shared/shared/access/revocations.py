"""
Revoked access: whose tokens, tickets and connections no longer count, in the table of API keys.

    REVOKED#{principal}     `key_id`; no API key has such an id

`not_before`: what was issued in this second (epoch) or earlier does not count. `blocked`: nothing counts, until it is
lifted. The authorizer reads the item in each call with a token, the WebSocket API when a connection opens, and hints
before they are posted. A reader that cannot read it refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import TTL_ATTRIBUTE, ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

KEY_PATTERN: Final = "REVOKED#{principal}"
# No token counts for longer (access/access_tokens.py), and no connection stays open for longer.
KEPT_SECONDS: Final = clock.DAY_SECONDS
_KEY, _NOT_BEFORE, _BLOCKED = "key_id", "not_before", "blocked"


@dataclass(frozen=True, slots=True)
class Revocation:
    """The revocation of one principal; without an item nothing is revoked."""

    not_before: int = -1
    is_blocked: bool = False

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """Parse a stored item."""
        return cls(int(item.get(_NOT_BEFORE, -1)), bool(item.get(_BLOCKED, False)))

    def covers(self, issued_at: int) -> bool:
        """Whether a token of this time (epoch seconds) no longer counts."""
        return self.is_blocked or issued_at <= self.not_before


def find(table: Table, principal: str) -> Revocation:
    """Read the revocation of a principal; strongly consistent, one read unit. Raises what the table raises."""
    item = table.get(_key(principal))
    return Revocation.read(item) if item else Revocation()


def find_all(table: Table, principals: Iterable[str]) -> dict[str, Revocation]:
    """Read the revocations of several principals, if they have any. Raises the table's exceptions."""
    keys = [_key(principal) for principal in sorted(set(principals))]
    prefix = KEY_PATTERN.format(principal="")
    return {
        str(item[_KEY]).removeprefix(prefix): Revocation.read(item) for item in table.get_many(keys)
    }


def to_check(table: Table, principal: str, issued_at: int) -> Attributes:
    """Return the condition, for a transaction, that a token of this time still counts."""
    return table.to_check(_key(principal), when=_is_unblocked() & _is_before(issued_at))


def end_sessions(table: Table, principal: str, moment: int) -> None:
    """Revoke what was issued until *moment* (epoch seconds). Safe to repeat, and in any order."""
    try:
        table.update(
            _key(principal),
            put={_NOT_BEFORE: moment, TTL_ATTRIBUTE: moment + KEPT_SECONDS},
            when=_is_unblocked() & _is_before(moment),
        )
    except ConditionFailed:
        return  # A later revocation or a block covers this one.


def block(table: Table, principal: str) -> None:
    """Revoke all that was and will be issued, until `unblock`. Safe to repeat."""
    table.update(_key(principal), put={_BLOCKED: True}, drop=(TTL_ATTRIBUTE,))


def unblock(table: Table, principal: str) -> None:
    """Lift a block; sessions that ended before stay ended. Safe to repeat."""
    kept_until = clock.expires_in(KEPT_SECONDS)
    table.update(_key(principal), put={TTL_ATTRIBUTE: kept_until}, drop=(_BLOCKED,))


def _is_before(moment: int) -> ConditionBase:
    return Attr(_NOT_BEFORE).not_exists() | Attr(_NOT_BEFORE).lt(moment)


def _is_unblocked() -> ConditionBase:
    return Attr(_BLOCKED).not_exists()


def _key(principal: str) -> Attributes:
    return {_KEY: KEY_PATTERN.format(principal=principal)}
