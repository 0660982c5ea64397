"""The provider's time of a report, and the key that orders two reports."""

from dataclasses import dataclass

from shared.runtime import clock
from whatsapp.inbound.event import Event
from whatsapp.store.ordering import order_key, received_at_ms


@dataclass(frozen=True, slots=True)
class Moment:
    """*at* as text; *order* is that time and a hash, so that ties within one second always have the same winner."""

    at: str
    order: str


def moment_of(event: Event) -> Moment:
    """Return the time of an account-level event: the time of its webhook entry, unless that is ahead of our clock."""
    at = clock.to_text(received_at_ms(event.at, 0, event.accepted_at))
    return Moment(at, order_key(at, event.hash))
