"""
Limits the rate of campaigns: all campaigns of a number together get four fifths of its rate, the rest is for replies.

The own pace of a campaign is a further limit. Places are taken for several messages at once, so that ten messages write
a rate once. In the rate of the number they are as many as it permits in 175 ms. In the rate of a campaign they are
always ten, as a page that waits for ten messages can wait on the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from shared.aws.tables.rate_limits.limit import Rate
from shared.runtime import clock
from whatsapp.sending import gate

if TYPE_CHECKING:
    from whatsapp.store.items import Phone
    from whatsapp.store.items.sending.campaigns import Campaign

SHARE = Fraction(4, 5)
MOST_AT_ONCE = 10
AT_ONCE_MS = 175
PER_LANE = 10  # messages that one page sends in a second, at most
MOST_LANES = 10


def fastest(phone: Phone) -> int:
    """Return the messages per second that one campaign of a number can send at most."""
    of_number = clock.SECOND_MS // _interval_ms(phone, None)
    return max(1, min(MOST_LANES * PER_LANE, of_number))


def lanes_of(phone: Phone, own: int | None) -> int:
    """Return the number of campaign pages processed in parallel. *own*: the messages per second that it asks for."""
    per_second = clock.SECOND_MS / _interval_ms(phone, own)
    return min(MOST_LANES, ceil(per_second / PER_LANE))


@dataclass(frozen=True, slots=True)
class Places:
    """Places for *count* messages in the rate of a *subject*, taken together; *name* is their name in a page."""

    name: str
    subject: str
    count: int
    rate: Rate


def places_of(phone: Phone, campaign: Campaign, left: int) -> list[Places]:
    """
    Return the places to take in each rate of a campaign for the next of *left* messages, its own rate first.

    A place in one is waited for before one in the next is taken: the queue of the number must not wait for a slow
    campaign. A place that is not used slows the campaigns a little.
    """
    interval_ms = _interval_ms(phone, None)
    at_once = max(1, min(MOST_AT_ONCE, int(AT_ONCE_MS / interval_ms)))
    places = [_places("number", f"bulk#{phone.phone}", interval_ms, min(at_once, left))]
    own = campaign.messages_per_second
    if own is not None:
        subject = f"campaign#{campaign.campaign_id}"
        own_ms = Fraction(clock.SECOND_MS, own)
        places.insert(0, _places("campaign", subject, own_ms, min(MOST_AT_ONCE, left)))
    return places


def _places(name: str, subject: str, interval_ms: Fraction, count: int) -> Places:
    return Places(name, subject, count, Rate(every_ms=ceil(count * interval_ms)))


def _interval_ms(phone: Phone, own: int | None) -> Fraction:
    """Return the milliseconds between two messages of a campaign."""
    of_number = gate.rate_of(phone).every_ms / SHARE
    return max(of_number, Fraction(clock.SECOND_MS, own)) if own else of_number
