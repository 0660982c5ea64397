"""
Costs of newsletters: figures, measurement, and what one issue costs.

A job's worker processes one message at a time, so each pays for a receive and a delete of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.cost import harness
from tests.cost.harness import Figures, Measured, pricing_of
from tests.cost.newsletters import prices as newsletter_prices
from tests.cost.newsletters.kinds import (
    CHUNKS,
    EXPORTED,
    KINDS,
    SECTIONS,
    WRITTEN_DOWN,
    Kind,
    documents_added,
    runs,
)
from tests.cost.units import capacity
from tests.cost.units.meter import metered, unlogged
from tests.simulation import stored
from tests.simulation.newsletters import scenarios
from tests.simulation.newsletters.system import ANN, COMPANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cost.units.dynamodb import Pricing
    from tests.simulation.newsletters.system import Snapshot, System

OTHERS: Final = (1, 100, 1_000)


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs by name of the kind. *tokens* are the tokens of the outline and of the draft: in, out."""

    kinds: dict[str, Measured[Figures]] = field(default_factory=dict)
    tokens: dict[str, tuple[int, int]] = field(default_factory=dict)
    kilobytes: dict[str, float] = field(default_factory=dict)  # of the items of the steps


# By number of other newsletters.
type Table = dict[int, Costs]


def measure(system: System, others: Sequence[int] = OTHERS) -> Table:
    """The costs of every kind in a company with each number of other newsletters."""
    modules = system.functions.values()
    pricing = pricing_of(system, (module.resources.store.table for module in modules))
    found: Table = {}
    with unlogged():
        for count in others:
            start = _prepared(system, count)
            found[count] = Costs()
            for kind in KINDS:
                found[count].kinds[kind.name] = _measured(system, pricing, kind, start)
            system.restore(start)
            EXPORTED(system)
            _describe(system, found[count])
    return found


def _prepared(system: System, others: int) -> Snapshot:
    """A company with settings, documents, a newsletter, and others of the same user."""
    system.reset()
    scenarios.configured(system)
    documents_added(system)
    scenarios.created(system)
    items = system.items()
    head = items[f"NEWSLETTER#{system.code} METADATA"]
    entry = next(item for key, item in items.items() if key.startswith(f"NLCOMPANY#{COMPANY} NEWS"))
    for number in range(others):
        code, day = f"NL-20251231-{number:04d}", "2025-12-31T12:00:00Z"
        stored.put(
            system.table,
            head
            | {
                "PK": {"S": f"NEWSLETTER#{code}"},
                "newsletterCode": {"S": code},
                "GSI1PK": {"S": f"USER#{ANN}"},
                "GSI1SK": {"S": f"NEWSLETTER#{day}"},
            },
        )
        listed = {"SK": {"S": f"NEWSLETTER#{day}#{code}"}, "code": {"S": code}}
        stored.put(system.table, entry | listed)
    return system.snapshot()


def _measured(system: System, pricing: Pricing, kind: Kind, start: Snapshot) -> Measured[Figures]:
    system.restore(start)
    _warm_up(system)
    kind.before(system)
    spent = metered(system, pricing, lambda: kind.steps(system))
    assert system.fifo_queues.is_empty
    figures = Figures(
        write_units=spent.write_units, s3=spent.calls_of("s3"), **spent.requests_and_lines()
    )
    return Measured(figures, spent.read_units)


def _warm_up(system: System) -> None:
    """Functions that have read their secrets, and searched the documents, by a newsletter of a colleague."""
    code = system.code
    system.code = system.act("POST", "/newsletters", scenarios.NEWSLETTER, key="warm")[
        "newsletter_code"
    ]
    for step in (
        scenarios.topics_selected,
        scenarios.started("topics"),
        scenarios.started("outline"),
    ):
        step(system)
        runs(system)
    system.call("GET", "/newsletters", query={"limit": "1"})  # seals a cursor
    system.code = code


def _describe(system: System, costs: Costs) -> None:
    """Add tokens and sizes, and check what the names of the kinds say."""
    assert int(system.row("TOPICS")["total_chunks_retrieved"]) == CHUNKS
    assert len(system.row("DRAFT")["section_order"]) == SECTIONS
    for step in ("outline", "draft"):
        job = system.row(f"JOB#{step}", "NLWORK")
        costs.tokens[step] = int(job["tokens_in"]), int(job["tokens_out"])
    for step in ("TOPICS", "OUTLINE", "DRAFT"):
        item = system.items()[f"NEWSLETTER#{system.code} {step}"]
        costs.kilobytes[step] = capacity.size_of(item) / 1_024


def differences(measured: Table) -> list[str]:
    """Kinds whose costs differ from the written figures, with any number of other newsletters; one line each."""
    return harness.differences(
        KINDS, {others: costs.kinds for others, costs in measured.items()}, "beside"
    )


def markdown(measured: Table) -> str:
    """The tables for docs/costs.md."""
    kinds = {others: costs.kinds for others, costs in measured.items()}
    table = harness.table_of(WRITTEN_DOWN, kinds, "call", "beside")
    costs = list(measured.values())[-1]
    sizes = ", ".join(f"{costs.kilobytes[name]:.0f}" for name in ("TOPICS", "OUTLINE", "DRAFT"))
    prices = newsletter_prices.markdown(costs.kinds, costs.tokens)
    return f"{INTRODUCTION.format(sizes=sizes)}\n{table}\n\n{prices}\n"


INTRODUCTION: Final = """\
A newsletter with 25 passages and five sections, and calls of its API: write units (WRU), by the number of other
newsletters of the company. Its items of topics, outline and draft have {sizes} KB; a write of a step costs two units
for each KB of its item, because it is part of a transaction. Each row is the call of the API with the work that it
causes; the deletion has two purges, the second of which the schedule starts. The rate limit of the API (one unit a
call) is not included. While a step is generated, clients ask for its state.
"""
