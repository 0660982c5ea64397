"""The final state of simulated newsletters, without what differs by the time and number of attempts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from newsletters.store.bucket.objects import Store
from newsletters.store.content.newsletters import get_newsletter_full
from newsletters.store.content.step_inputs import status_of
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from tests.simulation.crashes.recorded_run import structure_of
from tests.simulation.simulated_system import plain
from tests.simulation.stored import Derived

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tests.simulation.newsletters.system import System
    from tests.tables.storage import Stored

# Times, and the ids of SES, which contain one.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b010\w{13}(-\w+){5}-0{6}\b")
# Numbers of attempts and messages, and times in numbers. A call of the model whose answer was lost is paid again.
_OF_ATTEMPTS = frozenset({
    "ttl", "deadline_ms", "lease_until", "lease_owner", "attempts", "turn", "revision", "units",
    "used_calls", "used_micros",
})  # fmt: skip
_BINARY = (".pdf", ".docx")
_INDEX = "/_index/"  # a copy for other processes, which build it again if it was not stored
_OF_REQUESTS = "NLIDEM#"  # answers of calls: they tell how far a job was at that time
_UNITS_OF_JOB = re.compile(r"NLWORK#\S+ JOB#")


@dataclass(frozen=True)
class Row:
    """What is compared of an item, and as a text, with the names of its other attributes."""

    key: str
    lasting: dict[str, Any]
    text: str


@dataclass(frozen=True)
class FinalState:
    """Items and objects without times, dead letters, parked events, and open work."""

    items: dict[str, Any]
    objects: dict[str, bytes | None]
    dead_letters: list[str]
    open_work: list[str]


def final_state_of(system: System) -> FinalState:
    """Read the final state, and check what holds in each."""
    check_newsletters(system)
    return FinalState(
        items={row.key: row.lasting for row in _rows(system)},
        objects=_objects(system),
        dead_letters=system.fifo_queues.dead_letters,
        open_work=system.open_work(),
    )


def state_of(system: System) -> Hashable:
    """What decides how the work continues: of times and attempts, whether they are set; questions to the model."""
    queues = (
        system.fifo_queues.waiting(system.workers),
        system.fifo_queues.dead_letters,
        sorted(system.questions()),
    )
    return (
        frozenset(row.text for row in _rows(system)),
        _TIME.sub("<time>", json.dumps(queues)),
        tuple(sorted(_objects(system).items(), key=str)),
    )


def _row_of(key: tuple[str, ...], item: Stored) -> Row:
    whole = {" ".join(key): plain(item)}
    text = _TIME.sub("<time>", json.dumps(whole, default=_plain, sort_keys=True))
    ((name, row),) = json.loads(text).items()
    lasting = _lasting(row) | _units_of(name, row)
    return Row(name, lasting, json.dumps([name, lasting, structure_of(row)]))


_derived = Derived(_row_of)


def _rows(system: System) -> list[Row]:
    return [row for row in _derived.of(system.table) if not row.key.startswith(_OF_REQUESTS)]


def _objects(system: System) -> dict[str, bytes | None]:
    return {
        key: None if key.endswith(_BINARY) else _without_times(body)
        for key, body in system.objects().items()
        if _INDEX not in key
    }


@lru_cache(maxsize=1_000)
def _without_times(body: bytes) -> bytes:
    return _TIME.sub("<time>", body.decode()).encode()


def check_newsletters(system: System) -> None:
    """The stored status is the derived one; a deleted newsletter has no object; a step is not left in progress."""
    store = Store(Table(system.dynamodb, system.table), Bucket(lambda: system.s3, system.bucket))
    rows = system.rows()
    for key, row in rows.items():
        if key.startswith("NEWSLETTER#") and key.endswith(" METADATA") and "company_id" in row:
            code = str(row["newsletterCode"])
            newsletter = get_newsletter_full(store, code)
            assert newsletter is not None
            assert newsletter.metadata.status == status_of(newsletter.metadata, newsletter.draft)
            steps = (newsletter.topics, newsletter.outline, newsletter.draft)
            assert all(step.job_id is None for step in steps if step is not None)
            exports = newsletter.draft.exports if newsletter.draft else {}
            assert {one.s3_key for one in exports.values()} <= system.objects().keys()
        if key.startswith("NLWORK#") and key.endswith(" DELETED"):
            code = str(row["code"])
            assert not [name for name in rows if name.startswith(f"NEWSLETTER#{code} ")]
            assert not [name for name in rows if f"NLWORK#{code} " in name and name != key]
            assert not [name for name in system.objects() if f"/{code}/" in name]


def differences(clean: FinalState, final: FinalState) -> dict[str, Any]:
    """What differs between two states, for the message of a failed test."""
    found: dict[str, Any] = {
        key: (clean.items.get(key), final.items.get(key))
        for key in clean.items.keys() | final.items.keys()
        if clean.items.get(key) != final.items.get(key)
    }
    objects = {
        key
        for key in clean.objects.keys() | final.objects.keys()
        if clean.objects.get(key, b"-") != final.objects.get(key, b"-")
    }
    return found | {"objects": objects, "letters": final.dead_letters, "open": final.open_work}


def _units_of(key: str, row: dict[str, Any]) -> dict[str, Any]:
    return {"units": row["units"]} if _UNITS_OF_JOB.match(key) else {}


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {n: _lasting(part) for n, part in value.items() if n not in _OF_ATTEMPTS}
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return value


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else str(value)
