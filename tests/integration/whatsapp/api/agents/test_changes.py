"""What agents change of a conversation: archived, assignee, labels, status; and who changed it."""

from typing import Any

import pytest

from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.whatsapp.api.agents.conftest import (
    CHANGE,
    CHANGES,
    HEAD,
    business_answers,
    customer_writes,
    shown,
)
from tests.integration.whatsapp.api.conftest import READ, Api
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness
from whatsapp import store
from whatsapp.store.conversations.agent_changes import Change, StateConflict

TOMORROW = "2026-01-02T12:00:00Z"


# Archived, assignee, labels, status


def test_a_conversation_is_archived_assigned_labelled_and_resolved(api: Api, key: str) -> None:
    assert api.change(key, assignee="ada@acme") == {
        "revision": 1, "archived": False, "status": "open", "assignee": "ada@acme", "unreadCount": 3,
    }  # fmt: skip
    api.change(key, labels=["vip", "bikes", "vip"], revision=1)
    api.change(key, archived=True, status="resolved")

    view = shown(api, key)
    assert (view["archived"], view["status"], view["assignee"]) == (True, "resolved", "ada@acme")
    assert (view["labels"], view["revision"]) == (["bikes", "vip"], 3)
    assert [entry for entry in api.conversations() if entry.pop("key")] == [
        {name: value for name, value in view.items() if name not in {"key", "windowUntil"}}
    ]


def test_a_new_message_opens_a_closed_conversation_again(
    harness: Harness, api: Api, key: str
) -> None:
    states: list[dict[str, Any]] = [
        {"archived": True},
        {"status": "resolved"},
        {"status": "snoozed", "snoozedUntil": TOMORROW},
    ]
    for number, closed in enumerate(states):
        api.change(key, assignee="ada", **closed)
        customer_writes(harness, 10 + number)

        view = shown(api, key)
        assert (view["archived"], view["status"], view["assignee"]) == (False, "open", "ada")
        assert "snoozedUntil" not in view
        assert [one["key"] for one in api.conversations(assignee="ada", unread="true")] == [key]


def test_a_late_unread_message_opens_a_conversation_again_and_a_read_one_does_not(
    harness: Harness, api: Api, key: str
) -> None:
    api.send(READ, key, {"upTo": shown(api, key)["position"]})
    api.change(key, archived=True)

    customer_writes(harness, -1)
    assert shown(api, key)["archived"] is True

    customer_writes(harness, 9)
    api.change(key, archived=True)
    customer_writes(harness, 8)
    assert shown(api, key)["archived"] is False
    assert [one["key"] for one in api.conversations(archived="false", unread="true")] == [key]


def test_an_answer_leaves_a_closed_conversation_closed(
    harness: Harness, api: Api, key: str
) -> None:
    api.change(key, status="resolved", archived=True)

    business_answers(harness, 9)

    view = shown(api, key)
    assert (view["archived"], view["status"], view["unreadCount"]) == (True, "resolved", 0)
    assert [one["key"] for one in api.conversations(archived="true", unread="false")] == [key]


def test_a_snooze_ends_by_itself(api: Api, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = api.change(key, status="snoozed", snoozedUntil="2026-01-01T14:00:00+01:00")
    assert (state["status"], state["snoozedUntil"]) == ("snoozed", "2026-01-01T13:00:00.000Z")
    assert [len(api.conversations(status=word)) for word in ("open", "snoozed")] == [0, 1]

    monkeypatch.setattr(clock, "now_ms", lambda: NOW + clock.HOUR_MS)

    assert [len(api.conversations(status=word)) for word in ("open", "snoozed")] == [1, 0]
    assert shown(api, key)["status"] == "open"
    assert "snoozedUntil" not in shown(api, key)


def test_an_assignee_is_removed_with_null(api: Api, key: str) -> None:
    api.change(key, assignee="ada")
    assert len(api.conversations(assignee="ada")) == 1

    api.change(key, assignee=None)

    assert "assignee" not in shown(api, key)
    assert api.conversations(assignee="ada") == []


def test_a_change_that_changes_nothing_has_no_revision(api: Api, key: str) -> None:
    api.change(key, archived=True)

    assert api.change(key, archived=True)["revision"] == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, "body"),
        ({"archived": True, "agentId": "ada"}, "agentId"),
        ({"archived": "yes"}, "archived"),
        ({"archived": None}, "archived"),
        ({"assignee": "a b"}, "assignee"),
        ({"assignee": "a#b"}, "assignee"),
        ({"labels": ["x"]}, "revision"),
        ({"labels": ["x" * 51], "revision": 0}, "labels.0"),
        ({"labels": [" x"], "revision": 0}, "labels.0"),
        ({"labels": ["a\nb"], "revision": 0}, "labels.0"),
        ({"labels": [str(n) for n in range(21)], "revision": 0}, "labels"),
        ({"status": "closed"}, "status"),
        ({"status": "snoozed"}, "snoozedUntil"),
        ({"snoozedUntil": TOMORROW}, "snoozedUntil"),
        ({"status": "resolved", "snoozedUntil": TOMORROW}, "snoozedUntil"),
        ({"status": "snoozed", "snoozedUntil": "2026-01-01T11:59:59Z"}, "snoozedUntil"),
        ({"status": "snoozed", "snoozedUntil": "2028-01-01T11:59:59Z"}, "snoozedUntil"),
        ({"status": "snoozed", "snoozedUntil": "2026-01-02T12:00:00"}, "snoozedUntil"),
        ({"status": "snoozed", "snoozedUntil": "tomorrow"}, "snoozedUntil"),
        ({"archived": True, "revision": -1}, "revision"),
        ({"archived": True, "colour": "red"}, "colour"),
    ],
)
def test_an_invalid_change_names_the_field_and_changes_nothing(
    harness: Harness, api: Api, key: str, change: dict[str, Any], field: str
) -> None:
    before = harness.item(HEAD)

    answer = api.send(CHANGE, key, change)

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", [field])
    assert harness.item(HEAD) == before


# Concurrent changes


def test_a_change_based_on_an_older_revision_is_refused(api: Api, key: str) -> None:
    api.change(key, labels=["vip"], revision=0)

    answer = api.send(CHANGE, key, {"labels": ["bikes"], "revision": 0})

    assert (answer.status, answer.error) == (409, "state_conflict")
    assert shown(api, key)["labels"] == ["vip"]


def test_messages_do_not_change_the_revision(harness: Harness, api: Api, key: str) -> None:
    api.change(key, assignee="ada")
    customer_writes(harness, 9)

    assert api.change(key, labels=["vip"], revision=1)["revision"] == 2


def a_change(cause: str, revision: int | None = None, **fields: Any) -> Change:
    return Change(fields=fields, revision=revision, cause=cause, by="api-key:3", at=TOMORROW)


def test_changes_at_once_of_two_agents_and_a_message_are_all_made(
    harness: Harness, key: str
) -> None:
    table = harness.resources.table
    seen = store.heads.get(table, HEAD)
    assert seen is not None

    store.agent_changes.apply(table, seen, a_change("1", archived=True))
    store.agent_changes.apply(table, seen, a_change("2", assignee="ada"))
    customer_writes(harness, 9)
    head = store.agent_changes.apply(table, seen, a_change("3", status="resolved"))

    assert (head.archived, head.assignee, head.status) == (False, "ada", "resolved")
    assert (head.revision, head.unread_count) == (3, 4)
    assert head.list_pk == f"{PHONE}#resolved#unread"
    assert head.assignee_pk == "acme#ada#resolved#unread"


def test_a_repeated_change_is_made_once_even_if_its_answer_was_not_stored(
    harness: Harness, key: str
) -> None:
    table = harness.resources.table
    seen = store.heads.get(table, HEAD)
    assert seen is not None
    change = a_change("1", revision=0, archived=True)

    first = store.agent_changes.apply(table, seen, change)
    again = store.agent_changes.apply(table, first, change)

    assert (first.revision, again.revision) == (1, 1)
    with pytest.raises(StateConflict):
        store.agent_changes.apply(table, first, a_change("2", revision=0, archived=False))


def test_a_change_and_a_read_mark_of_an_erased_conversation_do_not_bring_it_back(
    harness: Harness, api: Api, key: str
) -> None:
    table = harness.resources.table
    seen = store.heads.get(table, HEAD)
    assert seen is not None
    table.delete({"pk": HEAD})

    for line, body in ((CHANGE, {"archived": True}), (READ, {"upTo": seen.last_key})):
        assert api.send(line, key, body).status == 404
    with pytest.raises(Transient, match="head_vanished"):
        store.agent_changes.apply(table, seen, a_change("1", archived=True))
    with pytest.raises(Transient, match="head_vanished"):
        store.read_marks.mark_read(table, seen, up_to=seen.last_key or "", by="api-key:3", at="")
    assert harness.item(HEAD) == {}


# Authors of changes


def test_every_change_is_recorded_with_its_author_and_no_label_or_number(
    harness: Harness, api: Api, key: str
) -> None:
    api.change(key, assignee="ada")
    api.change(key, labels=["call +447700900101"], revision=1)
    api.change(key, status="resolved", archived=True)

    found = api.get(CHANGES, key=key).body["result"]["changes"]

    assert found == [
        {"revision": 3, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3",
         "changed": {"status": "resolved", "archived": True}},
        {"revision": 2, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3",
         "changed": {"labels": 1}},
        {"revision": 1, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3",
         "changed": {"assignee": "ada"}},
    ]  # fmt: skip
    records = [harness.item(name) for name in harness.keys() if name.startswith("CHANGE#")]
    assert len(records) == 2
    assert "447700900101" not in str(records)


def test_changes_are_paged_by_revision(api: Api, key: str) -> None:
    for number in range(5):
        api.change(key, assignee=f"agent-{number}")

    def revisions(**query: Any) -> list[int]:
        listed = api.get(CHANGES, key=key, **query).body["result"]["changes"]
        return [entry["revision"] for entry in listed]

    assert revisions() == [5, 4, 3, 2, 1]
    assert revisions(limit=2) == [5, 4]
    assert revisions(limit=2, before=4) == [3, 2]
    assert revisions(before=1) == []
