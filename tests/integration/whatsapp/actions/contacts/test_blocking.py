"""Blocked users at Graph, with an outcome for each user."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import PHONE

PATH = "/{Version}/{Phone-Number-ID}/block_users"
HEAD = f"CONV#{PHONE}#{ADA}"
SILENT = "447700900555"


def run(actions: Actions, action: str, users: list[str], **more: Any) -> Any:
    return actions.run(action, {"phoneNumberId": PHONE, "users": users}, **more)


def test_a_customer_is_blocked_and_unblocked_at_the_provider_and_on_the_conversation(
    actions: Actions,
) -> None:
    blocked = run(actions, "block_users", [f"+{ADA}"])

    assert blocked.result == {"users": [{"user": f"+{ADA}", "outcome": "blocked"}]}
    assert actions.item(HEAD)["blocked"] is True
    listed = actions.run("get_blocked_users", {"phoneNumberId": PHONE})
    assert listed.result == {"users": [ADA]}
    unblocked = run(actions, "unblock_users", [f"+{ADA}"])
    assert unblocked.result["users"][0]["outcome"] == "unblocked"
    assert actions.item(HEAD)["blocked"] is False
    post, _, delete = actions.wire
    assert wire.problems(post, "POST", PATH) == wire.problems(delete, "DELETE", PATH) == []
    body = {"messaging_product": "whatsapp", "block_users": [{"user": f"+{ADA}"}]}
    assert post.body == delete.body == body


def test_only_the_users_that_the_provider_blocked_are_marked(actions: Actions) -> None:
    actions.sandbox.objects["silent_users"][SILENT] = True
    users = run(actions, "block_users", [f"+{ADA}", f"+{SILENT}"]).result["users"]

    assert [user["outcome"] for user in users] == ["blocked", "failed"]
    assert (users[1]["code"], users[1]["reason"]) == (131047, "Re-engagement required")
    assert f"CONV#{PHONE}#{SILENT}" not in actions.harness.keys()


def test_blocked_users_are_listed_page_by_page(actions: Actions) -> None:
    run(actions, "block_users", [f"+{ADA}", f"+{SILENT}"])
    body = {"phoneNumberId": PHONE, "limit": 1}
    first = actions.run("get_blocked_users", body)
    second = actions.run("get_blocked_users", body | {"cursor": first.body["cursor"]})

    assert first.result["users"] + second.result["users"] == [ADA, SILENT]
    assert "cursor" not in second.body
    assert actions.wire[-1].query == {"limit": "1", "after": ADA}


@pytest.mark.parametrize(("status", "expected"), [(429, 429), (500, 503), (401, 422)])
def test_a_failed_call_marks_no_customer(actions: Actions, status: int, expected: int) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="block_users", kind="status", status=status, times=3
    )

    assert run(actions, "block_users", [f"+{ADA}"]).status == expected
    assert "blocked" not in actions.item(HEAD)


def test_lists_and_numbers_are_checked(actions: Actions) -> None:
    assert run(actions, "block_users", []).status == 400
    assert run(actions, "block_users", ["+447700900101"] * 1_001).status == 400
    assert run(actions, "block_users", [f"+{ADA}"], caller=GLOBEX).status == 404
    assert actions.run("get_blocked_users", {}).status == 400
    assert actions.wire == []
