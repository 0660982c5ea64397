"""Structured output: the help desk's schemas keep the rules of both providers, which the sandbox enforces."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.providers.bedrock import schema_rules
from local.sandbox.providers.openai.rules import BrokenRule, check_response
from richpanel.decisions.model_answers import DECISION_SCHEMA, VERDICT_SCHEMA
from shared.ai import port as ai
from shared.ai.providers.bedrock import Bedrock
from shared.ai.providers.openai import Account, OpenAI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.sandbox import Sandbox

SCHEMAS = {"decision_v1": DECISION_SCHEMA, "verifier_v1": VERDICT_SCHEMA}
LIMITS = ai.Limits(most_tokens=600, within_ms=8_000)
ASKED = [ai.Message(ai.Role.USER, '{"text": "Where is my order?"}')]


class Secret:
    def value(self) -> Mapping[str, Any]:
        return {"ai_api_key": "a-key"}

    def refreshed(self) -> bool:
        return False


def of_object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def response_with(schema: dict[str, Any]) -> dict[str, Any]:
    answer = {"type": "json_schema", "name": "answer", "schema": schema, "strict": True}
    return {"model": "a-model", "input": "Hello", "text": {"format": answer}}


@pytest.mark.parametrize("name", SCHEMAS)
def test_openai_accepts_the_schemas_of_the_help_desk_in_strict_mode(
    sandbox: Sandbox, name: str
) -> None:
    model = OpenAI(Account(f"{sandbox.url}/v1", Secret()), "a-model")

    reply = model.reply(
        ai.Request("Sort.", ASKED, limits=LIMITS, schema=ai.Schema(name, SCHEMAS[name]))
    )

    assert json.loads(reply.text).keys() == SCHEMAS[name]["properties"].keys()


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("structure", ["format", "tool"])
def test_bedrock_accepts_the_schemas_of_the_help_desk(
    sandbox: Sandbox, structure: Any, name: str
) -> None:
    make_client = partial(
        boto3.client, "bedrock-runtime", endpoint_url=sandbox.url, region_name="us-east-1"
    )
    model = Bedrock(lambda config: make_client(config=config), "a-model-v1:0", structure=structure)

    reply = model.reply(
        ai.Request("Sort.", ASKED, limits=LIMITS, schema=ai.Schema(name, SCHEMAS[name]))
    )

    assert json.loads(reply.text).keys() == SCHEMAS[name]["properties"].keys()


def test_bedrock_refuses_the_bounds_that_the_client_removes() -> None:
    with pytest.raises(schema_rules.SchemaRefused, match="'maxItems' is not supported"):
        schema_rules.check(json.dumps(of_object(intents=DECISION_SCHEMA["properties"]["intents"])))


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (of_object(size={"type": "integer", "minimum": 1}), "'minimum' is not supported"),
        (of_object(size={"type": "array", "items": {"type": "string"}, "minItems": 2}), "minItems"),
        ({"type": "object", "properties": {}}, "'additionalProperties' must be"),
        (of_object(of={"type": "object", "properties": {}}), "'additionalProperties' must be"),
        (of_object(kind={"anyOf": [{"type": "string", "maxLength": 3}]}), "'maxLength'"),
        (of_object(kind={"$ref": "#/$defs/Unknown"}), "refers to no definition"),
        (
            of_object(tree={"$ref": "#/$defs/Tree"})
            | {"$defs": {"Tree": of_object(child={"$ref": "#/$defs/Tree"})}},
            "Recursive",
        ),
    ],
)
def test_bedrock_refuses_what_its_decoder_does_not_support(
    schema: dict[str, Any], rule: str
) -> None:
    with pytest.raises(schema_rules.SchemaRefused, match=rule):
        schema_rules.check(json.dumps(schema))


@pytest.mark.parametrize("text", ["{", "[]"])
def test_bedrock_refuses_a_text_that_is_no_schema(text: str) -> None:
    with pytest.raises(schema_rules.SchemaRefused):
        schema_rules.check(text)


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (of_object(size={"type": "string", "default": ""}), "'default' is not permitted"),
        (
            of_object(names={"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
            "'uniqueItems' is not permitted",
        ),
        (
            of_object(kind={"$ref": "#/$defs/Kind", "description": "Its kind."})
            | {"$defs": {"Kind": {"type": "string"}}},
            "ref cannot have keywords",
        ),
        (of_object(size={"type": "string"}) | {"required": []}, "'required' is required"),
        ({"type": "object", "properties": {}}, "'additionalProperties' is required"),
    ],
)
def test_openai_refuses_what_its_strict_mode_does_not_support(
    schema: dict[str, Any], rule: str
) -> None:
    with pytest.raises(BrokenRule, match=rule):
        check_response(response_with(schema))
