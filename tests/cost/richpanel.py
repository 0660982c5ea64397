"""
Costs of an event of the help-desk middleware in tickets of several lengths: kinds of events, figures, measurement.

The worker processes one event at a time. Write units are counted by purpose, since each event pays for its routing and
for its own actions only:

    route     claim, audit row, list of the day, state, finish
    actions   a risk flag: one, before all else; reply: customer's count, sent, audit row (reserved by the write of the
              state); assign and close: reserved, sent, audit row
    tags      a row for each
    tokens    a write of the account-wide limit for each call of the help desk
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass
from io import StringIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from richpanel.store import states
from richpanel.store.items import ConversationState
from richpanel.store.states import Change
from shared.runtime import clock
from tests.cost import capacity
from tests.cost.dynamodb import Pricing
from tests.cost.meter import MAPPING_CALLS, TRACE, logging_to
from tests.simulation.richpanel.scenarios import (
    AGENT,
    ASSIGNEES,
    DISPUTE,
    TICKET,
    WHERE,
    WHERE_1001,
    Steps,
    buys,
    named,
    nothing,
    opens,
    unsent,
    writes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.richpanel.system import System

# Longer ago than any cooldown, and than any late event.
OLDER_MS = 3 * 86_400_000
HOUR_MS = 3_600_000
CALL_ME = "Could you please call me by phone? I do not like to write."


@dataclass(frozen=True, slots=True)
class Figures:
    """
    The costs of one event. The first four are write units; *calls* are those of the help desk, *requests* those to AWS,
    *sqs* the part of them to the queue. *log_bytes* are an upper bound for log and metrics (EMF); the other figures are
    exact.
    """

    route: int
    actions: int
    tags: int
    tokens: int
    calls: int
    requests: int
    sqs: int
    log_lines: int
    metric_lines: int
    log_bytes: int


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of event: Jane's newest message in a ticket of many comments, and its set-up.

    *most_reads* bounds its read units at any length: those grow until the maximum number of comments is read.
    """

    name: str
    text: str
    figures: Figures
    most_reads: float
    first: Steps = nothing
    is_again: bool = False


def _assigned(system: System) -> None:
    system.assign(ASSIGNEES)


KINDS = (
    # Figures: WRU (route, actions, tags, tokens), calls, requests (all, SQS), lines (log, EMF), their bytes.
    Kind("routed only", CALL_ME, Figures(5, 0, 4, 2, 2, 16, 3, 1, 2, 1_150), 34),
    Kind("flagged, assigned", DISPUTE, Figures(5, 4, 5, 3, 3, 22, 3, 1, 2, 1_150), 35, _assigned),
    Kind("asked for the number", WHERE, Figures(5, 5, 6, 4, 4, 27, 3, 1, 2, 1_150), 39),
    Kind("answered with the order", WHERE_1001, Figures(5, 5, 6, 4, 4, 27, 3, 1, 2, 1_150), 39, buys),
    Kind("asked, assigned", WHERE, Figures(5, 8, 6, 5, 5, 31, 3, 1, 2, 1_150), 39, _assigned),
    Kind("answered and closed", WHERE_1001, Figures(5, 8, 6, 8, 8, 37, 3, 1, 2, 1_150), 42, unsent),
    Kind("the same again", WHERE, Figures(1, 0, 0, 1, 1, 8, 3, 1, 2, 1_000), 32, is_again=True),
)  # fmt: skip
ASKING = KINDS[2]
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}
LENGTHS = (1, 10, 100)


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of a kind, and its read units, in a ticket of one length."""

    figures: Figures
    read_units: float


# By length of the ticket, then by name of the kind.
type Table = dict[int, dict[str, Measured]]


def measure(system: System, lengths: Sequence[int] = LENGTHS) -> Table:
    """The costs of every kind in a ticket of each length."""
    pricing = Pricing(system.dynamodb, capacity.tables(Stage="local"))
    resources = system.worker.resources
    for client in {
        table._client for table in (resources.idempotency, resources.state, resources.audit)
    }:
        pricing.watch(client)
    with Path(os.devnull).open("w") as nowhere, logging_to(nowhere):
        _measured(system, pricing, ASKING, 1)  # the bounds of the company are cached then
        return {
            n: {kind.name: _measured(system, pricing, kind, n) for kind in KINDS} for n in lengths
        }


def _measured(system: System, pricing: Pricing, kind: Kind, length: int) -> Measured:
    _set_up(system, kind, length)
    output = StringIO()
    system.interceptor.rewind()
    pricing.priced.clear()
    pricing.is_on = True
    with logging_to(output), mock.patch.dict(os.environ, {"_X_AMZN_TRACE_ID": TRACE}):
        system.call(named("m-last"))
        ((queue_name, message),) = system.fifo_queues.receive()
        system.run_worker(queue_name, message)
    pricing.is_on = False
    assert system.fifo_queues.is_empty, f"{kind.name} is retried:\n{output.getvalue()}"
    return _figures(system, pricing, output.getvalue())


def _set_up(system: System, kind: Kind, length: int) -> None:
    """Warm functions, and a ticket in which Jane and an agent wrote long ago, and which the agent handed back."""
    system.reset()
    opens(system, "To warm everything up", ticket="t-0")
    system.call(named("m-1", "t-0"))
    system.drain()
    system.clock.sleep(10)  # the limit is reset, and secrets and switches are still cached
    opens(system)
    kind.first(system)
    for number in range(length - 1):
        at = HOUR_MS * (number - length) // 100 - OLDER_MS
        if number % 2 or number == length - 2:
            writes(system, "Mine", f"m-{number}", after_ms=at, author_id=AGENT, is_operator=True)
        else:
            writes(system, "Yours", f"m-{number}", after_ms=at)
    handed_back = ConversationState.named(handed_back_at=clock.to_text(system.clock.ms - OLDER_MS))
    states.change_conversation(
        system.worker.resources.state, TICKET, lambda _: Change(put=handed_back)
    )
    writes(system, kind.text, "m-last", after_ms=-1_000)
    if kind.is_again:
        system.call(named("m-last"))
        system.drain()
        system.clock.sleep(6 * 60)
        opens(system, "To warm everything up", ticket="t-9")
        system.call(named("m-1", "t-9"))
        system.drain()
        system.clock.sleep(10)


def _figures(system: System, pricing: Pricing, log: str) -> Measured:
    calls = list(system.interceptor.calls)
    of_dynamodb = [call for call in calls if call.startswith("dynamodb.")]
    assert len(of_dynamodb) == len(pricing.priced), "a DynamoDB call was not metered"
    spent: Counter[str] = Counter()
    # The turn itself writes the state once: an earlier write is a flag.
    states = sum(
        _is_state(call) and units.write > 0
        for call, units in zip(of_dynamodb, pricing.priced, strict=True)
    )
    for call, units in zip(of_dynamodb, pricing.priced, strict=True):
        is_flag = states > 1 and _is_state(call) and units.write > 0
        states -= is_flag
        spent["actions" if is_flag else _part(call)] += units.write
    aws = [call for call in calls if not call.startswith("HTTP.")]
    sqs = [call for call in aws if call.startswith("sqs.")]
    lines = log.splitlines()
    metrics = [line for line in lines if line.startswith('{"_aws":')]
    figures = Figures(
        route=spent["route"],
        actions=spent["actions"],
        tags=spent["tags"],
        tokens=spent["tokens"],
        calls=sum("/v1/" in call for call in calls),
        requests=len(aws) + len(MAPPING_CALLS),
        sqs=len(sqs) + len(MAPPING_CALLS),
        log_lines=len(lines) - len(metrics),
        metric_lines=len(metrics),
        log_bytes=ceil(len(log.encode())),
    )
    return Measured(figures, sum(units.read for units in pricing.priced))


def _is_state(call: str) -> bool:
    return call.endswith(f" {TICKET}")


def _part(call: str) -> str:
    """The purpose of a DynamoDB call."""
    operation, _, key = call.partition(" ")
    if operation == "dynamodb.BatchWriteItem":
        return "tags"
    if "sys:limiter" in key:
        return "tokens"
    is_route = key.startswith("evt:") or key == TICKET or "#route:" in key or "#evt:" in key
    return "route" if is_route else "actions"


def differences(measured: Table) -> list[str]:
    """Events whose costs differ from the written figures, at any length of their ticket; one line each."""
    found = []
    for kind in KINDS:
        for length, table in measured.items():
            spent, most = table[kind.name], kind.most_reads
            if spent.read_units > most:
                found.append(
                    f"{kind.name} at {length}: read units {spent.read_units:g}, over {most:g}"
                )
            for name, wanted in asdict(kind.figures).items():
                is_wrong = asdict(spent.figures)[name] != wanted
                if name == "log_bytes":
                    is_wrong = spent.figures.log_bytes > wanted
                if is_wrong:
                    found.append(
                        f"{kind.name} at {length}: {name} {asdict(spent.figures)[name]}, not {wanted}"
                    )
    return found


def markdown(measured: Table) -> str:
    """The table for docs/costs.md."""
    lengths = list(measured)
    head = [
        "event",
        "route",
        "actions",
        "tags",
        "tokens",
        *(f"RRU at {n}" for n in lengths),
        "calls",
        "requests",
    ]
    rows = [[*head, "SQS", "log lines", "EMF lines", "log bytes"]]
    rows.append([":--"] + ["--:"] * (len(rows[0]) - 1))
    for kind in KINDS:
        spent = [table[kind.name] for table in measured.values()]
        last = spent[-1].figures
        reads = [f"{one.read_units:g}" for one in spent]
        units = [last.route, last.actions, last.tags, last.tokens]
        rest = [last.calls, last.requests, last.sqs, last.log_lines, last.metric_lines]
        longest = max(one.figures.log_bytes for one in spent)
        rows.append([kind.name, *map(str, units), *reads, *map(str, rest), str(longest)])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{INTRODUCTION}\n{table}\n"


INTRODUCTION = """\
An event of the help desk: write units (WRU) by purpose, which are the same in tickets of 1, 10 and 100 comments, and
read units (RRU) by the number of comments:
"""
