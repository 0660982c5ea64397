"""The registry of mailboxes, over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store.configuration import mailboxes
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.simulation.email_threads.system import ANN, ASSISTED, AUTOMATED, BOB, MAILBOX

if TYPE_CHECKING:
    from email_threads.store.items import Mailbox
    from shared.aws.dynamodb import Table
    from tests.simulation.email_threads.system import System


def test_mailboxes_are_registered_changed_and_removed(system: System) -> None:
    path = "/email-mailboxes/Sales@Shop.example"
    given = {
        "display_name": "Shop",
        "automation": "email_threads",
        "retention_days": 90,
        "reply_mode": "auto",
        "ai": {
            "provider": "bedrock",
            "model": "a-model",
            "max_output_tokens": 3_000,
            "cache_prompt": True,
        },
        "requirements_schema": {
            "type": "object",
            "properties": {"size": {"type": "string", "description": "S, M or L"}},
            "required": ["size"],
        },
        "auto_complete": True,
        "facts": ["A chair costs $40."],
        "link_hosts": ["shop.example"],
        "signature": "The shop",
    }
    result(system.call("PUT", path, given))
    assert result(system.call("GET", path)) == {
        "address": "sales@shop.example",
        "enabled": True,
        "ai_version": 1,
        "updated_at": "2026-01-01T13:00:00.000Z",
        **given,
    }
    listed = result(system.call("GET", "/email-mailboxes"))["mailboxes"]
    assert [one["address"] for one in listed] == [
        ASSISTED,
        AUTOMATED,
        "sales@shop.example",
        MAILBOX,
    ]

    result(system.call("DELETE", path))

    assert refused(system.call("GET", path))[:2] == (404, "not_found")
    assert len(result(system.call("GET", "/email-mailboxes"))["mailboxes"]) == 3


def test_settings_that_are_stored_while_a_sender_is_blocked_keep_both(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, meanwhile = mailboxes.put, iter([ANN, BOB])

    def slow(table: Table, mailbox: Mailbox, present: Mailbox | None) -> bool:
        for sender in meanwhile:
            mailboxes.block(table, mailbox, sender)
            break
        return put(table, mailbox, present)

    monkeypatch.setattr(mailboxes, "put", slow)
    path = f"/email-mailboxes/{MAILBOX}"
    for given in ({"undo_seconds": 10}, {"reopen_days": 3}):
        result(system.call("PUT", path, given))

    found = result(system.call("GET", path))
    assert (found["undo_seconds"], found["reopen_days"]) == (10, 3)
    assert sorted(found["blocked_senders"]) == [ANN, BOB]


def test_fewer_tokens_than_an_analysis_needs_are_refused_with_the_limit(system: System) -> None:
    model = {"provider": "bedrock", "model": "a-model", "max_output_tokens": 2_047}
    status, answer = system.call("PUT", "/email-mailboxes/sales@shop.example", {"ai": model})

    assert status == 400
    [fault] = answer["error"]["details"]
    assert fault["field"] == "ai.max_output_tokens"
    assert "2048" in fault["problem"]


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/email-mailboxes/no-address", {}),
        ("/email-mailboxes/a@b.example", {"retention_days": 0}),
        ("/email-mailboxes/a@b.example", {"automation": "robots"}),
        ("/email-mailboxes/a@b.example", {"enabled": "yes"}),
    ],
)
def test_bad_mailboxes_are_refused(system: System, path: str, given: dict[str, Any]) -> None:
    assert refused(system.call("PUT", path, given))[:2] == (400, "invalid_input")
