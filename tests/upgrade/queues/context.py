"""
How the events of a context are enqueued, for the record, and handled by today's workers.

A record is `{"queue", "type", "body", "is_handled"}`; *is_handled* is false for an event that was parked when it was
recorded. Of the events of a type, each with another shape of its body is recorded. The records of a context form one
sequence and are handled in this order in a new system.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from shared.aws.sqs_fifo import Entry, digest
from tests.simulation.kernel import running
from tests.simulation.simulated_system import SimulatedSystem
from tests.upgrade.shapes import shape_of

type Record = dict[str, Any]


class Context[W: SimulatedSystem[Any]](ABC):
    """The events of one context; `W` is its simulated system."""

    system: type[W]

    def running(self) -> AbstractContextManager[W]:
        """Provide the system inside the context manager."""
        return running(self.system)

    @abstractmethod
    def begin(self, system: W) -> None:
        """Reset the system: no event has arrived yet."""

    @abstractmethod
    def make(self, system: W) -> Iterator[Record]:
        """Let today's code enqueue an event of every type."""

    @abstractmethod
    def types(self) -> frozenset[str]:
        """The types of all events that today's code enqueues."""

    @abstractmethod
    def put(self, system: W, record: Record) -> None:
        """Put a record on its queue."""

    @abstractmethod
    def try_once(self, system: W) -> None:
        """Let the workers try each visible event once."""

    @abstractmethod
    def handle(self, system: W, record: Record) -> bool:
        """Handle a record completely; whether it was neither parked nor became a dead letter."""

    @abstractmethod
    def rows(self, system: W) -> list[dict[str, Any]]:
        """All stored items."""

    @abstractmethod
    def is_done(self, system: W) -> bool:
        """Whether no event waits and none is a dead letter."""

    def recorded(self, system: W) -> list[Record]:
        """One record of each type and shape, with its outcome."""
        self.begin(system)
        made = _different(self.make(system))
        outcomes = self.handled(system, made)
        return [
            record | {"is_handled": is_handled}
            for record, is_handled in zip(made, outcomes, strict=True)
        ]

    def handled(self, system: W, records: list[Record]) -> list[bool]:
        """Handle the records in a new system."""
        self.begin(system)
        return [self.handle(system, record) for record in records]


def _different(records: Iterator[Record]) -> list[Record]:
    """The first record of each queue, type and shape, in their order."""
    found: dict[str, Record] = {}
    for record in records:
        shape = json.dumps(shape_of(record["body"]), sort_keys=True)
        found.setdefault(f"{record['queue']} {record['type']} {shape}", record)
    return list(found.values())


def entry_of(record: Record, number: int) -> Entry:
    """The record as a queue entry."""
    return Entry(json.dumps(record["body"]), digest("recorded"), digest("recorded", str(number)))
