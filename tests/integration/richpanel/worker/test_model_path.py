"""A language model classifies first, at either provider; when it fails, the rules route and no reply is sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.accounts.bedrock import BedrockAnswer
from local.sandbox.accounts.openai import OpenAiAnswer
from richpanel.clients.language_model import LIMITS, UNSUPPORTED, Judge
from shared.ai.providers.bedrock import Bedrock, Structure
from shared.ai.providers.openai import Account, OpenAI
from shared.aws.secrets import JsonSecret

if TYPE_CHECKING:
    from local.sandbox import Sandbox
    from tests.integration.richpanel.harness import Harness

# The rules recognise no intent in it.
TEXT = "Sagt mal, wann kommt denn endlich mein Paket an? Ich warte schon ewig."
STATUS = "route-email-support-team"
PROVIDERS = ["openai", "bedrock", "bedrock tool"]
OPERATION = {"openai": ("openai", "create_response"), "bedrock": ("bedrock", "Converse")}
QUICK = replace(LIMITS, within_ms=1_000)


def decision(intent: str, confidence: float = 0.95, **more: Any) -> str:
    known = {
        "schema_version": "rp_decision_v1",
        "language": "en",
        "intents": [{"intent": intent, "confidence": confidence}],
        "risk_flags": [],
        "wants_human": False,
    }
    return json.dumps(known | more)


def judge_of(provider: str, sandbox: Sandbox) -> Judge:
    if provider == "openai":
        boto3.client("secretsmanager").create_secret(
            Name="ai", SecretString='{"ai_api_key": "a-key"}'
        )
        secret = JsonSecret(lambda: boto3.client("secretsmanager"), "ai")
        return Judge(OpenAI(Account(f"{sandbox.url}/v1", secret), "a-model"), QUICK)
    structure: Structure = "tool" if provider.endswith("tool") else "format"
    model = Bedrock(
        lambda config: boto3.client(
            "bedrock-runtime", endpoint_url=sandbox.url, region_name="us-east-1", config=config
        ),
        "a-model",
        structure=structure,
    )
    return Judge(model, QUICK)


def answers(sandbox: Sandbox, provider: str, *texts: str) -> None:
    for text in texts:
        if provider == "openai":
            sandbox.openai.answers.append(OpenAiAnswer(text=text))
        elif provider == "bedrock":
            sandbox.bedrock.answers.append(BedrockAnswer(text=text))
        else:
            arguments = json.loads(text) if text.startswith("{") else {"text": text}
            sandbox.bedrock.answers.append(
                BedrockAnswer(tool="rp_decision_v1", arguments=arguments)
            )


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest, harness: Harness) -> str:
    name = str(request.param)
    harness.resources.judge = judge_of(name, harness.sandbox)
    return name


def test_the_intent_of_the_model_decides(harness: Harness, provider: str) -> None:
    answers(harness.sandbox, provider, decision("return_request"))
    harness.ticket("Hello, what about the blue one?")

    harness.handle()

    facts = harness.decided()
    assert (facts["intent"], facts["rule"]) == ("return_request", "model")
    assert facts["version"].endswith(f"+{provider.partition(' ')[0]}:a-model")
    assert "route-returns-admin" in harness.tags()
    assert len(harness.replies()) == 1


def test_an_answer_outside_the_schema_is_a_failure(harness: Harness, provider: str) -> None:
    answers(harness.sandbox, provider, "no JSON")
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert (harness.replies(), harness.decided()["reason"]) == ([], "schema_invalid_fail_closed")
    assert {"mw-model-failure", "route-returns-admin"} <= harness.tags()


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500, "times": 2},
        {"kind": "status", "status": 429, "times": 2},
        {"kind": "lost_answer", "times": 2},
        {"kind": "delay", "seconds": 20, "times": 2},
    ],
    ids=lambda fault: str(fault.get("status", fault["kind"])),
)
def test_a_model_that_does_not_answer_in_time_leaves_routing_to_the_rules(
    harness: Harness, provider: str, fault: dict[str, Any]
) -> None:
    name, operation = OPERATION[provider.partition(" ")[0]]
    harness.sandbox.faults.add(provider=name, operation=operation, **fault)
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert (harness.replies(), harness.decided()["reason"]) == ([], "vendor_error_fail_closed")
    assert {"mw-model-failure", "route-returns-admin"} <= harness.tags()
    assert harness.calls()[operation] <= 2


def test_a_failed_call_is_repeated_once(harness: Harness, provider: str) -> None:
    name, operation = OPERATION[provider.partition(" ")[0]]
    harness.sandbox.faults.add(provider=name, operation=operation, kind="status", status=500)
    answers(harness.sandbox, provider, decision("return_request"))
    harness.ticket("Hello, what about the blue one?")

    harness.handle()

    assert harness.decided()["intent"] == "return_request"


def test_a_refusal_leaves_routing_to_the_rules(harness: Harness) -> None:
    harness.resources.judge = judge_of("openai", harness.sandbox)
    harness.sandbox.openai.answers.append(OpenAiAnswer(refusal="I cannot help with that."))
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert (harness.replies(), harness.decided()["reason"]) == ([], "vendor_error_fail_closed")
    assert "mw-model-failure" in harness.tags()


def test_an_intervening_guardrail_leaves_routing_to_the_rules(harness: Harness) -> None:
    harness.resources.judge = judge_of("bedrock", harness.sandbox)
    harness.sandbox.bedrock.answers.append(BedrockAnswer(text="No.", stop="guardrail_intervened"))
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert harness.replies() == []
    assert "mw-model-failure" in harness.tags()


def test_without_a_key_the_rules_route(harness: Harness) -> None:
    judge = judge_of("openai", harness.sandbox)
    boto3.client("secretsmanager").put_secret_value(SecretId="ai", SecretString="{}")
    harness.resources.judge = judge
    harness.ticket("Hi, I want to return my order, how do I do that?")

    harness.handle()

    assert "mw-model-failure" in harness.tags()
    assert judge.check() == "key_missing"


def test_the_health_check_of_a_model_that_supports_the_schema_is_ok(
    harness: Harness, provider: str
) -> None:
    assert harness.resources.judge is not None
    assert harness.resources.judge.check() == "ok"


def test_the_health_check_names_a_model_without_structured_output(
    harness: Harness, provider: str
) -> None:
    name, operation = OPERATION[provider.partition(" ")[0]]
    harness.sandbox.faults.add(provider=name, operation=operation, kind="status", status=400)

    assert harness.resources.judge is not None
    assert harness.resources.judge.check() == UNSUPPORTED


def test_the_health_check_names_an_answer_outside_the_schema(
    harness: Harness, provider: str
) -> None:
    answers(harness.sandbox, provider, "no JSON")

    assert harness.resources.judge is not None
    assert harness.resources.judge.check() == "answer_outside_schema"
