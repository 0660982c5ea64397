"""Starts runs of jobs: the inbox's function invokes itself, without waiting for the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict

from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

STARTED: Final = "job"  # in the event of a run


class Job(BaseModel):
    """A job of a company. *name*: its id among the jobs of its kind."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    kind: str
    company: str
    name: str


class Run(BaseModel):
    """The event of a run; *number*: how many have followed each other."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    job: Job
    number: int = 1


@dataclass(frozen=True, slots=True)
class Runs:
    """The start of runs. *invoke* calls this function with an event, without waiting for it."""

    invoke: Callable[[Mapping[str, Any]], None]

    def start(self, job: Job) -> None:
        """Start a run of a stored job: if none starts now, the schedule starts one."""
        try:
            self.follow(Run(job=job, number=0))
        except (ClientError, BotoCoreError) as failure:
            logger.warning("job not started", extra=describe(failure) | {"kind": job.kind})

    def follow(self, run: Run) -> None:
        """Start the run after this one. Raises ClientError and BotoCoreError: Lambda repeats the run then."""
        after = run.model_copy(update={"number": run.number + 1})
        self.invoke({STARTED: after.model_dump(mode="json")})
