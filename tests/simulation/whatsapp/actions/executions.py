"""
The event sources of the queues of jobs and of campaigns, in virtual time.

Each source has as many runs at once as its maximum. Runs are executed in the order of their starts; a run moves the
clock, its end frees its place, and the clock goes back to the start of the next run. So runs overlap, though each one
is executed as a whole.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from shared.runtime.clock import to_text
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.queues.fifo import Queued
    from tests.simulation.whatsapp.system import System

MINUTE_MS = 60_000
TIMEOUT_MS = 180_000


@dataclass(frozen=True)
class Run:
    """One run: its event, when it could start, when it started and ended, ms since 1970."""

    kind: str
    campaign: str
    due_ms: int
    began_ms: int
    ended_ms: int
    waited_ms: int  # for rates, in the function


@dataclass
class Executions:
    """
    Runs of the function of jobs. *most*: concurrent runs, by queue.

    `copies`: at each minute, the largest number of events of one page on the queue.
    """

    system: System
    most: dict[str, int]
    runs: list[Run] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    waited_ms: int = 0  # in the current run
    _later: list[tuple[int, Callable[[], None]]] = field(default_factory=list)
    _ends: dict[str, list[int]] = field(default_factory=dict)

    def wait(self, seconds: float) -> None:
        """The function waits, in the current run."""
        self.waited_ms += round(seconds * 1_000)
        self.system.clock.sleep(seconds)

    def at_its_end(self, call: Callable[..., None]) -> Callable[..., None]:
        """Let a run make a call when it ends by the clock, not before the runs that start meanwhile."""

        def later(*given: Any) -> None:
            self._later.append((self.system.clock.ms, partial(call, *given)))

        return later

    def run_for(self, minutes: int) -> None:
        """Run what is due in so many minutes, and the schedule in each."""
        now = self.system.clock.ms
        for end in range(now + MINUTE_MS, now + minutes * MINUTE_MS + 1, MINUTE_MS):
            while (start := self._next()) is not None and start[0] < end:
                self._run(*start)
            self.system.clock.ms = end
            self.system.scheduled.handler({"time": to_text(end)}, Invocation(self.system.clock))
            self.copies.append(self._most_copies())

    def at_once(self, company_of: dict[str, str]) -> Counter[str]:
        """The largest number of pages that were in work at once, by company."""
        found: Counter[str] = Counter()
        for run in self.runs:
            company = company_of.get(run.campaign, "")
            others = sum(
                other.began_ms <= run.began_ms < other.ended_ms
                and company_of.get(other.campaign) == company
                for other in self.runs
            )
            found[company] = max(found[company], others)
        return found

    def _next(self) -> tuple[int, int, Queued] | None:
        """The next start: when, since when it was due, and its message."""
        starts = []
        for message in self.system.queue.messages:
            if message.standard:
                due = max(message.visible_at, message.sent_at)
                starts.append((max(due, self._free_at(message.standard)), due, message))
        return min(starts, key=lambda one: one[:2], default=None)

    def _free_at(self, queue: str) -> int:
        ends = self._ends.setdefault(queue, [0] * self.most[queue])
        return min(ends)

    def _run(self, start_ms: int, due_ms: int, message: Queued) -> None:
        system, queue = self.system, message.standard
        for ended_ms, call in [one for one in self._later if one[0] <= start_ms]:
            call()
            self._later.remove((ended_ms, call))
        system.clock.ms, self.waited_ms = start_ms, 0
        message.receives += 1
        message.visible_at = start_ms + system.queue.standard[queue]
        message.receipt = f"{message.message_id}-{message.receives}"
        event: dict[str, Any] = {"Records": [message.as_record(queue)]}
        with quiet():
            answer = system.media.handler(event, Invocation(system.clock, lasts_ms=TIMEOUT_MS))
        if not answer["batchItemFailures"]:
            system.queue.messages.remove(message)
        body = json.loads(message.body)
        ends = self._ends[queue]
        ends[ends.index(min(ends))] = system.clock.ms
        campaign = str((body.get("payload") or {}).get("campaign", ""))
        times = (due_ms, start_ms, system.clock.ms)
        self.runs.append(Run(body["kind"], campaign, *times, self.waited_ms))

    def _most_copies(self) -> int:
        ids = Counter(json.loads(message.body)["id"] for message in self.system.queue.messages)
        return max(ids.values(), default=0)
