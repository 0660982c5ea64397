"""Events and tickets that cannot be handled are parked with a reason and do not affect others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation.richpanel.final_state import check_at_any_time, final_state_of
from tests.simulation.richpanel.scenarios import TICKET, WHERE, minimal, named, opens, writes
from tests.simulation.richpanel.system import System

OTHER = "t-2"
HOSTILE: dict[str, dict[str, Any]] = {
    "no id": {"id": None},
    "an id of blanks and signs": {"id": " 😀/../#? "},
    "an id of 300 characters": {"id": "x" * 300},
    "an empty text": {"body": ""},
    "a million characters": {"body": "Where is my order? " * 50_000},
    "a missing operator flag": {"is_operator": None},
    "an invalid time": {"created_at": "yesterday"},
    "a time in the year 9999": {"created_at": "9999-12-31T23:59:59Z"},
    "control characters": {"body": "Where is my order?\x00\x1b[2J\ufffe\u202e"},
    "half an emoji": {"body": "Where is my order \ud83d"},
    "template and script syntax": {
        "body": "{{ticket.id}} ${jndi:ldap://x} <script>alert(1)</script>"
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_comment_does_not_affect_other_tickets(system: System, name: str) -> None:
    opens(system, "Hello")
    comments = system.sandbox.help_desk.tickets[TICKET].comments
    writes(system, "Where is my order?", "m-2")
    for field, value in HOSTILE[name].items():
        as_written = {"is_operator": "isOperator"}.get(field, field)
        comments[-1] = {k: v for k, v in comments[-1].items() if k != as_written}
        if value is not None:
            comments[-1][as_written] = value
    opens(system, WHERE, ticket=OTHER)
    system.call(minimal())
    system.call(minimal(OTHER))
    system.drain()

    final = final_state_of(system)
    check_at_any_time(system)
    assert final.dead_letters == 0
    assert {row["status"] for row in final.events.values()} == {"processed"}
    assert final.events[f"evt:rp:{OTHER}:m-1"]["intent"] == "order_status_tracking"
    assert "mw-routing-applied" in final.tickets[TICKET]["tags"]


@pytest.mark.parametrize("operation", ["get_ticket", "add_tags"])
def test_events_are_parked_with_a_reason_while_the_help_desk_answers_with_html(
    system: System, operation: str
) -> None:
    opens(system, WHERE)
    system.sandbox.faults.add(provider="richpanel", operation=operation, kind="html", times=100)
    system.call(named("m-1"))
    system.drain()

    final = final_state_of(system)
    (row,) = final.events.values()
    assert (row["status"], row["reason"]) == ("parked", "bad_provider_answer")
    assert final.dead_letters == 0


def test_a_queue_record_without_a_valid_event_is_parked(system: System) -> None:
    opens(system, WHERE)
    system.call(named("m-1"))
    ((_, message),) = system.fifo_queues.receive()
    for queue in system.fifo_queues.queues.values():
        for one in queue.messages:
            one.body = one.body[: len(one.body) // 2]
    del message
    system.drain()

    final = final_state_of(system)
    ((key, row),) = final.events.items()
    assert key.startswith("evt:rp:unknown:")
    assert (row["status"], row["reason"]) == ("parked", "malformed_event")
