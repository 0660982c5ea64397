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
    from collections.abc import Callable

    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.privacy.parts import Named


@dataclass(frozen=True, slots=True)
class CustomerRows:
    """
    The rows in the table of states. *secret*: the help desk's, with the salt of the hashes. *owner*: returns the
    company of the help desk; None if it is every company's.
    """

    table: Table
    secret: JsonSecret
    owner: Callable[[], str | None]

    def keys(self, company: str, name: Named, /) -> list[str]:
        """Return the keys of the rows of a name; none of another company's customers, and none without a salt."""
        if not can_count(self.secret) or self.owner() not in {None, company}:
            return []
        hashed = customer_hmac(self.secret, name.value)
        return [CustomerState.key(hashed)] if states.customer(self.table, hashed) else []

    def remove(self, key: str, /) -> None:
        """Remove a row. Safe to repeat."""
        self.table.delete(key_of(CustomerState, key))
