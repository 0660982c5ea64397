"""Canned replies of a company: saved, listed, sent with their values, and refused."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.api.conftest import Answer
from tests.integration.whatsapp.api.sending.conftest import CANNED, GLOBEX, AgentHarness
from tests.integration.whatsapp.conftest import NOW
from whatsapp.store.sending import canned_replies

READY_TEXT = "Hello {{name}}, your {{thing}} is ready. Bye {{name}}!"


def test_a_canned_reply_is_saved_listed_replaced_and_removed(agent_harness: AgentHarness) -> None:
    saved = agent_harness.save("ready", READY_TEXT)
    agent_harness.save("bye", "Good bye.")

    assert saved.body["result"] == {
        "name": "ready",
        "text": READY_TEXT,
        "variables": ["name", "thing"],
        "updatedAt": clock.to_text(NOW),
        "updatedBy": "api-key:agent",
    }
    assert [reply["name"] for reply in agent_harness.canned()] == ["bye", "ready"]
    assert agent_harness.canned(GLOBEX) == []
    agent_harness.save("ready", "Ready.")
    agent_harness.call(f"DELETE {CANNED}/{{name}}", name="bye")
    assert [(reply["name"], reply["text"]) for reply in agent_harness.canned()] == [
        ("ready", "Ready.")
    ]


def test_of_two_people_who_change_one_canned_reply_the_second_is_refused_and_replaces_nothing(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(text: str, seen: str | None) -> Answer:
        line = f"PUT {CANNED}/{{name}}"
        return agent_harness.call(
            line, {"text": text, "seen": seen}, f"put-{text:_<9}", name="ready"
        )

    made = put("One.", None)
    seen = made.body["result"]["updatedAt"]
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 1)
    first = put("Two.", seen)
    second = put("Three.", seen)
    new = put("Four.", None)
    without = agent_harness.call(
        f"PUT {CANNED}/{{name}}", {"text": "Two.", "seen": seen}, "put-again", name="ready"
    )

    assert (made.status, first.status) == (200, 200)
    assert [one.body["error"]["code"] for one in (second, new)] == ["version_conflict"] * 2
    assert without.status == 200  # the same text by the same person: its own write
    assert [reply["text"] for reply in agent_harness.canned()] == ["Two."]


def test_a_refused_change_of_a_removed_reply_takes_no_place_among_the_replies(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canned_replies, "MOST", 1)
    made = agent_harness.save("ready", "One.").body["result"]
    agent_harness.call(f"DELETE {CANNED}/{{name}}", name="ready")

    late = {"text": "Two.", "seen": made["updatedAt"]}
    refused = agent_harness.call(f"PUT {CANNED}/{{name}}", late, "put-late-1", name="ready")
    other = agent_harness.save("other", "Three.")

    assert (refused.status, refused.error) == (409, "version_conflict")
    assert other.status == 200
    assert [reply["name"] for reply in agent_harness.canned()] == ["other"]


def test_a_canned_reply_is_sent_with_its_values(agent_harness: AgentHarness) -> None:
    agent_harness.save("ready", READY_TEXT)
    values = {"name": "{{thing}}", "thing": "bike"}

    answer = agent_harness.send({"cannedReply": {"name": "ready", "variables": values}})

    assert answer.status == 200
    [sent] = agent_harness.sent
    assert sent["text"]["body"] == "Hello {{thing}}, your bike is ready. Bye {{thing}}!"


def test_a_retry_after_the_canned_reply_has_changed_sends_nothing_more(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.save("ready", "Ready.")
    body = {"cannedReply": {"name": "ready"}}
    first = agent_harness.send(body)
    agent_harness.save("ready", "Really ready.")

    again = agent_harness.send(body, request="request-10")

    assert again.body["result"] == first.body["result"]
    assert len(agent_harness.sent) == 1


@pytest.mark.parametrize(
    ("chosen", "field", "problem"),
    [
        ({"name": "none"}, "cannedReply.name", "no such canned reply"),
        ({"name": "ready"}, "cannedReply.variables", "missing: name, thing"),
        ({"name": "ready", "variables": {"name": "A"}}, "cannedReply.variables", "missing: thing"),
        (
            {"name": "ready", "variables": {"name": "A", "thing": "b", "x": "c"}},
            "cannedReply.variables",
            "has only: name, thing",
        ),
    ],
)
def test_a_canned_reply_with_missing_or_unknown_variables_is_refused_with_their_names(
    agent_harness: AgentHarness, chosen: dict[str, Any], field: str, problem: str
) -> None:
    agent_harness.save("ready", READY_TEXT)

    answer = agent_harness.send({"cannedReply": chosen})

    assert (answer.status, answer.fields) == (400, [field])
    assert problem in answer.body["error"]["details"][0]["problem"]
    assert agent_harness.sent == []


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("Ready", "x", "name"),
        ("ready", "Hello {{Name}}", "text"),
        ("ready", "Hello {{name", "text"),
        ("ready", "".join(f"{{{{v{n}}}}}" for n in range(21)), "text"),
        ("ready", "", "text"),
        ("ready", "x" * 4_097, "text"),
    ],
)
def test_a_bad_canned_reply_is_refused_with_the_field(
    agent_harness: AgentHarness, name: str, text: str, field: str
) -> None:
    answer = agent_harness.save(name, text)

    assert (answer.status, answer.fields) == (400, [field])
    assert agent_harness.canned() == []


def test_a_company_has_a_bounded_number_of_canned_replies(agent_harness: AgentHarness) -> None:
    names = {f"reply-{n}" for n in range(200)}
    item = {"pk": "CANNED_REPLIES#acme", "itemType": "CANNED_REPLIES", "names": names}
    agent_harness.harness.resources.table.put(item)

    refused, replaced = agent_harness.save("new", "x"), agent_harness.save("reply-1", "x")

    assert (refused.status, refused.error) == (409, "list_full")
    assert replaced.status == 200
