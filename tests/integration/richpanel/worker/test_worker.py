"""The worker end to end over moto and the sandbox's help desk: route, tag, reply if safe, exactly once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from richpanel.classification.classifier import VERSION
from richpanel.store.items import Event
from richpanel.worker import audit
from shared.runtime.failures import Transient
from tests.integration.logs import counted
from tests.integration.richpanel.harness import AGENT, BOT, JANE, Harness, open_harness

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

WHERE = "Hi, where is my order? It has not arrived yet."
WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."
RETURN = "Hello, I want to return my order. How do I start a return?"
EVENT = "evt:rp:t-1:m-1"
REPLY = "act:rp_reply:t-1:m-1"


def break_switches(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parameter store is unreachable."""

    def fails(**_: object) -> None:
        raise GetParameterError

    monkeypatch.setattr(
        harness.resources.switchboard.provider(), "get_multiple", lambda *_, **__: fails()
    )


def test_a_question_without_an_order_number_is_routed_tagged_and_answered_with_a_request_for_it(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)

    assert harness.handle().outcome == "processed"
    (reply,) = harness.replies()
    assert "order number" in reply.lower()
    assert harness.tags() >= {
        "mw-processed", "mw-routing-applied", "route-email-support-team", "mw-intent-order-status",
        "mw-order-lookup-needed", "mw-auto-replied",
    }  # fmt: skip
    assert harness.audit() == [("route", "success"), ("auto_reply", "success")]
    assert harness.state()["pending_flow"]["type"] == "need_order_number"
    assert harness.state()["last_auto_reply"]["source_message_id"] == "m-1"
    assert harness.row(EVENT)["status"] == "processed"
    assert harness.row(REPLY)["status"] == "sent"


def test_an_order_of_the_sender_is_answered_with_its_tracking(harness: Harness) -> None:
    harness.order()
    harness.ticket(WHERE_1001)

    harness.handle()

    (reply,) = harness.replies()
    assert "1Z999AA10123456784" in reply
    assert harness.tags() >= {"mw-order-status-answered", "mw-auto-replied"}
    assert harness.decided()["tier"] == 2
    assert "pending_flow" not in harness.state()


def test_the_audit_row_of_a_decision_names_classifier_rule_match_and_masked_order(
    harness: Harness,
) -> None:
    harness.order()
    harness.ticket(WHERE_1001)

    harness.handle()

    facts = harness.decided()
    named = {name: facts[name] for name in ("rule", "version", "match", "order")}
    assert named == {
        "rule": "word_model",
        "version": VERSION,
        "match": "number",
        "order": "***1001",
    }


def test_the_audit_row_of_a_decision_without_a_match_gives_the_reason(harness: Harness) -> None:
    harness.order(email="mallory@shop.example")
    harness.ticket(WHERE_1001)

    harness.handle()

    assert harness.decided()["match"] == "no_match"
    assert "order" not in harness.decided()


def test_a_request_for_the_order_number_is_omitted_if_the_ticket_is_linked_to_an_order(
    harness: Harness,
) -> None:
    harness.order()
    link = {"order_id": "6001", "app_client_id": "shop-1"}
    harness.ticket(RETURN, order=link)
    harness.ticket(RETURN, ticket="t-2")

    harness.handle()
    harness.handle(harness.event("t-2"))

    assert "order number" not in harness.replies("t-1")[0]
    assert "order number" in harness.replies("t-2")[0]


def test_an_order_of_another_customer_gets_the_same_reply_as_an_unknown_order(
    harness: Harness,
) -> None:
    harness.order(email="mallory@shop.example")
    harness.ticket(WHERE_1001)
    harness.ticket(WHERE_1001.replace("1001", "9999"), ticket="t-2")

    harness.handle()
    harness.handle(harness.event("t-2"))

    assert harness.replies("t-1") == harness.replies("t-2")
    assert "1Z999" not in json.dumps(
        [harness.rows("audit"), harness.rows("idempotency")], default=str
    )


def test_a_chargeback_and_all_later_messages_of_its_ticket_go_to_agents(harness: Harness) -> None:
    harness.ticket(DISPUTE)
    harness.handle()
    harness.time.ms += 3_600_000
    harness.comment(WHERE)
    harness.handle()

    assert harness.replies() == []
    assert "route-chargebacks-disputes" in harness.tags()
    assert harness.state()["risk_flags"] == {"chargeback"}
    assert harness.decided()["tier"] == 0
    assert {result for kind, result in harness.audit() if kind == "auto_reply"} == set()


@pytest.mark.parametrize("again", ["webhook", "sweep", "replay"])
def test_a_processed_event_is_not_processed_again(harness: Harness, again: str) -> None:
    harness.ticket(WHERE)
    harness.handle()
    before = harness.calls()
    harness.time.ms += 29 * 86_400_000

    assert harness.handle(harness.event(source=again)).outcome == "duplicate"
    after = harness.calls() - before
    assert sum(after.values()) == 1  # the request that read the ticket
    assert len(harness.replies()) == 1


def test_a_burst_is_one_turn_with_one_reply(harness: Harness) -> None:
    harness.ticket("Hi there", "I ordered last week", WHERE)

    harness.handle(harness.event(message="m-1"))
    harness.handle(harness.event(message="m-2"))
    harness.handle(harness.event(message="m-3"))

    assert len(harness.replies()) == 1
    rows = [harness.row(f"evt:rp:t-1:m-{number}") for number in (1, 2, 3)]
    assert [row["status"] for row in rows] == ["processed"] * 3
    assert [row.get("covered_by") for row in rows] == ["evt:rp:t-1:m-3", "evt:rp:t-1:m-3", None]
    assert [kind for kind, _ in harness.audit()].count("route") == 1


def test_two_messages_whose_events_begin_in_one_millisecond_both_have_an_audit_row(
    harness: Harness,
) -> None:
    harness.ticket(DISPUTE)
    harness.handle()
    first = Event.read(harness.row("evt:rp:t-1:m-1"))

    for message in ("m-1", "m-2"):
        event = first.model_copy(update={"event_id": f"evt:rp:t-1:{message}"})
        audit.write(harness.resources, event, "route", {}, result=audit.SUCCESS)

    routed = [row for row in harness.rows("audit") if row["conversation_id"] == "t-1"]
    assert [row["idempotency_key"] for row in routed] == ["evt:rp:t-1:m-1", "evt:rp:t-1:m-2"]


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


def test_an_edited_message_is_noted_and_gets_no_second_reply(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.handle()
    harness.sandbox.help_desk.tickets["t-1"].comments[0]["body"] = "Actually, cancel my order."

    assert harness.handle().outcome == "duplicate"
    assert ("park", "skipped: payload_mismatch") in harness.audit()
    assert len(harness.replies()) == 1


def test_a_dry_run_decides_and_writes_nothing_to_the_help_desk(harness: Harness) -> None:
    harness.switch(dry_run="true")
    harness.ticket(WHERE)

    harness.handle()

    assert harness.tags() == set()
    assert harness.replies() == []
    assert harness.audit() == [("route", "skipped: dry_run")]


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
    harness: Harness, switches: dict[str, str], reason: str
) -> None:
    harness.switch(**switches)
    harness.ticket(WHERE)

    harness.handle()

    assert harness.replies() == []
    assert "route-email-support-team" in harness.tags()
    assert harness.decided()["reason"] == reason


def test_switches_that_cannot_be_read_close_everything(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    harness.resources.switchboard.current()
    harness.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(harness, monkeypatch)

    harness.handle()

    assert harness.replies() == []
    assert "route-email-support-team" in harness.tags()
    assert harness.decided()["reason"] == "safe_mode_route_only"


def test_switches_that_were_never_read_block_processing(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the switches the worker cannot know whether this is a dry run."""
    harness.ticket(WHERE)
    break_switches(harness, monkeypatch)

    with pytest.raises(Transient, match="switches_unreadable"):
        harness.handle()
    assert harness.tags() == set()


def test_a_dry_run_continues_when_the_switches_cannot_be_read(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.switch(dry_run="true")
    harness.resources.switchboard.current()
    harness.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(harness, monkeypatch)
    harness.ticket(WHERE)

    harness.handle()

    assert harness.tags() == set()


def test_an_event_of_an_erased_conversation_stops_at_the_tombstone(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.resources.state.put({"conversation_id": "t-1", "updated_at": "x", "expires_at": 2_000_000_000,
                           "erased_at": "2026-03-01T00:00:00.000Z"})  # fmt: skip

    assert harness.handle().outcome == "erased"
    assert harness.calls() == {}
    assert harness.rows("idempotency") == []


def test_a_message_that_an_agent_answered_gets_no_automatic_reply(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.comment("I am looking into it.", author_id=AGENT, is_operator=True)

    harness.handle()

    assert harness.replies() == []
    assert harness.decided()["reason"] == "person_active"


def test_a_ticket_in_which_an_agent_has_written_gets_automatic_replies_only_after_a_hand_back(
    harness: Harness,
) -> None:
    harness.ticket("Hello, I have a question")
    harness.comment("I will take care of it.", author_id=AGENT, is_operator=True)
    harness.time.ms += 3_600_000
    harness.comment(WHERE)

    harness.handle()

    assert (harness.replies(), harness.decided()["reason"]) == ([], "person_active")
    harness.sandbox.help_desk.tags["mw-handed-back"] = "tag-handed-back"
    harness.sandbox.help_desk.tickets["t-1"].tags.append("mw-handed-back")
    harness.time.ms += 60_000
    harness.comment("So where is my order now?")
    handed_back_at = harness.moment()

    harness.handle()

    assert len(harness.replies()) == 1
    assert harness.state()["handed_back_at"] == handed_back_at
    assert "mw-handed-back" not in harness.tags()
    harness.time.ms += 3_600_000
    harness.comment("I am back on it.", author_id=AGENT, is_operator=True)
    harness.time.ms += 60_000
    harness.comment("Thanks, the number is #1001")

    harness.handle()

    assert (len(harness.replies()), harness.decided()["reason"]) == (1, "person_active")


@pytest.mark.parametrize(("assignee", "replies"), [(AGENT, 0), ("agent-1", 1), (BOT, 1), (None, 1)])
def test_a_ticket_assigned_to_a_person_gets_no_automatic_reply(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient, assignee: str | None, replies: int
) -> None:
    harness = open_harness(sandbox, time, team_assignees={"email": "agent-1"})
    harness.ticket(WHERE, assignee_id=assignee)

    harness.handle()

    assert len(harness.replies()) == replies
    assert "route-email-support-team" in harness.tags()


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


def test_a_text_that_is_no_event_is_parked(harness: Harness) -> None:
    handled = harness.handle("{}")

    assert (handled.outcome, handled.reason) == ("parked", "malformed_event")
    (row,) = harness.rows("idempotency")
    assert row["event_id"].startswith("evt:rp:unknown:")


def test_tickets_are_assigned_to_the_teams_agent_and_an_assignment_made_by_a_person_is_kept(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    harness = open_harness(
        sandbox, time, team_assignees={"email": "agent-1", "chargebacks": "agent-2"}
    )
    harness.switch(automation_enabled="false")
    harness.ticket(WHERE)
    harness.ticket(WHERE, ticket="t-2", assignee_id=AGENT)
    harness.ticket(DISPUTE, ticket="t-3", assignee_id=AGENT)

    for ticket in ("t-1", "t-2", "t-3"):
        harness.handle(harness.event(ticket))

    help_desk_client = harness.sandbox.help_desk.tickets
    assert [help_desk_client[t].assignee_id for t in ("t-1", "t-2", "t-3")] == [
        "agent-1",
        AGENT,
        "agent-2",
    ]
    assert ("assign", "skipped: assigned_by_a_person") in harness.audit()


def test_no_text_of_a_customer_is_stored(harness: Harness) -> None:
    harness.order()
    harness.ticket(f"{WHERE_1001} Write to canary@private.example or call +1 202 555 0143.")

    harness.handle()

    kept = json.dumps(
        [harness.rows(name) for name in ("idempotency", "state", "audit")], default=str
    )
    for secret in ("canary@private", "202 555", "5550143", "#1001", JANE, "1Z999AA1", "arrived"):
        assert secret not in kept


def test_a_late_message_named_by_its_event_is_routed_and_does_not_move_the_head(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    harness.handle()
    before = harness.state()
    harness.comment(
        "An older question about a refund", id="m-0", created_at=harness.moment(-3_600_000)
    )

    harness.handle(harness.event(message="m-0"))

    assert harness.row("evt:rp:t-1:m-0")["status"] == "processed"
    assert harness.decided()["reason"] == "late_message"
    after: dict[str, Any] = harness.state()
    assert after["last_processed_message_id"] == before["last_processed_message_id"] == "m-1"
    assert len(harness.replies()) == 1
