"""The final state of simulated e-mail, without what differs by the time and number of attempts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from email_threads.threading import ids
from shared.providers.email.ses import message_ids
from tests.simulation.email_threads.system import COMPANY
from tests.simulation.recorded_run import structure_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tests.simulation.email_threads.system import System

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
    return _state_with(system, _rows(system))


def _state_with(system: System, rows: dict[str, dict[str, Any]]) -> FinalState:
    queues = (system.conversations, system.statuses)
    forwarded = [one for name in queues for one in system.fifo_queues.queues[name].messages]
    consent = system.consent()
    return FinalState(
        items={
            key: _without_times(row, _OF_ATTEMPTS if key.startswith("action#") else _TIMES)
            for key, row in rows.items()
        },
        consent=sorted(f"{one['pk']} {one.get('state')}" for one in consent),
        objects={_with_stable_ids(system, key): body for key, body in system.objects().items()},
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
    rows = _rows(system)
    state = _state_with(system, rows)
    waiting = _with_stable_ids(system, json.dumps(system.fifo_queues.waiting(system.workers)))
    texts = (state.consent, state.forwarded, state.dead_letters, state.sent)
    return (
        json.dumps([state.items, structure_of(rows), *texts], sort_keys=True),
        tuple(sorted(state.objects.items())),
        _TIME.sub("", waiting),
    )


def _rows(system: System) -> dict[str, dict[str, Any]]:
    text = json.dumps(system.rows(), default=_plain, sort_keys=True)
    found: dict[str, dict[str, Any]] = json.loads(_with_stable_ids(system, text))
    return found


def _with_stable_ids(system: System, text: str) -> str:
    """Replace SES's random ids, and the ids of mails that are made from them."""
    for number, request in enumerate(system.sent()):
        for form, message_id in enumerate(message_ids(request["ses_id"], "us-east-1")):
            text = text.replace(ids.email_id(COMPANY, message_id), f"sent mail {number} {form}")
        text = text.replace(request["ses_id"], f"ses id {number}")
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
