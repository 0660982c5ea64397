"""`operations richpanel backfill`: tickets decided in dry run are listed, and routed on request, without replies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from operations.contexts.richpanel import cli, deployment
from richpanel.store import events, states
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.richpanel.admin.conftest import DISPUTE, WHERE
from tests.integration.richpanel.harness import AGENT

if TYPE_CHECKING:
    from tests.integration.richpanel.admin.conftest import Admin

ROUTE = "route-email-support-team"


@pytest.fixture
def dry(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> Admin:
    """A help desk whose ticket t-1 was decided in dry run, which was then switched off."""
    monkeypatch.setattr(deployment, "of_stack", lambda _: admin.module.deps)
    monkeypatch.setattr(deployment, "caller", lambda: "arn:aws:iam::1:user/ops")
    admin.harness.switch(dry_run="true")
    admin.harness.ticket(WHERE)
    admin.harness.handle()
    admin.harness.switch(dry_run="false")
    admin.module.deps.switchboard.provider().clear_cache()
    admin.harness.time.ms += 3_600_000
    return admin


def run(*given: str) -> int:
    return cli.main(["backfill", "--stack", "parley-dev", *given])


def results(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The result of each ticket."""
    lines = capsys.readouterr().out.splitlines()
    return {line.split("\t")[0]: line.split("\t")[-1] for line in lines}


def handle_queued(admin: Admin) -> list[str]:
    """Handle the queued events; returns their outcomes."""
    return [admin.harness.handle(json.dumps(event)).outcome for event in admin.events()]


def test_the_list_shows_tickets_decided_in_dry_run_and_changes_nothing(
    dry: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    before = dry.everything()

    assert run() == 0

    line, counts = capsys.readouterr()
    assert line.split("\t")[0] == "t-1"
    assert line.split("\t")[2:] == ["order_status_tracking", "email", "route\n"]
    assert counts == "result\troute\t1\n"
    assert dry.everything() == before
    assert dry.events() == []


def test_a_ticket_is_routed_and_tagged_without_a_reply(dry: Admin) -> None:
    assert dry.harness.tags() == set()

    assert run("--apply") == 0

    assert handle_queued(dry) == ["processed"]
    assert ROUTE in dry.harness.tags()
    assert dry.harness.replies() == []
    assert dry.harness.decided()["reason"] == "backfill"
    rows = dry.harness.rows("audit")
    outcomes = [row["result"] for row in rows if row["conversation_id"].startswith("sys:decisions")]
    assert sorted(outcomes) == ["dry_run", "routed"]


def test_a_backfill_is_traced_with_its_caller(dry: Admin) -> None:
    run("--apply")

    (trace,) = dry.traces("t-1")
    assert trace == {
        "who": "arn:aws:iam::1:user/ops", "change": "backfill", "conversation": "t-1", "result": "success",
    }  # fmt: skip


def test_a_threat_of_the_dry_run_keeps_its_ticket_with_agents(dry: Admin) -> None:
    dry.harness.switch(dry_run="true")
    dry.harness.ticket(DISPUTE, ticket="t-2")
    dry.harness.handle(dry.harness.event("t-2"))
    dry.harness.switch(dry_run="false")

    run("--apply")

    assert handle_queued(dry) == ["processed", "processed"]
    assert "mw-escalated-human" in dry.harness.tags("t-2")


def test_a_second_backfill_finds_nothing(dry: Admin, capsys: pytest.CaptureFixture[str]) -> None:
    run("--apply")
    handle_queued(dry)
    capsys.readouterr()

    assert run("--apply") == 0

    assert results(capsys) == {}


def test_an_event_that_is_queued_twice_routes_once(dry: Admin) -> None:
    run("--apply")
    (event,) = dry.events()

    for _ in range(2):
        dry.harness.handle(json.dumps(event))

    assert dry.harness.calls()["add_tags"] == 1


def test_a_run_that_died_is_rolled_forward(dry: Admin, monkeypatch: pytest.MonkeyPatch) -> None:
    run("--apply")
    (event,) = dry.events()
    with monkeypatch.context() as patch:
        patch.setattr(
            states, "change_conversation", lambda *_: (_ for _ in ()).throw(Transient("died"))
        )
        with pytest.raises(Transient):
            dry.harness.handle(json.dumps(event))

    assert dry.harness.handle(json.dumps(event), receives=2).outcome == "processed"
    assert ROUTE in dry.harness.tags()


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ("closed", "closed_or_with_an_agent"),
        ("assigned", "closed_or_with_an_agent"),
        ("answered", "closed_or_with_an_agent"),
        ("written", "newer_message"),
        ("deleted", "ticket_not_found"),
        ("erased", "erased"),
    ],
)
def test_a_ticket_that_has_changed_since_is_skipped_with_the_reason(
    dry: Admin, capsys: pytest.CaptureFixture[str], change: str, result: str
) -> None:
    run("--apply")
    queued = dry.events()
    capsys.readouterr()
    alter(dry, change)

    run("--apply")

    assert results(capsys) == {"t-1": result}
    assert dry.events() == []
    # Neither does an event route it that was queued before.
    for event in queued:
        dry.harness.handle(json.dumps(event), receives=4)
    if change in {"closed", "assigned", "answered"}:
        assert ROUTE not in dry.harness.tags()


def alter(admin: Admin, change: str) -> None:
    desk = admin.harness.sandbox.help_desk
    if change == "closed":
        desk.tickets["t-1"].status = "CLOSED"
    elif change == "assigned":
        desk.tickets["t-1"].assignee_id = AGENT
    elif change == "deleted":
        del desk.tickets["t-1"]
    elif change == "erased":
        states.replace_with_tombstone(admin.harness.resources.state, "t-1", 3_600)
    else:
        by_agent: dict[str, Any] = (
            {"is_operator": True, "author_id": AGENT} if change == "answered" else {}
        )
        admin.harness.time.ms += 60_000
        admin.harness.comment("Hello again", **by_agent)


def test_a_ticket_with_a_later_live_decision_is_not_listed(
    dry: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    dry.harness.time.ms += 60_000
    message = dry.harness.comment("And where is my refund?")
    dry.harness.handle(dry.harness.event(message=message))

    run()

    assert results(capsys) == {}


def test_nothing_is_routed_while_dry_run_is_on(
    dry: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--apply")
    (event,) = dry.events()
    dry.harness.switch(dry_run="true")
    dry.module.deps.switchboard.provider().clear_cache()

    assert run("--apply") == 1
    assert "error: --apply: dry run is on" in capsys.readouterr().err
    assert dry.events() == []
    dry.harness.handle(json.dumps(event))
    dry.harness.switch(dry_run="false")
    assert dry.harness.handle(json.dumps(event)).outcome == "processed"


def test_the_number_of_tickets_is_bounded_and_the_rest_is_announced(
    dry: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    dry.harness.switch(dry_run="true")
    for number in (2, 3):
        dry.harness.ticket(WHERE, ticket=f"t-{number}")
        dry.harness.handle(dry.harness.event(f"t-{number}"))
    dry.harness.switch(dry_run="false")

    run("--most", "2")

    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2
    assert "more tickets remain" in shown.err


def test_a_parked_backfill_is_opened_again(dry: Admin) -> None:
    run("--apply")
    (event,) = dry.events()
    dry.harness.handle(json.dumps(event))
    (row,) = [row for row in dry.harness.rows("idempotency") if row.get("reason") == "backfill"]
    table = dry.harness.resources.idempotency
    table.update({"event_id": row["event_id"]}, put={"status": "parked"})
    # The list of decisions was written before the worker parked it.
    dry.harness.resources.audit.delete(
        {
            "conversation_id": f"sys:decisions:{row['created_at'][:10]}",
            "ts_action_id": f"{row['created_at']}#{row['event_id']}",
        }
    )
    assert events.get_many(table, [row["event_id"]])[row["event_id"]].status == "parked"

    run("--apply")

    (event,) = dry.events()
    assert dry.harness.handle(json.dumps(event)).outcome == "processed"


def test_a_day_is_24_hours_also_after_midnight(
    dry: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    hour, day = clock.HOUR_MS, 24 * clock.HOUR_MS
    decided = dry.harness.time.ms - hour
    dry.harness.time.ms = decided - decided % day + day + 1
    run("--days", "1")
    assert results(capsys) == {"t-1": "route"}

    dry.harness.time.ms = decided + day + hour
    run("--days", "1")
    assert results(capsys) == {}
    run("--days", "2")
    assert results(capsys) == {"t-1": "route"}


@pytest.mark.parametrize("given", [("--days", "0"), ("--days", "61"), ("--most", "x")])
def test_a_number_out_of_range_is_refused(given: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        run(*given)

    assert refusal.value.code == 2
