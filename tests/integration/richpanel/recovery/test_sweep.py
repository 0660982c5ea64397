"""The sweep over moto and the sandbox's help desk: it enqueues exactly the tickets that were not processed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from richpanel.clients.calls import BadAnswer
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket, TicketPage
from richpanel.recovery.sweep import sweep
from richpanel.store import states
from shared.runtime.failures import Transient
from tests.integration.richpanel.recovery.sweeper import HOUR, MINUTE, Sweeper, taken


def test_a_ticket_that_was_never_processed_is_enqueued(sweeper: Sweeper) -> None:
    sweeper.ticket("t-1", minutes_ago=3)

    swept = sweeper.run()

    assert (swept.enqueued, swept.is_complete, swept.stopped) == (1, True, None)
    (event,) = sweeper.events()
    assert event == {
        "v": 1, "conversation_id": "t-1", "event_id": None, "adopts": None, "message_id": None,
        "source": "sweep", "channel": "email", "trigger": "sweep", "created_at": None, "text": "",
        "attachments": 0, "received_at": sweeper.harness.time.ms,
        "accepted_at": sweeper.harness.time.ms,
    }  # fmt: skip


def test_the_worker_processes_a_swept_ticket_like_a_webhook_event(sweeper: Sweeper) -> None:
    sweeper.harness.ticket("Hi, where is my order? It has not arrived yet.")
    sweeper.harness.time.ms += 3 * MINUTE
    sweeper.run()
    (event,) = sweeper.events()

    assert sweeper.harness.handle(json.dumps(event)).outcome == "processed"
    assert "route-email-support-team" in sweeper.harness.tags()


def test_a_ticket_that_has_just_changed_is_not_enqueued(sweeper: Sweeper) -> None:
    sweeper.ticket("fresh", minutes_ago=1.9)
    sweeper.ticket("settled", minutes_ago=2)

    sweeper.run()

    assert sweeper.found() == ["settled"]


def test_a_ticket_that_was_processed_after_its_last_change_is_not_enqueued(
    sweeper: Sweeper,
) -> None:
    sweeper.ticket("done", minutes_ago=10)
    sweeper.processed("done", minutes_ago=10)
    sweeper.ticket("changed since", minutes_ago=10, id="changed-since")
    sweeper.processed("changed-since", minutes_ago=11)

    sweeper.run()

    assert sweeper.found() == ["changed-since"]


def test_the_workers_own_writes_do_not_make_the_sweep_enqueue_a_ticket(sweeper: Sweeper) -> None:
    sweeper.harness.ticket("Hi, where is my order? It has not arrived yet.")
    sweeper.harness.handle()
    found = []
    for _ in range(3):
        sweeper.harness.time.ms += 6 * MINUTE
        sweeper.run()
        found += [sweeper.harness.handle(json.dumps(event)).outcome for event in sweeper.events()]

    assert found == ["duplicate"]


def test_an_erased_conversation_is_not_enqueued(sweeper: Sweeper) -> None:
    sweeper.ticket("erased", minutes_ago=5)
    states.replace_with_tombstone(sweeper.harness.resources.state, "erased", 3_600)

    sweeper.run()

    assert sweeper.found() == []


def test_closed_tickets_are_not_enqueued(sweeper: Sweeper) -> None:
    sweeper.ticket("closed", minutes_ago=5, status="CLOSED")

    sweeper.run()

    assert sweeper.found() == []


def test_chats_and_mails_are_enqueued_on_separate_lanes(sweeper: Sweeper) -> None:
    sweeper.ticket("mail", minutes_ago=5)
    sweeper.ticket("chat", minutes_ago=5, channel="livechat")
    sweeper.ticket("fax", minutes_ago=5, channel="fax")

    sweeper.run()

    chats = [json.loads(body) for body in taken(sweeper.queues.live)]
    assert [(event["conversation_id"], event["channel"]) for event in chats] == [
        ("chat", "livechat")
    ]
    others = [json.loads(body) for body in taken(sweeper.queues.mail)]
    assert {event["conversation_id"]: event["channel"] for event in others} == {
        "mail": "email", "fax": "unknown",
    }  # fmt: skip


def test_a_ticket_is_enqueued_once_per_change(sweeper: Sweeper) -> None:
    """Within five minutes the queue drops the second event; after that the worker finds it processed."""
    sweeper.ticket("t-1", minutes_ago=5)

    sweeper.run()
    sweeper.run()
    assert sweeper.found() == ["t-1"]
    sweeper.ticket("t-1", minutes_ago=4)
    sweeper.run()
    assert sweeper.found() == ["t-1"]


def test_ids_that_are_invalid_or_reserved_for_system_rows_are_counted_and_skipped(
    sweeper: Sweeper,
) -> None:
    for name in ("sys:sweep", "cust:0", "two words", "t-1"):
        sweeper.ticket(name, minutes_ago=5)

    swept = sweeper.run()

    assert (swept.unusable, swept.is_complete) == (3, True)
    assert sweeper.found() == ["t-1"]


def test_a_list_without_change_times_is_an_error(
    sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = TicketPage(tickets=[Ticket(id="t-1"), Ticket(id="t-2")], has_more=False)
    monkeypatch.setattr(HelpDesk, "tickets", lambda *_: blind)

    swept = sweeper.run()

    assert (swept.is_complete, swept.stopped) == (False, "bad_provider_answer")
    assert sweeper.noted() == {}


# Extent of a pass, and stored progress


def test_a_complete_pass_is_stored_with_its_start_time(sweeper: Sweeper) -> None:
    began = sweeper.harness.moment()

    sweeper.run()

    assert sweeper.noted() == {"completed_at": began}


@pytest.mark.parametrize(("minutes_before_the_last_pass", "pages"), [(16, 1), (14, 2)])
def test_a_pass_goes_back_to_fifteen_minutes_before_the_last_complete_pass(
    sweeper: Sweeper, minutes_before_the_last_pass: int, pages: int
) -> None:
    sweeper.run()
    sweeper.harness.time.ms += HOUR
    sweeper.ticket("newest", minutes_ago=60 + minutes_before_the_last_pass)
    for number in range(150):
        sweeper.ticket(f"t-{number}", minutes_ago=90 + number)

    swept = sweeper.run()

    assert (swept.pages, swept.is_complete) == (pages, True)
    assert sweeper.noted() == {"completed_at": sweeper.harness.moment()}


@pytest.mark.long
def test_the_next_page_is_read_while_a_page_has_a_ticket_that_is_new_enough(
    sweeper: Sweeper,
) -> None:
    for number in range(250):
        sweeper.ticket(f"t-{number}", minutes_ago=5 + number / 100)

    swept = sweeper.run()

    assert (swept.pages, swept.enqueued, swept.is_complete) == (3, 250, True)
    assert len(set(sweeper.found())) == 250


@pytest.mark.long
def test_a_pass_of_more_than_ten_pages_continues_in_the_next_run(
    sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tickets that change meanwhile are on the first page, which every run reads."""
    monkeypatch.setattr("richpanel.recovery.sweep.MOST_PAGES", 3)
    for number in range(620):
        sweeper.ticket(f"t-{number}", minutes_ago=5 + number / 100)
    began = sweeper.harness.moment()
    found = set()

    swept = sweeper.run()
    found |= set(sweeper.found())
    assert (swept.pages, swept.is_complete) == (3, False)
    assert sweeper.noted() == {"began_at": began, "next_page": 3}

    sweeper.ticket("meanwhile", minutes_ago=2.5)
    runs = 1
    while not sweeper.run().is_complete:
        found |= set(sweeper.found())
        runs += 1
        assert runs < 10
    found |= set(sweeper.found())

    assert found == {f"t-{number}" for number in range(620)} | {"meanwhile"}
    assert sweeper.noted() == {"completed_at": began}


def test_without_time_for_another_page_no_progress_is_stored(sweeper: Sweeper) -> None:
    sweeper.ticket("t-1", minutes_ago=5)

    swept = sweeper.run(left_ms=19_000)

    assert (swept.pages, swept.is_complete) == (0, False)
    assert sweeper.noted() == {}


@pytest.mark.long
@pytest.mark.parametrize(
    ("failure", "reason"),
    [(Transient("richpanel_500"), "richpanel_500"), (BadAnswer(), "bad_provider_answer")],
)
def test_open_tickets_read_before_a_failure_are_enqueued_and_the_next_run_continues_there(
    sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch, failure: Exception, reason: str
) -> None:
    for number in range(250):
        sweeper.ticket(f"t-{number}", minutes_ago=5 + number / 100)
    net = sweeper.net()
    real = type(net.help_desk).tickets

    def fail_on_the_third(help_desk_client: Any, page: int, day: str) -> Any:
        if page == 3:
            raise failure
        return real(help_desk_client, page, day)

    with monkeypatch.context() as patch:
        patch.setattr(type(net.help_desk), "tickets", fail_on_the_third)
        swept = sweep(net)

    assert (swept.stopped, swept.is_complete, swept.enqueued) == (reason, False, 200)
    assert "completed_at" not in sweeper.noted()
    assert sweeper.run().is_complete
    assert set(sweeper.found()) == {f"t-{number}" for number in range(250)}


def test_a_queue_that_refuses_ends_the_run_before_progress_is_stored(
    sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeper.ticket("t-1", minutes_ago=5)
    with monkeypatch.context() as patch:
        refused = {"Failed": [{"Id": "0", "Code": "InternalError", "SenderFault": False}]}
        patch.setattr(sweeper.queues.mail.client, "send_message_batch", lambda **_: refused)
        assert not sweeper.run().is_complete
    assert sweeper.noted() == {}

    assert sweeper.run().is_complete
    assert sweeper.found() == ["t-1"]
