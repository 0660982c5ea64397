"""The final state of simulated e-mail, without what differs by the time and number of attempts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from email_threads.threading import ids
from shared.providers.email.ses import message_ids
from tests.simulation.crashes.recorded_run import structure_of
from tests.simulation.email_threads.system import COMPANY
from tests.simulation.simulated_system import plain
from tests.simulation.stored import Derived

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tests.simulation.email_threads.system import System
    from tests.tables.storage import Stored

type Names = dict[str, str]

# They differ by the time of the run that wrote them, or count what was tried.
_TIMES = frozenset({
    "updated_at", "last_updated_at", "ttl", "ttl_date", "parked_again_at", "resolved_at", "replayed_at", "analysed_at",
    "asked_at", "reviewed_at", "sent_at", "received_at", "timestamp", "at", "reservedAt", "deadline", "owner",
    "response_time_avg", "response_total", "resolution_time", "finished_at", "left", "given_at", "closed_at", "send_at",
})  # fmt: skip
_MOMENTS = "moments"  # times by id
_OF_ATTEMPTS = _TIMES | {"attempt", "reason"}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b1[78]\d{8,11}\b")


@dataclass(frozen=True)
class Row:
    """What is compared of an item, and as a text, with the names of its other attributes."""

    key: str
    lasting: dict[str, Any]
    text: str


@dataclass(frozen=True)
class FinalState:
    """Items without their times, consent records, objects, forwarded events, dead letters."""

    items: dict[str, Any]
    consent: list[str]
    objects: dict[str, bytes]
    forwarded: list[str]
    dead_letters: list[str]
    sent: list[str] = field(compare=False)  # the actions of the mails that SES accepted


def final_state_of(system: System) -> FinalState:
    """The final state of a run."""
    names = _names_of_ids(system)
    return _state_with(system, _rows(system, names), names)


def _state_with(system: System, rows: list[Row], names: Names) -> FinalState:
    queues = (system.conversations, system.statuses)
    forwarded = [one for name in queues for one in system.fifo_queues.queues[name].messages]
    consent = system.consent()
    return FinalState(
        items={row.key: row.lasting for row in rows},
        consent=sorted(f"{one['pk']} {one.get('state')}" for one in consent),
        objects={_with_names(names, key): body for key, body in system.objects().items()},
        # A repeat has the same body: the queue, and after five minutes the conversations, drop it.
        forwarded=sorted({message.body for message in forwarded}),
        dead_letters=system.fifo_queues.dead_letters,
        sent=[
            tag["Value"]
            for request in system.sent()
            for tag in request["EmailTags"]
            if tag["Name"] == "action"
        ],
    )


def state_of(system: System) -> Hashable:
    """What decides how the work continues: of times, whether they are set."""
    names = _names_of_ids(system)
    rows = _rows(system, names)
    state = _state_with(system, rows, names)
    waiting = _with_names(names, json.dumps(system.fifo_queues.waiting(system.workers)))
    return (
        frozenset(row.text for row in rows),
        json.dumps([state.consent, state.forwarded, state.dead_letters, state.sent]),
        tuple(sorted(state.objects.items())),
        _TIME.sub("", waiting),
    )


def _text_of(key: tuple[str, ...], item: Stored) -> str:
    return json.dumps({" ".join(key): plain(item)}, default=_plain, sort_keys=True)


_texts = Derived(_text_of)


def _rows(system: System, names: Names) -> list[Row]:
    return [_row_of(_with_names(names, text)) for text in _texts.of(system.table)]


@lru_cache(maxsize=10_000)
def _row_of(text: str) -> Row:
    ((key, row),) = json.loads(text).items()
    row = _without_end_of_shadow(key, row)
    lasting = _without_times(row, _OF_ATTEMPTS if key.startswith("action#") else _TIMES)
    return Row(key, lasting, json.dumps([key, lasting, structure_of(row)], sort_keys=True))


def _without_end_of_shadow(key: str, row: dict[str, Any]) -> dict[str, Any]:
    """A draft in shadow whose worker dies is counted as failed, and not made again: either way it is settled once."""
    if "shadow" in row:
        shadow = row["shadow"]
        lasting = {"trial_id": shadow["trial_id"], "is_open": shadow["status"] == "begun"}
        return {**row, "shadow": lasting}
    if key.startswith("trialcounts#"):
        settled = int(row.get("failed", 0)) + int(row.get("trial_answers", 0))
        kept = ("begun", "live_conversations", "trial_conversations", "live_sent")
        return {"settled": settled, **{name: row[name] for name in kept if name in row}}
    return row


def _names_of_ids(system: System) -> Names:
    """The names of SES's random ids, and of the ids of mails that are made from them."""
    names: Names = {}
    for number, request in enumerate(system.sent()):
        for form, message_id in enumerate(message_ids(request["ses_id"], "us-east-1")):
            names[ids.email_id(COMPANY, message_id)] = f"sent mail {number} {form}"
        names[request["ses_id"]] = f"ses id {number}"
    return names


def _with_names(names: Names, text: str) -> str:
    for random, name in names.items():
        text = text.replace(random, name)
    return text


def _without_times(value: Any, names: frozenset[str] = _TIMES) -> Any:
    if isinstance(value, dict):
        return {
            n: sorted(part) if n == _MOMENTS else _without_times(part, names)
            for n, part in value.items()
            if n not in names
        }
    if isinstance(value, list):
        return [_without_times(part, names) for part in value]
    return value


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else str(value)


def differences(clean: FinalState, final: FinalState) -> dict[str, Any]:
    """What differs between two states, for the message of a failed test."""
    keys = clean.items.keys() | final.items.keys()
    items = {
        key: (clean.items.get(key), final.items.get(key))
        for key in keys
        if clean.items.get(key) != final.items.get(key)
    }
    return {"items": items, "dead letters": final.dead_letters, "consent": final.consent}


def without_shadow(state: FinalState) -> FinalState:
    """The state of a run in which no draft in shadow was asked for."""
    items = {
        key: {name: value for name, value in row.items() if name != "shadow"}
        for key, row in state.items.items()
        if not key.startswith("shadow#") and set(row) != {"settled", "begun"}
    }
    return replace(state, items=items)
