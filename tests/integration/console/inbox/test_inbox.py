"""GET /inbox: conversations of all contexts that the caller may read, filtered, searched and paged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.api import inbox as reading
from shared.inbox.items import Context
from shared.runtime import clock
from tests.integration.console.system import ACME, GLOBEX, READ, InboxSystem, Listed
from tests.integration.whatsapp.conftest import NOW

if TYPE_CHECKING:
    from shared.api.auth import Caller

BETWEEN = "2026-01-01T11:00:00.000Z"  # before the tests' time, noon
LATER = "2026-01-01T13:00:00.000Z"


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["handle"] for row in rows]


def with_scopes(*scopes: str, projects: str = "*") -> Caller:
    return replace(ACME, scopes=frozenset(scopes), projects=frozenset(projects.split()))


def test_conversations_of_all_contexts_are_listed_newest_first(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("wa", 1)
    listed.show("mail", 3, context=Context.EMAIL_THREADS, address="help@acme.example")
    listed.show("sms", 2, context=Context.CONVERSATIONS, channel="sms", project_id="p1")

    rows = inbox.rows()

    assert names(rows) == ["mail", "sms", "wa"]
    assert [row["context"] for row in rows] == ["email_threads", "conversations", "whatsapp"]


def test_the_companys_number_is_written_as_in_its_country_unless_it_is_an_id_of_whatsapp(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("berlin", 4, context=Context.CONVERSATIONS, address="+493012345678")
    listed.show("leeds", 3, context=Context.CONVERSATIONS, address="+441134960000")
    listed.show("mail", 2, context=Context.EMAIL_THREADS, address="help@acme.example")
    listed.show("wa", 1, address="106540352242922")

    assert [row.get("addressText") for row in inbox.rows()] == [
        "+49 30 12345678",
        "+44 113 496 0000",
        "help@acme.example",
        None,
    ]


@pytest.mark.parametrize("context", [Context.CONVERSATIONS, Context.EMAIL_THREADS])
def test_the_keys_of_the_other_contexts_are_their_references(
    inbox: InboxSystem, listed: Listed, context: Context
) -> None:
    listed.show("abcdef", context=context)

    assert inbox.rows()[0]["key"] == "abcdef"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"channel": "email"}, ["mail"]),
        ({"context": "email_threads"}, ["mail"]),
        ({"address": "help@acme.example"}, ["mail"]),
        ({"assignee": "kim"}, ["kims"]),
        ({"label": "vip"}, ["kims"]),
        ({"unread": "true"}, ["unread"]),
        ({"unread": "false", "channel": "whatsapp"}, ["due", "kims", "resolved", "snoozed"]),
        ({"status": "open", "channel": "whatsapp"}, ["unread", "due", "kims"]),
        ({"status": "snoozed"}, ["snoozed"]),
        ({"status": "resolved"}, ["resolved"]),
        ({"status": "archived"}, ["archived"]),
        ({"assignee": "kim", "status": "resolved"}, []),
    ],
)
def test_each_filter_leaves_the_fitting_conversations(
    inbox: InboxSystem, listed: Listed, query: dict[str, Any], wanted: list[str]
) -> None:
    listed.show("mail", 7, context=Context.EMAIL_THREADS, address="help@acme.example")
    listed.show("unread", 6, unread_count=2)
    listed.show("due", 5, status="snoozed", snoozed_until=BETWEEN)
    listed.show("kims", 4, assignee="kim", labels={"vip", "bikes"})
    listed.show("resolved", 3, status="resolved")
    listed.show("snoozed", 2, status="snoozed", snoozed_until=LATER)
    listed.show("archived", 1, status="archived")

    assert names(inbox.rows(**query)) == wanted


@pytest.mark.parametrize(
    ("due", "wanted"),
    [
        ("at_risk", ["at risk", "overdue"]),
        ("overdue", ["overdue"]),
        (None, ["in time", "at risk", "overdue", "without"]),
    ],
)
def test_conversations_at_risk_are_those_whose_alarm_has_come_by_now(
    inbox: InboxSystem, listed: Listed, due: str | None, wanted: list[str]
) -> None:
    def show(name: str, number: int, due_at: str, at_risk_at: str) -> None:
        listed.show(name, number, due_at=due_at, due_for="first_response", at_risk_at=at_risk_at)

    show("in time", 4, "2026-01-01T14:00:00.000Z", LATER)
    show("at risk", 3, LATER, BETWEEN)
    show("overdue", 2, BETWEEN, "2026-01-01T10:00:00.000Z")
    listed.show("without", 1)

    query: dict[str, Any] = {"due": due} if due else {}
    rows = inbox.rows(**query)

    assert names(rows) == wanted
    assert {row["handle"]: row.get("dueAt") for row in rows}.items() <= {
        ("in time", "2026-01-01T14:00:00.000Z"),
        ("at risk", LATER),
        ("overdue", BETWEEN),
        ("without", None),
    }


def test_a_snooze_that_is_over_is_shown_as_open(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("due", status="snoozed", snoozed_until=BETWEEN)
    listed.show("snoozed", 1, status="snoozed", snoozed_until=LATER)

    snoozed, due = inbox.rows()

    assert (due["status"], "snoozedUntil" in due) == ("open", False)
    assert (snoozed["status"], snoozed["snoozedUntil"]) == ("snoozed", LATER)


def test_archived_conversations_are_listed_only_where_the_status_names_them(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("archived", status="archived")

    assert inbox.rows() == []
    assert names(inbox.rows(status="archived")) == ["archived"]


def test_pages_are_full_and_hold_each_conversation_once(inbox: InboxSystem, listed: Listed) -> None:
    for n in range(23):
        listed.show(f"c{n}", n, unread_count=n % 2, status="resolved" if n % 5 == 0 else "open")
    pages: list[list[str]] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = inbox.get(limit="10", **cursor)
        pages.append(names(answer.result["conversations"]))
        if "cursor" not in answer.body:
            break
        cursor = {"cursor": answer.body["cursor"]}

    assert [len(page) for page in pages] == [10, 10, 3]
    assert [name for page in pages for name in page] == [f"c{n}" for n in reversed(range(23))]


def test_conversations_of_the_same_time_are_on_one_page_only(
    inbox: InboxSystem, listed: Listed
) -> None:
    for n in range(6):
        listed.show(f"c{n}")

    first = inbox.get(limit="4")
    second = inbox.get(limit="4", cursor=first.body["cursor"])

    shown = names(first.result["conversations"]) + names(second.result["conversations"])
    assert sorted(shown) == [f"c{n}" for n in range(6)]


def test_a_conversation_that_becomes_newer_or_read_during_paging_is_not_repeated(
    inbox: InboxSystem, listed: Listed
) -> None:
    for n in range(6):
        listed.show(f"c{n}", n, unread_count=1)
    first = inbox.get(limit="3")
    listed.show("c4", 50, unread_count=2)
    listed.show("c5", 5, unread_count=0)

    second = inbox.get(limit="3", cursor=first.body["cursor"])

    assert names(second.result["conversations"]) == ["c2", "c1", "c0"]


def test_a_call_compares_a_bounded_number_of_entries_and_goes_on_with_a_cursor(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ENTRIES_PER_CALL", 5)
    listed.show("old", labels={"vip"})
    for n in range(1, 8):
        listed.show(f"c{n}", n)

    first = inbox.get(label="vip")
    second = inbox.get(label="vip", cursor=first.body["cursor"])

    assert first.result["conversations"] == []
    assert names(second.result["conversations"]) == ["old"]


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        ("whatsapp:read", "whatsapp"),
        ("conversations:read", "conversations"),
        ("email_threads:read", "email_threads"),
    ],
)
def test_a_key_sees_the_contexts_that_it_may_read_and_no_others(
    inbox: InboxSystem, listed: Listed, scope: str, wanted: str
) -> None:
    for context in Context:
        listed.show(
            f"of {context}",
            context=context,
            project_id="p1" if context is Context.CONVERSATIONS else None,
        )

    assert [row["context"] for row in inbox.rows(with_scopes(scope))] == [wanted]
    assert (
        inbox.rows(
            with_scopes(scope), context="whatsapp" if wanted != "whatsapp" else "conversations"
        )
        == []
    )


def test_a_key_without_a_read_scope_is_refused(inbox: InboxSystem) -> None:
    assert inbox.get(with_scopes("whatsapp:send", "newsletters:read")).status == 403


def test_a_call_without_a_key_is_refused(inbox: InboxSystem) -> None:
    assert inbox.get(None).status == 401


def test_a_key_of_projects_sees_their_conversations_only(
    inbox: InboxSystem, listed: Listed
) -> None:
    for project in ("p1", "p2"):
        listed.show(f"of {project}", context=Context.CONVERSATIONS, project_id=project)
    listed.show("wa", 1)

    assert names(inbox.rows(with_scopes(*READ, projects="p2"))) == ["of p2"]


@pytest.mark.parametrize(
    "assignee", ["user:auth0|5f7c8ec7c33c6c004bbafe82", f"user:{'a' * 120}", "api-key:1", "team:sales"]
)  # fmt: skip
def test_the_conversations_of_any_assignee_are_listed(
    inbox: InboxSystem, listed: Listed, assignee: str
) -> None:
    listed.show("theirs", assignee=assignee)
    listed.show("other", 1, assignee="kim")

    assert names(inbox.rows(assignee=assignee)) == ["theirs"]


def test_no_row_of_another_company_is_shown(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("ours", assignee="kim")
    listed.show("theirs", company_id="globex", assignee="kim")

    assert names(inbox.rows()) == ["ours"]
    assert names(inbox.rows(GLOBEX, assignee="kim")) == ["theirs"]


def test_a_cursor_is_bound_to_its_company_its_filters_and_its_access(
    inbox: InboxSystem, listed: Listed
) -> None:
    for n in range(3):
        listed.show(f"c{n}", n)
    cursor = inbox.get(limit="2").body["cursor"]

    assert inbox.get(GLOBEX, cursor=cursor).error == "invalid_cursor"
    assert inbox.get(unread="true", cursor=cursor).error == "invalid_cursor"
    assert inbox.get(with_scopes("whatsapp:read"), cursor=cursor).error == "invalid_cursor"
    assert inbox.get(cursor=cursor[:-2]).error == "invalid_cursor"


@pytest.mark.parametrize(
    "query",
    [
        {"status": "closed"},
        {"channel": "fax"},
        {"context": "newsletters"},
        {"unread": "yes"},
        {"limit": "0"},
        {"limit": "101"},
        {"assignee": "a b"},
        {"q": ""},
        {"q": "x" * 101},
        {"label": "x" * 51},
        {"address": "x" * 255},
        {"stauts": "open"},
    ],
)
def test_a_bad_filter_is_named(inbox: InboxSystem, query: dict[str, Any]) -> None:
    answer = inbox.get(**query)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert list(answer.problems) == list(query)


def test_an_expired_entry_is_not_listed_and_can_be_shown_again(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.show("gone", ttl=NOW // 1_000 + 60)
    listed.show("kept", 1, ttl=NOW // 1_000 + 600)

    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 120_000)

    assert names(inbox.rows()) == ["kept"]
    listed.show("gone", 2, ttl=NOW // 1_000 + 600)
    assert names(inbox.rows()) == ["gone", "kept"]


def test_a_head_that_has_expired_has_no_entry(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("gone", ttl=1)

    assert inbox.entries() == {}


def test_a_removed_conversation_is_not_listed(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("gone")
    listed.remove("gone")

    assert inbox.rows() == []


def test_the_document_describes_the_route(inbox: InboxSystem) -> None:
    answer = inbox.get(path="/inbox/openapi.json")

    others = {"/inbox", "/inbox/views", "/inbox/bulk", "/inbox/bulk/stop", "/inbox/bulk/undo"}
    others |= {
        f"/inbox/notifications{end}" for end in ("", "/push", "/push/end", "/read", "/settings")
    }
    of_hook = ("", "/rotate", "/remove", "/test", "/deliveries")
    others |= {"/inbox/webhooks", *(f"/inbox/webhooks/{{webhook_id}}{end}" for end in of_hook)}
    others |= {"/inbox/webhooks/{webhook_id}/deliveries/{delivery_id}/resend"}
    others |= {"/live/tickets", "/people", "/sign-out", "/privacy/requests", "/privacy/retention"}
    others |= {
        f"/reports/{one}" for one in ("conversations", "people", "backlog", "outcomes", "settings")
    }
    of_request = "/privacy/requests/{request_id}"
    others |= {of_request, f"{of_request}/confirm"}
    changes = ("/identifiers", "/identifiers/{identifier_id}", "/merge")
    records = ("/notes", "/notes/{note_id}", "/changes", "/consents", "/reachability")
    of_one = ("", "/lists", "/tickets", "/conversations", "/suggestions", *changes, *records)
    contacts = {"/contacts", *(f"/contacts/{{contact_id}}{end}" for end in of_one)}
    contacts |= {"/contacts/merges/{merge_id}/undo", "/attributes", "/attributes/{name}"}
    of_list = ("", "/{list_id}", "/{list_id}/members", "/{list_id}/members/{contact_id}")
    contacts |= {f"/contacts/lists{end}" for end in of_list}
    of_segment = ("", "/count", "/{segment_id}", "/{segment_id}/count", "/{segment_id}/members")
    contacts |= {f"/contacts/segments{end}" for end in of_segment}
    of_import = (
        "",
        "/{import_id}",
        "/{import_id}/preview",
        "/{import_id}/start",
        "/{import_id}/stop",
        "/{import_id}/rows",
        "/{import_id}/undo",
    )
    contacts |= {f"/contacts/imports{end}" for end in of_import}
    contacts |= {"/contacts/exports", "/contacts/exports/{export_id}"}
    assert set(answer.body["paths"]) == contacts | others
    parameters = {one["name"] for one in answer.body["paths"]["/inbox"]["get"]["parameters"]}
    assert {
        "channel",
        "address",
        "status",
        "assignee",
        "label",
        "unread",
        "context",
        "q",
    } <= parameters
