"""What others change between the decision of a reply and its reservation."""

from __future__ import annotations

from typing import Any

import pytest

from richpanel.store import states
from richpanel.store.items import CustomerState
from richpanel.worker import memory
from richpanel.worker.cases.case import Overtaken
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from tests.integration.richpanel.harness import WHERE, Harness
from tests.integration.richpanel.worker.reservations import (
    EVENT,
    LATER_MS,
    REPLY,
    after_decision,
    answer_elsewhere,
    count_for_jane,
    counted,
)


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
