"""
The meter: costs of the real handlers in a simulated system.

Every call of theirs goes through the simulation's interceptor, which records its name; calls of DynamoDB are priced as
well. The calls of the event source mapping between queue and worker are added: one receive and one delete for each
batch. Its empty polls are not: they depend on the hours that pass, not on the events.

Log output is everything that the functions write: a line for each event of the worker, and one with the metrics (EMF)
of each invocation, shared by its events. The platform's own START, END and REPORT are not included.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from unittest import mock

from shared.runtime.observability import logger
from tests.cost.units import capacity
from tests.cost.units.dynamodb import Pricing, Units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType, SimpleNamespace

    from shared.aws.sqs_fifo import Entry
    from shared.aws.workers.sqs_worker import Record
    from tests.simulation.queues.fifo import Queued
    from tests.simulation.queues.workers import Workers
    from tests.simulation.whatsapp.system import System

MAPPING_CALLS = ("sqs.ReceiveMessage", "sqs.DeleteMessageBatch")
# The runtime sets it for every invocation, and each line of the log repeats its root.
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0"


@dataclass(frozen=True, slots=True)
class Spent:
    """The use of one event of the worker: names of calls, such as `s3.PutObject`, and the units of DynamoDB's."""

    calls: tuple[str, ...]
    units: tuple[Units, ...]


@dataclass
class Bill:
    """The use of each *event*, of all of them together (names of calls), and the log output."""

    events: list[Spent] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    log: str = ""

    def __add__(self, other: Bill) -> Bill:
        return Bill(self.events + other.events, self.shared + other.shared, self.log + other.log)


@dataclass(frozen=True, slots=True)
class Metered:
    """The calls of functions to AWS, the units of the DynamoDB calls, how often workers ran, and the log output."""

    aws: list[str]
    priced: list[tuple[str, Units]]
    runs: int
    log: str

    @property
    def write_units(self) -> int:
        """The write units of all calls."""
        return sum(units.write for _, units in self.priced)

    @property
    def read_units(self) -> float:
        """The read units of all calls."""
        return sum(units.read for _, units in self.priced)

    def calls_of(self, service: str) -> int:
        """The number of calls of a service."""
        return sum(call.startswith(f"{service}.") for call in self.aws)

    def requests_and_lines(self) -> dict[str, int]:
        """The figures that all contexts have."""
        of_mapping = self.runs * len(MAPPING_CALLS)
        lines = self.log.splitlines()
        metrics = sum(line.startswith('{"_aws":') for line in lines)
        return {
            "requests": len(self.aws) + of_mapping,
            "sqs": self.calls_of("sqs") + of_mapping,
            "log_lines": len(lines) - metrics,
            "metric_lines": metrics,
            "log_bytes": len(self.log.encode()),
        }


def metered(system: Workers, pricing: Pricing, steps: Callable[[], object]) -> Metered:
    """Price the calls of *steps*."""
    invoke, runs, output = system.invoke_worker, 0, StringIO()

    def counted(*arguments: Any) -> bool:
        nonlocal runs
        runs += 1
        return invoke(*arguments)

    system.interceptor.rewind()
    pricing.priced.clear()
    pricing.is_on = True
    with (
        logging_to(output),
        mock.patch.dict(os.environ, {"_X_AMZN_TRACE_ID": TRACE}),
        mock.patch.object(system, "invoke_worker", counted),
    ):
        steps()
    pricing.is_on = False
    aws = [call for call in system.interceptor.calls if not call.startswith("HTTP.")]
    of_dynamodb = [call for call in aws if call.startswith("dynamodb.")]
    assert len(of_dynamodb) == len(pricing.priced), "a DynamoDB call was not metered"
    priced = list(zip(of_dynamodb, pricing.priced, strict=True))
    return Metered(aws, priced, runs, output.getvalue())


class Meter:
    """Measures the calls of a system's handlers. One meter for a system."""

    def __init__(self, system: System, *others: ModuleType | SimpleNamespace) -> None:
        """*others*: handler modules, or their `resources`, metered besides the worker and files."""
        self._system = system
        self._pricing = Pricing(system.dynamodb, capacity.tables(Stage="local"))
        for module in (system.worker, system.media, *others):
            self._pricing.watch(module.resources.table._client)
            if hasattr(module, "audit_log"):  # of the actions; it has a client of its own
                self._pricing.watch(module.audit_log.table._client)

    def deliver(self, request: dict[str, Any] | Entry) -> Bill:
        """Send one request to the ingress; returns its use."""
        with self._logged() as output:
            first = self._position()
            assert self._system.deliver(request)
            return Bill(shared=list(self._since(first).calls), log=output.getvalue())

    def work(self, batch: list[Queued]) -> Bill:
        """Run the worker with one batch; returns its use."""
        module = self._system.function_of(batch)
        worker = module.worker
        starts: list[tuple[int, int]] = []
        events: list[Spent] = []

        def handle(record: Record) -> Any:
            starts.append(self._position())
            return worker.handle(record)

        def report(record: Record, handled: Any) -> None:
            events.append(self._since(starts[-1]))
            worker.report(record, handled)

        metered = replace(worker, handle=handle, report=report)
        with self._logged() as output, mock.patch.object(module, "worker", metered):
            first = self._position()
            self._system.run_worker(batch)
            whole = self._since(first)
        assert len(events) == len(batch), f"an event is retried:\n{output.getvalue()}"
        assert sum(len(event.calls) for event in events) == len(whole.calls)
        return Bill(events, list(MAPPING_CALLS), output.getvalue())

    def call(self, act: Callable[[], object]) -> Spent:
        """Return the use of one call of a function."""
        with self._logged():
            first = self._position()
            act()
            return self._since(first)

    def _position(self) -> tuple[int, int]:
        return len(self._system.interceptor.calls), len(self._pricing.priced)

    def _since(self, position: tuple[int, int]) -> Spent:
        calls = [call.partition(" ")[0] for call in self._system.interceptor.calls[position[0] :]]
        units = self._pricing.priced[position[1] :]
        of_dynamodb = [call for call in calls if call.startswith("dynamodb.")]
        assert len(of_dynamodb) == len(units), "a DynamoDB call was not metered"
        return Spent(tuple(calls), tuple(units))

    @contextmanager
    def _logged(self) -> Iterator[StringIO]:
        """The log output of the block, which is metered."""
        output = StringIO()
        self._pricing.is_on = True
        try:
            with logging_to(output), mock.patch.dict(os.environ, {"_X_AMZN_TRACE_ID": TRACE}):
                yield output
        finally:
            self._pricing.is_on = False


@contextmanager
def logging_to(output: TextIO) -> Iterator[None]:
    """Let log lines and metrics go to *output*."""
    with mock.patch.object(logger.registered_handler, "stream", output), redirect_stdout(output):
        yield


@contextmanager
def unlogged() -> Iterator[None]:
    """Discard log lines and metrics that are not metered."""
    with Path(os.devnull).open("w") as nowhere, logging_to(nowhere):
        yield
