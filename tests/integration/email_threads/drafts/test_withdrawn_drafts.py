"""Drafts that are withdrawn or rejected, and restored."""

from __future__ import annotations

import pytest

from email_threads.api.drafts import steps
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import (
    approve,
    asked,
    begun,
    changes_of,
    composed,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.integration.email_threads.sends.scheduled_sends import step
from tests.simulation.email_threads.system import MAILBOX, System


def test_an_author_withdraws_a_draft_and_restores_it(system: System) -> None:
    draft = composed(system, asked(system))
    step(system, draft, "withdraw", scopes="email_threads:write")
    assert status_of(system, draft) == ("rejected", "withdrawn")
    assert waiting(system) == []
    path = thread_path(draft)
    closed = result(system.call("GET", f"{path}/replies", query={"closed": "1"}))["drafts"]
    assert [one["reply_id"] for one in closed] == [draft.rpartition("/")[2]]

    step(system, draft, "restore", scopes="email_threads:write")

    assert status_of(system, draft) == ("amended", "restored")
    assert waiting(system) == [draft]
    assert result(system.call("GET", f"{path}/replies", query={"closed": "1"}))["drafts"] == []
    actions = [one[1] for one in changes_of(system, path)]
    assert actions == ["compose", "withdraw", "restore"]
    approve(system, draft)
    system.drain()
    assert len(system.sent()) == 1


def test_the_draft_of_another_author_is_not_withdrawn(system: System) -> None:
    draft = composed(system, asked(system))
    key = draft.replace("/email-threads/", "").replace("/replies/", "#draft#")
    system.dynamodb.update_item(
        TableName=system.table,
        Key={"conversation_id": {"S": key}},
        UpdateExpression="SET origin = :o",
        ExpressionAttributeValues={":o": {"S": "user:zoe"}},
    )
    answer = system.call("POST", f"{draft}/withdraw", {"version": 1})
    assert refused(answer)[:2] == (403, "not_the_author")
    assert status_of(system, draft)[0] == "pending"


@pytest.mark.parametrize(("days", "status"), [(29, 200), (31, 404)])
def test_a_rejected_draft_is_restored_for_thirty_days(
    system: System, days: int, status: int
) -> None:
    system.register(MAILBOX, retention_days=90)
    draft = composed(system, asked(system))
    step(system, draft, "reject")
    system.clock.ms += days * 86_400_000

    assert system.call("POST", f"{draft}/restore", {"version": 1})[0] == status


def test_a_restored_first_mail_opens_its_thread_again(system: System) -> None:
    draft = begun(system)
    step(system, draft, "reject")
    assert shown(system, thread_path(draft))["status"] == "archived"
    step(system, draft, "restore")
    assert shown(system, thread_path(draft))["status"] == "active"


def test_a_thread_names_its_newest_closed_drafts(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "MOST_CLOSED", 2)
    path = asked(system)
    made = []
    for number in range(4):
        system.clock.ms += 1_000
        draft = composed(system, path, body_text=f"Draft {number}")
        step(system, draft, "reject")
        made.append(draft.rpartition("/")[2])
    closed = result(system.call("GET", f"{path}/replies", query={"closed": "1"}))["drafts"]
    assert [one["reply_id"] for one in closed] == made[:1:-1]
