"""GET /inbox?q=...: words, spellings of numbers and names, the limit of searches, and their reported effort."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from console.api import inbox as reading
from console.store import searches
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.runtime.failures import Transient
from tests.integration.console.system import ACME, GLOBEX, InboxSystem, Listed

if TYPE_CHECKING:
    pass


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ada", ["one"]),
        ("ADA byrne", ["one"]),
        ("bike", ["one", "two"]),
        ("repair bike", ["one"]),
        ("chairs", ["two"]),
        ("4477", ["one"]),
        ("nothing", []),
        ("STRASSE", ["two"]),
    ],
)
def test_a_search_finds_words_of_contact_handle_subject_and_preview(
    inbox: InboxSystem, listed: Listed, words: str, found: list[str]
) -> None:
    listed.show(
        "1",
        2,
        address="one",
        contact="Ada Byrne",
        handle="447700900101",
        preview="Can you repair my bike?",
    )
    listed.show(
        "2", 1, address="two", contact="Jürgen, Lange Straße", subject="Chairs", preview="Bikes too"
    )

    assert [row["address"] for row in inbox.rows(q=words)] == found


@pytest.mark.parametrize(
    ("handle", "spellings"),
    [
        (
            "447700900101",
            [
                "+44 770 090 0101",  # as the console shows it
                "+447700900101",
                "07700 900101",
                "(07700) 900-101",
                "0044 7700 900101",
                "011 44 7700 900101",
                "+44 (0)7700 900101",
                "\u202a+44\u00a07700\u2011900101\u202c",
                "\uff0b\uff14\uff14 7700 900101",
                "7700 9001",
                "07700",
            ],
        ),
        ("+4915112345678", ["0151 12345678", "0151/123 456-78", "+49 (0) 151 12345678", "1511234"]),
        ("12025550105", ["(202) 555-0105", "202.555.0105", "1-202-555-0105", "+1 202 555 0105"]),
        ("79123456789", ["8 (912) 345-67-89", "912 345-67-89", "+7 912 345 67 89"]),
        ("3614567890", ["06 1 456 7890", "+36 1 456 7890"]),
        ("390612345678", ["06 1234 5678", "+39 06 1234 5678"]),
        ("5215512345678", ["55 1234 5678", "+52 55 1234 5678", "+52 1 55 1234 5678"]),
        ("551187654321", ["(11) 98765-4321", "+55 11 98765-4321", "+55 11 8765-4321"]),
        ("971501234567", ["\u0660\u0665\u0660 1234567", "050 123 4567"]),
    ],
)
def test_any_spelling_of_a_number_finds_its_conversation_and_no_other(
    inbox: InboxSystem, listed: Listed, handle: str, spellings: list[str]
) -> None:
    listed.show("1", 2, address="one", contact="Ada", handle=handle)
    listed.show("2", 1, address="two", contact="Ada", handle="33612987654")
    listed.show("3", 1, address="three", contact="Ada", handle="x7700900101@example.com")

    found = {
        words: [row["address"] for row in inbox.rows(q=words) if row["address"] != "three"]
        for spelling in spellings
        for words in (spelling, f"ada {spelling}")
    }

    assert [words for words, rows in found.items() if rows != ["one"]] == []


@pytest.mark.parametrize(
    "words", ["0770", "+33 7700 900101", "07700 900102", "90 01 02", "+7 7009", "000", "()"]
)
def test_other_numbers_find_nothing(inbox: InboxSystem, listed: Listed, words: str) -> None:
    listed.show("1", contact="Ada", handle="447701900101")

    assert inbox.rows(q=words) == []


@pytest.mark.parametrize(
    ("contact", "words"),
    [
        ("José Núñez", ["jose nunez", "JOSÉ", "Jose\u0301"]),
        ("Jose Nunez", ["josé núñez"]),
        ("Łukasz Sørensen", ["lukasz sorensen", "ŁUKASZ"]),
        ("Nguyễn Thị Đào", ["nguyen thi dao"]),
        ("İpek Y\u0131ld\u0131z", ["ipek yildiz", "IPEK"]),
        ("Jürgen Weiß", ["jurgen", "weiss", "WEISS"]),
        ("Ζωή Παπαδάκη", ["ζωη παπαδακη"]),
        ("Семён Зайцев", ["семен"]),
        ("ﬁona", ["fiona"]),
        ("محمد", ["محمد"]),
        ("山田 太郎", ["太郎"]),
    ],
)
def test_names_are_found_with_and_without_accents(
    inbox: InboxSystem, listed: Listed, contact: str, words: list[str]
) -> None:
    listed.show("1", address="one", contact=contact)
    listed.show("2", address="two", contact="Tom Byrne")

    found = {one: [row["address"] for row in inbox.rows(q=one)] for one in words}

    assert [one for one, rows in found.items() if rows != ["one"]] == []


def test_a_search_of_all_statuses_finds_archived_conversations_and_names_the_status(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("open", 4, contact="Ada")
    listed.show(
        "snoozed", 3, contact="Ada", status="snoozed", snoozed_until="2026-01-01T13:00:00.000Z"
    )
    listed.show("resolved", 2, contact="Ada", status="resolved")
    listed.show("archived", 1, contact="Ada", status="archived", unread_count=1)

    rows = inbox.rows(q="ada", status="all")

    assert [row["status"] for row in rows] == ["open", "snoozed", "resolved", "archived"]
    assert [row["status"] for row in inbox.rows(q="ada", status="all", assignee="kim")] == []


def test_a_caller_searches_sixty_times_a_minute_and_hears_when_the_next_search_may_run(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("of-a")
    for _ in range(searches.PER_MINUTE.most):
        assert inbox.get(q="of").status == 200

    refused = inbox.get(q="of")

    assert refused.status == 429
    assert refused.error == "rate_limited"
    assert (
        "searches of one caller are limited to 60 calls per minute"
        in refused.body["error"]["message"]
    )
    assert inbox.get().status == 200, "a list without words is no search"
    assert inbox.get(replace(ACME, principal="user:other"), q="of").status == 200
    assert inbox.get(GLOBEX, q="of").status == 200


def test_a_search_runs_if_it_cannot_be_counted(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.show("of-a")

    def fail(*_: object) -> int:
        raise Transient("quota_contended")

    monkeypatch.setattr(Quotas, "take", fail)

    assert [row["handle"] for row in inbox.rows(q="of")] == ["of-a"]


def test_a_search_says_how_far_it_looked_and_what_it_cost(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ENTRIES_PER_CALL", 3)
    for minute in range(5):
        listed.show(f"customer-{minute}", minute)

    first = inbox.get(q="nothing")
    rest = inbox.get(q="nothing", cursor=first.body["cursor"])

    looked = [
        (one.result["lookedAt"], one.result["lookedBackTo"], one.result["readUnits"])
        for one in (first, rest)
    ]
    assert looked == [(3, "2026-01-01T12:02:00.000Z", 1), (2, "2026-01-01T12:00:00.000Z", 1)]
    assert "cursor" not in rest.body


def test_a_search_of_an_empty_inbox_looked_at_nothing(inbox: InboxSystem) -> None:
    result = inbox.get(q="nothing").result

    assert (result["lookedAt"], result["readUnits"]) == (0, 0)
    assert "lookedBackTo" not in result
