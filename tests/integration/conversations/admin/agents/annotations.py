"""What a conversation shows of its labels and its snooze."""

from __future__ import annotations

from conversations.store import conversations
from tests.integration.conversations.harness import Harness


def shown(harness: Harness, ref: str) -> tuple[list[str], str | None, int]:
    view = harness.look(ref)
    return view["labels"], view.get("snoozed_until"), view["revision"]


def kept_until(harness: Harness, ref: str, ttl: int) -> None:
    """Set when a conversation is deleted (epoch seconds)."""
    item = harness.item(ref)
    table = harness.resources.table
    conversations.change(table, item.primary_channel, item.conversation_id, lambda _: {"ttl": ttl})
