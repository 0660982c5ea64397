"""
The states of a parked event.

    open --replay n--> replayed --handled--> resolved
     ^                     |
     +-- parked again -----+-- parked again as another event --> replaced

`conversations` writes a new item each time that it parks an event, so its events end as `replayed`.
"""

from typing import Protocol

OPEN, REPLAYED, RESOLVED, REPLACED = "open", "replayed", "resolved", "replaced"


class ReplayRecord(Protocol):
    """
    The attributes of a parked event's item about its replays, which are numbered.

    `replay_count` is the last one that is known to be queued, `returned` the last one that was parked again. Workers
    record their outcomes at any time and in any order, so the state is derived from the two numbers.
    """

    resolved_at: str | None
    replaced_by: str | None
    replay_count: int | None
    returned: int | None


def state_of(record: ReplayRecord) -> str:
    """Return the state: open, replayed (queued), resolved (handled) or replaced (by another event)."""
    if record.resolved_at:
        return RESOLVED
    if record.replaced_by:
        return REPLACED
    return REPLAYED if (record.replay_count or 0) > (record.returned or 0) else OPEN


def next_replay(record: ReplayRecord) -> int:
    """Return the next unused number; `returned` may exceed `replay_count` if the sender of a replay died."""
    return max(record.replay_count or 0, record.returned or 0) + 1
