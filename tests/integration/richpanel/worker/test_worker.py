"""The worker end to end over moto and the sandbox's help desk: route, tag, reply if safe, exactly once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from richpanel.classification.classifier import VERSION
from richpanel.store.items import Event
from richpanel.worker import audit
from tests.integration.richpanel.harness import DISPUTE, JANE, WHERE, Harness

WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
RETURN = "Hello, I want to return my order. How do I start a return?"
EVENT = "evt:rp:t-1:m-1"
REPLY = "act:rp_reply:t-1:m-1"


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


def test_an_edited_message_is_noted_and_gets_no_second_reply(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.handle()
    harness.sandbox.help_desk.tickets["t-1"].comments[0]["body"] = "Actually, cancel my order."

    assert harness.handle().outcome == "duplicate"
    assert ("park", "skipped: payload_mismatch") in harness.audit()
    assert len(harness.replies()) == 1


def test_an_event_of_an_erased_conversation_stops_at_the_tombstone(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.resources.state.put({"conversation_id": "t-1", "updated_at": "x", "expires_at": 2_000_000_000,
                           "erased_at": "2026-03-01T00:00:00.000Z"})  # fmt: skip

    assert harness.handle().outcome == "erased"
    assert harness.calls() == {}
    assert harness.rows("idempotency") == []


def test_a_text_that_is_no_event_is_parked(harness: Harness) -> None:
    handled = harness.handle("{}")

    assert (handled.outcome, handled.reason) == ("parked", "malformed_event")
    (row,) = harness.rows("idempotency")
    assert row["event_id"].startswith("evt:rp:unknown:")


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
