"""What agents change of a conversation: read mark, archived, assignee, labels, status, notes; and who changed it."""

from typing import Any

import pytest

from shared.api.auth import Caller
from shared.failures import Transient
from shared.runtime import clock
from tests.integration.whatsapp.api.conftest import (
    AGENT,
    CONVERSATION,
    GLOBEX_PHONE,
    NOTES,
    READ,
    READER,
    Api,
    writes_to_globex,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.store.conversations.agent_changes import Change, StateConflict

HEAD = f"CONV#{PHONE}#447700900101"
ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"
CHANGE = f"PATCH {CONVERSATION}"
CHANGES = f"{CONVERSATION}/changes"
TOMORROW = "2026-01-02T12:00:00Z"
AT = NOW // 1000 - 600


def customer_writes(harness: Harness, number: int, **more: Any) -> None:
    harness.take({"messages": [text(f"wamid.{number}", f"text {number}", at=AT + number, **more)]})


def business_answers(harness: Harness, number: int) -> None:
    echo = {"id": f"wamid.e{number}", "from": "15550783881", "to": "447700900101", "type": "text",
            "timestamp": str(AT + number), "text": {"body": "an answer"}}  # fmt: skip
    harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})


@pytest.fixture
def key(harness: Harness, api: Api) -> str:
    """A conversation with three unread messages."""
    for number in range(3):
        customer_writes(harness, number)
    return str(api.conversations()[0]["key"])


def shown(api: Api, key: str) -> dict[str, Any]:
    view: dict[str, Any] = api.get(CONVERSATION, key=key).body["result"]
    return view


# The read mark


def test_a_conversation_is_read_up_to_the_position_that_the_agent_saw(
    harness: Harness, api: Api, key: str
) -> None:
    seen = shown(api, key)["position"]
    customer_writes(harness, 3)

    answer = api.send(READ, key, {"upTo": seen})

    assert answer.body["result"]["unreadCount"] == 1
    assert answer.body["result"]["readUpTo"] == seen
    assert harness.item(HEAD)["readBy"] == "api-key:3"
    assert [entry["unreadCount"] for entry in api.conversations(unread="true")] == [1]

    api.send(READ, key, {"upTo": shown(api, key)["position"]})

    assert shown(api, key)["unreadCount"] == 0
    assert api.conversations(unread="true") == []
    assert len(api.conversations(unread="false")) == 1


def test_a_read_mark_never_moves_back(harness: Harness, api: Api, key: str) -> None:
    early = shown(api, key)["position"]
    customer_writes(harness, 3)
    late = shown(api, key)["position"]
    api.send(READ, key, {"upTo": late})

    api.send(READ, key, {"upTo": early})

    assert (shown(api, key)["unreadCount"], shown(api, key)["readUpTo"]) == (0, late)


def test_an_old_position_is_counted_from_the_timeline(harness: Harness, api: Api, key: str) -> None:
    seen = shown(api, key)["position"]
    for number in range(3, 60):
        customer_writes(harness, number)

    answer = api.send(READ, key, {"upTo": seen})

    assert answer.body["result"]["unreadCount"] == 57


def test_a_message_that_is_delivered_late_counts_by_its_place_around_the_mark(
    harness: Harness, api: Api, key: str
) -> None:
    api.send(READ, key, {"upTo": shown(api, key)["position"]})

    customer_writes(harness, -1)
    assert shown(api, key)["unreadCount"] == 0

    customer_writes(harness, 9)
    customer_writes(harness, 8)
    assert shown(api, key)["unreadCount"] == 2


@pytest.mark.parametrize("position", ["z" * 16, "short", "!" * 16, "", None])
def test_a_position_that_is_none_of_the_conversation_is_refused(
    api: Api, key: str, position: str | None
) -> None:
    answer = api.send(READ, key, {"upTo": position})

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", ["upTo"])


def test_an_answer_in_the_business_app_marks_earlier_messages_as_read_in_any_order(
    harness: Harness, api: Api
) -> None:
    customer_writes(harness, 1)
    customer_writes(harness, 5)
    business_answers(harness, 3)
    customer_writes(harness, 2)

    [conversation] = api.conversations()
    assert (conversation["unreadCount"], conversation["lastPreview"]) == (1, "text 5")
    assert harness.item(HEAD)["readBy"] == "app"

    business_answers(harness, 6)

    assert api.conversations(unread="true") == []


def test_an_answer_marks_what_the_agent_could_see_when_they_answered(
    harness: Harness, key: str
) -> None:
    table = harness.resources.table
    before = store.heads.get(table, HEAD)
    assert before is not None
    customer_writes(harness, 3)

    for _ in range(2):
        store.read_marks.mark_read(
            table, before, up_to=before.last_key or "", by="api-key:3", at=before.received_at or ""
        )

    item = harness.item(HEAD)
    assert (item["unreadCount"], item["readBy"]) == (1, "api-key:3")
    assert item["listPk"] == f"{PHONE}#open#unread"


# Archived, assignee, labels, status


def test_a_conversation_is_archived_assigned_labelled_and_resolved(api: Api, key: str) -> None:
    assert api.change(key, assignee="ada@acme", agentId="bob") == {
        "revision": 1, "archived": False, "status": "open", "assignee": "ada@acme", "unreadCount": 3,
    }  # fmt: skip
    api.change(key, labels=["vip", "bikes", "vip"], revision=1)
    api.change(key, archived=True, status="resolved")

    view = shown(api, key)
    assert (view["archived"], view["status"], view["assignee"]) == (True, "resolved", "ada@acme")
    assert (view["labels"], view["revision"]) == (["bikes", "vip"], 3)
    assert [entry for entry in api.conversations() if entry.pop("key")] == [
        {name: value for name, value in view.items() if name != "key"}
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
        ({"agentId": "ada"}, "body"),
        ({"archived": "yes"}, "archived"),
        ({"archived": None}, "archived"),
        ({"assignee": "a b"}, "assignee"),
        ({"assignee": "a#b"}, "assignee"),
        ({"labels": ["x"]}, "revision"),
        ({"labels": ["x" * 51], "revision": 0}, "labels"),
        ({"labels": [" x"], "revision": 0}, "labels"),
        ({"labels": ["a\nb"], "revision": 0}, "labels"),
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
    return Change(
        fields=fields, revision=revision, cause=cause, by="api-key:3", agent=None, at=TOMORROW
    )


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


# Who changed what


def test_every_change_is_recorded_with_its_author_and_no_label_or_number(
    harness: Harness, api: Api, key: str
) -> None:
    api.change(key, assignee="ada", agentId="bob")
    api.change(key, labels=["call +447700900101"], revision=1)
    api.change(key, status="resolved", archived=True)

    found = api.get(CHANGES, key=key).body["result"]["changes"]

    assert found == [
        {"revision": 3, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3",
         "changed": {"status": "resolved", "archived": True}},
        {"revision": 2, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3",
         "changed": {"labels": 1}},
        {"revision": 1, "at": "2026-01-01T12:00:00.000Z", "by": "api-key:3", "agent": "bob",
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


# Notes


def test_notes_are_listed_newest_first_and_are_no_messages(
    harness: Harness, api: Api, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = harness.item(HEAD)
    for number in range(3):
        monkeypatch.setattr(clock, "now_ms", lambda number=number: NOW + number)
        answer = api.send(f"POST {NOTES}", key, {"text": f"note {number}", "agentId": "ada"})
        assert answer.status == 201

    pages = [page["notes"] for page in api.pages(NOTES, key=key, limit=2)]

    assert [[note["text"] for note in page] for page in pages] == [["note 2", "note 1"], ["note 0"]]
    assert (pages[0][0]["by"], pages[0][0]["agent"]) == ("api-key:3", "ada")
    assert len(api.messages(key)) == 3
    assert harness.item(HEAD) == before


def test_a_repeated_note_is_written_once_and_its_text_is_not_in_the_stored_answer(
    harness: Harness, api: Api, key: str
) -> None:
    first, again = (
        api.send(f"POST {NOTES}", key, {"text": "ring the bell"}, idempotency_key="the-same-note")
        for _ in range(2)
    )

    assert first == again
    assert len(api.get(NOTES, key=key).body["result"]["notes"]) == 1
    stored = [harness.item(name) for name in harness.keys() if name.startswith("IDEMPOTENCY#")]
    assert len(stored) == 1
    assert "ring the bell" not in str(stored)


@pytest.mark.parametrize("words", ["", " \n", "x" * 4_001, None])
def test_a_note_without_text_or_with_too_much_is_refused(
    api: Api, key: str, words: str | None
) -> None:
    answer = api.send(f"POST {NOTES}", key, {"text": words})

    assert (answer.status, answer.fields) == (400, ["text"])


# Scopes and numbers


@pytest.mark.parametrize(
    ("line", "body"),
    [(CHANGE, {"archived": True}), (READ, {"upTo": "0" * 13}), (f"POST {NOTES}", {"text": "x"})],
)
def test_changes_need_the_scope_to_write(
    api: Api, key: str, line: str, body: dict[str, Any]
) -> None:
    answer = api.send(line, key, body, caller=READER)

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "whatsapp:write" in answer.body["error"]["message"]


def test_a_company_lists_its_numbers(harness: Harness, api: Api) -> None:
    writes_to_globex(harness)

    listed = api.get("/whatsapp/numbers").body["result"]["numbers"]

    assert listed == [
        {
            "phone": PHONE,
            "displayPhone": "15550783881",
            "waba": "102290129340398",
            "provider": "graph",
            "enabled": True,
            "automation": "none",
            "businessAccountName": "Acme Bikes",
            "sendingBlocked": False,
        }
    ]
    assert GLOBEX_PHONE not in str(listed)
    stranger = Caller(company="initech", scopes=AGENT.scopes, principal="api-key:9")
    assert api.get("/whatsapp/numbers", caller=stranger).body["result"]["numbers"] == []


def test_the_document_describes_every_route_for_agents(api: Api) -> None:
    paths = api.get("/whatsapp/openapi.json", caller=AGENT).body["paths"]

    found = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert found >= {
        CHANGE,
        READ,
        f"GET {CONVERSATION}",
        f"GET {NOTES}",
        f"POST {NOTES}",
        f"GET {CHANGES}",
        "GET /whatsapp/numbers",
    }
    asked = {one["name"] for one in paths["/whatsapp/conversations"]["get"]["parameters"]}
    assert {"phone", "archived", "unread", "assignee", "status", "label"} <= asked
    body = paths[CONVERSATION]["patch"]["requestBody"]["content"]["application/json"]["schema"]
    assert "snoozedUntil" in str(body) or "ChangeInput" in str(body)
