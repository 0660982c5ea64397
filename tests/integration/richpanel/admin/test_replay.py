"""Replay of conversations over the admin API: as a dry run without writes, or as a repair by the worker."""

from __future__ import annotations

import json
from io import StringIO

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.worker import memory
from shared.runtime.failures import Permanent, Transient
from tests.integration.richpanel.admin.conftest import SWITCHES, WHERE, Admin
from tests.integration.richpanel.harness import AGENT


def test_a_dry_run_returns_the_decision_and_writes_nothing(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    before = admin.everything()

    result = admin.replay("dry_run").result

    assert (result["mode"], result["message_id"]) == ("dry_run", "m-1")
    assert result["decision"]["intent"] == "order_status_tracking"
    assert result["decision"]["template"] == "t_order_status_ask_order_number"
    assert result["decision"]["reason"] == "tier1_safe_assist"
    assert admin.everything() == before
    assert admin.harness.tags() == set()
    assert admin.harness.replies() == []
    assert admin.events() == []


def test_a_dry_run_of_a_decided_turn_uses_the_current_switches_and_rules(
    admin: Admin,
) -> None:
    admin.harness.ticket(WHERE)
    admin.harness.handle()
    admin.call(f"PUT {SWITCHES}", body={"safe_mode": True})

    assert admin.replay("dry_run").result["decision"]["reason"] == "safe_mode_route_only"


def test_a_dry_run_looks_up_the_order_where_the_decision_depends_on_it(admin: Admin) -> None:
    admin.harness.order()
    admin.harness.ticket("Where is my order #1001?", order={"order_id": "6001"})

    decision = admin.replay("dry_run").result["decision"]

    assert decision["intent"] == "order_status_tracking"
    assert (decision["order"], decision["match"]) == ("***1001", "linked")
    assert admin.harness.calls()["get_order"] > 0


def test_a_repair_enqueues_the_conversation_for_the_worker_again(
    admin: Admin, log: StringIO
) -> None:
    admin.harness.ticket(WHERE)

    answer = admin.replay("repair")

    assert answer.status == 202
    assert answer.result == {"conversation_id": "t-1", "mode": "repair", "reopened": []}
    (event,) = admin.events()
    assert (event["source"], event["event_id"], event["channel"]) == ("replay", None, "email")
    assert admin.harness.handle(json.dumps(event)).outcome == "processed"
    assert '"message":"conversation replayed"' in log.getvalue()


def test_a_repair_never_sends_a_reply_again(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    admin.harness.handle()
    assert len(admin.harness.replies()) == 1

    for _ in range(2):
        admin.harness.time.ms += 600_000
        admin.replay("repair")
        for event in admin.events():
            admin.harness.handle(json.dumps(event))

    assert len(admin.harness.replies()) == 1


def park(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> str:
    """Park a message after its reply was sent; returns the key of its event."""

    def refuse(*_: object, **__: object) -> None:
        raise Permanent("too_large")

    admin.harness.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(memory, "remember", refuse)
        admin.harness.handle()
    key = "evt:rp:t-1:m-1"
    assert admin.harness.row(key)["status"] == "parked"
    return key


def test_a_repair_continues_parked_events_and_sends_nothing_twice(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    assert len(admin.harness.replies()) == 1

    assert admin.replay("repair").result["reopened"] == [key]
    (event,) = admin.events()
    admin.harness.handle(json.dumps(event))

    row = admin.harness.row(key)
    assert (row["status"], row["reason"]) == ("processed", "tier1_safe_assist")
    assert admin.harness.state()["last_intent"] == "order_status_tracking"
    assert len(admin.harness.replies()) == 1
    assert admin.replay("repair").result["reopened"] == []


def test_a_repair_that_was_interrupted_after_its_write_is_completed_by_the_next(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    with monkeypatch.context() as patch:
        refused = {"Failed": [{"Id": "0", "Code": "InternalError", "SenderFault": False}]}
        patch.setattr(
            admin.module.deps.queues.mail.client, "send_message_batch", lambda **_: refused
        )
        assert admin.replay("repair").error == "not_enqueued"

    assert admin.replay("repair").status == 202
    (event,) = admin.events()
    admin.harness.handle(json.dumps(event))
    assert admin.harness.row(key)["status"] == "processed"


def test_an_event_that_an_agent_has_answered_since_stays_parked(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    admin.harness.comment("I will look.", author_id=AGENT, is_operator=True)

    assert admin.replay("repair").result["reopened"] == []
    assert admin.harness.row(key)["status"] == "parked"


@pytest.mark.parametrize("mode", ["dry_run", "repair"])
def test_a_failure_of_the_help_desk_is_answered_with_a_retryable_503(
    admin: Admin, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Transient("richpanel_500")

    monkeypatch.setattr(HelpDesk, "ticket", fail)

    answer = admin.replay(mode)

    assert (answer.status, answer.error) == (503, "help_desk_failed")
    assert answer.body["error"]["message"] == "richpanel_500"
    assert answer.body["error"]["retryable"] is True


def test_a_ticket_without_a_customers_message_has_nothing_to_decide(admin: Admin) -> None:
    admin.harness.ticket()
    admin.harness.comment("Hello from us", author_id=AGENT, is_operator=True)

    assert admin.replay("dry_run").error == "nothing_to_decide"
