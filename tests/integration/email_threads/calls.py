"""Calls to the table, counted and killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.email_threads.inbox import Inbox


class Died(BaseException):
    """The process is killed."""


def calls_of(inbox: Inbox, use: Callable[[], object]) -> int:
    """Count the calls to the table."""
    names: list[str] = []
    inbox.client.meta.events.register(
        "before-call.dynamodb", lambda **more: names.append(more["model"].name), unique_id="count"
    )
    use()
    inbox.client.meta.events.unregister("before-call.dynamodb", unique_id="count")
    return len(names)


def die_at(inbox: Inbox, number: int, event: str, use: Callable[[], object]) -> None:
    """Run *use* and kill it before or after its call with this number."""
    seen = 0

    def count(**_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            raise Died

    inbox.client.meta.events.register(f"{event}.dynamodb", count, unique_id="die")
    try:
        with pytest.raises(Died):
            use()
    finally:
        inbox.client.meta.events.unregister(f"{event}.dynamodb", unique_id="die")


def by_key(inbox: Inbox) -> dict[str, dict[str, Any]]:
    return {item["conversation_id"]["S"]: item for item in inbox.items()}
