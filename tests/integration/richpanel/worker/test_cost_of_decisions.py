"""A decision that asked a model shows what its calls have cost, in its audit and in the list of its day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3

from local.sandbox.accounts.openai import OpenAiAnswer
from richpanel.api import decisions
from richpanel.clients.language_model import Judge
from richpanel.store import audits
from richpanel.store.items import AuditAction
from shared.ai.providers.openai import Account, OpenAI
from shared.aws.secrets import JsonSecret
from shared.runtime import clock
from tests.integration.richpanel.worker.test_model_path import QUICK, decision

if TYPE_CHECKING:
    from richpanel.api.views import DecisionView
    from tests.integration.richpanel.harness import Harness


ANSWER = decision("return_request")


def with_model(harness: Harness, name: str, text: str = ANSWER) -> None:
    boto3.client("secretsmanager").create_secret(Name="ai", SecretString='{"ai_api_key": "a-key"}')
    secret = JsonSecret(lambda: boto3.client("secretsmanager"), "ai")
    account = Account(f"{harness.sandbox.url}/v1", secret)
    harness.resources.judge = Judge(OpenAI(account, name), QUICK)
    harness.sandbox.openai.answers.append(OpenAiAnswer(text=text))


def listed(harness: Harness) -> DecisionView:
    day = clock.to_text(clock.now_ms())[:10]
    rows, _ = audits.page(harness.resources.audit, AuditAction.decisions_of(day), limit=9)
    [row] = rows
    return decisions._view(row)


def test_a_decision_shows_what_its_calls_of_the_model_have_cost(harness: Harness) -> None:
    with_model(harness, "gpt-5-mini")
    harness.ticket("Hello, what about the blue one?")

    harness.handle()

    shown = listed(harness).ai_dollars
    assert shown is not None
    assert float(shown) > 0
    assert harness.decided()["dollars"] == shown
    assert listed(harness).facts["dollars"] == shown


def test_a_call_whose_answer_is_refused_is_part_of_the_cost(harness: Harness) -> None:
    with_model(harness, "gpt-5-mini", "no JSON")
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert harness.decided()["reason"] == "schema_invalid_fail_closed"
    assert float(listed(harness).ai_dollars or 0) > 0


def test_a_model_without_a_list_price_shows_no_dollars_and_not_zero(harness: Harness) -> None:
    with_model(harness, "a-model")
    harness.ticket("Hello, what about the blue one?")

    harness.handle()

    assert harness.decided()["rule"] == "model"
    assert listed(harness).ai_dollars is None
    assert "dollars" not in listed(harness).facts


def test_a_decision_by_rules_shows_no_dollars(harness: Harness) -> None:
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert listed(harness).ai_dollars is None
