"""Costs of runs of the help desk's set of two scenarios: with rules alone, and with a model that each asks once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from richpanel.clients.language_model import Judge
from tests.cost import harness
from tests.cost.harness import Figures, Measured, pricing_of
from tests.cost.richpanel.model_calls import Measuring
from tests.cost.units.meter import metered, unlogged
from tests.simulation.richpanel.scenarios import run_begins, with_set

if TYPE_CHECKING:
    from tests.simulation.richpanel.system import System

SCENARIOS = 2

# By number of scenarios, then by name of the kind.
type Table = dict[int, dict[str, Measured[Figures]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of run, with its figures; *most_reads* bounds its read units."""

    name: str
    figures: Figures
    most_reads: float
    has_model: bool = False

    def at(self, _: int) -> dict[str, int]:
        """The figures by name."""
        return asdict(self.figures)


KINDS = (
    # Figures: write units, requests (all, SQS, S3), lines (log, EMF), their bytes; then read units.
    Kind("a run of two scenarios by rules", Figures(9, 15, 4, 0, 2, 2, 1_100), 8),
    Kind("a run of two scenarios with a model", Figures(9, 18, 4, 0, 2, 2, 1_400), 10, has_model=True),
)  # fmt: skip
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}


def measure(system: System) -> Table:
    """The costs of every kind."""
    with unlogged():
        return {SCENARIOS: {kind.name: _measured(system, kind) for kind in KINDS}}


def _measured(system: System, kind: Kind) -> Measured[Figures]:
    system.reset()
    resources = system.worker.resources
    pricing = pricing_of(system, (resources.state, resources.spending.table))
    with_set(system)
    run_begins(system)
    before, resources.judge = resources.judge, Judge(Measuring()) if kind.has_model else None
    spent = metered(system, pricing, system.drain)
    resources.judge = before
    assert system.fifo_queues.is_empty, f"{kind.name} is retried:\n{spent.log}"
    figures = Figures(
        write_units=spent.write_units, s3=spent.calls_of("s3"), **spent.requests_and_lines()
    )
    return Measured(figures, spent.read_units)


def differences(measured: Table) -> list[str]:
    """Runs whose costs differ from the written figures; one line each."""
    return harness.differences(KINDS, measured, "of")


def markdown(measured: Table) -> str:
    """The table for docs/costs.md."""
    [costs] = measured.values()
    head = ["run", "WRU", "RRU", "requests", "SQS", "log lines", "EMF lines", "log bytes"]
    rows: list[list[object]] = []
    for name, spent in costs.items():
        one = spent.figures
        lines = [one.log_lines, one.metric_lines, one.log_bytes]
        rows.append([name, one.write_units, f"{spent.read_units:g}", one.requests, one.sqs, *lines])
    return f"{INTRODUCTION}\n{harness.table(head, rows)}\n"


INTRODUCTION = """\
A run of a set of the help desk with two scenarios, after it has begun, without the tokens of its model:
"""
