"""The schema of the analysis of mails is answered by its script, through both providers of models."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from shared.ai import port as ai
from shared.ai.providers.bedrock import Bedrock
from shared.ai.providers.openai import Account, OpenAI
from tests.integration.sandbox.client import Client

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.sandbox import Sandbox

LIMITS = ai.Limits(most_tokens=2_000, within_ms=8_000)
STRUCTURE = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
SCHEMA = ai.Schema("email_analysis_v1", STRUCTURE)
MAIL = {"n": 1, "from": "customer", "subject": "Re: Chairs", "text": "By Friday, please."}
INPUT = json.dumps({"fields": {"deadline": {"type": "string"}}, "mails": [MAIL]})
ASKED = ai.Message(ai.Role.USER, INPUT)
CORRECTION = (
    ai.Message(ai.Role.ASSISTANT, "{}"),
    ai.Message(ai.Role.USER, "The answer lacks evidence. Correct it."),
)
KEYS = {"requirements", "evidence", "missing", "analysis", "sentiment", "reply"}


class Secret:
    def value(self) -> Mapping[str, Any]:
        return {"ai_api_key": "a-key"}

    def refreshed(self) -> bool:
        return False


def model(sandbox: Sandbox, kind: str) -> Any:
    if kind.startswith("openai"):
        return OpenAI(Account(f"{sandbox.url}/v1", Secret()), kind.partition(":")[2])
    client = partial(
        boto3.client, "bedrock-runtime", endpoint_url=sandbox.url, region_name="us-east-1"
    )
    bedrock = Bedrock(lambda *_: client(), "a-model")
    bedrock.structure = kind.partition(":")[2]  # type: ignore[assignment] # one of its two words
    return bedrock


@pytest.mark.parametrize("history", [(ASKED,), (ASKED, *CORRECTION)])
@pytest.mark.parametrize(
    "kind", ["openai:a-model", "openai:scripted", "bedrock:format", "bedrock:tool"]
)
def test_each_provider_answers_with_the_script(
    sandbox: Sandbox, kind: str, history: tuple[ai.Message, ...]
) -> None:
    reply = model(sandbox, kind).reply(
        ai.Request("Analyse.", history, limits=LIMITS, schema=SCHEMA)
    )

    answer = json.loads(reply.text)
    assert answer.keys() == KEYS
    assert answer["requirements"] == {"deadline": "Friday"}
    assert answer["evidence"] == [{"field": "deadline", "n": 1, "quote": "By Friday"}]


def test_a_queued_answer_comes_first(sandbox: Sandbox, client: Client) -> None:
    client.post("/_openai_answers", {"text": "{}"})

    reply = model(sandbox, "openai:a-model").reply(
        ai.Request("Go.", [ASKED], limits=LIMITS, schema=SCHEMA)
    )

    assert reply.text == "{}"


@pytest.mark.parametrize("text", ["Hello", '{"mails": [1]}'])
def test_a_message_that_is_no_input_is_refused(sandbox: Sandbox, client: Client, text: str) -> None:
    structure = {"type": "json_schema", "name": SCHEMA.name, "schema": STRUCTURE, "strict": True}
    body = {"model": "a-model", "input": text, "text": {"format": structure}}

    refused = client.send(
        "POST",
        "/v1/responses",
        json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )

    assert refused.status == 400
    assert refused.json()["error"]["message"].startswith("email_analysis_v1: ")
    assert sandbox.sent == []
