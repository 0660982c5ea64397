"""`operations richpanel report`: what would have become of old tickets, decided as at their arrival."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from operations.contexts.richpanel import cli, deployment
from richpanel.clients.helpdesk import HelpDesk
from richpanel.store.rate_limit import Throttled
from tests.integration.richpanel.admin.conftest import DISPUTE, WHERE
from tests.integration.richpanel.harness import AGENT

if TYPE_CHECKING:
    from tests.integration.richpanel.admin.conftest import Admin

DAY_MS = 86_400_000


@pytest.fixture
def desk(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> Admin:
    monkeypatch.setattr(deployment, "of_stack", lambda _: admin.module.deps)
    return admin


def run(capsys: pytest.CaptureFixture[str], *given: str) -> list[dict[str, Any]]:
    """The reported tickets."""
    assert cli.main(["report", "--stack", "parley-dev", "--json", *given]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def days_later(admin: Admin, days: int) -> None:
    admin.harness.time.ms += days * DAY_MS


def test_old_tickets_are_decided_as_when_they_arrived(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.harness.ticket(WHERE, status="CLOSED", assignee_id=AGENT, tags=["vip"])
    desk.harness.comment("It is on its way.", is_operator=True, author_id=AGENT)
    desk.harness.ticket(DISPUTE, ticket="t-2")
    days_later(desk, 20)

    reported = {one["ticket"]: one for one in run(capsys)}

    assert (reported["t-1"]["outcome"], reported["t-1"]["reason"]) == (
        "replied", "tier1_safe_assist",
    )  # fmt: skip
    assert reported["t-1"]["template"] == "t_order_status_ask_order_number"
    assert (reported["t-2"]["outcome"], reported["t-2"]["team"]) == ("handed_over", "chargebacks")


def test_the_counts_are_printed_per_outcome_intent_team_and_reason(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        desk.harness.ticket(WHERE if number else DISPUTE, ticket=f"t-{number}")

    assert cli.main(["report", "--stack", "parley-dev"]) == 0

    shown = capsys.readouterr()
    assert "outcome\treplied\t2" in shown.err
    assert "intent\tchargeback_dispute\t1" in shown.err
    assert "reason\ttier0_always_handoff\t1" in shown.err
    assert len(shown.out.splitlines()) == 3


def test_the_report_writes_nothing_and_shows_no_text_of_a_customer(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.harness.ticket("My order #1001 for jane@shop.example is late, call +1 202 555 0100.")
    before = desk.everything(), desk.harness.sandbox.help_desk.tickets["t-1"].as_json()

    assert cli.main(["report", "--stack", "parley-dev", "--json"]) == 0

    shown = capsys.readouterr()
    for secret in ("jane@", "555", "is late", "#1001"):
        assert secret not in shown.out + shown.err
    after = desk.everything(), desk.harness.sandbox.help_desk.tickets["t-1"].as_json()
    assert after == before


def test_the_switches_as_set_show_why_nothing_is_answered_today(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.harness.switch(automation_enabled="false")
    desk.module.deps.switchboard.provider().clear_cache()
    desk.harness.ticket(WHERE)

    (as_set,) = run(capsys, "--as-set")
    (opened,) = run(capsys)

    assert as_set["reason"] == "automation_disabled"
    assert opened["outcome"] == "replied"


def test_tickets_from_before_the_period_are_not_reported(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.harness.ticket(WHERE)
    days_later(desk, 40)
    desk.harness.ticket(WHERE, ticket="t-2")
    desk.harness.comment("Any news?", ticket="t-1")

    assert [one["ticket"] for one in run(capsys, "--days", "30")] == ["t-2"]


def test_the_number_of_tickets_is_bounded(desk: Admin, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        desk.harness.ticket(WHERE, ticket=f"t-{number}")

    assert len(run(capsys, "--most", "2")) == 2


def test_a_busy_help_desk_is_waited_for(
    desk: Admin, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.harness.ticket(WHERE)
    real, calls = HelpDesk.ticket, []

    def busy_at_first(client: HelpDesk, ticket_id: str) -> Any:
        calls.append(ticket_id)
        if len(calls) < 3:
            raise Throttled(1_000)
        return real(client, ticket_id)

    monkeypatch.setattr(HelpDesk, "ticket", busy_at_first)

    assert len(run(capsys)) == 1
    assert len(calls) == 3


def test_a_ticket_that_cannot_be_read_is_named_and_the_others_are_reported(
    desk: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.harness.ticket(WHERE, ticket=".")
    desk.harness.ticket(WHERE, ticket="t-2")

    assert cli.main(["report", "--stack", "parley-dev", "--json"]) == 0

    shown = capsys.readouterr()
    assert [json.loads(line)["ticket"] for line in shown.out.splitlines()] == ["t-2"]
    assert "error: .: bad_id" in shown.err
    assert "failed\t1" in shown.err
