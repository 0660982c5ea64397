"""Costs of a request about a person: request units of all tables, and the time of the function that runs it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import boto3
import pytest
from moto import mock_aws

from shared.runtime import clock
from tests.cost.units import capacity
from tests.cost.units.dynamodb import Pricing, Units
from tests.cost.units.meter import unlogged
from tests.integration.console.contacts.exchange.imports import Files
from tests.integration.console.people import people_on_moto
from tests.integration.console.privacy.requests import KIM, Desk
from tests.integration.console.system import inbox_call, inbox_on_moto
from tests.integration.whatsapp.conftest import harness_on_moto

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.cost.units.capacity import Item

ITEMS_A_READ_UNIT: Final = 4  # of 1 KB
DAY_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Figures:
    """Write units and read units, and seconds that the inbox's function runs or waits."""

    write_units: float
    read_units: float
    seconds: int


type Measured = dict[str, Figures]

DRY_RUN, EXPORT, ERASURE = "a dry run", "an export", "an erasure"
BY_RETENTION = "an erasure in one context, by retention"
NEW_ROW, KNOWN_ROW = "a row of an import: a new contact", "a row of an import: nothing new"
ROWS: Final = 100
WRITTEN_DOWN: Measured = {
    NEW_ROW: Figures(11.17, 10.05, 0),
    KNOWN_ROW: Figures(0.17, 4.05, 0),
    DRY_RUN: Figures(0, 41.5, 0),
    EXPORT: Figures(99, 409, 5),
    ERASURE: Figures(237, 687.5, 275),
    BY_RETENTION: Figures(68, 213.5, 155),
}
NOTES = """\
A row has a number and a name of two words. The person has one conversation in each of WhatsApp, AI conversations and
e-mail, a byline of a newsletter and a row of the help desk. Units: of all contexts; each further message of an
erasure costs some more. Seconds: of the inbox's function, at 0.5 GB, nearly all of them waits for running
workers.
"""


class _PricingOfPages(Pricing):
    """As for other calls; a query that leaves something out has read items of 1 KB, as most items of people are."""

    def _units(
        self,
        operation: str,
        asked: dict[str, Any],
        answer: dict[str, Any],
        before: list[Item | None],
    ) -> Units:
        if operation != "Query" or not asked.keys() & {"FilterExpression", "ProjectionExpression"}:
            return super()._units(operation, asked, answer, before)
        pages = max(1, -(-answer["ScannedCount"] // ITEMS_A_READ_UNIT))
        return Units(read=pages if asked.get("ConsistentRead") else pages / 2)


@dataclass
class _Meter:
    desk: Desk
    pricing: Pricing

    def spent(self, act: Callable[[], object]) -> Figures:
        now = self.desk.people.now
        self.pricing.priced.clear()
        self.pricing.is_on, began = True, now[0]
        act()
        self.pricing.is_on = False
        units, seconds = self.pricing.priced, (now[0] - began) // clock.SECOND_MS
        writes, reads = sum(one.write for one in units), sum(one.read for one in units)
        return Figures(writes, reads, seconds)

    def request(self, **changed: Any) -> None:
        """A request, until it has ended."""
        assert self.desk.request(**changed).status == 202
        self.desk.drain()
        assert "running" not in {one["stage"] for one in self.listed()}

    def apply_retention(self) -> None:
        """The schedule, and the run that it starts."""
        self.desk.wake()
        assert [one["contexts"] for one in self.listed() if "contexts" in one] == [["whatsapp"]]

    def listed(self) -> list[dict[str, Any]]:
        """The requests of the company."""
        answer = self.desk.people.inbox.get(KIM, "/privacy/requests")
        found: list[dict[str, Any]] = answer.result["requests"]
        return found


def _a_row(meter: _Meter) -> Figures:
    """The cost of a row of an import, with a number and a name of two words."""
    files = Files(meter.desk.people.inbox, meter.desk)
    rows = "".join(f"+447700801{number:03},Zoe Roy\n" for number in range(ROWS))
    path = files.started(f"phone,name\n{rows}", "phone", "name")
    whole = meter.spent(meter.desk.drain)
    assert files.counts(path)[0] == "done"
    return Figures(round(whole.write_units / ROWS, 2), round(whole.read_units / ROWS, 2), 0)


def measure() -> Measured:
    """The figures of every kind, each in contexts of its own."""
    found: Measured = {}
    with _metered() as meter, unlogged():
        found[NEW_ROW] = _a_row(meter)
        found[KNOWN_ROW] = _a_row(meter)
    with _metered() as meter, unlogged():
        found[DRY_RUN] = meter.spent(lambda: meter.desk.request(dry_run=True))
        found[EXPORT] = meter.spent(lambda: meter.request(kind="export"))
        found[ERASURE] = meter.spent(meter.request)
    with _metered() as meter, unlogged():
        meter.desk.people.now[0] += 40 * DAY_MS
        meter.desk.people.write("wamid.3", "447700900102", "not idle", "Ben")
        meter.desk.people.show()
        days = {"version": 0, "whatsapp": 30}
        event = inbox_call("PUT", "/privacy/retention", KIM, {}, days, {})
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
        assert meter.desk.module.handler(event, context)["statusCode"] == 200
        found[BY_RETENTION] = meter.spent(meter.apply_retention)
    return found


@contextmanager
def _metered() -> Iterator[_Meter]:
    """A person in all contexts, whose clients are watched."""
    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        pricing = _PricingOfPages(boto3.client("dynamodb"), capacity.tables())
        made = boto3.client

        def watched(name: str, *arguments: Any, **options: Any) -> Any:
            client: Any = made(name, *arguments, **options)  # type: ignore[call-overload] # any service
            if name == "dynamodb":
                pricing.watch(client)
            return client

        with mock.patch.object(boto3, "client", watched):
            harness = harness_on_moto()
            with inbox_on_moto() as inbox:
                people = people_on_moto(harness, inbox, patch)
                people.store()
                yield _Meter(Desk(people), pricing)


def differences(measured: Measured) -> list[str]:
    """Kinds whose figures differ from the written ones; one line each."""
    return [
        f"people, {name}: {figures}, not {WRITTEN_DOWN[name]}"
        for name, figures in measured.items()
        if figures != WRITTEN_DOWN[name]
    ]


def markdown(measured: Measured) -> str:
    """The table for docs/costs.md."""
    return "\n".join(
        [
            "A row of an import of contacts, and a request about a person: write units (WRU) and read units (RRU)",
            "of all tables, and seconds of the inbox's function:",
            "",
            "| row or request | WRU | RRU | seconds |",
            "| :-- | --: | --: | --: |",
            *(
                f"| {name} | {one.write_units:g} | {one.read_units:g} | {one.seconds} |"
                for name, one in measured.items()
            ),
            "",
            NOTES,
        ]
    )
