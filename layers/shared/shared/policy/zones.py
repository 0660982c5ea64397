"""Where somebody may be, as far as the phone number tells."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zones_of(address: str) -> tuple[ZoneInfo, ...]:
    """
    The time zones that the owner of an address may be in: one for most numbers, several for mobiles of large countries.

    None where nobody knows: numbers of reserved ranges and of satellites, and addresses that are no number (E.164).
    """
    import phonenumbers  # noqa: PLC0415 - at its first use, as in shared.addresses
    from phonenumbers import timezone  # noqa: PLC0415 - as above

    if not address.startswith("+"):
        return ()
    names = timezone.time_zones_for_number(phonenumbers.parse(address))
    return tuple(zone for name in names if (zone := _zone(name)) is not None)


def _zone(name: str) -> ZoneInfo | None:
    """The zone of a name of the library's; None for its word for "unknown", and for names that tzdata has dropped."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None
