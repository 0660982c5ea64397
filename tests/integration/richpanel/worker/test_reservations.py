"""A reply is reserved in its turn's only write of the state: crashes and concurrent workers around that write."""

from __future__ import annotations

from typing import Any

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.inbound.event import event_id_of_message
from richpanel.store import events, states
from richpanel.worker import actions, audit, memory, ticket_tags
from richpanel.worker.cases import decisions
from richpanel.worker.sending import replies
from shared.providers.outcomes import Refused
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.richpanel.harness import WHERE, Harness
from tests.integration.richpanel.worker.reservations import (
    EVENT,
    REPLY,
    Killed,
    count_for_jane,
    counted,
    die,
    killed_at,
    refuse,
)


def test_an_answered_turn_writes_its_state_once_and_its_ledger_row_once(harness: Harness) -> None:
    harness.ticket(WHERE)

    harness.handle()

    assert harness.state()["version"] == 1
    assert harness.row(REPLY)["status"] == "sent"
    assert harness.row(REPLY)["owner"].endswith(harness.state()["reserved_reply"]["owner"])


def test_a_reservation_without_a_ledger_row_is_in_doubt_and_nothing_is_sent(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    killed_at(harness, HelpDesk, "reply")
    assert harness.row(REPLY) == {}

    harness.handle(receives=2)

    assert harness.replies() == []
    assert harness.row(REPLY)["status"] == "unknown"
    assert harness.row(REPLY)["template"] == "t_order_status_ask_order_number"
    assert harness.row(REPLY)["intent"] == "order_status_tracking"
    assert "mw-escalated-human" in harness.tags()
    assert harness.row(EVENT)["status"] == "processed"


def test_a_reply_found_to_be_unsent_during_its_resolution_is_sent_by_the_next_delivery(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile the worker that reserved it resumes, and the help desk throttles its request."""
    harness.ticket(WHERE)
    killed_at(harness, HelpDesk, "reply")
    find_out = replies.find_out

    def answered_meanwhile(*given: Any) -> Any:
        harness.resources.idempotency.update({"event_id": REPLY}, put={"deadline": 0})
        return find_out(*given)

    with monkeypatch.context() as patch:
        patch.setattr(replies, "find_out", answered_meanwhile)
        with pytest.raises(Transient, match="not_sent"):
            harness.handle(receives=2)
    assert harness.replies() == []
    assert "mw-auto-replied" not in harness.tags()

    harness.handle(receives=3)

    assert len(harness.replies()) == 1
    assert harness.row(REPLY)["status"] == "sent"


def test_until_the_deadline_of_a_reservation_another_worker_waits(harness: Harness) -> None:
    harness.ticket(WHERE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HelpDesk, "reply", die)
        with pytest.raises(Killed):
            harness.handle()
    harness.time.ms += 66_000  # its lease has expired, its deadline has not

    with pytest.raises(Transient, match="send_in_progress"):
        harness.handle(receives=2)
    assert harness.row(EVENT)["status"] == "processing"


def test_a_worker_that_dies_between_count_and_slot_counts_its_customer_once(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    killed_at(harness, states, "change_conversation")
    assert [len(times) for times in counted(harness)] == [1]

    harness.handle(receives=2)

    assert len(harness.replies()) == 1
    assert [len(times) for times in counted(harness)] == [1]


def test_the_count_of_a_reply_that_is_no_longer_allowed_is_given_back(harness: Harness) -> None:
    harness.ticket(WHERE)
    killed_at(harness, states, "change_conversation")
    harness.switch(safe_mode="true")

    harness.handle(receives=2)

    assert harness.replies() == []
    assert counted(harness) == [[]]


def test_a_newer_reply_writes_the_previous_reservation_to_a_ledger_row(harness: Harness) -> None:
    harness.ticket(WHERE)
    killed_at(harness, HelpDesk, "reply")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "decision_on", refuse)
        assert harness.handle(receives=2).outcome == "parked"
    harness.comment(WHERE, id="m-2")
    harness.time.ms += 60_000

    harness.handle()

    assert len(harness.replies()) == 1
    assert harness.state()["reserved_reply"]["source_message_id"] == "m-2"
    assert harness.row(REPLY)["status"] == "reserved"
    events.reopen(harness.resources.idempotency, event_id_of_message("t-1", "m-1"))
    harness.handle()
    assert len(harness.replies()) == 1
    assert (
        harness.row(REPLY)["status"] == "confirmed"
    )  # by the newer reply, which has the same text


def test_an_answered_but_unfinished_turn_asks_its_question_once(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    killed_at(harness, ticket_tags, "tag")
    asked = harness.state()["pending_flow"]

    harness.handle(receives=2)

    assert harness.state()["pending_flow"] == asked
    assert asked["attempts"] == 1
    assert harness.decided()["reason"] == "tier1_safe_assist"


def test_a_turn_that_lacks_only_its_last_write_is_not_decided_again(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    killed_at(harness, memory, "remember")
    monkeypatch.setattr(decisions, "decision_on", die)

    handled = harness.handle(receives=2)

    assert handled.outcome == "processed"
    assert harness.row(EVENT)["reason"] == "tier1_safe_assist"


def test_a_refused_reply_is_not_counted_even_if_another_reply_was_counted_meanwhile(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    elsewhere = clock.to_text(harness.time.ms - 3_600_000)

    def refused(*_: object) -> None:
        (mine,) = counted(harness)
        count_for_jane(harness, [*mine, elsewhere], "another event", counted_in=1)
        raise Refused("richpanel_422")

    monkeypatch.setattr(HelpDesk, "reply", refused)
    harness.handle()

    assert harness.row(REPLY)["status"] == "failed"
    assert counted(harness) == [[elsewhere]]


def test_a_refused_reply_removes_its_pending_question_and_its_reservation(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )

    harness.handle()

    state = harness.state()
    assert {"reserved_reply", "last_auto_reply", "pending_flow"}.isdisjoint(state)
    assert state["last_processed_message_id"] == "m-1"


def test_a_refused_reply_is_routed_even_if_its_worker_dies_before_the_tags(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )
    killed_at(harness, ticket_tags, "tag")

    harness.handle(receives=2)

    assert harness.tags() >= {*map(str, actions.NOT_SENT), "route-email-support-team"}
    assert ("escalate", "fail: failed") in harness.audit()
    assert "reserved_reply" not in harness.state()


def test_a_state_written_before_the_reply_does_not_hide_the_ticket_from_the_sweep(
    harness: Harness,
) -> None:
    """Until a delivery completes the turn, the sweep must find the ticket: otherwise an unsent reply would be lost."""
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        harness.handle()

    written_at = harness.time.ms - 60_000
    assert clock.from_text(harness.state()["last_processed_at"]) < written_at


def test_a_sent_reply_has_one_audit_row_even_if_its_worker_died_before_writing_it(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    killed_at(harness, audit, "write")
    assert harness.row(REPLY)["status"] == "sent"

    harness.handle(receives=2)

    assert harness.audit().count(("auto_reply", "success")) == 1
    assert len(harness.replies()) == 1


def test_a_reservation_older_than_the_ledgers_retention_is_ignored(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.handle()
    state = states.conversation(harness.resources.state, "t-1")
    assert state is not None
    assert state.reservation_of("m-1") is not None

    harness.time.ms += 31 * 86_400_000

    assert state.reservation_of("m-1") is None
    assert state.flow_before("m-1") == state.pending_flow
