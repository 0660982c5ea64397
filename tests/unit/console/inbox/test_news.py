"""The pure functions of the console that decide of which messages a person is notified, and the page's title."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run


def row(key: str, minute: int, assignee: str | None = None, unread: int = 1) -> dict[str, Any]:
    at = f"2026-01-01T12:{minute:02}:00.000Z"
    return {
        "context": "whatsapp",
        "key": key,
        "assignee": assignee,
        "unreadCount": unread,
        "lastActivityAt": at,
    }


def news(
    now: list[dict[str, Any]],
    before: list[dict[str, Any]],
    *,
    wish: str = "all",
    has_more: bool = False,
    open_key: str | None = None,
) -> list[str]:
    """Return the keys of the conversations that cause a notification for the person `user:me` of team `team:a`."""
    value = {
        "now": {"rows": now, "hasMore": has_more},
        "before": {"rows": before, "hasMore": has_more},
        "wish": wish,
        "mine": ["user:me", "team:a"],
        "open": open_key,
    }
    found = run(
        "live/news.ts",
        "m.newsOf(value.now, value.before, value.wish, value.mine, value.open).map((row) => row.key)",
        value,
    )
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("wish", "keys"),
    [("off", []), ("mine", ["mine", "team"]), ("all", ["mine", "team", "kims", "free"])],
)
def test_a_person_is_notified_of_new_messages_that_they_want_once(
    wish: str, keys: list[str]
) -> None:
    old = row("old", 5, "user:me")
    now = [
        row("mine", 9, "user:me"),
        row("team", 8, "team:a"),
        row("kims", 7, "user:kim"),
        row("free", 6),
        row("shown", 6, "user:me"),
        row("read", 6, "user:me", unread=0),
        old,
    ]

    assert news(now, [old], wish=wish, open_key="shown") == keys
    assert news(now, now, wish=wish) == []


@pytest.mark.parametrize("minute", [4, 5])
def test_a_message_that_is_older_than_another_conversations_or_as_old_is_news(minute: int) -> None:
    other = row("other", 5)

    assert news([other, row("late", minute)], [other]) == ["late"]


def test_a_further_message_is_news_whether_the_earlier_ones_were_read_or_not() -> None:
    assert news([row("a", 5, unread=2)], [row("a", 5)]) == ["a"]
    assert news([row("a", 6)], [row("a", 5, unread=3)]) == ["a"]


def test_an_old_conversation_that_moves_up_onto_the_page_is_no_news() -> None:
    before = [row("b", 9), row("a", 7)]

    assert news([row("a", 7), row("behind", 6)], before, has_more=True) == []
    assert news([row("new", 8), row("a", 7)], before, has_more=True) == ["new"]


def test_the_title_has_the_number_of_unread_conversations() -> None:
    looks: list[tuple[list[Any], bool]] = [([], False), ([{}], False), ([{}] * 99, True)]
    value = [{"rows": rows, "hasMore": more} for rows, more in looks]

    titles = run("live/news.ts", "value.map((one) => m.titleWith(one, 'Parley'))", value)

    assert titles == ["Parley", "(1) Parley", "(99+) Parley"]
