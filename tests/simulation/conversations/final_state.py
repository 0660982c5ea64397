"""The final state of a run without attributes that may differ: times, provider ids, number of requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

# Values that differ with the time, or with what a model reads again.
_TIMES = frozenset(
    {"created_at", "updated_at", "processing_time_ms", "ttl", "email_id", "ai_cost_micros"}
)

_OF_FILES = {"key", "refused", "failed", "transcript", "no_transcript", "transcribing_until"}
_KEPT = (
    *("mode", "status_reason", "releases", "turn", "labels", "snoozed_until", "revision"),
    "trial_version",
)


@dataclass(frozen=True)
class FinalState:
    """
    *messages*: author, text and delivery of each log, in order; *sent*: recipients and texts, in order. *open* and
    *ended*: what the lists show. Answers in shadow are no part: they are made at most once.
    """

    conversations: dict[str, dict[str, Any]]
    messages: dict[str, list[tuple[str, str, str]]]
    changes: dict[str, list[str]]
    sent: list[tuple[str, str]]
    open: dict[str, str]
    ended: dict[str, str]
    states: dict[str, dict[str, Any]]
    dead_letters: int
    due: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    joined: int = 0  # conversations that a trial has counted
    unanswered: list[tuple[str, str, str]] = field(default_factory=list)


def final_state_of(system: System) -> FinalState:
    """The final state of a run."""
    rows = system.rows()
    refs = [key[1].removeprefix("CONV#") for key in rows if key[0] == "log" and key[2] == "STATE"]
    items = {key[2]: row for key, row in rows.items() if key[0] == "conversations"}
    is_open = _listed(rows, "OPEN#")
    return FinalState(
        conversations={name: _plain(row) for name, row in sorted(items.items())},
        # Messages of one millisecond have no order, and no more time passes here.
        messages={ref: sorted(_message(row) for row in system.log(ref)) for ref in sorted(refs)},
        changes={ref: system.changes(ref) for ref in sorted(refs)},
        sent=[
            (str(body.get("To") or body.get("Destination")), _words(body)) for body in system.sent()
        ],
        open=is_open,
        ended={
            ref: status for ref, status in _listed(rows, "ENDED#").items() if ref not in is_open
        },
        states={ref: _state(system.state(ref)) for ref in sorted(refs)},
        dead_letters=len(system.fifo_queues.dead_letters),
        due=sorted(key[2] for key in rows if key[0] == "log" and key[2].startswith("DUE#")),
        notes=[
            (row["by"], row["text"])
            for key, row in sorted(rows.items())
            if key[0] == "log" and key[2].startswith("NOTE#")
        ],
        evaluations=[
            {name: value for name, value in row.items() if name not in {*_TIMES, "at"}}
            for key, row in sorted(rows.items())
            if key[0] == "log" and key[2].startswith(("SET#", "RUN#", "RESULT#"))
        ],
        joined=sum(
            int(row.get("trial_conversations", 0)) + int(row.get("live_conversations", 0))
            for key, row in rows.items()
            if key[0] == "log" and key[2].startswith("TRIAL_COUNTS#")
        ),
        unanswered=sorted(
            (row["ref"], row["cause"], str(row.get("settled")))
            for key, row in rows.items()
            if key[0] == "log" and key[2].startswith("UNANSWERED#")
        ),
    )


def _listed(rows: dict[tuple[str, ...], dict[str, Any]], partitions: str) -> dict[str, str]:
    """Return the statuses that a list has, by conversation."""
    return {
        row["ref"]: str(row["conversation_status"])
        for key, row in sorted(rows.items())
        if key[1].startswith(partitions)
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    stable = {name: value for name, value in row.items() if name not in _TIMES}
    stable["messages"] = [(entry["role"], entry["content"]) for entry in row["messages"]]
    return stable


def _message(row: dict[str, Any]) -> tuple[str, str, str]:
    files = [sorted(file.keys() & _OF_FILES) for file in row.get("media", [])]
    content = f"{row.get('content', '')} {row.get('media_state', '')} {files or ''}".rstrip()
    return str(row["author"]), content, str(row.get("delivery_status", ""))


def _state(row: dict[str, Any]) -> dict[str, Any]:
    fields = {name: row.get(name) for name in _KEPT}
    return fields | {"is_answered": "answered_up_to" in row}


def _words(body: dict[str, Any]) -> str:
    return str(body.get("Body") or body.get("ContentVariables") or body.get("Content"))


def differences(clean: FinalState, found: FinalState) -> list[str]:
    """The differences of two final states, one line each."""
    return [
        f"{name}: {getattr(clean, name)} != {getattr(found, name)}"
        for name in FinalState.__dataclass_fields__
        if getattr(clean, name) != getattr(found, name)
    ]
