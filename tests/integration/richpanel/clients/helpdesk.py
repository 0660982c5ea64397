"""A ticket of the sandbox's help desk, and the requests to it."""

from __future__ import annotations

from typing import Any

from local.sandbox import Sandbox
from local.sandbox.accounts.tickets import TicketSeed

SEED: dict[str, Any] = {
    "id": "t-1",
    "subject": "Where is it?",
    "sender": "jane@shop.example",
    "profile_email": "jane@home.example",
    "tags": ["vip"],
    "assignee_id": "agent-7",
    "updated_at": "2026-03-02T12:30:00Z",
    "comments": [
        {
            "id": "m-2",
            "body": "<p>Hello</p>",
            "author_id": "agent-7",
            "is_operator": True,
            "created_at": "2026-03-02T12:20:00Z",
        },
        {
            "id": "m-1",
            "body": "<p>Where?</p>",
            "plain_body": "Where?",
            "created_at": "2026-03-02T12:00:00Z",
            "attachment_ids": ["f-1"],
        },
    ],
}


def seed(sandbox: Sandbox, **change: Any) -> None:
    sandbox.help_desk.seed(TicketSeed.model_validate(SEED | change), "2026-03-02T12:30:00Z")


def operations(sandbox: Sandbox) -> list[str]:
    return [sent.operation for sent in sandbox.sent]
