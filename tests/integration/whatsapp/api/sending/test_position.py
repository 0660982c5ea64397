"""A message that names the position at which it was written: what another author answered meanwhile stops it."""

from __future__ import annotations

from typing import Any

from shared.api.auth import Caller
from tests.integration.whatsapp.api.sending.conftest import AGENT, BODY, AgentHarness
from tests.integration.whatsapp.conftest import NOW, text
from whatsapp import store

KIM = Caller(company="acme", scopes=frozenset({"whatsapp:send"}), principal="user:kim")


def position(agent: AgentHarness) -> str:
    [conversation] = agent.api.conversations()
    return str(conversation["position"])


def send(agent: AgentHarness, number: int, at: str, *, caller: Caller = AGENT) -> Any:
    body = {"text": f"Answer {number}", "position": at}
    return agent.send(body, idempotency_key=f"key-0000000{number}", caller=caller)


def test_an_answer_of_another_author_after_the_position_stops_a_message_once(
    agent_harness: AgentHarness,
) -> None:
    written_at = position(agent_harness)
    agent_harness.send(caller=KIM)

    refused = send(agent_harness, 2, written_at)

    assert (refused.status, refused.error) == (409, "answered_meanwhile")
    [shown] = agent_harness.messages()
    newer = refused.body["error"]["newer"]
    assert newer == {"position": position(agent_harness), "id": shown["id"], "by": "user:kim"}
    assert shown["actionId"]
    assert BODY["text"] not in str(refused.body)
    assert len(agent_harness.sent) == 1
    # The same key, now with the position that includes the answer.
    assert (
        agent_harness.send(
            {"text": "Answer 2", "position": newer["position"]}, idempotency_key="key-00000003"
        ).status
        == 200
    )
    assert len(agent_harness.sent) == 2


def test_messages_of_the_customer_and_of_the_writer_stop_no_message(
    agent_harness: AgentHarness,
) -> None:
    written_at = position(agent_harness)
    assert send(agent_harness, 1, written_at).status == 200
    agent_harness.harness.take({"messages": [text("wamid.2", at=NOW // 1000 + 1)]})

    assert send(agent_harness, 2, written_at).status == 200
    assert send(agent_harness, 3, position(agent_harness), caller=KIM).status == 200
    assert len(agent_harness.sent) == 3


def test_a_retry_of_a_sent_message_is_answered_although_another_author_has_answered_since(
    agent_harness: AgentHarness,
) -> None:
    written_at = position(agent_harness)
    first = send(agent_harness, 1, written_at)
    agent_harness.send(caller=KIM, idempotency_key="key-00000002")

    assert send(agent_harness, 1, written_at).body["result"] == first.body["result"]
    assert len(agent_harness.sent) == 2


def test_an_answer_that_no_list_shows_yet_stops_a_message(
    agent_harness: AgentHarness, monkeypatch: Any
) -> None:
    written_at = position(agent_harness)
    agent_harness.send(caller=KIM)
    monkeypatch.setattr(store.messages, "page", lambda *_, **__: ([], None))

    refused = send(agent_harness, 2, written_at)

    assert (refused.status, refused.body["error"]["newer"]["id"]) == (409, "")
    assert len(agent_harness.sent) == 1


def test_a_text_that_is_no_position_is_refused_with_the_field(agent_harness: AgentHarness) -> None:
    refused = send(agent_harness, 1, "yesterday")

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "position")
