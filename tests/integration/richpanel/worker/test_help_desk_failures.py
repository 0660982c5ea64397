"""A help desk that refuses, throttles, loses or does not show what the worker asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest

from shared.runtime.failures import Transient
from tests.integration.logs import counted
from tests.integration.richpanel.harness import BOT, DISPUTE, WHERE, Harness, open_harness
from tests.integration.richpanel.worker.test_worker import EVENT, REPLY

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time


def test_a_reply_whose_answer_was_lost_is_confirmed_by_the_ticket(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")

    with pytest.raises(Transient, match="send_in_doubt"):
        harness.handle()
    assert "route-email-support-team" in harness.tags()
    with pytest.raises(Transient, match="send_in_progress"):
        harness.handle(receives=2)
    harness.time.ms += 600_000
    harness.handle(receives=3)

    assert len(harness.replies()) == 1
    assert harness.row(REPLY)["status"] == "confirmed"
    assert "mw-auto-replied" in harness.tags()
    assert harness.row(EVENT)["status"] == "processed"


def test_a_reply_that_cannot_be_found_is_never_sent_again(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        harness.handle()
    ticket = harness.sandbox.help_desk.tickets["t-1"]
    ticket.comments = [c for c in ticket.comments if c.get("author_id") != BOT]
    harness.time.ms += 600_000

    harness.handle(receives=2)

    assert harness.replies() == []
    assert harness.row(REPLY)["status"] == "unknown"
    assert "mw-escalated-human" in harness.tags()
    assert ("escalate", "fail: unknown") in harness.audit()
    assert harness.calls()["send_message"] == 1


def test_a_refused_reply_goes_to_agents_and_frees_its_slot(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )

    counted("ReplyFailed")
    harness.handle()

    assert counted("ReplyFailed") == 1
    assert harness.row(REPLY)["status"] == "failed"
    assert harness.tags() >= {"mw-send-failed", "mw-escalated-human"}
    assert "last_auto_reply" not in harness.state()
    assert "mw-auto-replied" not in harness.tags()


def test_a_throttled_help_desk_is_retried_later(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )

    counted("HelpDeskRefused")
    with pytest.raises(Transient, match="not_sent"):
        harness.handle()
    assert counted("HelpDeskRefused") == 1
    harness.time.ms += 60_000
    harness.handle(receives=2)

    assert len(harness.replies()) == 1


def test_a_ticket_that_never_appears_is_parked_after_three_receives(harness: Harness) -> None:
    event = harness.event("t-9", text=WHERE, event_id="evt:rp:t-9:m-1", message_id="m-1")

    for receives in (1, 2, 3):
        with pytest.raises(Transient, match="ticket_not_found"):
            harness.handle(event, receives=receives)
    harness.handle(event, receives=4)

    assert harness.row("evt:rp:t-9:m-1")["status"] == "parked"
    assert harness.row("evt:rp:t-9:m-1")["reason"] == "ticket_not_found"
    assert ("park", "fail: ticket_not_found") in harness.audit()


def test_a_message_that_is_named_and_not_visible_is_waited_for(harness: Harness) -> None:
    harness.ticket(WHERE)

    with pytest.raises(Transient, match="message_not_visible"):
        harness.handle(harness.event(message="m-8"))
    assert harness.handle(harness.event(message="m-8"), receives=4).outcome == "processed"


def test_without_a_help_desk_key_an_event_is_only_decided_and_audited(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    harness = open_harness(sandbox, time)
    boto3.client("secretsmanager").put_secret_value(SecretId="keys", SecretString='{"salt": "x"}')

    harness.handle(harness.event(text=WHERE, event_id=EVENT, message_id="m-1"))

    assert harness.calls() == {}
    assert harness.audit() == [("route", "skipped: no_help_desk")]
    assert harness.row(EVENT)["status"] == "processed"


def test_an_event_is_retried_and_then_parked_if_the_help_desk_answers_with_an_html_page(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(provider="richpanel", operation="get_ticket", kind="html", times=10)

    for receives in (1, 2, 3):
        with pytest.raises(Transient, match="bad_provider_answer"):
            harness.handle(harness.event(message="m-1"), receives=receives)
    assert harness.handle(harness.event(message="m-1"), receives=4).reason == "bad_provider_answer"
    (row,) = harness.rows("idempotency")
    assert (row["status"], row["reason"]) == ("parked", "bad_provider_answer")


def test_an_event_that_was_parked_for_an_html_answer_is_processed_once_the_help_desk_recovers(
    harness: Harness,
) -> None:
    harness.ticket(DISPUTE)
    harness.sandbox.faults.add(provider="richpanel", operation="get_ticket", kind="html")
    harness.handle(harness.event(message="m-1"), receives=4)

    assert harness.handle(harness.event(source="sweep")).outcome == "processed"
    assert "route-chargebacks-disputes" in harness.tags()
