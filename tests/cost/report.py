"""The measured figures, as Markdown and in dollars, and their differences from the written ones."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tests.cost import harness
from tests.cost.whatsapp.kinds import KINDS

if TYPE_CHECKING:
    from tests.cost.whatsapp.kinds import Figures
    from tests.cost.whatsapp.measure import Measured

# $ per million inbound messages in us-east-1, besides DynamoDB. Traces are off today; they stay in the estimate.
DOLLARS = {
    "REST API": 3.50,
    "ingress function": 0.24,
    "queue": 0.83,
    "worker function": 0.13,
    "logs": 0.60,
    "traces": 0.05,
}
DOLLARS_A_WRITE_UNIT = 0.625
DOLLARS_A_READ_UNIT = 0.125
# Upper bounds: which of the events trims the ring of its conversation's head depends on the messages before it.
_AT_MOST = ("most_expensive", "most_writes", "log_bytes")

NOTES = """\
*at most* and *writes*: of the most expensive single event: every eighth message also trims the counted keys in
the head of its conversation. *requests* are requests to AWS. Each webhook brings one event and the worker receives ten
at a time, so SQS is one send and a tenth of a receive and of a delete. EMF lines hold the metrics, one line for each
run of a function; *log bytes* include them.
"""


def _written_down() -> dict[str, Figures]:
    """The figures of every kind and every follow-up, by name. Raises ValueError if two have one name."""
    parts = [part for kind in KINDS for part in (kind, kind.follow_up, kind.words) if part]
    figures = {part.name: part.figures for part in parts}
    if len(figures) != len(parts):
        raise ValueError("two kinds of events have one name")
    return figures


WRITTEN_DOWN = _written_down()


def dollars_per_million(write_units: float, read_units: float) -> float:
    """The cost of a million inbound messages that need so many request units each."""
    of_table = write_units * DOLLARS_A_WRITE_UNIT + read_units * DOLLARS_A_READ_UNIT
    return sum(DOLLARS.values()) + of_table


def differences(measured: Measured) -> list[str]:
    """Events whose costs differ from the written figures, at any length of their conversation; one line each."""
    found = []
    for name, written in WRITTEN_DOWN.items():
        costs = {length: asdict(figures[name]) for length, figures in measured.items()}
        for figure, wanted in asdict(written).items():
            most = max(cost[figure] for cost in costs.values())
            if figure in _AT_MOST:
                found += [f"{name}: {figure} {most}, over {wanted}"] * (most > wanted)
            else:
                found += [
                    f"{name} at {length:,}: {figure} {cost[figure]}, not {wanted}"
                    for length, cost in costs.items()
                    if cost[figure] != wanted
                ]
    return found


def markdown(measured: Measured) -> str:
    """The table for docs/costs.md: write units at each length, and the rest, which is the same at each of them."""
    lengths = list(measured)
    head = ["event", *(f"{n:,}" for n in lengths), "at most", "writes", "RRU", "requests", "SQS"]
    rows = []
    for name in WRITTEN_DOWN:
        costs = [figures[name] for figures in measured.values()]
        rows.append([name, *(str(cost.write_units) for cost in costs), *_rest(costs)])
    table = harness.table([*head, "log lines", "EMF lines", "log bytes"], rows)
    text = measured[lengths[-1]]["message: text"]
    usual = dollars_per_million(text.write_units, text.read_units)
    most_expensive = dollars_per_million(text.most_expensive, text.read_units)
    return (
        f"Write units (WRU) of an event, by the number of messages in its conversation:\n\n{table}\n\n{NOTES}\n"
        f"A million inbound texts cost about ${usual:.2f}"
        f" (${most_expensive:.2f} if each cost as much as the most expensive one).\n"
    )


def _rest(costs: list[Figures]) -> list[str]:
    last = costs[-1]
    return [
        str(max(cost.most_expensive for cost in costs)),
        str(max(cost.most_writes for cost in costs)),
        f"{last.read_units:g}",
        f"{last.requests:g}",
        f"{last.sqs:g}",
        f"{last.log_lines:g}",
        f"{last.metric_lines:g}",
        str(max(cost.log_bytes for cost in costs)),
    ]
