"""Tickets that agents write in, or that are assigned to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.richpanel.harness import AGENT, BOT, DISPUTE, WHERE, Harness, open_harness

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time


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
