"""What the measurements of all contexts share: priced calls, their sums, differences from written figures, tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tests.cost.units import capacity
from tests.cost.units.dynamodb import Pricing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.aws.dynamodb import Table
    from tests.simulation.simulated_system import SimulatedSystem


@dataclass(frozen=True, slots=True)
class Figures:
    """
    The costs of one event or call. *requests* are those to AWS, *sqs* and *s3* the parts of them to queues and to the
    bucket. *log_bytes* are an upper bound for log and metrics (EMF); the other figures are exact.
    """

    write_units: int
    requests: int
    sqs: int
    s3: int
    log_lines: int
    metric_lines: int
    log_bytes: int


@dataclass(frozen=True, slots=True)
class Measured[F]:
    """The figures of a kind of event, and its read units, at one length."""

    figures: F
    read_units: float


class Kind(Protocol):
    """A kind of event; *most_reads* bounds its read units at any length."""

    @property
    def name(self) -> str: ...

    @property
    def most_reads(self) -> float: ...

    def at(self, length: int) -> dict[str, int]:
        """The written figures by name at this length."""
        ...


def pricing_of(system: SimulatedSystem[Any], tables: Iterable[Table]) -> Pricing:
    """Prices of the calls of the clients that these tables have."""
    pricing = Pricing(system.dynamodb, capacity.tables(Stage="local"))
    for client in {table._client for table in tables}:
        pricing.watch(client)
    return pricing


def differences(
    kinds: Iterable[Kind],
    measured: Mapping[int, Mapping[str, Measured[Any]]],
    preposition: str = "at",
) -> list[str]:
    """Kinds whose costs differ from the written figures at any length, or are over their bounds; one line each."""
    found = []
    for kind in kinds:
        for length, costs in measured.items():
            spent, wanted = costs[kind.name], kind.at(length)
            where = f"{kind.name} {preposition} {length}"
            if spent.read_units > kind.most_reads:
                found.append(f"{where}: read units {spent.read_units:g}, over {kind.most_reads:g}")
            for name, figure in asdict(spent.figures).items():
                is_wrong = figure > wanted[name] if name == "log_bytes" else figure != wanted[name]
                if is_wrong:
                    found.append(f"{where}: {name} {figure}, not {wanted[name]}")
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; only the first column has text."""
    lines = [[*head], [":--", *["--:"] * (len(head) - 1)], *([*map(str, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table_of(
    names: Iterable[str],
    measured: Mapping[int, Mapping[str, Measured[Figures]]],
    first: str,
    preposition: str = "",
) -> str:
    """The table for docs/costs.md of kinds with `Figures`: write units at each measured length, and the rest."""
    head = [first, *(f"{preposition} {n:,}".strip() for n in measured), "RRU", "requests", "SQS"]
    rows = []
    for name in names:
        cells = [
            costs[name].figures.write_units if name in costs else "-" for costs in measured.values()
        ]
        spent = [costs[name] for costs in measured.values() if name in costs]
        last = spent[-1].figures
        reads = max(one.read_units for one in spent)
        longest = max(one.figures.log_bytes for one in spent)
        rest = [last.requests, last.sqs, last.s3, last.log_lines, last.metric_lines, longest]
        rows.append([name, *cells, f"{reads:g}", *rest])
    return table([*head, "S3", "log lines", "EMF lines", "log bytes"], rows)
