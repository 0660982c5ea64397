"""
The cost of live updates for an agent and a day, calculated from prices of us-east-1 and assumptions about a day.

Every agent may read all conversations of the company, so each change is a hint to each agent: a company of n agents has
n times the changes, and n connections. Merging limits it: a feed posts at most one message to a connection for each of
its batches, and the next batch starts after the posts of the last one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shared.inbox.live.posts import MOST_AT_ONCE

HOURS = 8
SECONDS = HOURS * 3_600
CHANGES = (
    1_000  # of rows of the inbox, for each agent: about a hundred conversations of ten changes
)
BATCH_SECONDS = 0.2  # of a feed, without posts
POST_SECONDS = 0.025
TYPING_HINTS = (
    360  # an hour of typing, a hint every ten seconds; a colleague shows the same conversation
)
# A page that is seen asks after three seconds without a message; see `console/src/live/heartbeat.ts`.
SILENCE_SECONDS = 3.2
ROUND_TRIP_SECONDS = 0.1
CONNECTS = HOURS // 2 + 1
CONNECTION_BYTES = 350

MESSAGE = 1.00 / 1e6  # each 32 KB, in both directions
CONNECTION_MINUTE = 0.25 / 1e6
WRITE_UNIT, READ_UNIT = 0.625 / 1e6, 0.125 / 1e6
INVOCATION = 0.20 / 1e6 + 0.05 * 0.5 * 0.0000133334  # 50 ms of 512 MB on arm64
# Tickets are calls of the REST API, with the authorizer, its read of the revocation and a unit for its rate limit.
CALL = 3.50 / 1e6 + 2 * INVOCATION + READ_UNIT + WRITE_UNIT
# The ticket and the connection with their entries in the indexes, twice in the transaction, which also checks the
# revocation; and their deletion.
OPENING_WRITES = 15


@dataclass(frozen=True, slots=True)
class Day:
    """Costs of one agent's day in dollars, and the posts of hints to the agent's connection."""

    agents: int
    posts: int
    hints: float
    typing: float
    connection: float
    heartbeat: float

    @property
    def sum(self) -> float:
        """All costs."""
        return self.hints + self.typing + self.connection + self.heartbeat


def day(agents: int) -> Day:
    """Return the costs of an agent's day in a company of so many agents, all of them at work at once."""
    seconds = max(BATCH_SECONDS, agents / MOST_AT_ONCE * POST_SECONDS)
    batches = min(agents * CHANGES, round(SECONDS / seconds))
    look = -(-agents * CONNECTION_BYTES // 4_096) * READ_UNIT
    check = agents * READ_UNIT  # the revocation of each agent
    posting = seconds * 0.5 * 0.0000133334  # the feed runs on while it posts
    typed = (
        2 * MESSAGE + INVOCATION + WRITE_UNIT + 3 * READ_UNIT + look
    )  # two of them for revocations
    opened = CALL + 2 * INVOCATION + 2 * MESSAGE + OPENING_WRITES * WRITE_UNIT + 2 * READ_UNIT
    return Day(
        agents=agents,
        posts=batches,
        hints=batches * MESSAGE + batches * (look + check + posting) / agents,
        typing=TYPING_HINTS * typed,
        connection=HOURS * 60 * CONNECTION_MINUTE + CONNECTS * opened,
        heartbeat=_pings(batches) * 2 * MESSAGE,
    )


def _pings(posts: int) -> float:
    """
    Return the pings of a page that is seen all day and gets so many posts at times without any order.

    The time up to the next of them is exponentially distributed, so a share of all silences lasts long enough.
    """
    rate = posts / SECONDS
    if rate == 0:
        return SECONDS / (SILENCE_SECONDS + ROUND_TRIP_SECONDS)
    is_silent = math.exp(-rate * SILENCE_SECONDS)
    # A cycle ends with a post, or with a ping and its answer.
    cycle = (1 - is_silent) / rate + is_silent * ROUND_TRIP_SECONDS
    return SECONDS / cycle * is_silent


def markdown() -> str:
    """The table for docs/costs.md."""
    rows = (
        f"| {one.agents:,} | {one.posts:,} | {one.hints:.3f} | {one.typing:.3f} "
        f"| {one.connection:.4f} | {one.heartbeat:.3f} | {one.sum:.3f} |"
        for one in map(day, (1, 10, 100, 1_000))
    )
    head = (
        "| agents | posts of hints to each | $ hints | $ typing | $ connection | $ heartbeat "
        "| $ an agent and day |"
    )
    return "\n".join([head, "| --: | --: | --: | --: | --: | --: | --: |", *rows])
