"""Failures around a ticket must not cause a lost flag, a wrong reply or a lost route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.worker import actions, memory, replies, reservations, ticket_tags
from shared.failures import Transient
from tests.integration.richpanel.office import AGENT, Office, open_office

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

WHERE = "Hi, where is my order? It has not arrived yet."
WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."
REPLY = "act:rp_reply:t-1:m-1"
ROUTE = "route-email-support-team"


class Killed(BaseException):
    """The process is killed here."""


def die(*_: object, **__: object) -> None:
    raise Killed


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_help_desk_key_does_not_park_events(office: Office, status: int) -> None:
    office.ticket(DISPUTE)
    office.sandbox.faults.add(
        provider="richpanel", operation="get_ticket", kind="status", status=status, times=2
    )

    with pytest.raises(Transient, match=f"richpanel_{status}"):
        office.handle()
    assert office.rows("idempotency") == []
    assert office.handle(receives=2).outcome == "processed"
    assert office.state()["risk_flags"] == {"chargeback"}


def test_refused_tags_do_not_prevent_the_risk_flag_or_the_audit(office: Office) -> None:
    office.ticket(DISPUTE)
    office.sandbox.faults.add(
        provider="richpanel", operation="add_tags", kind="status", status=422, times=9
    )

    office.handle()

    assert office.state()["risk_flags"] == {"chargeback"}
    assert office.audit() == [("route", "fail: richpanel_422")]
    office.sandbox.faults.clear()
    office.comment(WHERE)
    office.handle()
    assert office.replies() == []


def test_a_tag_that_cannot_be_created_does_not_prevent_the_others(office: Office) -> None:
    office.ticket(WHERE)
    for name in ("mw-processed", ROUTE):
        office.sandbox.help_desk.add_tag(name)
    office.sandbox.faults.add(
        provider="richpanel", operation="create_tag", kind="status", status=422, times=99
    )

    office.handle()

    assert office.tags() == {"mw-processed", ROUTE}
    ((_, result), *_) = office.audit()
    assert result.startswith("skipped: missing mw-routing-applied")


def test_a_threat_that_becomes_visible_late_counts_even_if_no_event_names_it(
    office: Office,
) -> None:
    office.ticket(WHERE)
    office.handle()
    office.comment(DISPUTE, id="m-0", created_at=office.moment(-120_000))
    office.time.ms += 3_600_000

    office.handle()
    office.comment(WHERE, id="m-2")
    office.handle()

    assert office.state()["risk_flags"] == {"chargeback"}
    assert len(office.replies()) == 1


@pytest.mark.parametrize("author", [AGENT, "macro-1"])
def test_a_threat_that_was_already_answered_still_prevents_automatic_replies(
    office: Office, author: str
) -> None:
    office.ticket(DISPUTE)
    office.comment("We got your message.", author_id=author, is_operator=True)
    office.time.ms += 60_000
    office.comment(WHERE, id="m-2")

    office.handle()

    assert office.replies() == []
    assert "chargeback" in office.state()["risk_flags"]


def test_a_threat_at_the_start_of_a_long_burst_counts(office: Office) -> None:
    office.ticket(DISPUTE, *["hello?"] * 11, WHERE)

    office.handle()

    assert office.replies() == []
    assert "chargeback" in office.state()["risk_flags"]


def test_an_older_message_is_not_answered_while_a_threat_waits(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        office.handle()
    office.time.ms += 60_000
    office.comment(DISPUTE, id="m-2")

    office.handle(receives=2)

    assert office.replies() == []


def test_a_ticket_is_closed_only_after_the_reply_that_announces_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.switch(auto_close_enabled="true")
    office.ticket(WHERE_1001)
    monkeypatch.setattr(ticket_tags, "tag", die)
    with pytest.raises(Killed):
        office.handle()
    monkeypatch.undo()
    office.time_again(monkeypatch)
    office.order(
        fulfillment_status="UNFULFILLED", parcels=[], created_at=office.moment(-86_400_000)
    )
    office.time.ms += 120_000

    office.handle(receives=2)

    assert office.sandbox.help_desk.tickets["t-1"].status == "OPEN"
    assert len(office.replies()) == 1
    assert office.state()["pending_flow"]["attempts"] == 1
    assert "mw-order-status-answered" not in office.tags()


def test_a_message_that_arrives_during_the_closing_reopens_the_ticket(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.switch(auto_close_enabled="true")
    office.order(
        fulfillment_status="UNFULFILLED", parcels=[], created_at=office.moment(-86_400_000)
    )
    office.ticket(WHERE_1001)
    close = HelpDesk.close

    def meanwhile(desk: HelpDesk, ticket_id: str) -> None:
        close(desk, ticket_id)
        office.time.ms += 1_000
        office.comment(DISPUTE, id="m-2")

    monkeypatch.setattr(HelpDesk, "close", meanwhile)
    office.handle()

    assert ("close", "skipped: written_meanwhile") in office.audit()
    assert office.sandbox.help_desk.tickets["t-1"].status == "OPEN"
    assert "mw-escalated-human" in office.tags()
    assert "mw-auto-closed" not in office.tags()


def test_after_a_slow_look_up_the_ticket_is_read_again_before_the_reply(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    slow_decision(office, monkeypatch)

    office.handle()

    assert len(office.replies()) == 1
    assert office.calls()["get_ticket"] == 2


def test_after_an_agents_answer_during_a_slow_look_up_no_reply_is_sent(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    slow_decision(office, monkeypatch, answered=True)

    with pytest.raises(Transient, match="overtaken"):
        office.handle()
    office.handle(receives=2)

    assert office.replies() == []


def slow_decision(
    office: Office, monkeypatch: pytest.MonkeyPatch, *, answered: bool = False
) -> None:
    flag = memory.flag

    def slow(*given: Any) -> None:
        flag(*given)
        office.time.ms += 11_000
        if answered and len(office.sandbox.help_desk.tickets["t-1"].comments) == 1:
            office.comment("On it.", author_id=AGENT, is_operator=True)

    monkeypatch.setattr(memory, "flag", slow)


def test_without_a_salt_tickets_are_routed_and_no_reply_is_sent(
    sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient
) -> None:
    office = open_office(sandbox, time)
    boto3.client("secretsmanager").put_secret_value(
        SecretId="keys", SecretString='{"richpanel": "a-key"}'
    )
    office.ticket(WHERE)

    office.handle()

    assert office.replies() == []
    assert ROUTE in office.tags()
    assert office.decided()["reason"] == "policy_refused"


def test_a_reply_of_an_earlier_run_counts_even_if_the_decision_has_changed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    monkeypatch.setattr(ticket_tags, "tag", die)
    with pytest.raises(Killed):
        office.handle()
    monkeypatch.undo()
    office.time_again(monkeypatch)
    office.switch(safe_mode="true")
    office.time.ms += 120_000

    office.handle(receives=2)

    assert office.state()["pending_flow"]["attempts"] == 1
    assert "mw-auto-replied" in office.tags()
    assert ("auto_reply", "success") in office.audit()


def test_a_different_reply_after_an_unsent_one_is_recorded_with_its_own_template(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.order()
    office.ticket(WHERE_1001)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient, match="not_sent"):
        office.handle()
    office.sandbox.shop.orders.clear()
    office.time.ms += 120_000

    office.handle(receives=2)

    (reply,) = office.replies()
    row = office.row(REPLY)
    assert row["body_hash"] == replies.body_hash(reply)
    assert row["template"] == "t_order_status_ask_order_number"
    assert "mw-order-status-answered" not in office.tags()


@pytest.mark.parametrize("change", [{"dry_run": "true"}, {"safe_mode": "true"}])
def test_a_reply_in_doubt_is_resolved_even_if_the_switches_are_closed(
    office: Office, change: dict[str, str]
) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        office.handle()
    office.switch(**change)
    office.time.ms += 600_000

    office.handle(receives=2)

    assert office.row(REPLY)["status"] == "confirmed"


def test_a_reply_in_doubt_whose_ticket_cannot_be_read_goes_to_agents(office: Office) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(provider="richpanel", operation="send_message", kind="lost_answer")
    with pytest.raises(Transient, match="send_in_doubt"):
        office.handle()
    office.time.ms += 600_000
    read = HelpDesk.ticket
    reads: list[str] = []

    def once(desk: HelpDesk, ticket_id: str) -> Any:
        reads.append(ticket_id)
        if len(reads) > 1:
            raise Transient("richpanel_500")
        return read(desk, ticket_id)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HelpDesk, "ticket", once)
        office.handle(receives=2)

    assert office.row(REPLY)["status"] == "unknown"
    assert "mw-escalated-human" in office.tags()


def test_a_conversation_that_is_erased_during_processing_gets_no_reply(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)

    def erase(*_: object) -> None:
        office.resources.state.put(
            {
                "conversation_id": "t-1",
                "updated_at": "x",
                "expires_at": 2_000_000_000,
                "erased_at": "x",
            }
        )

    monkeypatch.setattr(memory, "flag", erase)

    assert office.handle().outcome == "erased"
    assert office.replies() == []
    assert office.rows("audit") == []


def test_an_event_that_was_parked_during_its_lease_is_reported_as_parked(office: Office) -> None:
    event = office.event("t-9", text=WHERE, event_id="evt:rp:t-9:m-1", message_id="m-1")

    handled = office.handle(event, receives=4)

    assert (handled.outcome, handled.reason) == ("parked", "ticket_not_found")


def test_a_picture_whose_address_changes_at_every_read_is_no_edit(office: Office) -> None:
    office.ticket(f'{WHERE} <img src="https://files.example/a?signature=1">')
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    with pytest.raises(Transient):
        office.handle()
    office.sandbox.help_desk.tickets["t-1"].comments[0]["body"] = (
        f'{WHERE} <img src="https://files.example/a?signature=2">'
    )
    office.time.ms += 60_000

    office.handle(receives=2)

    assert len(office.replies()) == 1


def test_a_refused_reply_frees_slot_and_count_even_if_the_worker_dies_between_the_writes(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ticket(WHERE)
    office.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422
    )
    monkeypatch.setattr(reservations, "free", die)
    with pytest.raises(Killed):
        office.handle()
    monkeypatch.undo()
    office.time_again(monkeypatch)
    office.time.ms += 120_000

    office.handle(receives=2)

    assert "last_auto_reply" not in office.state()
    counted = [row for row in office.rows("state") if row["conversation_id"].startswith("cust:")]
    assert [row.get("auto_reply_times") for row in counted] == [None]
    assert actions.NOT_SENT[0] in office.tags()
