"""People review drafts: each step is made once, by one of them, and recorded."""

from __future__ import annotations

import pytest

from tests.integration.email_threads.api.thread_calls import THREADS, refused, result
from tests.integration.email_threads.drafting import (
    again,
    approve,
    asked,
    changes_of,
    composed,
    drafted,
    send,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.simulation.email_threads.system import ANN, ASSISTED, BOB, MODEL, System, mail
from tests.simulation.interceptor import Fault


def automatic(system: System) -> str:
    """A draft of the model that was approved without a person, and is not sent yet."""
    system.register(ASSISTED, automation="email_threads", ai=MODEL, reply_mode="auto")
    question = mail("auto@x", "Please send me a red chair.", to=ASSISTED, subject="An order")
    system.deliver(question, name="auto", address=ASSISTED)
    while not any(one["draft_status"] == "approved" for one in system.drafts()):
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)
    (stored,) = system.drafts()
    thread, _, reply_id = str(stored["conversation_id"]).split("#")
    return f"{THREADS}/{thread}/replies/{reply_id}"


def writes_draft(call: str) -> bool:
    return call.startswith("dynamodb.UpdateItem") and "#draft#" in call


def overtaken(system: System, raw: bytes, address: str = "_") -> None:
    """A mail arrives and is stored while approved drafts wait in the queue."""
    queue = system.fifo_queues.queues[system.queue]
    waiting_events, queue.messages = queue.messages, []
    system.deliver(raw, name="overtaking", address=address)
    for name in (system.inbound, system.queue):
        ((_, message),) = [one for one in system.fifo_queues.receive() if one[0] == name]
        system.run_worker(name, message)
    queue.messages = waiting_events + queue.messages


def test_an_amendment_changes_what_it_names_and_makes_a_new_version(system: System) -> None:
    draft = drafted(system)

    state = result(system.call("PATCH", draft, {"version": 1, "body_text": "No.", "cc": [BOB]}))

    assert (state["draft_status"], state["version"]) == ("amended", 2)
    found = shown(system, draft)
    assert (found["body_text"], found["cc"], found["to"]) == ("No.", [BOB], [ANN])


def test_an_amendment_that_was_cut_off_is_not_made_twice(system: System) -> None:
    draft, given = drafted(system), {"version": 1, "body_text": "No."}
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.UpdateItem request#")
    assert system.call("PATCH", draft, given, key="key-00001")[0] >= 500

    system.interceptor.rewind()
    system.clock.ms += 60_000  # the lease of the first call
    assert result(system.call("PATCH", draft, given, key="key-00001"))["version"] == 2


@pytest.mark.parametrize("version", [1, 3])
@pytest.mark.parametrize(
    ("method", "below", "given"),
    [
        ("PATCH", "", {"body_text": "Maybe."}),
        ("POST", "/approve", {}),
        ("POST", "/reject", {}),
    ],
)
def test_a_step_needs_the_present_version(
    system: System, version: int, method: str, below: str, given: dict[str, str]
) -> None:
    draft = drafted(system)
    result(system.call("PATCH", draft, {"version": 1, "body_text": "No."}))

    answer = system.call(method, draft + below, {"version": version, **given})

    assert refused(answer)[:2] == (409, "stale_version")
    assert status_of(system, draft) == ("amended", None)


def test_the_newest_version_is_sent(system: System) -> None:
    draft = drafted(system)
    result(system.call("PATCH", draft, {"version": 1, "body_text": "No.", "subject": "Sold"}))

    send(system, draft, version=2)

    (request,) = system.sent()
    assert request["Content"]["Simple"]["Subject"]["Data"] == "Sold"
    assert request["Content"]["Simple"]["Body"]["Text"]["Data"] == "No."


def test_a_draft_that_is_approved_twice_is_sent_once(system: System) -> None:
    draft = drafted(system)

    first, second = approve(system, draft), approve(system, draft)
    system.drain()
    third = approve(system, draft)
    system.drain()

    assert first == second
    assert first["draft_status"] == "approved"
    assert third["draft_status"] == "sent"
    assert len(system.sent()) == 1
    assert len(system.mails()) == 2


def test_send_is_another_word_for_approve(system: System) -> None:
    draft = drafted(system)

    assert system.call("POST", f"{draft}/send", {"version": 1})[0] == 202
    system.drain()

    assert len(system.sent()) == 1


def test_an_approval_is_queued_again_after_a_failed_queue_call(system: System) -> None:
    draft = drafted(system)
    system.interceptor.fails_if = lambda call: call.startswith("sqs.")
    status, body = system.call("POST", f"{draft}/approve", {"version": 1})
    assert (status >= 500, body["error"]["retryable"]) == (True, True)

    system.interceptor.rewind()
    send(system, draft)

    assert len(system.sent()) == 1


def test_of_approval_and_rejection_the_first_wins(system: System) -> None:
    draft = drafted(system)
    approve(system, draft)

    answer = system.call("POST", f"{draft}/reject", {"version": 1})

    assert refused(answer)[:2] == (409, "invalid_transition")
    assert answer[1]["error"]["message"] == "draft_status: the draft is approved"
    assert status_of(system, draft) == ("approved", None)


def test_a_rejected_draft_is_not_approved(system: System) -> None:
    draft = drafted(system)
    result(system.call("POST", f"{draft}/reject", {"version": 1, "reason": "wrong tone"}))

    answer = system.call("POST", f"{draft}/approve", {"version": 1})

    assert answer[1]["error"]["message"] == "draft_status: the draft is rejected"
    assert status_of(system, draft) == ("rejected", "wrong tone")


def test_a_rejection_may_be_repeated(system: System) -> None:
    draft = drafted(system)
    states = [result(system.call("POST", f"{draft}/reject", {"version": 1})) for _ in range(2)]

    assert states[0] == states[1]
    assert states[0]["draft_status"] == "rejected"
    assert result(system.call("GET", thread_path(draft)))["open_drafts"] == 0


@pytest.mark.parametrize(
    ("method", "below", "given"),
    [
        ("POST", "/reject", {}),
        ("PATCH", "", {"body_text": "No."}),
        ("POST", "/resolve", {"arrived": True}),
    ],
)
def test_a_sent_draft_changes_no_more(
    system: System, method: str, below: str, given: dict[str, object], answered_draft: str
) -> None:
    answer = system.call(method, answered_draft + below, {"version": 1, **given})

    assert refused(answer)[:2] == (409, "invalid_transition")
    assert answer[1]["error"]["message"] == "draft_status: the draft is sent"


def test_a_draft_over_a_newer_mail_is_sent_only_if_a_person_confirms_it(system: System) -> None:
    draft = drafted(system)
    again(system)
    assert shown(system, draft)["is_stale"] is True

    answer = system.call("POST", f"{draft}/approve", {"version": 1})

    assert refused(answer)[:2] == (409, "stale_draft")
    send(system, draft, confirm_stale=True)
    assert len(system.sent()) == 1


def test_a_second_answer_to_a_mail_is_sent_only_if_a_person_confirms_it(system: System) -> None:
    path = asked(system)
    first, second = composed(system, path), composed(system, path, body_text="Yes, red.")
    send(system, first)
    assert shown(system, second)["is_stale"] is True

    answer = system.call("POST", f"{second}/approve", {"version": 1})

    assert refused(answer)[:2] == (409, "stale_draft")
    later = composed(system, path, body_text="It has a cushion, too.")
    send(system, later)
    send(system, second, confirm_stale=True)
    assert len(system.sent()) == 3


def test_a_mail_between_approval_and_send_stops_a_persons_draft(system: System) -> None:
    draft = drafted(system)
    approve(system, draft)
    overtaken(system, mail("again@x", in_reply_to="question@x"))

    system.drain()

    assert not system.sent()
    assert status_of(system, draft) == ("amended", "newer_mail")
    assert waiting(system) == [draft]
    send(system, draft, confirm_stale=True)
    assert len(system.sent()) == 1


def test_a_mail_between_approval_and_send_supersedes_an_automatic_draft(system: System) -> None:
    draft = automatic(system)
    silent = "X-Auto-Response-Suppress: All"
    later = mail("b@x", "Wait.", to=ASSISTED, in_reply_to="auto@x", more=silent)
    overtaken(system, later, address=ASSISTED)

    system.drain()

    assert not system.sent()
    assert status_of(system, draft) == ("superseded", "newer_mail")


def test_a_mail_that_arrives_while_the_send_begins_stops_it(system: System) -> None:
    draft = drafted(system)
    approve(system, draft)

    def arrives(name: str, parameters: dict[str, object]) -> None:
        if name == "dynamodb.UpdateItem" and "'sending'" in str(parameters):
            system.dynamodb.update_item(
                TableName=system.table,
                Key={"conversation_id": {"S": thread_path(draft).rpartition("/")[2]}},
                UpdateExpression="SET last_inbound_n = :n",
                ExpressionAttributeValues={":n": {"N": "2"}},
            )

    system.interceptor.observer = arrives
    system.drain()
    system.interceptor.observer = lambda *_: None

    assert not system.sent()
    assert status_of(system, draft) == ("amended", "newer_mail")
    send(system, draft, confirm_stale=True)
    assert len(system.sent()) == 1


def test_every_step_is_recorded_with_its_person_and_without_text(system: System) -> None:
    draft = drafted(system)
    reply_id = draft.rpartition("/")[2]
    result(system.call("PATCH", draft, {"version": 1, "body_text": "Confidential."}))
    send(system, draft, version=2)
    other = composed(system, thread_path(draft))
    given = {"version": 1, "reason": "confidential"}
    result(system.call("POST", f"{other}/reject", given))

    assert changes_of(system, thread_path(draft)) == [
        ("key-1", "compose", f"reply {reply_id}"),
        ("key-1", "amend", reply_id),
        ("key-1", "approve", f"{reply_id} version=2 attempt=1"),
        ("key-1", "compose", f"reply {other.rpartition('/')[2]}"),
        ("key-1", "reject", other.rpartition("/")[2]),
    ]
    found = shown(system, draft)
    assert (found["reviewed_by"], found["reviewed_at"]) == ("key-1", "2026-01-01T13:00:01.000Z")


def test_answers_of_steps_have_no_text(system: System) -> None:
    draft = drafted(system)

    assert approve(system, draft).keys() == {
        "conversation_id", "reply_id", "draft_status", "version", "attempt",
    }  # fmt: skip


STEPS = [
    ("PATCH", "", {"version": 1, "body_text": "No."}, "amended"),
    ("POST", "/approve", {"version": 1}, "approved"),
    ("POST", "/reject", {"version": 1, "reason": "no"}, "rejected"),
]


@pytest.mark.parametrize(("method", "below", "given", "status"), STEPS)
def test_a_step_succeeds_although_the_tables_first_answer_is_lost(
    system: System, method: str, below: str, given: dict[str, object], status: str
) -> None:
    draft = drafted(system)
    start = system.snapshot()
    system.interceptor.rewind()
    system.call(method, draft + below, given)
    (number,) = [n for n, call in enumerate(system.interceptor.calls, 1) if writes_draft(call)]
    system.restore(start)
    system.interceptor.fault_at = (number, Fault.LOST_ANSWER)

    state = result(system.call(method, draft + below, given))

    assert state["draft_status"] == status


@pytest.mark.parametrize(
    ("first", "then", "status", "code"),
    [
        ("/approve", "/approve", 202, None),
        ("/reject", "/reject", 200, None),
        ("/approve", "/reject", 409, "invalid_transition"),
        ("/reject", "/approve", 409, "invalid_transition"),
    ],
)
def test_of_two_steps_at_the_same_moment_one_is_made(
    system: System, first: str, then: str, status: int, code: str | None
) -> None:
    draft = drafted(system)

    def faster(name: str, parameters: dict[str, object]) -> None:
        if name == "dynamodb.UpdateItem" and "#draft#" in str(parameters["Key"]):
            system.interceptor.observer = lambda *_: None
            result(system.call("POST", draft + first, {"version": 1}))

    system.interceptor.observer = faster
    answer = system.call("POST", draft + then, {"version": 1})

    assert answer[0] == status
    assert answer[1].get("error", {}).get("code") == code
    system.drain()
    assert len(system.sent()) == (first == "/approve")
