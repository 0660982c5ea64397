"""The scenarios of a help desk over the deployed stack: HTTP in; tickets, tables and logs out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
import urllib3

from events.richpanel.sample_data import AGENT_DISPUTES, KEYS
from events.richpanel.samples import ROUTE
from events.richpanel.scenarios import ORDER_NUMBER, PHONE, SCENARIOS, TRACKING_NUMBER, Run
from local.demo.scenarios import help_desk_scenarios
from local.demo.scenarios.help_desk_scenarios import HelpDeskTotals, SceneResult
from local.stack.cli import Stack
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=180)


@dataclass(frozen=True)
class RecruitingDemo:
    """Customers' messages, the answers to the help desk's calls, and the resulting tickets, tables and logs."""

    stack: Stack
    run: Run
    answers: list[int | None]
    totals: HelpDeskTotals
    endings: dict[str, SceneResult]

    def state(self, name: str) -> dict[str, Any]:
        """The stored state of a scenario's ticket."""
        ticket_id = self.run.ticket_id(self.endings[name].scenario)
        rows = help_desk_scenarios.rows(self.stack, "conversation_state")
        return next(row for row in rows if row["conversation_id"] == ticket_id)

    def event_rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a scenario's messages."""
        found = self.endings[name].events
        return [row for row in found if row["event_id"].startswith("evt:")]

    def reply_rows(self, name: str) -> list[dict[str, Any]]:
        """The ledger's rows of a scenario's replies."""
        found = self.endings[name].events
        return [row for row in found if row["event_id"].startswith("act:rp_reply:")]


@pytest.fixture(scope="module")
def demo(deployed: Deployed) -> RecruitingDemo:
    stack, run = deployed.stack, Run.now()
    help_desk_scenarios.seed_help_desk(stack, run)
    answers = [
        status
        for scenario in SCENARIOS
        for status in help_desk_scenarios.play(stack, run, scenario)
    ]
    totals = help_desk_scenarios.wait_until_handled(stack, run, report=lambda _: None)
    endings = {result.scenario.name: result for result in help_desk_scenarios.results(stack, run)}
    return RecruitingDemo(stack, run, answers, totals, endings)


def test_every_call_is_accepted_and_accounted_for(demo: RecruitingDemo) -> None:
    assert demo.answers == [200] * 10
    assert demo.totals.outcomes == Counter(processed=7, duplicate=3)


@pytest.mark.parametrize("name", [scenario.name for scenario in SCENARIOS])
def test_every_scene_ends_as_expected(demo: RecruitingDemo, name: str) -> None:
    ending = demo.endings[name]

    assert ending.scenario.tag in ending.ticket["tags"]
    assert {"mw-processed", "mw-routing-applied"} <= set(ending.ticket["tags"])
    assert len([tag for tag in ending.ticket["tags"] if tag.startswith("route-")]) == 1
    if ending.scenario.reply is None:
        assert ending.replies == []
    else:
        (reply,) = ending.replies
        assert ending.scenario.reply in reply
    assert ending.ticket["status"] == "OPEN"


def test_an_order_is_answered_once_and_kept_in_all_three_tables(demo: RecruitingDemo) -> None:
    (event,) = demo.event_rows("tracking")
    (reply,) = demo.reply_rows("tracking")
    state = demo.state("tracking")

    assert event["status"] == "processed"
    assert event["mode"] == "automation_candidate"
    assert event["intent"] == "order_status_tracking"
    assert "lease_owner" not in event
    assert reply["status"] in {"sent", "confirmed"}
    assert state["last_auto_reply"]["type"] == "order_status"
    assert state["last_processed_message_id"] == event["source_message_id"]
    assert {(row["action_type"], row["result"]) for row in demo.endings["tracking"].audit} == {
        ("route", "success"), ("auto_reply", "success"),
    }  # fmt: skip
    assert demo.endings["tracking"].decision["reason"] == "tier2_verified"


def test_a_dispute_is_assigned_to_its_agents_and_not_answered(demo: RecruitingDemo) -> None:
    ending = demo.endings["dispute"]

    assert ending.ticket["assignee_id"] == AGENT_DISPUTES
    assert ending.decision["tier"] == 0
    assert ending.decision["reason"] == "tier0_always_handoff"
    assert demo.reply_rows("dispute") == []
    assert demo.state("dispute")["risk_flags"] == {"chargeback"}


def test_a_message_delivered_twice_has_one_row_and_one_decision(demo: RecruitingDemo) -> None:
    assert len(demo.event_rows("called-twice")) == 1
    assert len(demo.reply_rows("called-twice")) == 1
    assert demo.endings["called-twice"].decision["tier"] == 1


def test_a_burst_is_answered_in_one_turn(demo: RecruitingDemo) -> None:
    *covered, newest = sorted(demo.event_rows("burst"), key=lambda row: "covered_by" not in row)

    assert [row["covered_by"] for row in covered] == [newest["event_id"]] * 2
    assert [row["status"] for row in (*covered, newest)] == ["processed"] * 3
    assert demo.endings["burst"].decision["turn"] == 3


def test_a_reply_does_not_reveal_whether_another_customers_order_exists(
    demo: RecruitingDemo,
) -> None:
    (not_hers,) = demo.endings["foreign-order"].replies
    (not_there,) = demo.endings["unknown-order"].replies

    assert not_hers == not_there
    assert ORDER_NUMBER not in not_hers


def test_a_chat_has_a_queue_of_its_own(demo: RecruitingDemo) -> None:
    fifo_queues = Counter(
        (line["channel"], line["queue"])
        for line in help_desk_scenarios.handled(demo.stack, demo.run)
    )

    assert fifo_queues == {
        ("email", "parley-local-richpanel.fifo"): 9,
        ("livechat", "parley-local-richpanel-live.fifo"): 1,
    }


def test_without_a_token_no_call_is_accepted(demo: RecruitingDemo) -> None:
    answer = http.request("POST", demo.stack.api_url + ROUTE, json={"ticket_id": "1"})

    assert answer.status == 401
    assert answer.json() == {"status": "error", "code": "unauthorized"}


def test_the_keys_are_stored_beside_the_salt_of_the_deployment(demo: RecruitingDemo) -> None:
    secret = demo.stack.secret("richpanel_keys")

    assert len(secret.pop("salt")) == 64
    # Another test may have added the key of a language model.
    assert secret.items() >= KEYS.items()


def test_no_message_is_in_the_dead_letters(demo: RecruitingDemo) -> None:
    answer = demo.stack.client("sqs").get_queue_attributes(
        QueueUrl=demo.stack.queues["richpanel_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )

    assert answer["Attributes"]["ApproximateNumberOfMessages"] == "0"


def test_no_customer_data_are_logged_or_stored_in_plain_text(demo: RecruitingDemo) -> None:
    logs = demo.stack.client("logs").get_paginator("filter_log_events")
    logged = [
        event["message"]
        for group in (help_desk_scenarios.INGRESS_LOGS, help_desk_scenarios.WORKER_LOGS)
        for page in logs.paginate(logGroupName=group)
        for event in page["events"]
    ]
    kept = [
        json.dumps(row, default=str)
        for table in ("idempotency", "conversation_state", "audit_actions")
        for row in help_desk_scenarios.rows(demo.stack, table)
    ]
    addresses = {demo.run.address(scenario.customer) for scenario in SCENARIOS}
    words = {text for scenario in SCENARIOS for text in scenario.messages}
    replies = {
        line for e in demo.endings.values() for said in e.replies for line in said.split("\n")
    }
    secrets = addresses | words | {line for line in replies if len(line) > 20}
    secrets |= {PHONE, PHONE[-8:], ORDER_NUMBER, TRACKING_NUMBER, *KEYS.values()}

    assert len(logged) > 20
    assert len(kept) > 50
    everything = "\n".join([*logged, *kept])
    assert [secret for secret in secrets if secret in everything] == []
