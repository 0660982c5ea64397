"""Possible time zones of a recipient, derived from the phone number."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zones_of(address: str) -> tuple[ZoneInfo, ...]:
    """
    Return the possible time zones of an address: one for most numbers, several for mobiles of large countries.

    Empty if unknown: numbers of reserved ranges and of satellites, and addresses other than phone numbers (E.164).
    """
    import phonenumbers  # noqa: PLC0415 - at its first use, as in shared.identity.addresses
    from phonenumbers import timezone  # noqa: PLC0415 - as above

    if not address.startswith("+"):
        return ()
    names = timezone.time_zones_for_number(phonenumbers.parse(address))
    return tuple(zone for name in names if (zone := _zone(name)) is not None)


def _zone(name: str) -> ZoneInfo | None:
    """Return the zone of a library name; None for the library's "unknown", and for names that tzdata has dropped."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None
