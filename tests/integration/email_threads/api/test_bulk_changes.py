"""Changes of many conversations and their undo, as the API of threads takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.inbox.items import Context
from tests.integration.console.inbox.bulk_contexts import OverApi
from tests.integration.email_threads.api.test_snooze import ahead
from tests.integration.email_threads.api.thread_calls import result, thread_of
from tests.simulation.email_threads.system import mail

if TYPE_CHECKING:
    from console.api.bulk.calls import Call
    from console.store.bulk.items import Action
    from tests.simulation.email_threads.system import System

NAMES = ("status", "assigned_to", "tags", "snoozed_until")


@pytest.mark.long
def test_a_thread_is_put_back_from_every_state_unless_a_mail_came_since(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    until, later = ahead(system, 24), ahead(system, 48)

    def call(one: Call) -> tuple[int, dict[str, Any]]:
        method = one.line.split(" ")[0]
        assert one.line.endswith("/{conversation_id}")
        return system.call(method, path, one.body, key=one.key or None)

    def shown() -> dict[str, Any]:
        head = result(system.call("GET", path))
        return {name: head[name] for name in NAMES if head.get(name)}

    thread = OverApi(Context.EMAIL_THREADS, path.rpartition("/")[2], call)
    states: list[dict[str, Any]] = [
        {"status": "pending_info", "assigned_to": "user:lee", "add_tags": ["old"]},
        {"snoozed_until": until},
        {"status": "completed"},
        {"status": "active"},
        {"snoozed_until": until},
    ]
    asked: list[tuple[Action, str | None]] = [
        ("assign", "user:kim"),
        ("assign", None),
        ("label", "vip"),
        ("snooze", later),
        ("resolve", None),
        ("archive", None),
    ]
    for state in states:
        result(system.call("PATCH", path, state))
        before = shown()
        for action, value in asked:
            if action == "snooze" and before["status"] == "completed":
                continue  # An ended thread is not snoozed.
            assert thread.make(action, value) == "done", (state, action)
            is_changed = thread.kept is not None
            assert (shown() != before) is is_changed
            for _ in range(2):
                assert thread.undo(action, value) == ("done" if is_changed else "skipped")
                assert shown() == before, (state, action)

    thread.make("resolve", None)
    thread_of(system, mail("b@x", in_reply_to="a@x"))
    after = shown()
    assert thread.undo("resolve", None) == "stale"
    assert shown() == after
