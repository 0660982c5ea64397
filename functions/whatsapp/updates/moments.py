"""When the provider says that something happened: what a report is kept by, and what two of them are compared by."""

from dataclasses import dataclass

from shared import clock
from whatsapp.event import Event
from whatsapp.ordering import order_key, received_at_ms


@dataclass(frozen=True, slots=True)
class Moment:
    """*at* as text; *order* is that time and a hash, so that of two reports of one second always the same one wins."""

    at: str
    order: str


def moment_of(event: Event) -> Moment:
    """The time of an event of an account: that of its webhook's entry, unless it lies ahead of our clock."""
    at = clock.to_text(received_at_ms(event.at, 0, event.accepted_at))
    return Moment(at, order_key(at, event.hash))
