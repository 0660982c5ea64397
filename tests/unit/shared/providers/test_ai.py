"""The interface to language models: requests, replies, and failures."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber

from shared.ai import port as ai
from shared.ai.port import decodable
from shared.ai.providers.bedrock import Bedrock

LIMITS = ai.Limits(most_tokens=600, within_ms=8_000)
ASKED = [ai.Message(ai.Role.USER, "Where is it?")]
SCHEMA = ai.Schema(
    "answer_v1",
    {
        "type": "object",
        "properties": {
            "sure": {"type": "number", "minimum": 0, "maximum": 1},
            "names": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        },
        "required": ["sure"],
    },
)
REQUEST: dict[str, Any] = {
    "modelId": "a-model",
    "system": [{"text": "Sort."}],
    "messages": [{"role": "user", "content": [{"text": "Where is it?"}]}],
    "inferenceConfig": {"maxTokens": 600, "temperature": 0.0},
}


def answer(stop: str = "end_turn", *texts: str) -> dict[str, Any]:
    content = [{"text": text} for text in texts or ("fine",)]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop,
        "usage": {"inputTokens": 12, "outputTokens": 3, "totalTokens": 15},
        "metrics": {"latencyMs": 1},
    }


class Stubbed:
    """A model with a scripted client."""

    def __init__(self) -> None:
        self.configs: list[Config] = []
        self.client = boto3.client("bedrock-runtime", region_name="us-east-1")
        self.stub = Stubber(self.client)
        self.stub.activate()
        self.model = Bedrock(self._client, "a-model")

    def _client(self, config: Config) -> Any:
        self.configs.append(config)
        return self.client


@pytest.fixture
def bedrock() -> Stubbed:
    return Stubbed()


def test_a_request_contains_its_limits_and_a_reply_its_usage(bedrock: Stubbed) -> None:
    bedrock.stub.add_response("converse", answer("end_turn", "It ", "is here."), REQUEST)

    reply = bedrock.model.reply(ai.Request("Sort.", ASKED, limits=LIMITS))

    assert (reply.text, reply.stop, reply.usage) == ("It is here.", ai.Stop.END, ai.Usage(12, 3))
    (config,) = bedrock.configs
    settings: Any = config
    assert (settings.read_timeout, settings.connect_timeout) == (8.0, 2.0)
    assert settings.retries == {"total_max_attempts": 1}


def test_a_schema_is_sent_without_bounds_and_with_every_property_required(
    bedrock: Stubbed,
) -> None:
    wanted = {
        "type": "object",
        "properties": {
            "sure": {"type": "number"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["sure", "names"],
        "additionalProperties": False,
    }
    assert decodable(SCHEMA.schema) == wanted
    structure = {"jsonSchema": {"name": "answer_v1", "schema": json.dumps(wanted)}}
    formatted = {"textFormat": {"type": "json_schema", "structure": structure}}
    bedrock.stub.add_response("converse", answer(), REQUEST | {"outputConfig": formatted})

    assert (
        bedrock.model.reply(ai.Request("Sort.", ASKED, limits=LIMITS, schema=SCHEMA)).text == "fine"
    )


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("end_turn", ai.Stop.END),
        ("max_tokens", ai.Stop.LENGTH),
        ("guardrail_intervened", ai.Stop.REFUSED),
        ("content_filtered", ai.Stop.REFUSED),
        ("tool_use", ai.Stop.TOOLS),
    ],
)
def test_a_providers_stop_reason_is_mapped_to_ours(
    bedrock: Stubbed, word: str, stop: ai.Stop
) -> None:
    bedrock.stub.add_response("converse", answer(word), REQUEST)

    assert bedrock.model.reply(ai.Request("Sort.", ASKED, limits=LIMITS)).stop is stop


@pytest.mark.parametrize(
    "code",
    [
        "ThrottlingException",
        "ModelTimeoutException",
        "AccessDeniedException",
        "ValidationException",
    ],
)
def test_a_model_that_does_not_answer_is_unavailable_and_repeats_nothing(
    bedrock: Stubbed, code: str
) -> None:
    bedrock.stub.add_client_error("converse", code, "Where is it? is what was asked")

    with pytest.raises(ai.Unavailable) as failure:
        bedrock.model.reply(ai.Request("Sort.", ASKED, limits=LIMITS))
    assert failure.value.code == code
    assert "Where" not in str(failure.value)


class _Gone:
    def converse(self, **_: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://bedrock.example")


def test_a_model_out_of_reach_is_unavailable() -> None:
    with pytest.raises(ai.Unavailable, match="EndpointConnectionError"):
        Bedrock(lambda _: _Gone(), "a-model").reply(ai.Request("Sort.", ASKED, limits=LIMITS))
