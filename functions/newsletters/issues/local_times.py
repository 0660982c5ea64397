"""Local times of issues."""

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from shared.runtime import clock

EARLIEST_ZONE: Final = "Pacific/Kiritimati"  # where each day begins first


def moment_of(local: str, zone: str) -> int:
    """
    Return a local time in a zone as ms since 1970. In a gap, as at the begin of summer time, it moves forward; of a
    time that occurs twice the first counts.
    """
    return (
        int(
            datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).timestamp()
        )
        * clock.SECOND_MS
    )
