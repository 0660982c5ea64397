"""
Costs of an event of the help-desk middleware in tickets of several lengths: kinds of events, figures, measurement.

The worker processes one event at a time. Write units are counted by purpose, since each event pays for its routing and
for its own actions only:

    route     claim, audit row, list of the day, state, finish
    actions   a risk flag: one, before all else; reply: customer's count, sent, audit row (reserved by the write of the
              state); assign and close: reserved, sent, audit row
    tags      a row for each
    tokens    a write of the account-wide limit for each call of the help desk
    contact   the ticket beside the contact; of a new contact its profile, index and tokens, too
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from richpanel.store import states
from richpanel.store.items import ConversationState
from richpanel.store.states import Change
from shared.runtime import clock
from tests.cost import harness
from tests.cost.harness import Measured, pricing_of
from tests.cost.units.meter import metered, unlogged
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

    from tests.cost.units.dynamodb import Pricing
    from tests.cost.units.meter import Metered
    from tests.simulation.richpanel.system import System

# Longer ago than any cooldown, and than any late event.
OLDER_MS = 3 * 86_400_000
HOUR_MS = 3_600_000
JOHN = "john@shop.example"
CALL_ME = "Could you please call me by phone? I do not like to write."


@dataclass(frozen=True, slots=True)
class Figures:
    """
    The costs of one event. The first five are write units; *calls* go to the help desk, *requests* to AWS,
    *sqs* the part of them to the queue. *log_bytes* are an upper bound for log and metrics (EMF); the other figures are
    exact.
    """

    route: int
    actions: int
    tags: int
    tokens: int
    contact: int
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

    def at(self, _: int) -> dict[str, int]:
        """The figures by name, at any length."""
        return asdict(self.figures)


def _assigned(system: System) -> None:
    system.assign(ASSIGNEES)


def _new_person(system: System) -> None:
    opens(system, sender=JOHN, profile_email=JOHN)


KINDS = (
    # Figures: WRU (route, actions, tags, tokens, contact), calls, requests (all, SQS), lines (log, EMF), their bytes.
    Kind("routed only", CALL_ME, Figures(5, 0, 4, 2, 1, 2, 19, 3, 1, 2, 1_150), 37),
    Kind("of a new person", CALL_ME, Figures(5, 0, 4, 2, 5, 2, 22, 3, 1, 2, 1_150), 37, _new_person),
    Kind("flagged, assigned", DISPUTE, Figures(5, 4, 5, 3, 1, 3, 25, 3, 1, 2, 1_150), 38, _assigned),
    Kind("asked for the number", WHERE, Figures(5, 5, 6, 4, 1, 4, 32, 3, 1, 2, 1_150), 46),
    Kind("answered with the order", WHERE_1001, Figures(5, 5, 6, 4, 1, 4, 32, 3, 1, 2, 1_150), 46, buys),
    Kind("asked, assigned", WHERE, Figures(5, 8, 6, 5, 1, 5, 36, 3, 1, 2, 1_150), 46, _assigned),
    Kind("answered and closed", WHERE_1001, Figures(5, 8, 6, 8, 1, 8, 42, 3, 1, 2, 1_150), 49, unsent),
    Kind("the same again", WHERE, Figures(1, 0, 0, 1, 0, 1, 8, 3, 1, 2, 1_000), 32, is_again=True),
)  # fmt: skip
ASKING = KINDS[3]
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}
LENGTHS = (1, 10, 100)


# By length of the ticket, then by name of the kind.
type Table = dict[int, dict[str, Measured[Figures]]]


def measure(system: System, lengths: Sequence[int] = LENGTHS) -> Table:
    """The costs of every kind in a ticket of each length."""
    resources = system.worker.resources
    pricing = pricing_of(
        system, (resources.idempotency, resources.state, resources.audit, resources.contacts)
    )
    with unlogged():
        _measured(system, pricing, ASKING, 1)  # the bounds of the company are cached then
        return {
            n: {kind.name: _measured(system, pricing, kind, n) for kind in KINDS} for n in lengths
        }


def _measured(system: System, pricing: Pricing, kind: Kind, length: int) -> Measured[Figures]:
    _set_up(system, kind, length)

    def handle() -> None:
        system.call(named("m-last"))
        ((queue_name, message),) = system.fifo_queues.receive()
        system.run_worker(queue_name, message)

    spent = metered(system, pricing, handle)
    assert system.fifo_queues.is_empty, f"{kind.name} is retried:\n{spent.log}"
    return _figures(system, spent)


def _set_up(system: System, kind: Kind, length: int) -> None:
    """Warm functions, and a ticket in which Jane and an agent wrote long ago, and which the agent handed back."""
    system.reset()
    system.set_company("acme")
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


def _figures(system: System, metered: Metered) -> Measured[Figures]:
    spent: Counter[str] = Counter()
    # The turn itself writes the state once: an earlier write is a flag.
    states = sum(_is_state(call) and units.write > 0 for call, units in metered.priced)
    for call, units in metered.priced:
        is_flag = states > 1 and _is_state(call) and units.write > 0
        states -= is_flag
        spent["actions" if is_flag else _part(call)] += units.write
    figures = Figures(
        route=spent["route"],
        actions=spent["actions"],
        tags=spent["tags"],
        tokens=spent["tokens"],
        contact=spent["contact"],
        calls=sum("/v1/" in call for call in system.interceptor.calls),
        **metered.requests_and_lines(),
    )
    return Measured(figures, metered.read_units)


def _is_state(call: str) -> bool:
    return call.endswith(f" {TICKET}")


def _part(call: str) -> str:
    """The purpose of a DynamoDB call."""
    operation, _, key = call.partition(" ")
    if operation == "dynamodb.BatchWriteItem":
        return "tags"
    if "sys:limiter" in key:
        return "tokens"
    if key.startswith(("CONTACT#", "TOKEN#")):
        return "contact"
    is_route = key.startswith("evt:") or key == TICKET or "#route:" in key or "#evt:" in key
    return "route" if is_route else "actions"


def differences(measured: Table) -> list[str]:
    """Events whose costs differ from the written figures, at any length of their ticket; one line each."""
    return harness.differences(KINDS, measured)


def markdown(measured: Table) -> str:
    """The table for docs/costs.md."""
    lengths = list(measured)
    head = [
        "event",
        "route",
        "actions",
        "tags",
        "tokens",
        "contact",
        *(f"RRU at {n}" for n in lengths),
        "calls",
        "requests",
    ]
    rows: list[list[object]] = []
    for kind in KINDS:
        spent = [table[kind.name] for table in measured.values()]
        last = spent[-1].figures
        reads = [f"{one.read_units:g}" for one in spent]
        units = [last.route, last.actions, last.tags, last.tokens, last.contact]
        rest = [last.calls, last.requests, last.sqs, last.log_lines, last.metric_lines]
        longest = max(one.figures.log_bytes for one in spent)
        rows.append([kind.name, *units, *reads, *rest, longest])
    table = harness.table([*head, "SQS", "log lines", "EMF lines", "log bytes"], rows)
    return f"{INTRODUCTION}\n{table}\n"


INTRODUCTION = """\
An event of the help desk: write units (WRU) by purpose, which are the same in tickets of 1, 10 and 100 comments, and
read units (RRU) by the number of comments. The event is the first one of its ticket at a help desk of a company; later
ones of a ticket do not look for its contact, for three read units less:
"""
