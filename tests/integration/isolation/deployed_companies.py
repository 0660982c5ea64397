"""Two companies in one simulated system, with snapshots in which company A has its items or never had any."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.aws import api_gateway
from tests.integration.isolation.attacks.attacks import (
    Answer,
    Attacker,
    Call,
    Stored,
    operations_of,
    owner_of,
)
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.simulation.queues.workers import Workers
from tests.simulation.simulated_system import SimulatedSystem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import ModuleType

    from shared.api.auth import Caller
    from tests.simulation.queues.fifo import FifoQueue
    from tests.simulation.simulated_system import Snapshot

WITH_A, WITHOUT_A = "with A", "without A"


@dataclass
class DeployedCompanies[S: SimulatedSystem[Any]](ABC):
    """Both companies; see `attacks.System`."""

    system: S
    company_a: str = "acme"
    company_b: str = "globex"
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = ("canary-words",)
    ids: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    _snapshots: dict[str, Snapshot] = field(default_factory=dict)

    @abstractmethod
    def module_of(self, line: str) -> ModuleType:
        """The handler of a route."""

    @abstractmethod
    def queues(self) -> Iterable[tuple[str, FifoQueue]]:
        """All queues with their names."""

    def keep(self, snapshots: Mapping[str, Snapshot]) -> None:
        """Keep snapshots by name, with the time of now: only A's items may differ."""
        now = self.system.clock.ms
        self._snapshots = {name: replace(one, ms=now) for name, one in snapshots.items()}

    def begin(self, snapshot: str) -> None:
        """Restore a snapshot."""
        self.system.restore(self._snapshots[snapshot])
        self.system.sandbox.forget_sent()
        self.system.interceptor.calls.clear()

    def with_a(self) -> None:
        self.begin(WITH_A)

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        self.begin(WITHOUT_A)

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        event = api_gateway.request(
            line,
            call.body,
            caller,
            path=call.path,
            query=call.query,
            headers=call.headers,
            request_id="request-of-the-attack",
        )
        with quiet():
            answer = self.module_of(line).handler(event, Invocation(self.system.clock))
        return Answer(answer["statusCode"], answer["body"])

    def shown(
        self, line: str, path: Mapping[str, str] | None = None, **query: str
    ) -> dict[str, Any]:
        """What A's own key reads."""
        answer = self.send(line, Call(path=path or {}, query=query), owner_of(self))
        assert answer.status == 200, answer
        document: dict[str, Any] = json.loads(answer.text)
        return document

    def stored(self) -> Stored:
        found: Stored = {**self.system.stored()}
        for place, content in self.system.all_objects().items():
            found["object", *place] = content
        for name, queue in self.queues():
            for message in queue.messages:
                found["queue", name, message.message_id] = message.body
            for letter in queue.dead_letters:
                found["letter", name, letter.message_id] = letter.body
        return found

    def operations(self) -> list[str]:
        return operations_of(self.system.interceptor.calls)


@dataclass
class QueuedCompanies[S: Workers](DeployedCompanies[S], ABC):
    """Two companies in a system with several queues."""

    def queues(self) -> Iterable[tuple[str, FifoQueue]]:
        return self.system.fifo_queues.queues.items()
