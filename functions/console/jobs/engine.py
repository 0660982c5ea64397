"""
The engine of jobs: runs that follow each other until a job has ended.

    request -> run -> run -> ... -> end       each run starts the next one, MOST_RUNS at most
               ^ the schedule starts a run of each open job, so a start or a run that is lost costs time only

A run takes the job over, does one step after the other while it has time, and leaves the job to the next run. Each kind
of job supplies what differs: where its open jobs are, how a run takes one over, and a step, which is safe to repeat.
Two runs of a job may meet: the kind lets one of them write, and the other one ends (`LeaseLost`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol
from uuid import uuid4

from console.jobs.runs import Run
from shared.aws.tables.leases import Finished, Held, LeaseLost
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, write_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from console.jobs.runs import Job, Runs

# Runs that follow each other: AWS stops functions that start themselves again and again.
MOST_RUNS: Final = 12
LAST_MS: Final = 3 * clock.SECOND_MS  # of a run that only waits


class Turn(Protocol):
    """A job in the hands of one run."""

    def step(self) -> int | None:
        """
        Do the next part of the job; return the time in ms to wait before the one after it, None at the end.

        Raises LeaseLost, and Transient: with a time to wait, or after a failure that may pass.
        """

    def failed(self, failure: Transient) -> int:
        """Note a failure; return the time in ms to wait before the step is tried again."""

    def leave(self) -> None:
        """Store the progress, and leave the job to the next run. Raises LeaseLost."""


class Kind(Protocol):
    """
    A kind of job. *spare_ms*: the time that a step and its storing may take. After *most_failures* of a run the job is
    left to the schedule.
    """

    @property
    def spare_ms(self) -> int:
        """The time of a run with which no step is begun."""

    @property
    def most_failures(self) -> int:
        """The failures of one run."""

    def opened(self) -> Iterable[Job]:
        """Return the jobs of all companies that the schedule goes on with."""

    def taken(self, job: Job, owner: str, remaining_ms: int) -> Turn | None:
        """Take a job over for the run *owner*; None if it has ended. Raises Held and Finished."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine over the kinds of jobs, by their names in events."""

    runs: Runs
    kinds: Mapping[str, Kind]

    def start_opened(self) -> None:
        """Start a run of each open job; a run ends at once if another one holds its job."""
        # Kinds that are listed together are one object.
        for kind in {id(one): one for one in self.kinds.values()}.values():
            for job in kind.opened():
                self.runs.start(job)

    def go_on(self, started: Mapping[str, Any], remaining_ms: Callable[[], int]) -> None:
        """Go on with the job of a run's event as long as the time of this run allows, then start the next run."""
        run = Run.model_validate(started)
        try:
            is_left = self._is_left(run.job, remaining_ms)
        finally:
            write_metrics()
        if is_left and run.number < MOST_RUNS:
            self.runs.follow(run)

    def _is_left(self, job: Job, remaining_ms: Callable[[], int]) -> bool:
        """Do the steps of a run. Returns whether another run is wanted at once."""
        kind = self.kinds[job.kind]
        try:
            # Lambda repeats a run that has died under its request id, which is no owner for this reason.
            turn = kind.taken(job, uuid4().hex, remaining_ms())
            return turn is not None and _is_left_by(turn, kind, remaining_ms)
        except (Held, Finished, LeaseLost):
            return False


def _is_left_by(turn: Turn, kind: Kind, remaining_ms: Callable[[], int]) -> bool:
    failures = 0
    while failures < kind.most_failures and remaining_ms() > kind.spare_ms:
        try:
            wait_ms = turn.step()
        except LeaseLost:
            raise
        except Transient as wait:
            wait_ms = wait.wait_ms
            if wait_ms is None:
                logger.warning("job waits", extra=describe(wait))
                failures += 1
                wait_ms = turn.failed(wait)
        if wait_ms is None:
            return False
        if wait_ms:
            _wait(wait_ms, remaining_ms(), kind.spare_ms)
    turn.leave()
    return failures < kind.most_failures


def _wait(wait_ms: int, left_ms: int, spare_ms: int) -> None:
    """A wait that leaves no time for a step takes the rest of the run: few runs follow each other."""
    has_time = left_ms - wait_ms > spare_ms
    clock.sleep_ms(wait_ms if has_time else max(0, left_ms - LAST_MS))
