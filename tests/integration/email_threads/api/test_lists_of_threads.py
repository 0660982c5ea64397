"""Lists and searches of threads: order, pages, filters and bounds."""

from __future__ import annotations

import pytest

from email_threads.api import queries
from email_threads.store.lists import thread_lists
from tests.integration.email_threads.api.thread_calls import (
    THREADS,
    refused,
    result,
    subjects_of,
    thread_of,
)
from tests.simulation.email_threads.system import ANN, AUTOMATED, BOB, MAILBOX, System, mail


def test_threads_are_listed_newest_first_in_full_pages_of_one_mailbox(system: System) -> None:
    for number in range(6):
        thread_of(system, mail(f"{number}@x", subject=f"s{number}"))
        system.deliver(mail(f"other{number}@x", to=AUTOMATED), name=f"o{number}", address=AUTOMATED)
        system.drain()
    query = {"mailbox": MAILBOX, "limit": "2"}

    found: list[list[str]] = []
    status, body = system.call("GET", THREADS, query=query)
    while True:
        assert status == 200
        found.append([thread["subject"] for thread in body["result"]["threads"]])
        if "cursor" not in body:
            break
        status, body = system.call("GET", THREADS, query=query | {"cursor": body["cursor"]})

    assert found == [["s5", "s4"], ["s3", "s2"], ["s1", "s0"]]


def test_the_threads_of_a_person_are_listed_with_those_that_colleagues_began(
    system: System,
) -> None:
    thread_of(system, mail("a@x", subject="of Ann"))
    thread_of(system, mail("b@x", subject="of Bob", sender=BOB))
    joined = mail("c@x", subject="Re: of Bob", sender="zoe@mill.example", in_reply_to="b@x")
    thread_of(system, joined)

    assert subjects_of(system, participant=ANN) == ["of Ann"]
    assert subjects_of(system, participant="Zoe@Mill.example") == ["of Bob"]
    assert subjects_of(system, participant=BOB, mailbox=AUTOMATED) == []


def test_a_list_can_be_filtered(system: System) -> None:
    path = thread_of(system, mail("a@x", "A red chair.", subject="One"))
    thread_of(system, mail("b@x", "A blue chair.", subject="Two"))
    result(
        system.call("PATCH", path, {"assigned_to": "ada", "priority": "high", "add_tags": ["t"]})
    )

    for query in ({"assigned_to": "ada"}, {"priority": "high"}, {"tag": "t"}, {"q": "RED  Chair"}):
        assert subjects_of(system, **query) == ["One"], query
    assert subjects_of(system, q=BOB) == []
    assert subjects_of(system, status="completed") == []


def test_a_search_reads_no_thread_that_does_not_fit(system: System) -> None:
    for number in range(12):
        thread_of(system, mail(f"{number}@x", f"text {number}."))
    system.interceptor.rewind()
    read: list[int] = []
    system.interceptor.observer = lambda name, parameters: (
        read.append(len(next(iter(parameters["RequestItems"].values()))["Keys"]))
        if name == "dynamodb.BatchGetItem"
        else None
    )

    assert len(subjects_of(system, q="text 7", mailbox=MAILBOX)) == 1
    assert read == [1]


def test_a_search_that_finds_nothing_stops_and_says_how_far_it_looked(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_lists, "ROWS_OF_SEARCH", 1)
    monkeypatch.setattr(queries, "MOST_PAGES", 2)
    for number in range(3):
        thread_of(system, mail(f"{number}@x", subject=f"s{number}"))
    changed = sorted(thread["updated_at"] for thread in system.threads())
    system.interceptor.rewind()

    first = system.call("GET", THREADS, query={"q": "nothing"})[1]
    read = [name for name in system.interceptor.calls if name.startswith("dynamodb.Query")]
    last = system.call("GET", THREADS, query={"q": "nothing", "cursor": first["cursor"]})[1]

    assert len(read) == 2
    assert first["result"] == {"threads": [], "looked_back_to": changed[1]}
    assert last["result"] == {"threads": []}
    assert "cursor" not in last


def test_a_cursor_belongs_to_its_query(system: System) -> None:
    for number in range(2):
        thread_of(system, mail(f"{number}@x"))
    cursor = system.call("GET", THREADS, query={"limit": "1"})[1]["cursor"]

    answer = system.call("GET", THREADS, query={"cursor": cursor, "mailbox": MAILBOX})

    assert refused(answer)[:2] == (400, "invalid_cursor")
