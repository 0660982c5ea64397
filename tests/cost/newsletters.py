"""
Costs of newsletters: figures, measurement, and what one issue costs.

A job's worker processes one message at a time, so each pays for a receive and a delete of its own.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.cost import capacity, newsletter_prices
from tests.cost.dynamodb import Pricing
from tests.cost.meter import MAPPING_CALLS, logging_to, metered
from tests.cost.newsletter_kinds import (
    CHUNKS,
    EXPORTED,
    KINDS,
    SECTIONS,
    Figures,
    Kind,
    documents_added,
    runs,
)
from tests.simulation import stored
from tests.simulation.newsletters import scenarios
from tests.simulation.newsletters.system import ANN, COMPANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.newsletters.system import Snapshot, System

OTHERS: Final = (1, 100, 1_000)


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of a kind, and its read units, in a company with a number of other newsletters."""

    figures: Figures
    read_units: float


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs by name of the kind. *tokens* are those of the outline and of the draft: in, out."""

    kinds: dict[str, Measured] = field(default_factory=dict)
    tokens: dict[str, tuple[int, int]] = field(default_factory=dict)
    kilobytes: dict[str, float] = field(default_factory=dict)  # of the items of the steps


# By number of other newsletters.
type Table = dict[int, Costs]


def measure(system: System, others: Sequence[int] = OTHERS) -> Table:
    """The costs of every kind in a company with each number of other newsletters."""
    pricing = Pricing(system.dynamodb, capacity.tables(Stage="local"))
    stores = (
        system.api.resources.store,
        system.worker.resources.store,
        system.exports.resources.store,
        system.scheduled.resources.store,
    )
    for client in {store.table._client for store in stores}:
        pricing.watch(client)
    found: Table = {}
    with Path(os.devnull).open("w") as nowhere, logging_to(nowhere):
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


def _measured(system: System, pricing: Pricing, kind: Kind, start: Snapshot) -> Measured:
    system.restore(start)
    _warm_up(system)
    kind.before(system)
    system.interceptor.rewind()
    invoked, output = metered(system, pricing, lambda: kind.steps(system))
    assert system.fifo_queues.is_empty
    return _figures(system, pricing, invoked, output)


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


def _figures(system: System, pricing: Pricing, invoked: int, log: str) -> Measured:
    aws = [call for call in system.interceptor.calls if not call.startswith("HTTP.")]
    of_dynamodb = [call for call in aws if call.startswith("dynamodb.")]
    assert len(of_dynamodb) == len(pricing.priced), "a DynamoDB call was not metered"
    of_mapping = invoked * len(MAPPING_CALLS)
    lines = log.splitlines()
    metrics = [line for line in lines if line.startswith('{"_aws":')]
    figures = Figures(
        write_units=sum(units.write for units in pricing.priced),
        requests=len(aws) + of_mapping,
        sqs=sum(call.startswith("sqs.") for call in aws) + of_mapping,
        s3=sum(call.startswith("s3.") for call in aws),
        log_lines=len(lines) - len(metrics),
        metric_lines=len(metrics),
        log_bytes=ceil(len(log.encode())),
    )
    return Measured(figures, sum(units.read for units in pricing.priced))


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
    found = []
    for kind in KINDS:
        for others, costs in measured.items():
            spent = costs.kinds[kind.name]
            if spent.read_units > kind.most_reads:
                over = f"{spent.read_units:g}, over {kind.most_reads:g}"
                found.append(f"{kind.name} beside {others}: read units {over}")
            wanted = asdict(kind.figures)
            for name, figure in asdict(spent.figures).items():
                is_wrong = figure > wanted[name] if name == "log_bytes" else figure != wanted[name]
                if is_wrong:
                    found.append(
                        f"{kind.name} beside {others}: {name} {figure}, not {wanted[name]}"
                    )
    return found


def markdown(measured: Table) -> str:
    """The tables for docs/costs.md."""
    head = ["call", *(f"beside {n:,}" for n in measured), "RRU", "requests", "SQS", "S3"]
    rows = [[*head, "log lines", "EMF lines", "log bytes"]]
    rows.append([":--"] + ["--:"] * (len(rows[0]) - 1))
    for kind in KINDS:
        spent = [costs.kinds[kind.name] for costs in measured.values()]
        last = spent[-1].figures
        reads = max(one.read_units for one in spent)
        rest = [last.requests, last.sqs, last.s3, last.log_lines, last.metric_lines]
        longest = max(one.figures.log_bytes for one in spent)
        figures = [*(one.figures.write_units for one in spent), f"{reads:g}", *rest, longest]
        rows.append([kind.name, *map(str, figures)])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
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
