"""The worker end to end over moto and the sandbox's help desk: route, tag, reply if safe, exactly once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from richpanel.store.items import Event
from richpanel.worker import audit
from shared.failures import Transient
from tests.integration.richpanel.office import AGENT, BOT, JANE, Office, open_office

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

WHERE = "Hi, where is my order? It has not arrived yet."
WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."
EVENT = "evt:rp:t-1:m-1"
REPLY = "act:rp_reply:t-1:m-1"


def break_switches(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parameter store is unreachable."""

    def fails(**_: object) -> None:
        raise GetParameterError

    monkeypatch.setattr(
        office.resources.switchboard.provider(), "get_multiple", lambda *_, **__: fails()
    )


def test_a_question_without_an_order_number_is_routed_tagged_and_answered_with_a_request_for_it(
    office: Office,
) -> None:
    office.ticket(WHERE)

    assert office.handle().outcome == "processed"
    (reply,) = office.replies()
    assert "order number" in reply.lower()
    assert office.tags() >= {
        "mw-processed", "mw-routing-applied", "route-email-support-team", "mw-intent-order-status",
        "mw-order-lookup-needed", "mw-auto-replied",
    }  # fmt: skip
    assert office.audit() == [("route", "success"), ("auto_reply", "success")]
    assert office.state()["pending_flow"]["type"] == "need_order_number"
    assert office.state()["last_auto_reply"]["source_message_id"] == "m-1"
    assert office.row(EVENT)["status"] == "processed"
    assert office.row(REPLY)["status"] == "sent"


def test_an_order_of_the_sender_is_answered_with_its_tracking(office: Office) -> None:
    office.order()
    office.ticket(WHERE_1001)

    office.handle()

    (reply,) = office.replies()
    assert "1Z999AA10123456784" in reply
    assert office.tags() >= {"mw-order-status-answered", "mw-auto-replied"}
    assert office.decided()["tier"] == 2
    assert "pending_flow" not in office.state()


def test_an_order_of_another_customer_gets_the_same_reply_as_an_unknown_order(
    office: Office,
) -> None:
    office.order(email="mallory@shop.example")
    office.ticket(WHERE_1001)
    office.ticket(WHERE_1001.replace("1001", "9999"), ticket="t-2")

    office.handle()
    office.handle(office.event("t-2"))

    assert office.replies("t-1") == office.replies("t-2")
    assert "1Z999" not in json.dumps(
        [office.rows("audit"), office.rows("idempotency")], default=str
    )


def test_a_chargeback_and_all_later_messages_of_its_ticket_go_to_agents(office: Office) -> None:
    office.ticket(DISPUTE)
    office.handle()
    office.time.ms += 3_600_000
    office.comment(WHERE)
    office.handle()

    assert office.replies() == []
    assert "route-chargebacks-disputes" in office.tags()
    assert office.state()["risk_flags"] == {"chargeback"}
    assert office.decided()["tier"] == 0
    assert {result for kind, result in office.audit() if kind == "auto_reply"} == set()


@pytest.mark.parametrize("again", ["webhook", "sweep", "replay"])
def test_a_processed_event_is_not_processed_again(office: Office, again: str) -> None:
    office.ticket(WHERE)
    office.handle()
    before = office.calls()
    office.time.ms += 29 * 86_400_000

    assert office.handle(office.event(source=again)).outcome == "duplicate"
    after = office.calls() - before
    assert sum(after.values()) == 1  # the request that read the ticket
    assert len(office.replies()) == 1


def test_a_burst_is_one_turn_with_one_reply(office: Office) -> None:
    office.ticket("Hi there", "I ordered last week", WHERE)

    office.handle(office.event(message="m-1"))
    office.handle(office.event(message="m-2"))
    office.handle(office.event(message="m-3"))

    assert len(office.replies()) == 1
    rows = [office.row(f"evt:rp:t-1:m-{number}") for number in (1, 2, 3)]
    assert [row["status"] for row in rows] == ["processed"] * 3
    assert [row.get("covered_by") for row in rows] == ["evt:rp:t-1:m-3", "evt:rp:t-1:m-3", None]
    assert [kind for kind, _ in office.audit()].count("route") == 1


def test_two_messages_whose_events_begin_in_one_millisecond_both_have_an_audit_row(
    office: Office,
) -> None:
    office.ticket(DISPUTE)
    office.handle()
    first = Event.read(office.row("evt:rp:t-1:m-1"))

    for message in ("m-1", "m-2"):
        event = first.model_copy(update={"event_id": f"evt:rp:t-1:{message}"})
        audit.write(office.resources, event, "route", {}, result=audit.SUCCESS)

    routed = [row for row in office.rows("audit") if row["action_type"] == "route"]
    assert [row["idempotency_key"] for row in routed] == ["evt:rp:t-1:m-1", "evt:rp:t-1:m-2"]


def test_a_reply_whose_answer_was_lost_is_confirmed_by_the_ticket(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")

    with pytest.raises(Transient, match="send_in_doubt"):
        office.handle()
    assert "route-email-support-team" in office.tags()
    with pytest.raises(Transient, match="send_in_progress"):
        office.handle(receives=2)
    office.time.ms += 600_000
    office.handle(receives=3)

    assert len(office.replies()) == 1
    assert office.row(REPLY)["status"] == "confirmed"
    assert "mw-auto-replied" in office.tags()
    assert office.row(EVENT)["status"] == "processed"


def test_a_reply_that_cannot_be_found_is_never_sent_again(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        office.handle()
    ticket = office.sandbox.help_desk.tickets["t-1"]
    ticket.comments = [c for c in ticket.comments if c.get("author_id") != BOT]
    office.time.ms += 600_000

    office.handle(receives=2)

    assert office.replies() == []
    assert office.row(REPLY)["status"] == "unknown"
    assert "mw-escalated-human" in office.tags()
    assert ("escalate", "fail: unknown") in office.audit()
    assert office.calls()["send_message"] == 1


def test_a_refused_reply_goes_to_agents_and_frees_its_slot(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )

    office.handle()

    assert office.row(REPLY)["status"] == "failed"
    assert office.tags() >= {"mw-send-failed", "mw-escalated-human"}
    assert "last_auto_reply" not in office.state()
    assert "mw-auto-replied" not in office.tags()


def test_a_throttled_help_desk_is_retried_later(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )

    with pytest.raises(Transient, match="not_sent"):
        office.handle()
    office.time.ms += 60_000
    office.handle(receives=2)

    assert len(office.replies()) == 1


def test_a_ticket_that_never_appears_is_parked_after_three_receives(office: Office) -> None:
    event = office.event("t-9", text=WHERE, event_id="evt:rp:t-9:m-1", message_id="m-1")

    for receives in (1, 2, 3):
        with pytest.raises(Transient, match="ticket_not_found"):
            office.handle(event, receives=receives)
    office.handle(event, receives=4)

    assert office.row("evt:rp:t-9:m-1")["status"] == "parked"
    assert office.row("evt:rp:t-9:m-1")["reason"] == "ticket_not_found"
    assert ("park", "fail: ticket_not_found") in office.audit()


def test_a_message_that_is_named_and_not_visible_is_waited_for(office: Office) -> None:
    office.ticket(WHERE)

    with pytest.raises(Transient, match="message_not_visible"):
        office.handle(office.event(message="m-8"))
    assert office.handle(office.event(message="m-8"), receives=4).outcome == "processed"


def test_an_edited_message_is_noted_and_gets_no_second_reply(office: Office) -> None:
    office.ticket(WHERE)
    office.handle()
    office.sandbox.help_desk.tickets["t-1"].comments[0]["body"] = "Actually, cancel my order."

    assert office.handle().outcome == "duplicate"
    assert ("park", "skipped: payload_mismatch") in office.audit()
    assert len(office.replies()) == 1


def test_a_dry_run_decides_and_writes_nothing_to_the_help_desk(office: Office) -> None:
    office.switch(dry_run="true")
    office.ticket(WHERE)

    office.handle()

    assert office.tags() == set()
    assert office.replies() == []
    assert office.audit() == [("route", "skipped: dry_run")]


@pytest.mark.parametrize(
    ("switches", "reason"),
    [
        ({"safe_mode": "true"}, "safe_mode_route_only"),
        ({"automation_enabled": "false"}, "automation_disabled"),
        ({"automation_enabled_channels": "livechat"}, "channel_disabled"),
        ({"template_enabled": "{}"}, "template_disabled"),
        ({"outbound_scope": "none"}, "recipient_not_allowed"),
        ({"safe_mode": "yes please"}, "safe_mode_route_only"),
    ],
)
def test_a_closed_switch_routes_and_does_not_reply(
    office: Office, switches: dict[str, str], reason: str
) -> None:
    office.switch(**switches)
    office.ticket(WHERE)

    office.handle()

    assert office.replies() == []
    assert "route-email-support-team" in office.tags()
    assert office.decided()["reason"] == reason


def test_switches_that_cannot_be_read_close_everything(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    office.resources.switchboard.current()
    office.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(office, monkeypatch)

    office.handle()

    assert office.replies() == []
    assert "route-email-support-team" in office.tags()
    assert office.decided()["reason"] == "safe_mode_route_only"


def test_switches_that_were_never_read_block_processing(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the switches the worker cannot know whether this is a dry run."""
    office.ticket(WHERE)
    break_switches(office, monkeypatch)

    with pytest.raises(Transient, match="switches_unreadable"):
        office.handle()
    assert office.tags() == set()


def test_a_dry_run_continues_when_the_switches_cannot_be_read(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.switch(dry_run="true")
    office.resources.switchboard.current()
    office.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(office, monkeypatch)
    office.ticket(WHERE)

    office.handle()

    assert office.tags() == set()


def test_an_event_of_an_erased_conversation_stops_at_the_tombstone(office: Office) -> None:
    office.ticket(WHERE)
    office.resources.state.put({"conversation_id": "t-1", "updated_at": "x", "expires_at": 2_000_000_000,
                           "erased_at": "2026-03-01T00:00:00.000Z"})  # fmt: skip

    assert office.handle().outcome == "erased"
    assert office.calls() == {}
    assert office.rows("idempotency") == []


def test_a_message_that_an_agent_answered_gets_no_automatic_reply(office: Office) -> None:
    office.ticket(WHERE)
    office.comment("I am looking into it.", author_id=AGENT, is_operator=True)

    office.handle()

    assert office.replies() == []
    assert office.decided()["reason"] == "person_active"


def test_without_a_help_desk_key_an_event_is_only_decided_and_audited(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    office = open_office(sandbox, time)
    boto3.client("secretsmanager").put_secret_value(SecretId="keys", SecretString='{"salt": "x"}')

    office.handle(office.event(text=WHERE, event_id=EVENT, message_id="m-1"))

    assert office.calls() == {}
    assert office.audit() == [("route", "skipped: no_help_desk")]
    assert office.row(EVENT)["status"] == "processed"


def test_an_event_is_retried_and_then_parked_if_the_help_desk_answers_with_an_html_page(
    office: Office,
) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(provider="richpanel", operation="get_ticket", kind="html", times=10)

    for receives in (1, 2, 3):
        with pytest.raises(Transient, match="bad_provider_answer"):
            office.handle(office.event(message="m-1"), receives=receives)
    assert office.handle(office.event(message="m-1"), receives=4).reason == "bad_provider_answer"
    (row,) = office.rows("idempotency")
    assert (row["status"], row["reason"]) == ("parked", "bad_provider_answer")


def test_an_event_that_was_parked_for_an_html_answer_is_processed_once_the_help_desk_recovers(
    office: Office,
) -> None:
    office.ticket(DISPUTE)
    office.sandbox.faults.add(provider="richpanel", operation="get_ticket", kind="html")
    office.handle(office.event(message="m-1"), receives=4)

    assert office.handle(office.event(source="sweep")).outcome == "processed"
    assert "route-chargebacks-disputes" in office.tags()


def test_a_text_that_is_no_event_is_parked(office: Office) -> None:
    handled = office.handle("{}")

    assert (handled.outcome, handled.reason) == ("parked", "malformed_event")
    (row,) = office.rows("idempotency")
    assert row["event_id"].startswith("evt:rp:unknown:")


def test_tickets_are_assigned_to_the_teams_agent_and_an_assignment_made_by_a_person_is_kept(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    office = open_office(
        sandbox, time, team_assignees={"email": "agent-1", "chargebacks": "agent-2"}
    )
    office.switch(automation_enabled="false")
    office.ticket(WHERE)
    office.ticket(WHERE, ticket="t-2", assignee_id=AGENT)
    office.ticket(DISPUTE, ticket="t-3", assignee_id=AGENT)

    for ticket in ("t-1", "t-2", "t-3"):
        office.handle(office.event(ticket))

    desk = office.sandbox.help_desk.tickets
    assert [desk[t].assignee_id for t in ("t-1", "t-2", "t-3")] == ["agent-1", AGENT, "agent-2"]
    assert ("assign", "skipped: assigned_by_a_person") in office.audit()


def test_no_text_of_a_customer_is_stored(office: Office) -> None:
    office.order()
    office.ticket(f"{WHERE_1001} Write to canary@private.example or call +1 202 555 0143.")

    office.handle()

    kept = json.dumps(
        [office.rows(name) for name in ("idempotency", "state", "audit")], default=str
    )
    for secret in ("canary@private", "555", "0143", "#1001", JANE, "1Z999AA1", "arrived"):
        assert secret not in kept


def test_a_late_message_named_by_its_event_is_routed_and_does_not_move_the_head(
    office: Office,
) -> None:
    office.ticket(WHERE)
    office.handle()
    before = office.state()
    office.comment(
        "An older question about a refund", id="m-0", created_at=office.moment(-3_600_000)
    )

    office.handle(office.event(message="m-0"))

    assert office.row("evt:rp:t-1:m-0")["status"] == "processed"
    assert office.decided()["reason"] == "late_message"
    after: dict[str, Any] = office.state()
    assert after["last_processed_message_id"] == before["last_processed_message_id"] == "m-1"
    assert len(office.replies()) == 1
