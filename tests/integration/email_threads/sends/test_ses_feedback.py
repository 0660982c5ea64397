"""SES's events about mails that were sent from threads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.aws.sqs_fifo import Entry
from tests.integration.email_threads.api.thread_calls import result, subjects_of
from tests.integration.email_threads.drafting import (
    again,
    answered,
    approve,
    asked,
    begun,
    changes_of,
    composed,
    send,
    status_of,
    thread_path,
)
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System

HARD = {
    "bounceType": "Permanent",
    "bounceSubType": "General",
    "bouncedRecipients": [{"emailAddress": ANN, "diagnosticCode": "smtp; 550 5.1.1 unknown"}],
}
SOFT = HARD | {"bounceType": "Transient", "bounceSubType": "MailboxFull"}
COMPLAINT = {"complainedRecipients": [{"emailAddress": ANN}], "complaintFeedbackType": "abuse"}
SALES = "sales@shop.example"


def reported(system: System, event: str, part: dict[str, Any] | None = None, **mail: Any) -> None:
    system.report(event, part=part, **mail)
    system.drain()


def delivery_of(system: System) -> str | None:
    found: str | None = system.mails()[-1].get("delivery")
    return found


def complete(system: System, path: str) -> None:
    result(system.call("PATCH", path, {"status": "completed"}))


@pytest.mark.parametrize(
    ("event", "delivery"),
    [
        ("Send", "sent"),
        ("DeliveryDelay", "delayed"),
        ("Delivery", "delivered"),
        ("Reject", "rejected"),
        ("Rendering Failure", "rejected"),
        ("Bounce", "bounced"),
        ("Complaint", "complained"),
    ],
)
def test_an_event_is_shown_at_its_mail(
    system: System, event: str, delivery: str, answered_draft: str
) -> None:
    reported(system, event)

    shown = result(system.call("GET", f"{thread_path(answered_draft)}/emails/2"))
    assert shown["delivery"] == delivery


@pytest.mark.parametrize(
    "events",
    [
        ["Send", "DeliveryDelay", "Delivery", "Bounce"],
        ["Bounce", "Delivery", "DeliveryDelay", "Send"],
        ["Delivery", "Bounce", "Delivery", "Send"],
    ],
)
def test_the_delivery_moves_forward_only_in_any_order_of_events(
    system: System, events: list[str], answered_draft: str
) -> None:
    for event in events:
        reported(system, event)

    assert delivery_of(system) == "bounced"


def test_a_complaint_ranks_above_a_bounce(system: System, answered_draft: str) -> None:
    reported(system, "Complaint")
    reported(system, "Bounce")

    assert delivery_of(system) == "complained"


@pytest.mark.parametrize("part", [HARD, SOFT], ids=["permanent", "transient"])
@pytest.mark.parametrize("status", ["completed", "archived", "pending_info"])
def test_a_bounce_reopens_a_thread_with_a_record(
    system: System, status: str, part: dict[str, Any], answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    result(system.call("PATCH", path, {"status": status}))

    reported(system, "Bounce", part)

    assert result(system.call("GET", path))["status"] == "active"
    assert subjects_of(system) == ["Chairs"]
    assert changes_of(system, path)[-1] == ("ses", "bounced", "mail 2")


@pytest.mark.parametrize("event", ["Send", "Delivery", "DeliveryDelay", "Complaint"])
def test_other_events_leave_a_completed_thread_alone(
    system: System, event: str, answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    complete(system, path)

    reported(system, event)

    assert result(system.call("GET", path))["status"] == "completed"


def test_a_repeated_bounce_does_not_reopen_what_people_have_completed(
    system: System, answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    reported(system, "Bounce", HARD)
    complete(system, path)

    system.clock.ms += 10 * 60_000
    reported(system, "Bounce", HARD)

    assert result(system.call("GET", path))["status"] == "completed"
    assert [one[1] for one in changes_of(system, path)].count("bounced") == 1


def test_a_bounce_after_a_complaint_of_another_recipient_reopens_the_thread(
    system: System,
) -> None:
    path = thread_path(answered(system, cc=[BOB]))
    complete(system, path)
    reported(system, "Complaint", {"complainedRecipients": [{"emailAddress": BOB}]})

    reported(system, "Bounce", HARD)

    assert result(system.call("GET", path))["status"] == "active"


@pytest.mark.parametrize("event", ["Delivery", "Bounce", "Complaint"])
def test_a_repeated_event_changes_nothing(system: System, event: str, answered_draft: str) -> None:
    reported(system, event, HARD | COMPLAINT)
    before = system.rows()

    system.clock.ms += 10 * 60_000
    reported(system, event, HARD | COMPLAINT)

    assert system.rows() == before


@pytest.mark.usefixtures("answered_draft")
@pytest.mark.parametrize("mailbox", [MAILBOX, SALES])
@pytest.mark.parametrize(
    ("event", "part", "reason"),
    [("Bounce", HARD, "address_unusable"), ("Complaint", COMPLAINT, "opted_out")],
)
def test_the_next_mail_of_the_company_to_an_address_that_failed_is_stopped(
    system: System, event: str, part: dict[str, Any], reason: str, mailbox: str
) -> None:
    system.register(SALES)
    reported(system, event, part)

    draft = begun(system, mailbox=mailbox, to=[BOB], cc=[ANN])
    send(system, draft)

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("failed", reason)


@pytest.mark.parametrize(
    ("event", "part"),
    [
        ("Bounce", SOFT),
        ("Bounce", HARD | {"bounceType": "Undetermined"}),
        ("Complaint", COMPLAINT | {"complaintFeedbackType": "not-spam"}),
        ("DeliveryDelay", {"delayType": "MailboxFull", "delayedRecipients": [ANN]}),
        ("Reject", {"reason": "Bad content"}),
    ],
    ids=["transient", "undetermined", "not spam", "delay", "reject"],
)
def test_the_next_mail_to_an_address_that_may_work_is_sent(
    system: System, event: str, part: dict[str, Any], answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    reported(system, event, part)

    send(system, composed(system, path))

    assert len(system.sent()) == 2


def test_another_company_may_still_write_to_the_address(
    system: System, answered_draft: str
) -> None:
    reported(system, "Bounce", HARD)
    theirs = "support@globe.example"
    system.register(theirs, company="globex")
    system.grant("@globe.example", "globex")
    given = {"mailbox": theirs, "to": [ANN], "subject": "Hello", "body_text": "Hello."}
    state = result(system.call("POST", "/email-threads", given, company="globex"))
    path = f"/email-threads/{state['conversation_id']}/replies/{state['reply_id']}"

    system.call("POST", f"{path}/approve", {"version": 1}, company="globex")
    system.drain()

    assert len(system.sent()) == 2


def test_an_address_that_writes_again_may_be_written_to(
    system: System, answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    reported(system, "Bounce", HARD)
    system.clock.ms += 60_000
    again(system)

    send(system, composed(system, path))

    assert len(system.sent()) == 2


def test_a_notification_without_tags_is_found_by_the_id_of_ses(
    system: System, answered_draft: str
) -> None:
    body = {
        "notificationType": "Bounce",
        "mail": {
            "messageId": system.sent()[0]["ses_id"],
            "source": MAILBOX,
            "timestamp": "2026-01-01T13:00:00.000Z",
        },
        "bounce": HARD,
    }

    system.fifo_queues.put(system.inbound, Entry(json.dumps(body), "", ""))
    system.drain()

    assert delivery_of(system) == "bounced"


@pytest.mark.parametrize(
    ("event", "mail"),
    [
        ("Delivery", {"messageId": "0100-unknown"}),
        ("Bounce", {"messageId": "0100-unknown"}),
        ("Delivery", {"source": "jobs@elsewhere.example"}),
        ("Delivery", {"source": ""}),
        ("Future", {}),
    ],
    ids=[
        "delivery of an unknown mail",
        "bounce of one",
        "unknown sender",
        "no sender",
        "new event",
    ],
)
def test_an_event_that_belongs_to_nothing_is_parked(
    system: System, event: str, mail: dict[str, Any], answered_draft: str
) -> None:
    reported(system, event, **mail)

    (parked,) = system.parked()
    assert (parked["reason"], parked["kind"]) == ("unknown_reference", "email.feedback")
    assert not system.fifo_queues.dead_letters


def test_the_send_event_of_an_unknown_mail_is_ignored(system: System, answered_draft: str) -> None:
    reported(system, "Send", messageId="0100-unknown")

    assert not system.parked()


def test_a_parked_event_is_replayed_once_its_sender_is_a_mailbox(
    system: System, answered_draft: str
) -> None:
    system.call("DELETE", f"/email-mailboxes/{MAILBOX}")
    reported(system, "Bounce", HARD)
    (parked,) = system.parked()
    system.register(MAILBOX)

    path = f"/email-threads/parked/{parked['event_id']}/replay"
    assert system.call("POST", path, {}, scopes="operator")[0] == 202
    system.drain()

    assert delivery_of(system) == "bounced"
    assert "resolved_at" in system.parked()[0]


def test_an_event_that_is_faster_than_its_mail_waits_for_it(system: System) -> None:
    draft = composed(system, asked(system))
    system.interceptor.fails_if = lambda call: (
        call.startswith("dynamodb.TransactWriteItems") and bool(system.sent())
    )
    approve(system, draft)
    rounds: list[str] = []

    def reports() -> None:
        if system.sent() and not rounds:
            system.report("Delivery")
        if system.sent():
            rounds.append("")
        if len(rounds) > 3:
            system.interceptor.rewind()

    system.drain(between=reports)

    assert delivery_of(system) == "delivered"
    assert len(system.sent()) == 1
    assert not system.parked()


@pytest.mark.parametrize("event", ["Open", "Click", "Subscription"])
def test_visits_are_ignored(system: System, event: str, answered_draft: str) -> None:
    before = system.rows()

    reported(system, event)

    assert system.rows() == before


def test_the_text_by_which_ses_tests_a_topic_is_ignored(system: System) -> None:
    text = "Successfully validated SNS topic for Amazon SES event publishing."
    system.fifo_queues.put(system.inbound, Entry(text, "", ""))

    system.drain()

    assert not system.fifo_queues.dead_letters
    assert not system.parked()


@pytest.mark.parametrize(
    "body",
    ["{", "[]", "null", '{"eventType": "Delivery"}', '{"eventType": "Delivery", "mail": {}}'],
)
def test_an_unreadable_notification_becomes_a_dead_letter(system: System, body: str) -> None:
    system.fifo_queues.put(system.inbound, Entry(body, "", ""))

    system.drain()

    assert system.fifo_queues.dead_letters == [body]


def test_an_event_about_a_mail_whose_thread_was_merged_is_shown_in_the_winner(
    system: System, answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    other = thread_path(begun(system))
    result(system.call("POST", f"{path}/merge", {"into": other.rpartition("/")[2]}))
    system.drain()

    reported(system, "Bounce", HARD)

    assert [one.get("delivery") for one in system.mails()] == [None, "bounced"]
    assert changes_of(system, other)[-1] == ("ses", "bounced", "mail 2")
