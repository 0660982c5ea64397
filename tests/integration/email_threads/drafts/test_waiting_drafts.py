"""The lists of drafts: drafts that wait for a person, and drafts of a thread."""

from __future__ import annotations

import pytest

from email_threads.api.drafts import actions
from tests.integration.email_threads.api.thread_calls import THREADS, refused, result, thread_of
from tests.integration.email_threads.drafting import (
    asked,
    begun,
    composed,
    draft_path,
    drafted,
    send,
    shown,
    thread_path,
    waiting,
)
from tests.simulation.email_threads.system import ASSISTED, System, mail


def test_waiting_drafts_are_listed_oldest_change_first_in_full_pages(system: System) -> None:
    path = asked(system)
    drafts = []
    for _ in range(4):
        drafts.append(composed(system, path))
        system.clock.ms += 1_000
    result(system.call("PATCH", drafts[0], {"version": 1, "body_text": "No."}))

    pages: list[list[str]] = []
    query = {"limit": "2"}
    while True:
        status, body = system.call("GET", f"{THREADS}/drafts", query=query)
        assert status == 200
        pages.append([draft_path(one) for one in body["result"]["drafts"]])
        if "cursor" not in body:
            break
        query["cursor"] = body["cursor"]

    assert pages == [drafts[1:3], [drafts[3], drafts[0]]]


def test_waiting_drafts_of_one_mailbox_are_listed_in_full_pages(system: System) -> None:
    system.register("sales@shop.example")
    path = asked(system)
    for _ in range(3):
        composed(system, path)
        system.clock.ms += 1_000
    wanted = begun(system, mailbox="sales@shop.example")

    assert waiting(system, mailbox="sales@shop.example", limit="1") == [wanted]


def test_a_sent_draft_waits_no_more(system: System) -> None:
    draft = drafted(system)
    assert waiting(system) == [draft]
    assert waiting(system, mailbox=ASSISTED) == []

    send(system, draft)

    assert waiting(system) == []
    assert result(system.call("GET", f"{thread_path(draft)}/replies")) == {"drafts": []}
    assert shown(system, draft)["draft_status"] == "sent"


def test_waiting_drafts_of_another_company_are_not_listed(system: System) -> None:
    drafted(system)

    answer = result(system.call("GET", f"{THREADS}/drafts", company="globex"))

    assert answer == {"drafts": []}


def test_a_cursor_of_waiting_drafts_belongs_to_its_query(system: System) -> None:
    path = asked(system)
    for _ in range(3):
        composed(system, path)
    cursor = system.call("GET", f"{THREADS}/drafts", query={"limit": "1"})[1]["cursor"]

    for more in ({"mailbox": ASSISTED}, {"company": "globex"}):
        company = more.pop("company", "acme")
        answer = system.call(
            "GET", f"{THREADS}/drafts", query={"cursor": cursor, **more}, company=company
        )
        assert refused(answer)[:2] == (400, "invalid_cursor")


def test_the_drafts_of_a_thread_are_listed_newest_change_first(system: System) -> None:
    path = asked(system)
    first = composed(system, path)
    system.clock.ms += 1_000
    second = composed(system, path)

    listed = result(system.call("GET", f"{path}/replies"))["drafts"]

    assert [draft_path(one) for one in listed] == [second, first]


def test_threads_are_filtered_by_whether_they_have_an_open_draft(system: System) -> None:
    draft = drafted(system)
    thread_of(system, mail("other@x", "Is it blue?", subject="Blue"))

    def subjects(**query: str) -> list[str]:
        return [
            one["subject"] for one in result(system.call("GET", THREADS, query=query))["threads"]
        ]

    assert len(subjects(has_draft="1")) == 1
    assert subjects(has_draft="0") == ["Blue"]
    send(system, draft)
    assert subjects(has_draft="1") == []


def test_a_page_of_one_mailbox_reads_a_bounded_number_of_drafts(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    system.register("sales@shop.example")
    path = asked(system)
    for _ in range(4):
        composed(system, path)
        system.clock.ms += 1_000
    wanted = begun(system, mailbox="sales@shop.example")
    monkeypatch.setattr(actions, "_ROWS", 1)
    monkeypatch.setattr(actions, "MOST_ROWS", 3)
    query = {"mailbox": "sales@shop.example", "limit": "1"}

    _, first = system.call("GET", f"{THREADS}/drafts", query=query)
    _, second = system.call("GET", f"{THREADS}/drafts", query=query | {"cursor": first["cursor"]})

    assert first["result"] == {"drafts": []}
    assert [draft_path(one) for one in second["result"]["drafts"]] == [wanted]
