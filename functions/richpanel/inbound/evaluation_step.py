"""The event on `richpanel.fifo` with which a scenario of an evaluation's run is to be played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from shared.events import queued_events
from shared.events.queued_events import QueuedEvent

if TYPE_CHECKING:
    from shared.aws.sqs_fifo import Entry

TYPE: Final = "richpanel.evaluate"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationStep(QueuedEvent):
    """The scenario at *position* (from 0) of a run. All runs are played one after the other."""

    type: Literal["richpanel.evaluate"] = "richpanel.evaluate"
    run_id: str
    position: int

    def entry(self) -> Entry:
        """Build the entry for the queue."""
        return queued_events.entry(self, "evaluation")
