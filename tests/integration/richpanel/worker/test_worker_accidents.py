"""Failures around a ticket must not cause a lost flag, a wrong reply or a lost route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.worker import actions, memory, ticket_tags
from richpanel.worker.sending import replies, reservations
from shared.runtime.failures import Transient
from tests.integration.logs import counted
from tests.integration.richpanel.harness import AGENT, DISPUTE, WHERE, Harness, open_harness

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from richpanel.worker.cases.case import Case
    from tests.integration.richpanel.conftest import Time

WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
REPLY = "act:rp_reply:t-1:m-1"
ROUTE = "route-email-support-team"


class Killed(BaseException):
    """The process is killed here."""


def die(*_: object, **__: object) -> None:
    raise Killed


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_help_desk_key_does_not_park_events(harness: Harness, status: int) -> None:
    harness.ticket(DISPUTE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="get_ticket", kind="status", status=status, times=2
    )

    with pytest.raises(Transient, match=f"richpanel_{status}"):
        harness.handle()
    assert harness.rows("idempotency") == []
    assert harness.handle(receives=2).outcome == "processed"
    assert harness.state()["risk_flags"] == {"chargeback"}


def test_refused_tags_do_not_prevent_the_risk_flag_or_the_audit(harness: Harness) -> None:
    harness.ticket(DISPUTE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="add_tags", kind="status", status=422, times=9
    )

    counted("StepRefused")
    harness.handle()

    assert counted("StepRefused") == 1
    assert harness.state()["risk_flags"] == {"chargeback"}
    assert harness.audit() == [("route", "fail: richpanel_422")]
    harness.sandbox.faults.clear()
    harness.comment(WHERE)
    harness.handle()
    assert harness.replies() == []


def test_a_tag_that_cannot_be_created_does_not_prevent_the_others(harness: Harness) -> None:
    harness.ticket(WHERE)
    for name in ("mw-processed", ROUTE):
        harness.sandbox.help_desk.add_tag(name)
    harness.sandbox.faults.add(
        provider="richpanel", operation="create_tag", kind="status", status=422, times=99
    )

    harness.handle()

    assert harness.tags() == {"mw-processed", ROUTE}
    ((_, result), *_) = harness.audit()
    assert result.startswith("skipped: missing mw-routing-applied")


def test_a_threat_that_becomes_visible_late_counts_even_if_no_event_names_it(
    harness: Harness,
) -> None:
    harness.ticket(WHERE)
    harness.handle()
    harness.comment(DISPUTE, id="m-0", created_at=harness.moment(-120_000))
    harness.time.ms += 3_600_000

    harness.handle()
    harness.comment(WHERE, id="m-2")
    harness.handle()

    assert harness.state()["risk_flags"] == {"chargeback"}
    assert len(harness.replies()) == 1


@pytest.mark.parametrize("author", [AGENT, "macro-1"])
def test_a_threat_that_was_already_answered_still_prevents_automatic_replies(
    harness: Harness, author: str
) -> None:
    harness.ticket(DISPUTE)
    harness.comment("We got your message.", author_id=author, is_operator=True)
    harness.time.ms += 60_000
    harness.comment(WHERE, id="m-2")

    harness.handle()

    assert harness.replies() == []
    assert "chargeback" in harness.state()["risk_flags"]


def test_a_threat_at_the_start_of_a_long_burst_counts(harness: Harness) -> None:
    harness.ticket(DISPUTE, *["hello?"] * 11, WHERE)

    harness.handle()

    assert harness.replies() == []
    assert "chargeback" in harness.state()["risk_flags"]


def test_an_older_message_is_not_answered_while_a_threat_waits(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        harness.handle()
    harness.time.ms += 60_000
    harness.comment(DISPUTE, id="m-2")

    harness.handle(receives=2)

    assert harness.replies() == []


def test_a_ticket_is_closed_only_after_the_reply_that_announces_it(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.switch(auto_close_enabled="true")
    harness.ticket(WHERE_1001)
    monkeypatch.setattr(ticket_tags, "tag", die)
    with pytest.raises(Killed):
        harness.handle()
    monkeypatch.undo()
    harness.time_again(monkeypatch)
    harness.order(
        fulfillment_status="UNFULFILLED", parcels=[], created_at=harness.moment(-86_400_000)
    )
    harness.time.ms += 120_000

    harness.handle(receives=2)

    assert harness.sandbox.help_desk.tickets["t-1"].status == "OPEN"
    assert len(harness.replies()) == 1
    assert harness.state()["pending_flow"]["attempts"] == 1
    assert "mw-order-status-answered" not in harness.tags()


def test_a_message_that_arrives_during_the_closing_reopens_the_ticket(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.switch(auto_close_enabled="true")
    harness.order(
        fulfillment_status="UNFULFILLED", parcels=[], created_at=harness.moment(-86_400_000)
    )
    harness.ticket(WHERE_1001)
    close = HelpDesk.close

    def meanwhile(help_desk_client: HelpDesk, ticket_id: str) -> None:
        close(help_desk_client, ticket_id)
        harness.time.ms += 1_000
        harness.comment(DISPUTE, id="m-2")

    monkeypatch.setattr(HelpDesk, "close", meanwhile)
    harness.handle()

    assert ("close", "skipped: written_meanwhile") in harness.audit()
    assert harness.sandbox.help_desk.tickets["t-1"].status == "OPEN"
    assert "mw-escalated-human" in harness.tags()
    assert "mw-auto-closed" not in harness.tags()


@pytest.mark.long
def test_after_a_slow_look_up_the_ticket_is_read_again_before_the_reply(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    slow_decision(harness, monkeypatch)

    harness.handle()

    assert len(harness.replies()) == 1
    assert harness.calls()["get_ticket"] == 2


@pytest.mark.parametrize("change", ["answered", "assigned"])
def test_after_an_agent_takes_the_ticket_during_a_slow_look_up_no_reply_is_sent(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    harness.ticket(WHERE)
    slow_decision(harness, monkeypatch, **{change: True})

    with pytest.raises(Transient, match="overtaken"):
        harness.handle()
    harness.handle(receives=2)

    assert harness.replies() == []


def slow_decision(
    harness: Harness,
    monkeypatch: pytest.MonkeyPatch,
    *,
    answered: bool = False,
    assigned: bool = False,
) -> None:
    note = memory.note

    def slow(*given: Any) -> Case:
        case = note(*given)
        harness.time.ms += 11_000
        if answered and len(harness.sandbox.help_desk.tickets["t-1"].comments) == 1:
            harness.comment("On it.", author_id=AGENT, is_operator=True)
        if assigned:
            harness.sandbox.help_desk.tickets["t-1"].assignee_id = AGENT
        return case

    monkeypatch.setattr(memory, "note", slow)


def test_without_a_salt_tickets_are_routed_and_no_reply_is_sent(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    harness = open_harness(sandbox, time)
    boto3.client("secretsmanager").put_secret_value(
        SecretId="keys", SecretString='{"richpanel": "a-key"}'
    )
    harness.ticket(WHERE)

    harness.handle()

    assert harness.replies() == []
    assert ROUTE in harness.tags()
    assert harness.decided()["reason"] == "policy_refused"


def test_a_reply_of_an_earlier_run_counts_even_if_the_decision_has_changed(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    monkeypatch.setattr(ticket_tags, "tag", die)
    with pytest.raises(Killed):
        harness.handle()
    monkeypatch.undo()
    harness.time_again(monkeypatch)
    harness.switch(safe_mode="true")
    harness.time.ms += 120_000

    harness.handle(receives=2)

    assert harness.state()["pending_flow"]["attempts"] == 1
    assert "mw-auto-replied" in harness.tags()
    assert ("auto_reply", "success") in harness.audit()


def test_a_different_reply_after_an_unsent_one_is_recorded_with_its_own_template(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.order()
    harness.ticket(WHERE_1001)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        harness.handle()
    harness.sandbox.shop.orders.clear()
    harness.time.ms += 120_000

    harness.handle(receives=2)

    (reply,) = harness.replies()
    row = harness.row(REPLY)
    assert row["body_hash"] == replies.body_hash(reply)
    assert row["template"] == "t_order_status_ask_order_number"
    assert "mw-order-status-answered" not in harness.tags()


@pytest.mark.parametrize("change", [{"dry_run": "true"}, {"safe_mode": "true"}])
def test_a_reply_in_doubt_is_resolved_even_if_the_switches_are_closed(
    harness: Harness, change: dict[str, str]
) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        harness.handle()
    harness.switch(**change)
    harness.time.ms += 600_000

    harness.handle(receives=2)

    assert harness.row(REPLY)["status"] == "confirmed"


def test_a_reply_in_doubt_whose_ticket_cannot_be_read_goes_to_agents(harness: Harness) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        harness.handle()
    harness.time.ms += 600_000
    read = HelpDesk.ticket
    reads: list[str] = []

    def once(help_desk_client: HelpDesk, ticket_id: str) -> Any:
        reads.append(ticket_id)
        if len(reads) > 1:
            raise Transient("richpanel_500")
        return read(help_desk_client, ticket_id)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HelpDesk, "ticket", once)
        harness.handle(receives=2)

    assert harness.row(REPLY)["status"] == "unknown"
    assert "mw-escalated-human" in harness.tags()


def test_a_conversation_that_is_erased_during_processing_gets_no_reply(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)

    def erase(_: object, case: Case, __: object) -> Case:
        harness.resources.state.put(
            {
                "conversation_id": "t-1",
                "updated_at": "x",
                "expires_at": 2_000_000_000,
                "erased_at": "x",
            }
        )
        return case

    monkeypatch.setattr(memory, "note", erase)

    assert harness.handle().outcome == "erased"
    assert harness.replies() == []
    assert harness.rows("audit") == []


def test_an_event_that_was_parked_during_its_lease_is_reported_as_parked(harness: Harness) -> None:
    event = harness.event("t-9", text=WHERE, event_id="evt:rp:t-9:m-1", message_id="m-1")

    handled = harness.handle(event, receives=4)

    assert (handled.outcome, handled.reason) == ("parked", "ticket_not_found")


def test_a_picture_whose_address_changes_at_every_read_is_no_edit(harness: Harness) -> None:
    harness.ticket(f'{WHERE} <img src="https://files.example/a?signature=1">')
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient):
        harness.handle()
    harness.sandbox.help_desk.tickets["t-1"].comments[0]["body"] = (
        f'{WHERE} <img src="https://files.example/a?signature=2">'
    )
    harness.time.ms += 60_000

    harness.handle(receives=2)

    assert len(harness.replies()) == 1


def test_a_refused_reply_frees_slot_and_count_even_if_the_worker_dies_between_the_writes(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    harness.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )
    monkeypatch.setattr(reservations, "free", die)
    with pytest.raises(Killed):
        harness.handle()
    monkeypatch.undo()
    harness.time_again(monkeypatch)
    harness.time.ms += 120_000

    harness.handle(receives=2)

    assert "last_auto_reply" not in harness.state()
    counted = [row for row in harness.rows("state") if row["conversation_id"].startswith("cust:")]
    assert [row.get("auto_reply_times") for row in counted] == [None]
    assert actions.NOT_SENT[0] in harness.tags()
