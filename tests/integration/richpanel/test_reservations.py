"""A reply is reserved in its turn's only write of the state: crashes and concurrent workers around that write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.guards.customer_hash import customer_hmac
from richpanel.inbound.event import event_id_of_message
from richpanel.store import events, states
from richpanel.store.items import CustomerState
from richpanel.worker import actions, audit, cases, memory, replies, ticket_tags
from richpanel.worker.cases import Overtaken
from shared.aws.sqs_fifo import digest
from shared.failures import Permanent, Transient
from shared.providers.outcomes import Refused
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.richpanel.office import Office

WHERE = "Hi, where is my order? It has not arrived yet."
REPLY = "act:rp_reply:t-1:m-1"
EVENT = "evt:rp:t-1:m-1"
LATER_MS = 600_000


class Killed(BaseException):
    """The process is killed here."""


def die(*_: object, **__: object) -> None:
    raise Killed


def killed_at(office: Office, owner: object, name: str) -> None:
    """Process a delivery that is killed in the call of *name*; then let the lease and the deadline expire."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, die)
        with pytest.raises(Killed):
            office.handle()
    office.time.ms += LATER_MS


def counted(office: Office) -> list[list[str]]:
    """The counted reply times of each customer."""
    rows = [row for row in office.rows("state") if row["conversation_id"].startswith("cust:")]
    return [row.get("auto_reply_times", []) for row in rows]


def test_an_answered_turn_writes_its_state_once_and_its_ledger_row_once(office: Office) -> None:
    office.ticket(WHERE)

    office.handle()

    assert office.state()["version"] == 1
    assert office.row(REPLY)["status"] == "sent"
    assert office.row(REPLY)["owner"].endswith(office.state()["reserved_reply"]["owner"])


def test_a_reservation_without_a_ledger_row_is_in_doubt_and_nothing_is_sent(office: Office) -> None:
    office.ticket(WHERE)
    killed_at(office, HelpDesk, "reply")
    assert office.row(REPLY) == {}

    office.handle(receives=2)

    assert office.replies() == []
    assert office.row(REPLY)["status"] == "unknown"
    assert office.row(REPLY)["template"] == "t_order_status_ask_order_number"
    assert office.row(REPLY)["intent"] == "order_status_tracking"
    assert "mw-escalated-human" in office.tags()
    assert office.row(EVENT)["status"] == "processed"


def test_a_reply_found_to_be_unsent_during_its_resolution_is_sent_by_the_next_delivery(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile the worker that reserved it resumes, and the help desk throttles its request."""
    office.ticket(WHERE)
    killed_at(office, HelpDesk, "reply")
    find_out = replies.find_out

    def told_meanwhile(*given: Any) -> Any:
        office.resources.idempotency.update({"event_id": REPLY}, put={"deadline": 0})
        return find_out(*given)

    with monkeypatch.context() as patch:
        patch.setattr(replies, "find_out", told_meanwhile)
        with pytest.raises(Transient, match="not_sent"):
            office.handle(receives=2)
    assert office.replies() == []
    assert "mw-auto-replied" not in office.tags()

    office.handle(receives=3)

    assert len(office.replies()) == 1
    assert office.row(REPLY)["status"] == "sent"


def test_until_the_deadline_of_a_reservation_another_worker_waits(office: Office) -> None:
    office.ticket(WHERE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HelpDesk, "reply", die)
        with pytest.raises(Killed):
            office.handle()
    office.time.ms += 66_000  # its lease has expired, its deadline has not

    with pytest.raises(Transient, match="send_in_progress"):
        office.handle(receives=2)
    assert office.row(EVENT)["status"] == "processing"


def test_a_worker_that_dies_between_count_and_slot_counts_its_customer_once(office: Office) -> None:
    office.ticket(WHERE)
    killed_at(office, states, "change_conversation")
    assert [len(times) for times in counted(office)] == [1]

    office.handle(receives=2)

    assert len(office.replies()) == 1
    assert [len(times) for times in counted(office)] == [1]


def test_the_count_of_a_reply_that_is_no_longer_allowed_is_given_back(office: Office) -> None:
    office.ticket(WHERE)
    killed_at(office, states, "change_conversation")
    office.switch(safe_mode="true")

    office.handle(receives=2)

    assert office.replies() == []
    assert counted(office) == [[]]


def test_a_customer_whose_limit_was_reached_since_the_decision_is_not_answered(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)

    after_decision(office, monkeypatch, lambda: answer_elsewhere(office, times=5))
    with pytest.raises(Overtaken):
        office.handle()
    monkeypatch.undo()
    office.time_again(monkeypatch)
    office.handle(receives=2)

    assert office.replies() == []
    assert "mw-auto-rate-limited" in office.tags()
    assert [len(times) for times in counted(office)] == [5]


def test_of_two_workers_that_answer_one_customer_concurrently_one_decides_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    write = states._write

    def beaten(table: Any, kind: Any, *rest: Any) -> Any:
        if kind is CustomerState:
            monkeypatch.setattr(states, "_write", write)
            answer_elsewhere(office)
        return write(table, kind, *rest)

    monkeypatch.setattr(states, "_write", beaten)
    with pytest.raises(Overtaken):
        office.handle()

    assert office.replies() == []
    office.handle(receives=2)
    assert len(office.replies()) == 1
    assert [len(times) for times in counted(office)] == [2]


def test_a_conversation_that_changed_after_the_decision_gets_no_reply(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    after_decision(
        office, monkeypatch, lambda: memory.touch(office.resources, "t-1", office.time.ms)
    )

    with pytest.raises(Overtaken):
        office.handle()

    assert office.replies() == []
    assert "reserved_reply" not in office.state()
    assert counted(office) == [[]]


def test_a_worker_whose_lease_expired_keeps_the_count_of_its_successor(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    moment = clock.to_text(office.time.ms - 1_000)
    after_decision(
        office,
        monkeypatch,
        lambda: count_for_jane(office, [moment], digest(EVENT)[:16], counted_in=2),
    )

    with pytest.raises(Overtaken):
        office.handle()

    assert office.replies() == []
    assert counted(office) == [[moment]]


def test_a_reply_that_another_worker_reserved_for_the_same_message_is_not_overwritten_by_a_route(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose lease expired resumes a turn that another worker has begun to answer."""
    office.switch(safe_mode="true")
    office.ticket(WHERE)
    moment = clock.to_text(office.time.ms)

    def rival() -> None:
        slot = {"type": "need_order_number", "sent_at": moment, "source_message_id": "m-1"}
        reserved = {
            "source_message_id": "m-1",
            "owner": "a rival",
            "reserved_at": office.time.ms,
            "deadline": office.time.ms + 120_000,
            "body_hash": "0" * 64,
            "payload_bytes": 7,
            "template": "t_order_status_ask_order_number",
        }
        change = states.Change(put={"last_auto_reply": slot, "reserved_reply": reserved})
        states.change_conversation(office.resources.state, "t-1", lambda _: change)

    after_decision(office, monkeypatch, rival)
    with pytest.raises(Overtaken):
        office.handle()
    monkeypatch.undo()
    office.time_again(monkeypatch)
    office.time.ms += LATER_MS

    office.handle(receives=2)

    assert office.row(REPLY)["status"] == "unknown"


def test_a_newer_reply_writes_the_previous_reservation_to_a_ledger_row(office: Office) -> None:
    office.ticket(WHERE)
    killed_at(office, HelpDesk, "reply")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "decision_on", refuse)
        assert office.handle(receives=2).outcome == "parked"
    office.comment(WHERE, id="m-2")
    office.time.ms += 60_000

    office.handle()

    assert len(office.replies()) == 1
    assert office.state()["reserved_reply"]["source_message_id"] == "m-2"
    assert office.row(REPLY)["status"] == "reserved"
    events.reopen(office.resources.idempotency, event_id_of_message("t-1", "m-1"))
    office.handle()
    assert len(office.replies()) == 1
    assert office.row(REPLY)["status"] == "confirmed"  # by the newer reply, which has the same text


def test_an_answered_but_unfinished_turn_asks_its_question_once(
    office: Office,
) -> None:
    office.ticket(WHERE)
    killed_at(office, ticket_tags, "tag")
    asked = office.state()["pending_flow"]

    office.handle(receives=2)

    assert office.state()["pending_flow"] == asked
    assert asked["attempts"] == 1
    assert office.decided()["reason"] == "tier1_safe_assist"


def test_a_turn_that_lacks_only_its_last_write_is_not_decided_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    killed_at(office, memory, "remember")
    monkeypatch.setattr(cases, "decision_on", die)

    handled = office.handle(receives=2)

    assert handled.outcome == "processed"
    assert office.row(EVENT)["reason"] == "tier1_safe_assist"


def test_a_refused_reply_is_not_counted_even_if_another_reply_was_counted_meanwhile(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    elsewhere = clock.to_text(office.time.ms - 3_600_000)

    def refused(*_: object) -> None:
        (mine,) = counted(office)
        count_for_jane(office, [*mine, elsewhere], "another event", counted_in=1)
        raise Refused("richpanel_422")

    monkeypatch.setattr(HelpDesk, "reply", refused)
    office.handle()

    assert office.row(REPLY)["status"] == "failed"
    assert counted(office) == [[elsewhere]]


def test_a_refused_reply_removes_its_pending_question_and_its_reservation(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )

    office.handle()

    state = office.state()
    assert {"reserved_reply", "last_auto_reply", "pending_flow"}.isdisjoint(state)
    assert state["last_processed_message_id"] == "m-1"


def test_a_refused_reply_is_routed_even_if_its_worker_dies_before_the_tags(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )
    killed_at(office, ticket_tags, "tag")

    office.handle(receives=2)

    assert office.tags() >= {*map(str, actions.NOT_SENT), "route-email-support-team"}
    assert ("escalate", "fail: failed") in office.audit()
    assert "reserved_reply" not in office.state()


def test_a_state_written_before_the_reply_does_not_hide_the_ticket_from_the_sweep(
    office: Office,
) -> None:
    """Until a delivery completes the turn, the sweep must find the ticket: otherwise an unsent reply would be lost."""
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        office.handle()

    written_at = office.time.ms - 60_000
    assert clock.from_text(office.state()["last_processed_at"]) < written_at


def test_a_sent_reply_has_one_audit_row_even_if_its_worker_died_before_writing_it(
    office: Office,
) -> None:
    office.ticket(WHERE)
    killed_at(office, audit, "write")
    assert office.row(REPLY)["status"] == "sent"

    office.handle(receives=2)

    assert office.audit().count(("auto_reply", "success")) == 1
    assert len(office.replies()) == 1


def test_a_reservation_older_than_the_ledgers_retention_is_ignored(office: Office) -> None:
    office.ticket(WHERE)
    office.handle()
    state = states.conversation(office.resources.state, "t-1")
    assert state is not None
    assert state.reservation_of("m-1") is not None

    office.time.ms += 31 * 86_400_000

    assert state.reservation_of("m-1") is None
    assert state.flow_before("m-1") == state.pending_flow


def refuse(*_: object) -> None:
    raise Permanent("refused")


def after_decision(
    office: Office, monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]
) -> None:
    """Run *then* between the next decision and its execution."""
    decide = cases.decision_on

    def decided(*given: Any) -> Any:
        decision = decide(*given)
        then()
        return decision

    monkeypatch.setattr(cases, "decision_on", decided)


def answer_elsewhere(office: Office, times: int = 1) -> None:
    """Count replies to Jane in other tickets, an hour ago."""
    moments = [clock.to_text(office.time.ms - 3_600_000 - n) for n in range(times)]
    count_for_jane(office, moments, "another event", counted_in=1)


def count_for_jane(
    office: Office, moments: list[str], counted_for: str, *, counted_in: int
) -> None:
    hashed = customer_hmac(office.resources.keys, "jane@shop.example")
    put = CustomerState.named(
        auto_reply_times=moments, counted_for=counted_for, counted_in=counted_in
    )
    states.change_customer(office.resources.state, hashed, lambda _: states.Change(put=put))
