"""A reply is reserved in its turn's only write of the state: crashes and concurrent workers around that write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.guards.customer_hash import customer_hmac
from richpanel.inbound.event import event_id_of_message
from richpanel.store import events, states
from richpanel.store.items import CustomerState
from richpanel.worker import actions, audit, memory, ticket_tags
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Overtaken
from richpanel.worker.sending import replies
from shared.aws.sqs_fifo import digest
from shared.providers.outcomes import Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from tests.integration.richpanel.harness import WHERE, Harness

if TYPE_CHECKING:
    from collections.abc import Callable


REPLY = "act:rp_reply:t-1:m-1"
EVENT = "evt:rp:t-1:m-1"
LATER_MS = 600_000


class Killed(BaseException):
    """The process is killed here."""


def die(*_: object, **__: object) -> None:
    raise Killed


def killed_at(harness: Harness, owner: object, name: str) -> None:
    """Process a delivery that is killed in the call of *name*; then let the lease and the deadline expire."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, die)
        with pytest.raises(Killed):
            harness.handle()
    harness.time.ms += LATER_MS


def counted(harness: Harness) -> list[list[str]]:
    """The counted reply times of each customer."""
    rows = [row for row in harness.rows("state") if row["conversation_id"].startswith("cust:")]
    return [row.get("auto_reply_times", []) for row in rows]


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


def test_a_customer_whose_limit_was_reached_since_the_decision_is_not_answered(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)

    after_decision(harness, monkeypatch, lambda: answer_elsewhere(harness, times=5))
    with pytest.raises(Overtaken):
        harness.handle()
    monkeypatch.undo()
    harness.time_again(monkeypatch)
    harness.handle(receives=2)

    assert harness.replies() == []
    assert "mw-auto-rate-limited" in harness.tags()
    assert [len(times) for times in counted(harness)] == [5]


def test_of_two_workers_that_answer_one_customer_concurrently_one_decides_again(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    write = states._write

    def reserve_after_rival(table: Any, kind: Any, *rest: Any) -> Any:
        if kind is CustomerState:
            monkeypatch.setattr(states, "_write", write)
            answer_elsewhere(harness)
        return write(table, kind, *rest)

    monkeypatch.setattr(states, "_write", reserve_after_rival)
    with pytest.raises(Overtaken):
        harness.handle()

    assert harness.replies() == []
    harness.handle(receives=2)
    assert len(harness.replies()) == 1
    assert [len(times) for times in counted(harness)] == [2]


def test_a_conversation_that_changed_after_the_decision_gets_no_reply(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    after_decision(
        harness, monkeypatch, lambda: memory.touch(harness.resources, "t-1", harness.time.ms)
    )

    with pytest.raises(Overtaken):
        harness.handle()

    assert harness.replies() == []
    assert "reserved_reply" not in harness.state()
    assert counted(harness) == [[]]


def test_a_worker_whose_lease_expired_keeps_the_count_of_its_successor(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    moment = clock.to_text(harness.time.ms - 1_000)
    after_decision(
        harness,
        monkeypatch,
        lambda: count_for_jane(harness, [moment], digest(EVENT)[:16], counted_in=2),
    )

    with pytest.raises(Overtaken):
        harness.handle()

    assert harness.replies() == []
    assert counted(harness) == [[moment]]


def test_a_reply_that_another_worker_reserved_for_the_same_message_is_not_overwritten_by_a_route(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose lease expired resumes a turn that another worker has begun to answer."""
    harness.switch(safe_mode="true")
    harness.ticket(WHERE)
    moment = clock.to_text(harness.time.ms)

    def rival_reservation() -> None:
        slot = {"type": "need_order_number", "sent_at": moment, "source_message_id": "m-1"}
        reserved = {
            "source_message_id": "m-1",
            "owner": "a rival",
            "reserved_at": harness.time.ms,
            "deadline": harness.time.ms + 120_000,
            "body_hash": "0" * 64,
            "payload_bytes": 7,
            "template": "t_order_status_ask_order_number",
        }
        change = states.Change(put={"last_auto_reply": slot, "reserved_reply": reserved})
        states.change_conversation(harness.resources.state, "t-1", lambda _: change)

    after_decision(harness, monkeypatch, rival_reservation)
    with pytest.raises(Overtaken):
        harness.handle()
    monkeypatch.undo()
    harness.time_again(monkeypatch)
    harness.time.ms += LATER_MS

    harness.handle(receives=2)

    assert harness.row(REPLY)["status"] == "unknown"


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


def refuse(*_: object) -> None:
    raise Permanent("refused")


def after_decision(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]
) -> None:
    """Run *then* between the next decision and its execution."""
    decide = decisions.decision_on

    def decided(*given: Any) -> Any:
        decision = decide(*given)
        then()
        return decision

    monkeypatch.setattr(decisions, "decision_on", decided)


def answer_elsewhere(harness: Harness, times: int = 1) -> None:
    """Count replies to Jane in other tickets, an hour ago."""
    moments = [clock.to_text(harness.time.ms - 3_600_000 - n) for n in range(times)]
    count_for_jane(harness, moments, "another event", counted_in=1)


def count_for_jane(
    harness: Harness, moments: list[str], counted_for: str, *, counted_in: int
) -> None:
    hashed = customer_hmac(harness.resources.keys, "jane@shop.example")
    put = CustomerState.named(
        auto_reply_times=moments, counted_for=counted_for, counted_in=counted_in
    )
    states.change_customer(harness.resources.state, hashed, lambda _: states.Change(put=put))
