"""
Costs of e-mail threads of several lengths: kinds of events and calls, figures, measurement.

Every worker processes one record at a time here, so each pays for a receive and a delete of its own. An analysis and a
send are events of their own, which the worker of the mail queues for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from shared.aws.dynamodb import Table as StoredTable
from shared.runtime import clock
from tests.cost import harness
from tests.cost.email_threads import prices as email_prices
from tests.cost.email_threads.acts import (
    REALLY_EXCHANGED,
    TEXT,
    a_minute_later,
    approves,
    calls,
    further,
    reports,
    thread_of,
)
from tests.cost.email_threads.kinds import KINDS, WRITTEN_DOWN, Kind
from tests.cost.harness import Figures, Measured, pricing_of
from tests.cost.units import capacity
from tests.cost.units.meter import metered, unlogged
from tests.simulation.email_threads.system import ASSISTED, BOB, mail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cost.units.dynamodb import Pricing
    from tests.simulation.email_threads.system import Snapshot, System

LENGTHS = (1, 10, 2_000)
PAUSE_SECONDS: Final = 20 * 60
DAY_MS: Final = 24 * clock.HOUR_MS
NOON_MS: Final = 12 * clock.HOUR_MS
_NUMBERS: Final = ("email_count", "last_inbound_n", "last_seq")


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs by name of the kind, and the size of the thread's head: before the event, and after it."""

    head_bytes: int
    kinds: dict[str, Measured[Figures]] = field(default_factory=dict)
    kilobytes_after: dict[str, float] = field(default_factory=dict)


# By length of the thread.
type Table = dict[int, Costs]


def measure(system: System, lengths: Sequence[int] = LENGTHS) -> Table:
    """The costs of every kind in a thread of each length."""
    resources = system.worker.resources
    tables = (resources.table, resources.consents.table, system.api.deps.table)
    pricing = pricing_of(system, (*tables, system.scheduled.table))
    found: Table = {}
    with unlogged():
        for length in lengths:
            start = _grown(system, length)
            size = capacity.size_of(start.stored["threads", thread_of(system)])
            found[length] = Costs(size)
            for kind in (one for one in KINDS if one.is_measured_at(length)):
                found[length].kinds[kind.name] = _measured(system, pricing, kind, start)
                head = system.stored()["threads", thread_of(system)]
                found[length].kilobytes_after[kind.name] = capacity.size_of(head) / 1_024
    return found


def _grown(system: System, length: int) -> Snapshot:
    """Ann's thread of *length* mails, the last of which is ours if there are several, among other threads."""
    system.reset()
    for number in range(1, (min(length, REALLY_EXCHANGED) + 1) // 2 + 1):
        system.clock.sleep(PAUSE_SECONDS)
        system.deliver(further(number, system), name=f"mail-{number}", address=ASSISTED)
        system.drain()
        if length > 1:
            system.clock.sleep(PAUSE_SECONDS)
            approves(system)
            system.drain()
            reports("Delivery")(system)
    _move_on(system, length - len(system.mails()))
    # At noon: all that follows is on one day, so that the item for expired threads is not written again.
    system.clock.ms += DAY_MS - (system.clock.ms - NOON_MS) % DAY_MS
    _touch(system)
    return system.snapshot()


def _move_on(system: System, by: int) -> None:
    """Give the mails of the thread numbers that are higher, as if others had been before them."""
    table, thread = StoredTable(system.dynamodb, system.table), thread_of(system)
    for key, row in system.rows().items() if by else ():
        if key == thread:
            table.put(_moved(row, by) | {name: row[name] + by for name in _NUMBERS})
        elif key.startswith(f"{thread}#mail#"):
            table.delete({"conversation_id": key})
            number = int(row["n"]) + by
            table.put(row | {"conversation_id": f"{thread}#mail#{number:08d}", "n": number})
        elif row.get("thread") == thread and "n" in row:
            table.put(row | {"n": row["n"] + by})


def _moved(value: Any, by: int) -> Any:
    """A value of a head with all numbers of mails in its lists and maps increased."""
    if isinstance(value, list):
        return [_moved(one, by) for one in value]
    if isinstance(value, dict):
        names = {"n", "analysed_n", "asked_n", "answered_n"}
        return {name: one + by if name in names else _moved(one, by) for name, one in value.items()}
    return value


def _touch(system: System) -> None:
    """A day has its first change of a thread; then the thread is as it was, and expires on the same day."""
    table, thread = StoredTable(system.dynamodb, system.table), thread_of(system)
    head = system.rows()[thread]
    ttl = clock.expires_in(30 * clock.DAY_SECONDS)
    date = clock.to_text(ttl * 1_000)[:10]
    table.put(head | {"ttl": ttl, "ttl_date": date})


def _measured(system: System, pricing: Pricing, kind: Kind, start: Snapshot) -> Measured[Figures]:
    system.restore(start)
    _warm_up(system)
    kind.before(system)
    a_minute_later(system)
    _queued_now(system)
    spent = metered(system, pricing, lambda: kind.steps(system))
    figures = Figures(
        write_units=spent.write_units, s3=spent.calls_of("s3"), **spent.requests_and_lines()
    )
    return Measured(figures, spent.read_units)


def _queued_now(system: System) -> None:
    """A message that has waited for more than ten seconds costs more (`shared.aws.workers.fair_shares`)."""
    for queue in system.fifo_queues.queues.values():
        for message in queue.messages:
            message.sent_at = system.clock.ms


def _warm_up(system: System) -> None:
    """Functions that have read secrets and switches, by a thread of another customer."""
    raw = mail("bob-1@mill.example", TEXT, sender=BOB, to=ASSISTED)
    system.deliver(raw, name="bob", address=ASSISTED)
    system.drain()
    (draft,) = [one for one in system.drafts() if one["to"] == [BOB]]
    path = draft["conversation_id"].replace("#draft#", "/replies/")
    status, body = system.call("POST", f"/email-threads/{path}/approve", {"version": 1})
    assert status == 202, body
    system.drain()
    reports("Delivery")(system)
    calls("/email-threads", status="active", limit="1")(system)  # seals a cursor
    system.clock.sleep(1)


def differences(measured: Table) -> list[str]:
    """Events and calls whose costs differ from the written figures, at any length; one line each."""
    found = []
    for length, costs in measured.items():
        kinds = [one for one in KINDS if one.is_measured_at(length)]
        found += harness.differences(kinds, {length: costs.kinds})
    return found


def markdown(measured: Table) -> str:
    """The tables for docs/costs.md."""
    kinds = {length: costs.kinds for length, costs in measured.items()}
    table = harness.table_of(WRITTEN_DOWN, kinds, "event")
    heads = ", ".join(f"{costs.head_bytes / 1024:.1f}" for costs in measured.values())
    prices = email_prices.markdown(kinds[max(kinds)])
    return f"{INTRODUCTION.format(heads=heads)}\n{table}\n\n{prices}\n"


INTRODUCTION = """\
An event of an e-mail thread, and calls of its API: write units (WRU), by the number of mails in the thread. The head of
the thread has {heads} KB before the event; from about 20 mails on its lists are full. Each mail has 600
characters and names the ten before it. A mail writes four units for each KB of the head, two for each KB of the mail,
and 11; on the first change of a day two more. SES's own write to the bucket, the messages of S3 and SNS to the queue,
and the rate limit of the API (one unit) are not included. The undo of a merge and a split read all mails of the thread:
the read units are for 2,000.
"""
