"""A job under the lease of one worker: progress, finished units, remaining time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from newsletters.jobs import outcomes
from newsletters.store import jobs
from newsletters.store.items import FinishedUnit
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsletters.configuration.resources import Run, WorkerResources
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Job, StepItem, StepName
    from shared.ai.port import Usage

# A unit may take two calls of the model; with less time left, the next message goes on.
UNIT_MS: Final = 200 * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Written:
    """
    The result of a unit, the usage of its calls (no *micros*: the price is not known), and the version of the company's
    settings.
    """

    result: str
    usage: Usage
    version: int | None


class OutOfTime(Exception):
    """The invocation has too little time left for another unit; the finished ones are stored."""


@dataclass(slots=True)
class ClaimedJob:
    """A job whose lease this worker holds. *newsletter* is the version read at the start."""

    resources: WorkerResources
    newsletter: Newsletter
    job: Job
    run: Run
    _units: dict[int, FinishedUnit] | None = field(default=None, repr=False)

    def begin(self, units: int, doing: str) -> None:
        """Report the number of units. Raises LeaseLost if another worker has the job, or it was cancelled."""
        self._units = jobs.units(self.resources.store.table, self.job)
        self._report(units=units, units_done=len(self._units), doing=doing)

    def advance(self, units_done: int, doing: str) -> None:
        """Report finished units of a job whose units are not stored. Raises LeaseLost."""
        self._report(units_done=units_done, doing=doing)

    def run_unit(
        self, number: int, inputs_hash: str, doing: str, act: Callable[[], Written]
    ) -> str:
        """
        Return the result of unit *number*: the stored one if its inputs are the same, else the result of *act*, stored.

        An earlier step may be edited between two deliveries: *inputs_hash* differs then. *doing* is shown in the
        console meanwhile. Raises OutOfTime, LeaseLost, and all that *act* raises.
        """
        finished = self._units if self._units is not None else {}
        if number in finished and finished[number].inputs_hash == inputs_hash:
            return finished[number].result
        if self.run.ends_at_ms - clock.now_ms() < UNIT_MS:
            raise OutOfTime
        self._report(doing=doing)
        written = act()
        unit = FinishedUnit(
            **FinishedUnit.key(self.job.code, self.job.job_id, f"{number:03d}"),
            result=written.result,
            inputs_hash=inputs_hash,
            tokens_in=written.usage.tokens_in,
            tokens_out=written.usage.tokens_out,
            cost_micros=written.usage.micros or None,
            ai_version=written.version,
            ttl=clock.expires_in(FinishedUnit.ttl_days * clock.DAY_SECONDS),
        )
        finished[number] = jobs.put_unit(self.resources.store.table, unit)
        self._report(units_done=len(finished))
        return finished[number].result

    def version_of(self, number: int) -> int | None:
        """Return the version of the company's settings with which a finished unit was written."""
        finished = (self._units or {}).get(number)
        return finished.ai_version if finished is not None else None

    def complete(self, result: StepItem) -> bool:
        """Write the new content of the step and end the job; False if it was cancelled or taken over."""
        finished = (self._units or {}).values()
        job = self.job.model_copy(
            update={
                "tokens_in": sum(unit.tokens_in for unit in finished),
                "tokens_out": sum(unit.tokens_out for unit in finished),
            }
        )
        priced = result.model_copy(update={"ai_cost_micros": self._cost()})
        return outcomes.complete(self.resources.store, self.newsletter, job, priced)

    def _cost(self) -> int | None:
        """Return the micro-dollars of the step's jobs with this one; None if no price is known."""
        name: StepName = self.job.name  # type: ignore[assignment] # jobs of steps have the step's name
        before = self.newsletter.step(name)
        finished = (self._units or {}).values()
        parts = [before.ai_cost_micros if before is not None else None]
        parts += [unit.cost_micros for unit in finished]
        known = [one for one in parts if one is not None]
        return sum(known) if known else None

    def _report(self, **progress: Any) -> None:  # noqa: ANN401 - fields of the job
        jobs.report(self.resources.store.table, self.job, **progress)
        self.job = self.job.model_copy(update=progress)
