"""How long customers wait for an answer: what the heads of WhatsApp say, and the list of those that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from console.api import inbox as reading
from shared.inbox.items import Context
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.store.conversations.inbox_heads import shown
from whatsapp.store.items import Conversation
from whatsapp.store.ordering import order_key

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem, Listed


def at(minute: int) -> str:
    return f"2026-01-01T12:{minute:02}:00.000Z"


def waiting_since(*inbound: int, answered: int | None = None, **facts: Any) -> str | None:
    """Since when a customer waits who wrote at these minutes, after an answer at the minute *answered*."""
    head = shown(
        Conversation(
            pk=Conversation.key(PHONE, "447700900101"),
            inbox_pk="INBOX#1",
            company="acme",
            phone=PHONE,
            received_at=at(59),
            recent_keys={order_key(at(minute), f"wamid.{minute}") for minute in inbound},
            last_outbound_at=at(answered) if answered is not None else None,
            **facts,
        )
    )
    assert head is not None
    return head.waiting_since


@pytest.mark.parametrize(
    ("inbound", "answered", "since"),
    [
        ((3, 5), None, at(3)),
        ((3, 5, 9), 4, at(5)),
        ((3, 5), 6, None),
        ((3, 5), 5, None),  # in the same millisecond
        ((), 4, None),  # the company began
        ((), None, None),
    ],
)
def test_a_customer_waits_since_their_first_message_after_the_newest_answer(
    inbound: tuple[int, ...], answered: int | None, since: str | None
) -> None:
    assert waiting_since(*inbound, answered=answered) == since


def test_after_many_messages_a_customer_waits_at_least_since_the_last_that_is_not_kept() -> None:
    floor = order_key(at(20), "wamid.20")

    assert waiting_since(30, 40, answered=10, ring_floor=floor) == at(20)
    assert waiting_since(30, 40, answered=25, ring_floor=floor) == at(30)


@pytest.mark.parametrize(
    ("facts", "waits"),
    [
        ({"status": "resolved"}, False),
        ({"archived": True}, False),
        ({"status": "snoozed", "snoozed_until": at(59)}, True),
    ],
)
def test_closing_a_conversation_ends_the_wait(facts: dict[str, Any], *, waits: bool) -> None:
    assert (waiting_since(3, **facts) is not None) == waits


def names(page: Any) -> list[str]:
    return [row["handle"] for row in page.result["conversations"]]


def test_those_that_wait_are_listed_by_their_wait_over_pages(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their newest messages have another order."""
    monkeypatch.setattr(reading, "ENTRIES_PER_CALL", 5)
    listed.show("oldest", 1, waiting_since=at(1))  # compared by the last call
    for minute, (name, since) in enumerate({"c": 9, "a": 4, "d": 9, "b": 7}.items(), 10):
        listed.show(name, minute, waiting_since=at(since), context=Context.EMAIL_THREADS)
    listed.show("answered", 30)

    pages: list[list[str]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = inbox.get(waiting="true", limit="2", **cursor)
        pages.append(names(page))
        if "cursor" not in page.body:
            break
        cursor = {"cursor": page.body["cursor"]}

    (first, second, *more) = pages
    assert first == ["a", "b"]
    assert sorted(second) == ["c", "d"]
    assert [name for page in more for name in page] == ["oldest"]
    assert inbox.rows(waiting="true")[0]["waitingSince"] == at(4)
