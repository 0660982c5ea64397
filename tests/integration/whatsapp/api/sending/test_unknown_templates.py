"""A template that was approved before its number was connected: the provider is asked when an agent sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.api.sending.conftest import reason
from tests.integration.whatsapp.api.sending.test_files import AWS_PHONE
from tests.integration.whatsapp.api.sending.test_templates import READY, TEMPLATE
from tests.integration.whatsapp.conftest import NOW
from tests.integration.whatsapp.updates.test_templates import STATUS, template

if TYPE_CHECKING:
    from tests.integration.whatsapp.api.sending.conftest import AgentHarness

WABA, AWS_WABA = "102290129340398", "waba-1"
AT_ONCE = 3_600  # seconds from the first account event of tests to the time of the send
KEY = f"TEMPLATE_META#{WABA}#bike_ready"


def approve(agent: AgentHarness, **facts: Any) -> None:
    """Add a template at the provider, which its webhooks have not reported."""
    agent.sandbox.templates.append(
        {
            "waba": WABA,
            "id": "920070352646140",
            "name": "bike_ready",
            "language": "en_GB",
            "status": "APPROVED",
            "category": "UTILITY",
            "components": READY,
            **facts,
        }
    )


def questions(agent: AgentHarness) -> int:
    operations = {"list_templates", "GetWhatsAppMessageTemplate"}
    return sum(sent.operation in operations for sent in agent.sandbox.sent)


def at_aws(agent: AgentHarness, **facts: Any) -> None:
    agent.register(**{"provider": "eum", "aws_phone": AWS_PHONE, "aws_waba": AWS_WABA} | facts)


def test_a_template_that_only_graph_knows_is_sent_and_stored_as_a_webhook_would_have(
    agent_harness: AgentHarness,
) -> None:
    approve(agent_harness, name="bike_ready_soon")
    approve(agent_harness, language="de")
    approve(agent_harness)

    answers = [agent_harness.send(TEMPLATE, idempotency_key=f"key-0000000{n}") for n in range(2)]

    assert [answer.status for answer in answers] == [200, 200]
    assert [message["template"]["name"] for message in agent_harness.sent] == ["bike_ready"] * 2
    assert questions(agent_harness) == 1
    stored = agent_harness.harness.item(f"{KEY}#en_GB")
    expected = {
        "itemType": "TEMPLATE_META", "company": "acme", "status": "APPROVED", "category": "UTILITY",
        "components": READY, "templateId": "920070352646140", "language": "en_GB",
    }  # fmt: skip
    assert {name: stored[name] for name in expected} == expected
    assert agent_harness.harness.item(KEY)["languages"]["en_GB"]["status"] == "APPROVED"


def test_a_template_that_only_aws_knows_is_sent_and_stored(agent_harness: AgentHarness) -> None:
    at_aws(agent_harness)
    approve(agent_harness, waba=AWS_WABA)

    assert agent_harness.send(TEMPLATE).status == 200

    stored = agent_harness.harness.item(f"TEMPLATE_EUM#{AWS_WABA}#bike_ready#en_GB")
    assert (stored["templateStatus"], stored["templateCategory"]) == ("APPROVED", "UTILITY")
    assert questions(agent_harness) == 1


@pytest.mark.parametrize(
    ("facts", "body", "problem"),
    [
        ({"status": "PAUSED"}, {}, "its status is PAUSED"),
        ({"language": "de"}, {}, "unknown in this language"),
        ({}, {"body": []}, "template.body: needs 1 values"),
    ],
)
def test_a_template_from_the_provider_is_checked_like_a_stored_one(
    agent_harness: AgentHarness, facts: dict[str, Any], body: dict[str, Any], problem: str
) -> None:
    approve(agent_harness, **facts)

    answer = agent_harness.send({"template": TEMPLATE["template"] | body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert problem in answer.body["error"]["message"]


def test_the_policy_knows_the_category_of_a_template_from_the_provider(
    agent_harness: AgentHarness,
) -> None:
    approve(agent_harness, category="MARKETING")

    assert reason(agent_harness.send(TEMPLATE)) == "no_consent"


def test_a_webhook_of_the_same_second_or_later_wins_and_an_older_one_does_not(
    agent_harness: AgentHarness,
) -> None:
    approve(agent_harness)
    agent_harness.send(TEMPLATE)
    paused = template("PAUSED") | {"message_template_name": "bike_ready"}
    for seconds, expected in ((-60, "APPROVED"), (0, "PAUSED")):
        agent_harness.harness.receive_account_change(STATUS, paused, AT_ONCE + seconds)
        assert agent_harness.harness.item(f"{KEY}#en_GB")["status"] == expected


def test_unknown_templates_cannot_make_callers_ask_the_provider_without_limit(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [agent_harness.send(TEMPLATE, idempotency_key=f"key-000000{n:02}") for n in range(11)]

    assert [answer.status for answer in answers] == [409] * 10 + [429]
    assert answers[-1].headers["Retry-After"] == "6"
    assert questions(agent_harness) == 10
    assert agent_harness.send(idempotency_key="key-text-001").status == 200
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 6_000)
    approve(agent_harness)
    assert agent_harness.send(TEMPLATE, idempotency_key="key-00000010").status == 200


@pytest.mark.parametrize("is_at_aws", [False, True])
@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"kind": "status", "status": 429}, 429, "rate_limited"),
        ({"kind": "status", "status": 500}, 503, "provider_unavailable"),
        ({"kind": "lost_answer"}, 503, "provider_unavailable"),
        ({"kind": "status", "status": 403}, 422, "provider_rejected"),
    ],
)
def test_a_failure_of_the_provider_sends_nothing_and_the_same_key_may_try_again(
    agent_harness: AgentHarness, fault: dict[str, Any], status: int, code: str, *, is_at_aws: bool
) -> None:
    if is_at_aws:
        at_aws(agent_harness)
    approve(agent_harness, waba=AWS_WABA if is_at_aws else WABA)
    agent_harness.sandbox.faults.add(**fault)

    refused, sent = agent_harness.send(TEMPLATE), agent_harness.send(TEMPLATE, request="request-10")

    assert (refused.status, refused.error, sent.status) == (status, code, 200)
    assert len(agent_harness.messages()) == 1


def test_a_number_that_cannot_ask_says_what_it_lacks(agent_harness: AgentHarness) -> None:
    agent_harness.register(token_ref="acme/none")
    without_token = agent_harness.send(TEMPLATE)
    at_aws(agent_harness, aws_waba=None)
    without_account = agent_harness.send(TEMPLATE, request="request-10")

    assert (without_token.status, without_token.error) == (409, "not_configured")
    assert (without_account.status, without_account.error) == (501, "not_supported")


def test_a_description_older_than_a_day_is_read_again_or_used_if_nothing_answers(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve(agent_harness)
    agent_harness.send(TEMPLATE, idempotency_key="key-00000000")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 23 * 3_600_000)
    agent_harness.send(TEMPLATE, idempotency_key="key-00000001")
    assert questions(agent_harness) == 1
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 25 * 3_600_000)
    agent_harness.sandbox.faults.add(
        provider="meta", operation="list_templates", kind="status", status=500
    )
    unanswered = agent_harness.send(TEMPLATE, idempotency_key="key-00000002")
    agent_harness.sandbox.templates[0]["status"] = "PAUSED"
    answered = agent_harness.send(TEMPLATE, idempotency_key="key-00000003")

    assert (unanswered.status, answered.status) == (200, 409)
    assert questions(agent_harness) == 2
