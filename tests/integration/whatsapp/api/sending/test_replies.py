"""POST /whatsapp/conversations/{key}/messages: an agent's reply, from the call to the provider and the inbox."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from tests.integration.whatsapp.api.conftest import MESSAGES, Api
from tests.integration.whatsapp.api.sending.conftest import (
    ADA,
    AGENT,
    BODY,
    HOUR_SECONDS,
    AgentHarness,
    reason,
)
from tests.integration.whatsapp.conftest import NOW, text
from whatsapp.store.items.accounts.phones import CONVERSATIONS


def test_a_reply_is_sent_recorded_and_shown_with_who_sent_it(agent_harness: AgentHarness) -> None:
    answer = agent_harness.send()

    assert answer.status == 200
    [sent] = agent_harness.sent
    [shown] = agent_harness.messages()
    result = answer.body["result"]
    assert sent == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": f"+{ADA}",
        "type": "text",
        "text": {"body": "Your bike is ready."},
        "biz_opaque_callback_data": result["actionId"],
    }
    assert (result["state"], result["messageId"]) == ("sent", shown["id"])
    assert shown["text"] == "Your bike is ready."
    assert (shown["deliveryStatus"], shown["sentBy"]) == ("sent", "api-key:agent")
    action = agent_harness.action(answer)
    assert (action["state"], action["sentBy"]) == ("sent", "api-key:agent")
    assert "ready" not in str(action)
    assert ADA not in str(action)
    [conversation] = agent_harness.api.conversations()
    assert conversation["lastPreview"] == "Your bike is ready."
    assert conversation["unreadCount"] == 0
    assert not [key for key in agent_harness.harness.keys() if key.startswith("INTENT#")]


def test_a_call_with_the_same_key_sends_once_and_gets_the_same_answer(
    agent_harness: AgentHarness,
) -> None:
    first, again = agent_harness.send(), agent_harness.send(request="request-10")

    assert again.body["result"] == first.body["result"]
    assert len(agent_harness.sent) == 1


def test_the_same_key_answers_from_the_ledger_after_the_stored_answer_has_expired(
    agent_harness: AgentHarness,
) -> None:
    first = agent_harness.send()
    for key in agent_harness.harness.keys():
        if key.startswith("IDEMPOTENCY#"):
            agent_harness.harness.resources.table.delete({"pk": key})

    again = agent_harness.send(request="request-10")
    other = agent_harness.send({"text": "Another text."}, request="request-11")

    assert again.body["result"] == first.body["result"]
    assert (other.status, other.error) == (409, "idempotency_key_conflict")
    assert len(agent_harness.sent) == 1


def test_another_message_with_the_same_key_is_refused(agent_harness: AgentHarness) -> None:
    agent_harness.send()

    other = agent_harness.send({"text": "Another text."})

    assert (other.status, other.error) == (409, "idempotency_key_conflict")
    assert len(agent_harness.sent) == 1


def test_a_message_that_arrives_while_an_agent_answers_stays_unread(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = Graph.post_message

    def posted(graph: Graph, *arguments: Any) -> str | None:
        agent_harness.harness.take({"messages": [text("wamid.2", at=NOW // 1000 - 1)]})
        return post(graph, *arguments)

    monkeypatch.setattr(Graph, "post_message", posted)
    agent_harness.send()

    [conversation] = agent_harness.api.conversations()
    assert (conversation["unreadCount"], conversation["lastPreview"]) == (1, BODY["text"])


def test_a_lost_answer_is_in_doubt_and_sent_once_then_unknown(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.sandbox.faults.add(kind="lost_answer")

    answers = [agent_harness.send(), agent_harness.send(request="request-10")]

    assert [answer.status for answer in answers] == [202, 202]
    assert [answer.body["result"]["state"] for answer in answers] == ["in_doubt"] * 2
    assert len(agent_harness.sent) == 1
    assert agent_harness.messages() == []
    agent_harness.finish_unfinished(monkeypatch, minutes=3)
    [shown] = agent_harness.messages()
    assert shown["id"] == answers[0].body["result"]["actionId"]
    assert (shown["sendState"], shown["text"]) == ("unknown", "Your bike is ready.")
    later = agent_harness.send(request="request-11")
    assert (later.status, later.body["result"]["state"]) == (200, "unknown")
    assert len(agent_harness.sent) == 1


def test_a_reaction_before_its_message_was_settled_is_shown(agent_harness: AgentHarness) -> None:
    agent_harness.sandbox.faults.add(kind="lost_answer")
    answer = agent_harness.send()
    reaction = {"message_id": "wamid.early", "emoji": "A"}
    said = text("wamid.r", at=NOW // 1000) | {"type": "reaction", "reaction": reaction}
    agent_harness.harness.take({"messages": [said]})
    agent_harness.report(answer, "wamid.early", "delivered")

    reactions = agent_harness.harness.item("MSG#wamid.early")["reactions"]
    assert [each["emoji"] for each in reactions.values()] == ["A"]


def test_a_status_settles_a_message_in_doubt_before_and_after_it_is_given_up(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.sandbox.faults.add(kind="lost_answer", times=2)
    first, second = agent_harness.send(), agent_harness.send(idempotency_key="key-00000002")
    agent_harness.report(first, "wamid.early", "delivered")
    agent_harness.finish_unfinished(monkeypatch, minutes=3)
    agent_harness.report(second, "wamid.late", "delivered")

    shown = {message["id"]: message for message in agent_harness.messages()}
    unknown = shown[second.body["result"]["actionId"]]
    assert shown["wamid.early"]["deliveryStatus"] == unknown["deliveryStatus"] == "delivered"
    assert "sendState" not in unknown
    assert len(shown) == 2
    again = agent_harness.send(request="request-10")
    assert again.body["result"]["state"] == "sent"
    assert again.body["result"]["messageId"] == "wamid.early"
    assert agent_harness.action(second)["state"] == "confirmed"


def test_a_definite_refusal_is_an_error_and_the_message_is_shown_as_failed(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.sandbox.faults.add(kind="status", status=400)

    answers = [agent_harness.send(), agent_harness.send(request="request-10")]

    assert [(answer.status, answer.error) for answer in answers] == [(422, "provider_rejected")] * 2
    assert "graph_100" in answers[0].body["error"]["message"]
    [shown] = agent_harness.messages()
    assert (shown["deliveryStatus"], shown["statusError"]) == ("failed", {"code": "graph_100"})
    assert shown["text"] == "Your bike is ready."
    assert agent_harness.sent == []


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"kind": "status", "status": 429}, 429, "rate_limited"),
    ],
)
def test_a_message_that_was_certainly_not_sent_can_be_sent_with_the_same_key(
    agent_harness: AgentHarness, fault: dict[str, Any], status: int, code: str
) -> None:
    agent_harness.sandbox.faults.add(**fault)

    refused, sent = agent_harness.send(), agent_harness.send(request="request-10")

    assert (refused.status, refused.error) == (status, code)
    assert refused.body["error"]["retryable"]
    assert (sent.status, sent.body["result"]["state"]) == (200, "sent")
    assert len(agent_harness.sent) == 1
    assert len(agent_harness.messages()) == 1


def test_a_refusal_of_the_policy_is_recorded_and_the_same_key_may_try_again(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.switch("true")

    refused = agent_harness.send()
    agent_harness.switch("false")

    assert (refused.status, refused.error) == (422, "policy_refused")
    assert refused.body["error"]["message"].startswith("safe_mode: ")
    [action] = [
        agent_harness.harness.item(key) for key in agent_harness.harness.keys() if "ACTION#" in key
    ]
    assert (action["reason"], action["sentBy"]) == ("safe_mode", "api-key:agent")
    assert agent_harness.sent == []
    assert agent_harness.send({"text": "A shorter text."}, request="request-10").status == 200
    assert len(agent_harness.sent) == 1


def test_a_switch_that_is_missing_stops_sending(agent_harness: AgentHarness) -> None:
    boto3.client("ssm").delete_parameter(Name="/parley/local/whatsapp/safe_mode")
    agent_harness.module._parameters.cache_clear()

    assert reason(agent_harness.send()) == "safe_mode"


def test_free_text_needs_the_window_or_a_free_entry(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 24 * HOUR_SECONDS * 1_000)
    late = agent_harness.send()
    until = clock.to_text(NOW + 48 * HOUR_SECONDS * 1_000)
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]
    agent_harness.harness.resources.table.update({"pk": head}, put={"freeEntryUntil": until})

    assert reason(late) == "window_closed"
    assert agent_harness.send(request="request-10").status == 200


def test_a_customer_who_opted_out_gets_nothing(agent_harness: AgentHarness) -> None:
    statement = Statement(source=Source.WORD, at_ms=NOW, evidence="wamid.stop", channel="sms")
    Consents(agent_harness.module.gate.consents.table).record_opt_out(
        "acme", [f"+{ADA}"], statement
    )

    assert reason(agent_harness.send()) == "opted_out"
    assert agent_harness.sent == []


def test_a_blocked_number_sends_nothing_until_the_block_ends(agent_harness: AgentHarness) -> None:
    blocked = {"sending_blocked": True, "sending_blocked_until": clock.to_text(NOW + 1)}
    agent_harness.register(**blocked)
    assert reason(agent_harness.send()) == "sending_blocked"

    agent_harness.register(sending_blocked=True, sending_blocked_until=clock.to_text(NOW))
    assert agent_harness.send(request="request-10").status == 200


def test_a_customer_gets_five_messages_at_once_and_then_one_in_six_seconds(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [agent_harness.send(idempotency_key=f"key-0000000{n}") for n in range(6)]

    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert answers[-1].error == "rate_limited"
    assert answers[-1].headers["Retry-After"] == "6"
    assert len(agent_harness.sent) == 5
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 6_000)
    assert agent_harness.send(idempotency_key="key-00000005", request="request-10").status == 200


def test_the_answer_of_an_agent_stops_the_automation_of_the_number(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.register(automation=CONVERSATIONS)

    answer = agent_harness.send()

    queue = agent_harness.module.resources.conversation_inbound
    received = boto3.client("sqs").receive_message(QueueUrl=queue.url, MaxNumberOfMessages=10)
    [message] = received["Messages"]
    event = json.loads(message["Body"])
    assert event["type"] == "human_reply"
    assert event["provider_message_id"] == answer.body["result"]["messageId"]
    assert (event["customer_address"], event["text"]) == (f"+{ADA}", "Your bike is ready.")


def test_a_reply_names_the_message_that_it_answers(agent_harness: AgentHarness) -> None:
    agent_harness.send(BODY | {"replyTo": "wamid.1"})

    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert sent["context"] == {"message_id": "wamid.1"}
    assert shown["replyTo"] == "wamid.1"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"text": "x", "template": {"name": "a", "language": "en"}}, "body"),
        ({"text": ""}, "text"),
        ({"text": "x" * 4_097}, "text"),
        ({"text": "x", "replyTo": ""}, "replyTo"),
        ({"text": "x", "reply_to": "wamid.1"}, "reply_to"),
        ({"template": {"name": "A", "language": "en"}}, "template.name"),
    ],
)
def test_bad_input_is_refused_with_the_field(
    agent_harness: AgentHarness, body: dict[str, Any], field: str
) -> None:
    answer = agent_harness.send(body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == [field]


def test_a_call_without_a_key_or_the_scope_sends_nothing(agent_harness: AgentHarness) -> None:
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")

    without_key, without_scope = (
        agent_harness.send(idempotency_key=None),
        agent_harness.send(caller=reader),
    )

    assert (without_key.status, without_key.fields) == (400, ["Idempotency-Key"])
    assert (without_scope.status, without_scope.error) == (403, "forbidden")
    assert agent_harness.sent == []


def test_a_number_without_a_token_attempts_nothing(agent_harness: AgentHarness) -> None:
    agent_harness.register(token_ref="acme/none")

    answer = agent_harness.send()

    assert (answer.status, answer.error) == (409, "not_configured")
    assert not [key for key in agent_harness.harness.keys() if key.startswith("ACTION#")]


def test_the_document_describes_the_route(agent_harness: AgentHarness) -> None:
    answer = Api(agent_harness.module).get("/whatsapp/sending/openapi.json", caller=AGENT)

    operation = answer.body["paths"][MESSAGES]["post"]
    assert set(operation["responses"]) == {"200", "202", "default"}
