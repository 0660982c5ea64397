"""The event on the queue of agents: a scenario of an evaluation's run is to be played."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.versions import VERSION

TYPE: Final = "evaluation_step"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationStep:
    """The scenario at *position* (from 0) of a run. The runs of a project are played one after the other."""

    type: Literal["evaluation_step"] = "evaluation_step"
    v: int = VERSION
    company_id: str
    project_id: str
    run_id: str
    position: int

    def entry(self) -> Entry:
        """Build the entry for the queue."""
        body = to_json(asdict(self))
        return Entry(body, digest("evaluation", self.company_id, self.project_id), digest(body))
