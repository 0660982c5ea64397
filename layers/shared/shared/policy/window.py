"""
The messaging window of WhatsApp: until when free-form messages may be sent to a customer. Times are ms since 1970.

The provider closes it 24 hours after the customer's last message, or at the end of a free entry point, whichever is
later. Parley stops a minute earlier, for clock differences and network delay.
"""

from shared.runtime import clock

_LENGTH_MS = 24 * clock.HOUR_MS
_MARGIN_MS = 60 * clock.SECOND_MS


def closes_at(inbound_at: int) -> int:
    """Return when the window closes that a customer's message opened."""
    return inbound_at + _LENGTH_MS - _MARGIN_MS


def until(last_inbound_at: int | None, free_entry_until: int | None = None) -> int | None:
    """Return when the window closes or has closed; None if there never was one."""
    ends = [] if last_inbound_at is None else [closes_at(last_inbound_at)]
    if free_entry_until is not None:
        ends.append(free_entry_until - _MARGIN_MS)
    return max(ends, default=None)


def is_open(now: int, last_inbound_at: int | None, free_entry_until: int | None = None) -> bool:
    """Whether free-form messages may be sent at the time *now*."""
    end = until(last_inbound_at, free_entry_until)
    return end is not None and now < end
