"""A simulated system: everything that the functions of a context can reach, with snapshots that are restored."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boto3.dynamodb.types import TypeDeserializer

from tests import template
from tests.aws import client_pool
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.interceptor import Interceptor, Queues
from tests.tables.storage import Stored

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping
    from pathlib import Path
    from types import ModuleType

    from local.sandbox import Sandbox
    from tests.simulation.kernel import Parts

# The use of a table, and a key in it.
type Key = tuple[str, ...]
type Items = dict[Key, Stored]

_UNKNOWN = Stored()
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True)
class Snapshot[Q: Queues = Any]:
    """A snapshot of a system. *types* are the content types of its objects; *own* is what only one kind has."""

    ms: int
    stored: Items
    objects: dict[str, dict[str, bytes]]
    types: dict[str, dict[str, str]]
    queues: Q
    attempts: dict[str, int]
    own: Any = None


@dataclass(kw_only=True)
class SimulatedSystem[Q: Queues](ABC):
    """
    Handlers by logical id, and what they use. *tables* are the names of the tables by use, *given* the parameters of
    the template, *folder* is the temporary folder of all processes.
    """

    parts: ClassVar[Parts]

    sandbox: Sandbox
    clock: Clock
    interceptor: Interceptor[Q]
    given: dict[str, str]
    functions: dict[str, ModuleType]
    folder: Path
    tables: dict[str, str] = field(init=False)
    buckets: list[str] = field(init=False)
    switches: dict[str, str] = field(init=False, default_factory=dict)
    _initial: dict[Hashable, Snapshot[Q]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = {use: self.name_of(table) for use, table in self.parts.tables.items()}
        self.buckets = [self.name_of(bucket) for bucket in self.parts.buckets]

    @classmethod
    @abstractmethod
    def new_queues(cls, clock: Clock, given: Mapping[str, str]) -> Q:
        """Make the queues of the parts, empty."""

    def name_of(self, logical_id: str) -> str:
        """The name of a resource of the template."""
        return template.name_of(logical_id, **self.given)

    # Not through the interceptor: reads and writes of the tests are not calls of the handlers.

    @cached_property
    def dynamodb(self) -> Any:
        return client_pool.direct("dynamodb")

    @cached_property
    def s3(self) -> Any:
        return client_pool.direct("s3")

    @cached_property
    def ssm(self) -> Any:
        return client_pool.direct("ssm")

    @cached_property
    def secrets(self) -> Any:
        return client_pool.direct("secretsmanager")

    # States

    def reset(self) -> Self:
        """Reset to the initial state."""
        return self.reset_to("", self.prepare)

    def reset_to(self, name: Hashable, prepare: Callable[[], object]) -> Self:
        """Reset to a named initial state, which is made once in an empty system."""
        if self.switches != self.parts.switches:
            self.switch(**self.parts.switches)
        if name not in self._initial:
            self.restore(self._empty)
            prepare()
            self._initial[name] = self.snapshot()
        self.restore(self._initial[name])
        return self

    @cached_property
    def _empty(self) -> Snapshot[Q]:
        """As deployed."""
        objects: dict[str, dict[str, bytes]] = {name: {} for name in self.buckets}
        queues = self.new_queues(self.clock, self.given)
        return Snapshot(Clock().ms, {}, objects, {}, queues, {}, self.own_state())

    def prepare(self) -> None:  # noqa: B027 - not every system needs it
        """Make the initial state of a system in which nothing is stored."""

    def snapshot(self) -> Snapshot[Q]:
        """Take a snapshot of the system to start from repeatedly."""
        return Snapshot(
            self.clock.ms,
            self.stored(),
            {name: stored.objects_of(name) for name in self.buckets},
            {name: stored.types_of(name) for name in self.buckets},
            self.interceptor.queue.copy(),
            stored.attempts(),
            self.own_state(),
        )

    def restore(self, snapshot: Snapshot[Q], written: Collection[Key] | None = None) -> None:
        """
        Restore a snapshot, with new processes and no injected failures.

        *written*: the keys of all items that may differ, if the caller knows them; reading a large table is slow.
        """
        self.clock.ms = snapshot.ms
        self.interceptor.queue = snapshot.queues.copy()
        self.sandbox.reset()
        self.restore_own(snapshot.own)
        self.replace_items(snapshot.stored, written)
        for bucket, objects in snapshot.objects.items():
            stored.restore_objects(bucket, objects, snapshot.types.get(bucket))
        stored.restore_attempts(snapshot.attempts)
        self.new_process()
        self.interceptor.rewind()

    def own_state(self) -> Any:
        """What only this kind of system has."""
        return None

    def restore_own(self, own: Any) -> None:  # noqa: B027 - as above
        """Restore a result of `own_state`; the sandbox is reset."""

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.interceptor.revive()
        random.seed(0)  # pauses between attempts: a scenario makes the same calls every time

    def switch(self, **texts: str) -> None:
        """Set switches; every process reads them at once."""
        self.switches |= texts
        for name, text in texts.items():
            path = f"{self.parts.switches_at}/{name}"
            self.ssm.put_parameter(Name=path, Value=text, Type="String", Overwrite=True)
        self.forget_switches()

    def forget_switches(self) -> None:  # noqa: B027 - as above
        """Clear the caches of the switches in all processes."""

    # Items and objects

    def stored(self) -> Items:
        """All items by table and key, in DynamoDB's JSON: as they are stored, not to be changed."""
        return {
            (use, *key): item
            for use, table in self.tables.items()
            for key, item in stored.shared_items(table).items()
        }

    def all_objects(self) -> dict[tuple[str, str], bytes]:
        """All objects by bucket and key."""
        return {
            (bucket, key): content
            for bucket in self.buckets
            for key, content in stored.objects_of(bucket).items()
        }

    def plain(self, use: str) -> dict[Key, dict[str, Any]]:
        """All items of a table by their keys, as plain values."""
        return {key: plain(item) for key, item in stored.shared_items(self.tables[use]).items()}

    def replace_items(self, wanted: Items, written: Collection[Key] | None = None) -> None:
        """Replace the content of the tables by these items; if given, only *written* ones can differ."""
        now: Items = self.stored() if written is None else dict.fromkeys(written, _UNKNOWN)
        if written is not None:
            wanted = {key: wanted[key] for key in now if key in wanted}
        for key in now.keys() - wanted.keys():
            stored.remove(self.tables[key[0]], *key[1:])
        for key, item in wanted.items():
            if now.get(key) is not item:
                stored.put(self.tables[key[0]], item)


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item in DynamoDB's JSON as plain values."""
    return {name: _deserialize(value) for name, value in item.items()}
