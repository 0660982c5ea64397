"""A language model classifies on the deployed stack: webhook in, tags and replies in the help desk out."""

from __future__ import annotations

import json
import time
import uuid
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

from tests.e2e.versions import another_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.stack.cli import Stack
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
http = urllib3.PoolManager(retries=False, timeout=180)
WORKER = "parley-local-richpanel-worker"
WITHIN_SECONDS = 400
PROCESSED, FAILED, RETURNS = "mw-processed", "mw-model-failure", "route-returns-admin"
# The rules recognise a return in the first text and nothing in the second.
RETURN, UNCLEAR = (
    "Hi, I want to return my order, how do I do that?",
    "Hello, what about the blue one?",
)
ANSWER = {
    "schema_version": "rp_decision_v1",
    "language": "en",
    "intents": [{"intent": "return_request", "confidence": 0.95}],
    "risk_flags": [],
    "wants_human": False,
}


def call(method: str, url: str, **options: Any) -> Any:
    answer = http.request(method, url, **options)
    assert answer.status in {200, 201, 204}, answer.data.decode()
    return answer.json() if answer.data else None


@pytest.fixture(scope="module", params=["openai", "bedrock"])
def stack(deployed: Deployed, request: pytest.FixtureRequest) -> Iterator[Stack]:
    """The stack, whose worker asks a model of this provider."""
    stack = deployed.stack
    keys = stack.secret("richpanel_keys") | {"ai_api_key": "a key of the sandbox"}
    stack.client("secretsmanager").put_secret_value(
        SecretId=stack.secrets["richpanel_keys"], SecretString=json.dumps(keys)
    )
    model = {"CLASSIFIER": "model", "MODEL_PROVIDER": request.param, "MODEL_ID": "a-model"}
    with another_version(stack, WORKER) as publish:
        publish(model)
        yield stack


def handled(stack: Stack, text: str) -> dict[str, Any]:
    """The ticket of a new customer's message after the worker has handled it."""
    ticket_id = f"model-{uuid.uuid4().hex[:12]}"
    sender = f"{ticket_id}@example.com"
    seed = {"id": ticket_id, "sender": sender, "profile_email": sender, "comments": []}
    call("POST", f"{stack.sandbox_url}/_tickets", json=seed)
    message = {"ticket_id": ticket_id, "comment": {"body": text}}
    assert call("POST", f"{stack.sandbox_url}/_comments", json=message)["webhooks"] == [200]
    deadline = time.monotonic() + WITHIN_SECONDS
    while time.monotonic() < deadline:
        ticket: dict[str, Any] = call("GET", f"{stack.sandbox_url}/_tickets/{ticket_id}")
        if PROCESSED in ticket["tags"]:
            return ticket
        time.sleep(0.5)
    pytest.fail(f"not handled within {WITHIN_SECONDS} s; tags {ticket['tags']}")


def queue(stack: Stack, answer: dict[str, Any]) -> None:
    """Queue the model's next answer, in the form of the provider that the worker asks."""
    environment = stack.client("lambda").get_function_configuration(FunctionName=WORKER)
    provider = environment["Environment"]["Variables"]["MODEL_PROVIDER"]
    call("POST", f"{stack.sandbox_url}/_{provider}_answers", json=answer[provider])


def test_the_model_decides_the_route(stack: Stack) -> None:
    answer = {"text": json.dumps(ANSWER)}
    used = {"tool": "rp_decision_v1", "arguments": ANSWER}
    queue(stack, {"openai": answer, "bedrock": used})

    ticket = handled(stack, UNCLEAR)

    assert RETURNS in ticket["tags"]
    assert FAILED not in ticket["tags"]


def test_after_a_refusal_the_rules_route(stack: Stack) -> None:
    stopped = {"text": "No.", "stop": "guardrail_intervened"}
    queue(stack, {"openai": {"refusal": "I cannot help with that."}, "bedrock": stopped})

    assert {RETURNS, FAILED} <= set(handled(stack, RETURN)["tags"])


def test_after_an_answer_outside_the_schema_the_rules_route(stack: Stack) -> None:
    outside = {"tool": "rp_decision_v1", "arguments": {"intents": []}}
    queue(stack, {"openai": {"text": "no JSON"}, "bedrock": outside})

    assert {RETURNS, FAILED} <= set(handled(stack, RETURN)["tags"])
