"""
Limits the rate of campaigns: all campaigns of a number together get four fifths of its rate, the rest is for replies.

The own pace of a campaign is a further limit. Places are taken for several messages at once, as many as are sent within
an eighth of a second, so that a fast campaign writes one rate for up to ten messages.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from shared.rate_limits.limit import Rate
from shared.runtime import clock
from whatsapp.sending import gate

if TYPE_CHECKING:
    from whatsapp.store.items import Phone
    from whatsapp.store.items.campaigns import Campaign

SHARE = Fraction(4, 5)
MOST_AT_ONCE = 10
AT_ONCE_MS = 125
PER_LANE = 10  # messages that one page sends in a second, at most
MOST_LANES = 10


def lanes_of(phone: Phone, own: int | None) -> int:
    """Return the number of campaign pages processed in parallel. *own*: the messages per second that it asks for."""
    per_second = clock.SECOND_MS / _interval_ms(phone, own)
    return min(MOST_LANES, ceil(per_second / PER_LANE))


def places_at_once(phone: Phone, campaign: Campaign) -> int:
    """Return the number of messages for which places are taken together."""
    interval_ms = _interval_ms(phone, campaign.messages_per_second)
    return max(1, min(MOST_AT_ONCE, int(AT_ONCE_MS / interval_ms)))


def rates_of(phone: Phone, campaign: Campaign, count: int) -> list[tuple[str, Rate]]:
    """
    Return the rates of a campaign as subjects and rates of *count* messages, its own one first.

    A place in one is waited for before one in the next is taken: the queue of the number must not wait for a slow
    campaign. A place that is not used slows the campaigns a little.
    """
    rates = [(f"bulk#{phone.phone}", _rate(_interval_ms(phone, None), count))]
    own = campaign.messages_per_second
    if own is not None:
        own_rate = _rate(Fraction(clock.SECOND_MS, own), count)
        rates.insert(0, (f"campaign#{campaign.campaign_id}", own_rate))
    return rates


def _rate(interval_ms: Fraction, count: int) -> Rate:
    return Rate(every_ms=ceil(count * interval_ms))


def _interval_ms(phone: Phone, own: int | None) -> Fraction:
    """Return the milliseconds between two messages of a campaign."""
    of_number = gate.rate_of(phone).every_ms / SHARE
    return max(of_number, Fraction(clock.SECOND_MS, own)) if own else of_number
