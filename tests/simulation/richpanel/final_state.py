"""
The comparable final state of a run, and its invariants.

`VARIES` lists all attributes in which rows of two runs may differ.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from richpanel.decisions.routing import ROUTE_TAGS
from richpanel.store.items import AuditAction, ConversationState, CustomerState, Event, Row
from tests.simulation.richpanel.scenarios import AGENT

if TYPE_CHECKING:
    from tests.simulation.richpanel.system import System

# Depends on the clock, the worker and the number of attempts.
VARIES = {
    "created_at", "last_processed_at", "received_at", "expires_at", "updated_at", "version", "attempts", "attempt",
    "owner", "reserved_at", "deadline", "reason", "evidence", "sent_at", "requested_at", "counted_for", "counted_in",
    "ttl",
}  # fmt: skip
OUT = "out"  # sent, or found later: depends on the worker that looked it up
SENDS = ("send_message", "comment")


@dataclass(frozen=True)
class FinalState:
    """
    The final state, with empty queues.

    *audit* counts rows by their subject: a second row of the same action is a difference. *sent*: the texts sent to
    customers, by ticket.
    """

    events: dict[str, dict[str, Any]]
    actions: dict[str, dict[str, Any]]
    states: dict[str, dict[str, Any]]
    evaluations: dict[str, dict[str, Any]]
    contacts: dict[str, dict[str, Any]]
    audit: Counter[str]
    tickets: dict[str, dict[str, Any]]
    sent: list[tuple[str, str]]
    dead_letters: int


def final_state_of(system: System) -> FinalState:
    """Read the final state; the queues must be empty."""
    assert system.fifo_queues.is_empty
    rows = system.rows()
    return FinalState(
        events={key[1]: _event(row) for key, row in rows.items() if key[1].startswith("evt:")},
        actions={key[1]: _action(row) for key, row in rows.items() if key[1].startswith("act:")},
        states={
            key[1]: _state(row)
            for key, row in rows.items()
            if key[0] == "state" and not key[1].startswith("sys:")
        },
        evaluations={
            key[1]: {name: row[name] for name in row.keys() - VARIES}
            for key, row in rows.items()
            if key[1].startswith(("sys:set", "sys:run#", "sys:result#"))
            and not key[1].startswith("sys:settings")
        },
        contacts={
            " ".join(key[1:]): {name: row[name] for name in row.keys() - VARIES}
            for key, row in rows.items()
            if key[0] == "contacts"
        },
        audit=Counter(_audited(row) for key, row in rows.items() if key[0] == "audit"),
        tickets={
            name: _ticket(ticket) for name, ticket in system.sandbox.help_desk.tickets.items()
        },
        sent=sent_by(system),
        dead_letters=len(system.fifo_queues.dead_letters),
    )


def sent_by(system: System) -> list[tuple[str, str]]:
    """Path and text of each reply that the help desk has executed since the system was restored."""
    replies = [sent for sent in system.sandbox.sent if sent.operation in SENDS]
    return sorted((sent.path, json.dumps(sent.body, sort_keys=True)) for sent in replies)


def differences(expected: FinalState, found: FinalState) -> list[str]:
    """The differences, attribute by attribute, for the message of a failing test; empty if there are none."""
    said = []
    for part in ("events", "actions", "states", "contacts", "tickets"):
        old, new = getattr(expected, part), getattr(found, part)
        said += [f"{key} is missing" for key in sorted(old.keys() - new.keys())]
        said += [f"{key} is too much" for key in sorted(new.keys() - old.keys())]
        said += [
            f"{key} {name}: {old[key].get(name)!r} != {new[key].get(name)!r}"
            for key in sorted(old.keys() & new.keys())
            for name in sorted(old[key].keys() | new[key].keys())
            if old[key].get(name) != new[key].get(name)
        ]
    said += [f"audit, missing: {row}" for row in sorted((expected.audit - found.audit).elements())]
    said += [f"audit, too much: {row}" for row in sorted((found.audit - expected.audit).elements())]
    if expected.sent != found.sent:
        said.append(f"sent: {expected.sent} != {found.sent}")
    if expected.dead_letters != found.dead_letters:
        said.append(f"dead letters: {expected.dead_letters} != {found.dead_letters}")
    return said


def check_at_any_time(system: System) -> None:
    """Check the invariants between any two runs of a worker."""
    for key, row in system.rows().items():
        kind: type[Row] | None = AuditAction if key[0] == "audit" else None
        if key[0] == "state" and not key[1].startswith("sys:"):
            kind = CustomerState if key[1].startswith("cust:") else ConversationState
        if key[1].startswith("evt:"):
            kind = Event
        if kind is not None:
            assert not kind.model_validate(row).model_extra, key
    replies = _replies_by(system)
    for ticket_id, ticket in system.sandbox.help_desk.tickets.items():
        ours = [c for c in ticket.comments if c.get("isOperator") and c.get("author_id") != AGENT]
        known = [message for about, message in replies if about == ticket_id]
        assert len(ours) <= len(known), "a message was answered twice"


def _replies_by(system: System) -> set[tuple[str, str]]:
    """Ticket and message of each recorded reply: by its row or, before that, by its reservation."""
    rows = system.rows()
    parts = [key[1].split(":") for key in rows if key[1].startswith("act:rp_reply:")]
    reserved = {
        (key[1], row["reserved_reply"]["source_message_id"])
        for key, row in rows.items()
        if key[0] == "state" and "reserved_reply" in row
    }
    return {(ticket, message) for _, _, ticket, message in parts} | reserved


def check_at_rest(system: System, final: FinalState) -> None:
    """Check the invariants of empty queues: no message is lost, each ticket has one route, and each reply a row."""
    check_at_any_time(system)
    assert {row["status"] for row in final.events.values()} <= {"processed", "parked"}
    for ticket_id, ticket in system.sandbox.help_desk.tickets.items():
        assert len(ROUTE_TAGS.intersection(ticket.tags)) == 1, ticket_id
        for comment in ticket.comments:
            if not comment.get("isOperator"):
                assert f"evt:rp:{ticket_id}:{comment['id']}" in final.events
    for key, row in final.actions.items():
        assert row["status"] != "reserved", key


def _without(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in VARIES}
    return {
        name: _without(value) if isinstance(value, dict) else value for name, value in kept.items()
    }


def _event(row: dict[str, Any]) -> dict[str, Any]:
    return _without(row) | {"reason": row.get("reason")}


def _action(row: dict[str, Any]) -> dict[str, Any]:
    status = OUT if row["status"] in {"sent", "confirmed"} else row["status"]
    return _without(row) | {"status": status}


def _state(row: dict[str, Any]) -> dict[str, Any]:
    kept = _without(row)
    if "auto_reply_times" in kept:
        kept["auto_reply_times"] = len(kept["auto_reply_times"])
    kept.pop("last_processed_message_at", None)  # of its id: a message may follow after the crash
    return kept


def _audited(row: dict[str, Any]) -> str:
    payload = json.loads(row["action_payload_redacted"])
    payload.pop("waited_s", None)
    if payload.get("state") in {"sent", "confirmed"}:
        payload["state"] = OUT
    action_id = row["ts_action_id"].partition("#")[2]
    facts = [
        row["conversation_id"],
        action_id,
        row["action_type"],
        row["idempotency_key"],
        row["result"],
        payload,
    ]
    return json.dumps(facts, sort_keys=True, default=str)


def _ticket(ticket: Any) -> dict[str, Any]:
    comments = [(c["author_id"], c["body"]) for c in ticket.comments]
    return {
        "tags": sorted(ticket.tags),
        "assignee": ticket.assignee_id,
        "status": ticket.status,
        "comments": comments,
    }
