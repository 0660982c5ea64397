"""The drafts of a thread that becomes part of another one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result, thread_of
from tests.integration.email_threads.drafting import (
    approve,
    begun,
    composed,
    headers_of,
    send,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.integration.email_threads.drafts.test_review import automatic
from tests.simulation.email_threads.system import ANN, ASSISTED, System, mail
from tests.simulation.processes import quiet

LOST = b'{"kind": "lost_answer", "provider": "ses"}'


def two_threads(system: System) -> tuple[str, str]:
    """Two threads of one customer."""
    winner = thread_of(system, mail("a@x", "One.", subject="One"))
    return winner, thread_of(system, mail("b@x", "Two.", subject="Two"))


def ask_to_merge(system: System, loser: str, winner: str) -> None:
    result(system.call("POST", f"{loser}/merge", {"into": winner.rpartition("/")[2]}))


def merge(system: System, loser: str, winner: str) -> None:
    ask_to_merge(system, loser, winner)
    system.drain()


def moved(draft: str, winner: str) -> str:
    return f"{winner}/replies/{draft.rpartition('/')[2]}"


def stored_status(system: System, draft: str) -> tuple[str, str | None]:
    """The status of a draft under its own thread, and its reason."""
    thread, _, reply_id = draft.removeprefix("/email-threads/").split("/")
    row = system.rows()[f"{thread}#draft#{reply_id}"]
    return row["draft_status"], row.get("reason")


def test_a_waiting_draft_moves_with_the_mail_that_it_answers(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)

    merge(system, loser, winner)

    found = shown(system, moved(draft, winner))
    assert (found["draft_status"], found["in_reply_to_n"], found["to"]) == ("pending", 2, [ANN])
    assert stored_status(system, draft) == ("superseded", "merged")
    assert waiting(system) == [moved(draft, winner)]
    send(system, moved(draft, winner))
    assert headers_of(system.sent()[0])["In-Reply-To"] == "<b@x>"


def test_a_moved_draft_is_reached_under_its_old_path(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    merge(system, loser, winner)

    approve(system, draft)
    system.drain()

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("sent", None)


def test_an_approved_draft_waits_for_a_person_again(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    ask_to_merge(system, loser, winner)
    queue = system.fifo_queues.queues[system.queue]
    (event,) = queue.messages
    queue.messages.clear()
    approve(system, draft)
    queue.messages.insert(0, event)

    system.run_worker(system.queue, event)
    system.drain()

    assert not system.sent()
    assert status_of(system, moved(draft, winner)) == ("amended", "merged")
    assert len([one for one in system.drafts() if one["draft_status"] != "superseded"]) == 1


def test_a_final_draft_stays(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    result(system.call("POST", f"{draft}/reject", {"version": 1}))

    merge(system, loser, winner)

    assert stored_status(system, draft) == ("rejected", None)
    assert len(system.drafts()) == 1


@pytest.mark.parametrize("step", ["merge", "split"])
def test_a_rejected_draft_is_restored_in_the_thread_that_has_its_mail(
    system: System, step: str
) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    result(system.call("POST", f"{draft}/reject", {"version": 1}))
    if step == "merge":
        merge(system, loser, winner)
        place = winner
    else:
        thread_of(system, mail("c@x", "Three.", subject="Two", in_reply_to="b@x"))
        into = result(system.call("POST", f"{loser}/split", {"mails": [1]}))["into"]
        system.drain()
        place = f"/email-threads/{into}"
    listed = winner if step == "merge" else loser
    query = {"closed": "1"}
    closed = result(system.call("GET", f"{listed}/replies", query=query))["drafts"]
    assert [one["reply_id"] for one in closed] == [draft.rpartition("/")[2]]

    for key in ("the-same-key", "the-same-key", "another-key"):
        answer = system.call("POST", f"{draft}/restore", {"version": 1}, key=key)
        assert result(answer)["conversation_id"] == place.rpartition("/")[2]

    assert waiting(system) == [moved(draft, place)]
    assert result(system.call("GET", f"{listed}/replies", query=query))["drafts"] == []
    send(system, moved(draft, place), confirm_stale=True)
    assert headers_of(system.sent()[0])["In-Reply-To"] == "<b@x>"


def test_a_draft_that_is_being_sent_stays_and_its_mail_appears_in_the_winner(
    system: System,
) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    system.interceptor.fails_if = lambda call: (
        call.startswith("dynamodb.TransactWriteItems") and bool(system.sent())
    )
    approve(system, draft)
    system.run_worker(*system.fifo_queues.receive()[0])
    assert stored_status(system, draft)[0] == "sending"
    system.interceptor.rewind()

    merge(system, loser, winner)

    assert len(system.sent()) == 1
    assert stored_status(system, draft) == ("sent", None)
    shown_mails = result(system.call("GET", f"{winner}/emails"))["mails"]
    assert sorted(one["body"] for one in shown_mails) == ["One.", "Two.", "Yes, it is."]


def in_doubt_and_merged(system: System) -> tuple[str, str]:
    """A draft whose send is in doubt while its thread is merged; and the winner."""
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    system.sandbox.faults.add_json(LOST)
    approve(system, draft)
    system.run_worker(*system.fifo_queues.receive()[0])
    merge(system, loser, winner)
    return draft, winner


def test_a_draft_that_is_being_sent_is_shown_under_the_path_of_its_thread(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    system.sandbox.faults.add_json(LOST)
    approve(system, draft)
    send_event = system.fifo_queues.receive()[0]
    system.run_worker(*send_event)
    ask_to_merge(system, loser, winner)

    system.run_worker(*system.fifo_queues.receive()[0])

    assert "merged_into" in system.rows()[loser.rpartition("/")[2]]
    assert status_of(system, draft) == ("sending", None)


def test_a_send_that_becomes_unknown_after_the_merge_can_be_resolved(system: System) -> None:
    draft, winner = in_doubt_and_merged(system)
    assert waiting(system) == [moved(draft, winner)]
    assert status_of(system, draft) == ("unknown", "no_evidence")

    result(system.call("POST", f"{draft}/resolve", {"version": 1, "arrived": True}))
    system.drain()

    assert status_of(system, draft) == ("sent", None)
    assert result(system.call("GET", winner))["email_count"] == 3


def test_a_send_that_fails_after_the_merge_waits_in_the_winner(system: System) -> None:
    draft, winner = in_doubt_and_merged(system)

    system.report("Reject")
    system.drain()

    assert status_of(system, moved(draft, winner))[0] == "failed"
    assert waiting(system) == [moved(draft, winner)]
    send(system, moved(draft, winner))
    assert len(system.sent()) == 2


@pytest.mark.parametrize("is_merged_first", [True, False])
def test_a_late_event_finds_an_unknown_send_after_a_merge(
    system: System, *, is_merged_first: bool
) -> None:
    if is_merged_first:
        draft, winner = in_doubt_and_merged(system)
    else:
        winner, loser = two_threads(system)
        draft = composed(system, loser)
        system.sandbox.faults.add_json(LOST)
        send(system, draft)
        merge(system, loser, winner)

    system.report("Delivery")
    system.drain()

    assert status_of(system, draft) == ("sent", None)
    assert system.mails()[-1]["delivery"] == "delivered"
    assert result(system.call("GET", winner))["email_count"] == 3
    assert waiting(system) == []


def test_a_draft_whose_send_is_settled_during_the_merge_is_not_copied(system: System) -> None:
    winner, loser = two_threads(system)
    draft = composed(system, loser)
    system.sandbox.faults.add_json(LOST)
    send(system, draft)
    ask_to_merge(system, loser, winner)
    settled: list[str] = []

    def observe(name: str, parameters: dict[str, Any]) -> None:
        is_copied = "#draft#" in str(parameters) and name.startswith(
            ("dynamodb.PutItem", "dynamodb.TransactWriteItems")
        )
        if not is_copied or settled:
            return
        settled.append(name)
        system.report("Delivery")
        with quiet():
            for _ in range(2):
                desk.store_waiting(system)

    system.interceptor.observer = observe
    system.drain()
    system.interceptor.observer = lambda *_: None

    assert settled
    assert len(system.sent()) == 1
    assert waiting(system) == []


def test_an_automatic_answer_that_is_sent_during_the_merge_waits_for_a_person(
    system: System,
) -> None:
    draft = automatic(system)
    queue = system.fifo_queues.queues[system.queue]
    sends, queue.messages = queue.messages, []
    system.deliver(mail("w@x", "STOP", subject="One", to=ASSISTED), name="w", address=ASSISTED)
    system.drain()
    (winner,) = [
        f"/email-threads/{one['conversation_id']}"
        for one in system.threads()
        if one["conversation_id"] not in draft
    ]
    ask_to_merge(system, thread_path(draft), winner)
    system.interceptor.fails_if = lambda call: (
        "#draft#" in call and call.startswith(("dynamodb.PutItem", "dynamodb.TransactWriteItems"))
    )
    system.run_worker(*system.fifo_queues.receive()[0])
    assert "merged_into" in system.rows()[thread_path(draft).rpartition("/")[2]]
    system.interceptor.rewind()
    queue.messages = sends + queue.messages

    system.drain()

    assert status_of(system, moved(draft, winner)) == ("amended", "merged")
    assert not system.sent()


def test_a_thread_that_we_began_moves_with_its_draft(system: System) -> None:
    winner = thread_of(system, mail("a@x"))
    draft = begun(system)

    merge(system, thread_path(draft), winner)

    assert status_of(system, moved(draft, winner)) == ("pending", None)
    send(system, moved(draft, winner), confirm_stale=True)
    assert [one["direction"] for one in system.mails(winner.rpartition("/")[2])] == [
        "inbound",
        "outbound",
    ]
