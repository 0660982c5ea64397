"""Agents' notes; the scopes and numbers of agents, and the description of their routes."""

from typing import Any

import pytest

from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.whatsapp.api.agents.conftest import CHANGE, CHANGES, HEAD
from tests.integration.whatsapp.api.conftest import (
    AGENT,
    CONVERSATION,
    GLOBEX_PHONE,
    MESSAGES,
    NOTES,
    READ,
    READER,
    Api,
    writes_to_globex,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness

# Notes


def test_notes_are_listed_newest_first_and_are_no_messages(
    harness: Harness, api: Api, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = harness.item(HEAD)
    for number in range(3):
        monkeypatch.setattr(clock, "now_ms", lambda number=number: NOW + number)
        answer = api.send(f"POST {NOTES}", key, {"text": f"note {number}"})
        assert answer.status == 201

    pages = [page["notes"] for page in api.pages(NOTES, key=key, limit=2)]

    assert [[note["text"] for note in page] for page in pages] == [["note 2", "note 1"], ["note 0"]]
    assert pages[0][0]["by"] == "api-key:3"
    assert len(api.messages(key)) == 3
    assert harness.item(HEAD) == before


def test_a_conversation_is_opened_with_messages_notes_and_changes_in_one_call(
    api: Api, key: str
) -> None:
    api.send(f"POST {NOTES}", key, {"text": "ring the bell"})
    api.send(CHANGE, key, {"status": "resolved"})

    def opened(**asked: Any) -> dict[str, Any]:
        shown: dict[str, Any] = api.get(CONVERSATION, key=key, **asked).body["result"]
        return shown

    whole = opened(messages=2, notes=5, changes=5)
    rest = api.get(MESSAGES, key=key, cursor=whole["messages"]["cursor"]).body["result"]
    found = whole["messages"]["messages"] + rest["messages"]
    assert [one["id"] for one in found] == [one["id"] for one in api.messages(key)]
    assert [note["text"] for note in whole["notes"]] == ["ring the bell"]
    assert [change["changed"] for change in whole["changes"]] == [{"status": "resolved"}]
    known = opened(notes=5, changes=5, revision=whole["revision"])
    assert len(known["notes"]) == 1
    assert not {"messages", "changes"} & known.keys()
    assert not {"messages", "notes", "changes"} & opened().keys()


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
            "displayText": "+1 555-078-3881",
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
