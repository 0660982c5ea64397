"""
The rows of a customer: times of automatic replies, under a keyed hash of an address, for a week.

No other row leads from an address to a person. Tickets are known by the help desk's ids alone, and hold codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from richpanel.guards.customer_hash import can_count, customer_hmac
from richpanel.store import states
from richpanel.store.items import CustomerState, key_of

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret


@dataclass(frozen=True, slots=True)
class CustomerRows:
    """The rows in the table of states. *keys*: the help desk's secret with the salt of the hashes."""

    table: Table
    secret: JsonSecret

    def keys(self, name: tuple[str, str], /) -> list[str]:
        """Return the keys of the rows of an identifier (kind, value); none without a salt, since none are counted."""
        if not can_count(self.secret):
            return []
        hashed = customer_hmac(self.secret, name[1])
        return [CustomerState.key(hashed)] if states.customer(self.table, hashed) else []

    def remove(self, key: str, /) -> None:
        """Remove a row. Safe to repeat."""
        self.table.delete(key_of(CustomerState, key))
