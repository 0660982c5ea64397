"""Time formats: milliseconds since 1970 in code, fixed-width UTC text in items."""

import time
from datetime import UTC, datetime

SECOND_MS = 1_000
HOUR_MS = 3_600 * SECOND_MS
DAY_SECONDS = 86_400


def now_ms() -> int:
    """Return milliseconds since 1970, UTC. Tests and the simulation replace this function."""
    return time.time_ns() // 1_000_000


def sleep_ms(milliseconds: int) -> None:
    """Sleep. Tests and the simulation replace this function too."""
    time.sleep(milliseconds / SECOND_MS)


def to_text(moment_ms: int) -> str:
    """Format milliseconds as `YYYY-MM-DDTHH:MM:SS.mmmZ`: fixed width, so that text order is time order."""
    moment = datetime.fromtimestamp(moment_ms // 1_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment_ms % 1_000:03d}Z"


def from_text(text: str) -> int:
    """Parse a text written by `to_text` into milliseconds. Raises ValueError for anything else."""
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def seconds_until(moment_ms: int) -> int:
    """Return the seconds until a moment (ms since 1970), rounded up; at least one."""
    return max(1, -(-(moment_ms - now_ms()) // SECOND_MS))


def expires_in(seconds: int) -> int:
    """Return a DynamoDB TTL: epoch seconds, *seconds* from now."""
    return now_ms() // 1_000 + seconds


def is_over(ttl_epoch_seconds: int | None) -> bool:
    """Whether an item's TTL has passed. DynamoDB deletes up to 48 hours late, so every reader must check."""
    return ttl_epoch_seconds is not None and ttl_epoch_seconds <= now_ms() // 1_000
