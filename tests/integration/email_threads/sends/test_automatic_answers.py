"""Answers that are sent without a person, and what makes them wait for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store.items import ReplyMode
from tests.integration.email_threads import desk
from tests.integration.email_threads.drafts.test_review import automatic, writes_draft
from tests.integration.email_threads.sends.automatic_answers import HOUR_MS, sends_safe_answers
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import ANN, ASSISTED, System, mail
from tests.simulation.interceptor import Fault
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["sends_safe_answers"]  # fixtures
ZOE = "zoe@orchard.example"


def thread_path(system: System) -> str:
    return f"/email-threads/{desk.thread(system)['conversation_id']}"


def test_an_answer_to_which_nothing_objects_is_sent_without_a_person(system: System) -> None:
    desk.receive(system, "a@x")

    (sent,) = system.sent()
    assert sent["Destination"]["ToAddresses"] == [ANN]
    (draft,) = system.drafts()
    assert (draft["draft_status"], draft["reviewed_by"]) == ("sent", "auto")
    assert [one["direction"] for one in system.mails()] == ["inbound", "outbound"]


def test_an_answer_without_a_person_is_marked_as_automatic(system: System) -> None:
    desk.receive(system, "a@x")

    (sent,) = system.sent()
    headers = {one["Name"]: one["Value"] for one in sent["Content"]["Simple"]["Headers"]}
    assert headers["Auto-Submitted"] == "auto-replied"
    assert headers["X-Auto-Response-Suppress"] == "All"


def test_an_answer_that_a_person_approved_is_not_marked_as_automatic(system: System) -> None:
    desk.set_up(system)
    desk.receive(system, "a@x")
    desk.approve(system, system.drafts()[0])

    (sent,) = system.sent()
    assert "Auto-Submitted" not in {one["Name"] for one in sent["Content"]["Simple"]["Headers"]}


def test_an_analysis_that_is_delivered_again_sends_nothing_more(system: System) -> None:
    desk.receive(system, "a@x")
    system.clock.ms += HOUR_MS

    desk.analyse_again(system)

    assert len(system.sent()) == 1
    assert desk.states(system) == [("sent", None)]


def test_a_thread_may_have_another_mode_than_its_mailbox(system: System) -> None:
    desk.set_up(system)
    desk.receive(system, "a@x", "I will call my lawyer.")
    assert system.call("PATCH", thread_path(system), {"reply_mode": "auto"})[0] == 200
    desk.receive(system, "b@x", "Sorry. We want to order ten chairs.", in_reply_to="a@x")

    assert len(system.sent()) == 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"is_checked": False}, "not_verified"),
        ({"spam": "GRAY"}, "not_verified"),
        ({"more": "X-Auto-Response-Suppress: All"}, "suppressed_by_sender"),
        ({"sender": "noreply@orchard.example"}, "robot"),
        ({"subject": "Automatic reply: Chairs"}, "automatic_subject"),
        ({"more": f"Reply-To: {ASSISTED.replace('@', '+abc@')}"}, "own_address"),
    ],
)
def test_the_answer_to_a_doubtful_mail_waits(
    system: System, message: dict[str, Any], reason: str
) -> None:
    desk.receive(system, "a@x", **message)

    assert desk.states(system) == [("pending", reason)]
    assert system.sent() == []


def test_a_mail_of_a_program_gets_no_answer(system: System) -> None:
    desk.receive(system, "a@x", more="Auto-Submitted: auto-generated")

    assert (system.drafts(), system.sent()) == ([], [])


def test_the_answer_to_a_mail_with_a_program_waits(system: System) -> None:
    raw = verified(with_files()).replace(b"support@shop.example", ASSISTED.encode())
    system.deliver(raw, name="a", address=ASSISTED)
    system.drain()

    assert desk.states(system) == [("pending", "blocked_attachment")]


def test_the_mail_of_a_colleague_is_neither_read_nor_answered(system: System) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    asked = desk.asked(system)
    desk.receive(system, "b@x", sender=ZOE, in_reply_to="a@x")

    assert (system.drafts(), desk.asked(system)) == ([], asked)


@pytest.mark.parametrize(
    ("sender", "to", "reason"),
    [
        (ANN, ["office@orchard.example"], "other_reply_to"),
        ("eve@gmail.com", ["ann@gmail.com"], "other_reply_to"),  # another user of the provider
        (ANN, ["ann@elsewhere.example"], "other_reply_to"),
        ("eve@gmail.com", ["eve+chairs@gmail.com"], None),
    ],
)
def test_an_answer_without_a_person_goes_to_the_proven_author_only(
    system: System, sender: str, to: list[str], reason: str | None
) -> None:
    desk.receive(system, "a@x", sender=sender, more=f"Reply-To: {to[0]}")

    (draft,) = system.drafts()
    assert draft["to"] == to
    assert (draft["draft_status"], draft.get("reason")) == ("pending" if reason else "sent", reason)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (desk.answer(needs_human=True, reason="unsure"), "needs_human"),
        (desk.answer(confidence=0.69), "low_confidence"),
        (desk.answer("See https://evil.example/pay."), "foreign_link"),
        (desk.answer("It costs 99 EUR."), "unknown_amount"),
        (desk.answer("Dear [Name], thank you."), "placeholder"),
        (desk.answer("The list is attached."), "missing_attachment"),
        (desk.answer("x" * 5_001), "text_too_long"),
    ],
)
def test_a_doubtful_answer_waits(system: System, answer: Mapping[str, Any], reason: str) -> None:
    desk.answers(system, dict(answer))
    desk.receive(system, "a@x")

    assert desk.states(system) == [("pending", reason)]
    assert system.sent() == []


@pytest.mark.parametrize(
    ("answer", "settings"),
    [
        (desk.answer(confidence=0.7), {}),
        (desk.answer("See https://shop.example/sizes."), {}),
        (desk.answer("It costs 99 EUR."), {"facts": ["A chair costs EUR 99.00."]}),
        (desk.answer("Yes, 500 EUR are enough."), {}),
    ],
)
def test_an_answer_of_known_links_and_amounts_is_sent(
    system: System, answer: Mapping[str, Any], settings: dict[str, Any]
) -> None:
    desk.set_up(system, reply_mode=ReplyMode.AUTO, link_hosts=["shop.example"], **settings)
    desk.answers(system, dict(answer))
    desk.receive(system, "a@x", "Are 500 EUR enough?")

    assert [one["draft_status"] for one in system.drafts()] == ["sent"]


def test_an_amount_that_only_a_held_mail_names_is_unknown(system: System) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    desk.receive(system, "b@x", "Chairs cost 1 EUR.", in_reply_to="a@x", dmarc="fail")
    desk.answers(system, desk.answer("It costs 1 EUR."))
    desk.receive(system, "c@x", "What does it cost?", in_reply_to="a@x")

    assert desk.states(system) == [("pending", "unknown_amount")]


def test_an_answer_to_a_thread_without_consent_is_not_sent(system: System) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    assert system.call("PATCH", thread_path(system), {"gdpr_consent": False})[0] == 200
    desk.receive(system, "b@x", in_reply_to="a@x")

    assert (system.drafts(), system.sent()) == ([], [])


def test_an_answer_to_an_address_that_is_opted_out_waits(system: System) -> None:
    desk.receive(system, "s@x", "STOP", subject="News")
    desk.receive(system, "a@x")

    assert desk.states(system) == [("pending", "opted_out")]
    assert system.sent() == []


def test_a_draft_that_waits_is_sent_once_a_person_approves_it(system: System) -> None:
    desk.receive(system, "a@x", is_checked=False)

    assert desk.approve(system, system.drafts()[0])[0] == 202

    (draft,) = system.drafts()
    assert (draft["draft_status"], draft["reviewed_by"]) == ("sent", "key-1")


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"gdpr_consent": False}, "no_consent"), ({"automation": "none"}, "other_automation")],
)
def test_an_approved_answer_waits_if_a_person_forbids_answers_before_its_send(
    system: System, change: dict[str, Any], reason: str
) -> None:
    draft = automatic(system)
    assert system.call("PATCH", draft.partition("/replies/")[0], change)[0] == 200

    system.drain()

    assert desk.states(system) == [("pending", reason)]
    assert system.sent() == []


def test_a_mail_that_a_colleague_has_answered_is_not_answered_again(system: System) -> None:
    system.sandbox.faults.add_json(
        b'{"kind": "status", "status": 500, "provider": "openai", "times": 3}'
    )
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a", address=ASSISTED)
    for _ in range(3):  # The notification, the mail, and the first attempt of the analysis.
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)
    answer = mail("c@x", "Yes.", sender=ASSISTED, to=f"{ANN}, {ASSISTED}", in_reply_to="a@x")
    system.deliver(answer, name="c", address=ASSISTED)
    with quiet():
        desk.store_waiting(system)
    assert [one["direction"] for one in system.mails()] == ["inbound", "outbound"]

    system.drain()

    assert desk.states(system) == [("pending", "answered")]
    assert system.sent() == []


def test_an_answer_is_sent_although_the_tables_answer_to_its_approval_is_lost(
    system: System,
) -> None:
    start = system.snapshot()
    system.restore(start)
    desk.receive(system, "a@x")
    calls = enumerate(list(system.interceptor.calls), 1)
    for number in [number for number, call in calls if writes_draft(call)]:
        system.restore(start)
        system.interceptor.fault_at = (number, Fault.LOST_ANSWER)
        desk.receive(system, "a@x")

        assert desk.states(system) == [("sent", None)], number
        assert len(system.sent()) == 1, number


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("manual", ("sent", None)),
        ("automation_off", ("pending", "automation_off")),
        ("newer_mail", ("superseded", "newer_mail")),
    ],
)
def test_an_approval_that_was_cut_off_before_its_send_leaves_no_approved_draft(
    system: System, change: str, state: tuple[str, str | None]
) -> None:
    system.interceptor.fails_if = lambda call: (
        call.startswith("sqs.SendMessageBatch")
        and any(one["draft_status"] == "approved" for one in system.drafts())
    )
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a", address=ASSISTED)
    while not any(one["draft_status"] == "approved" for one in system.drafts()):
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)
    system.interceptor.rewind()

    if change == "manual":
        assert system.call("PATCH", thread_path(system), {"reply_mode": "manual"})[0] == 200
    elif change == "automation_off":
        system.switch(automation_enabled="false")
    else:
        newer = mail("b@x", "Or eleven.", to=ASSISTED, in_reply_to="a@x")
        system.deliver(newer, name="b", address=ASSISTED)
        with quiet():
            desk.store_waiting(system)
    system.drain()

    assert desk.states(system)[0] == state


def test_a_person_who_is_faster_than_the_approval_wins(system: System) -> None:
    rejected: list[tuple[int, dict[str, Any]]] = []

    def observe(name: str, parameters: dict[str, Any]) -> None:
        # The times of answers are being counted: the draft was read already.
        item = parameters.get("Item")
        is_counted = isinstance(item, dict) and "rate#" in str(item.get("conversation_id"))
        if name == "dynamodb.PutItem" and is_counted and not rejected:
            system.interceptor.observer = lambda *_: None
            (draft,) = system.drafts()
            path = f"{thread_path(system)}/replies/{draft['reply_id']}/reject"
            rejected.append(system.call("POST", path, {"version": 1}))

    system.interceptor.observer = observe
    desk.receive(system, "a@x")

    assert [status for status, _ in rejected] == [200]
    assert [one["draft_status"] for one in system.drafts()] == ["rejected"]
    assert system.sent() == []


def test_a_mail_that_arrives_right_before_the_send_stops_the_answer(system: System) -> None:
    arrived: list[str] = []

    def observe(name: str, parameters: dict[str, Any]) -> None:
        item = parameters.get("Item")
        is_reserved = isinstance(item, dict) and "action#" in str(item.get("conversation_id"))
        if is_reserved and not arrived:
            arrived.append(name)
            system.interceptor.observer = lambda *_: None
            system.deliver(mail("b@x", to=ASSISTED, in_reply_to="a@x"), name="b", address=ASSISTED)
            desk.store_waiting(system)

    system.interceptor.observer = observe
    desk.receive(system, "a@x")

    assert arrived
    assert desk.states(system) == [("superseded", "newer_mail"), ("sent", None)]
    assert len(system.sent()) == 1
