"""The schemas of outlines and sections are accepted by the strictest providers, with and without sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.providers.bedrock import schema_rules
from local.sandbox.providers.openai import rules
from newsletters.drafting.plan import plan_of
from newsletters.drafting.prompts import Labelled, outline_schema, section_schema
from shared.ai.port import decodable
from tests.unit.newsletters.drafting.samples import metadata, reference, topics

if TYPE_CHECKING:
    from shared.ai import port as ai

TYPES = ("Policy Updates", "Research Findings", "Funding Opportunities", "Publications & Resources")
PLAN = plan_of(metadata(), topics(*TYPES))
PASSAGES = [
    Labelled(f"c{number:02d}", kind, "Rain", "2026-01-05", "Rain fell.", f"chunk-{number}")
    for number, kind in enumerate(["main", "main", "updates", "opportunities", "resources"], 1)
]
SCHEMAS = {
    "outline": outline_schema(PLAN, PASSAGES),
    "outline without passages": outline_schema(PLAN, []),
    "outline of the frame": outline_schema([PLAN[0], PLAN[-1]], []),
    "section": section_schema({"c01": reference("r1"), "c07": reference("r2")}),
    "section without references": section_schema({}),
}


def response_with(schema: ai.Schema) -> dict[str, Any]:
    answer = {
        "type": "json_schema",
        "name": schema.name,
        "schema": decodable(schema.schema),
        "strict": True,
    }
    return {"model": "a-model", "input": "{}", "text": {"format": answer}}


def enums_of(schema: Any) -> list[list[str]]:
    """Return all enums of a schema."""
    inner = schema.values() if isinstance(schema, dict) else schema
    found = [schema["enum"]] if isinstance(schema, dict) and "enum" in schema else []
    nested = [one for one in inner if isinstance(one, dict | list)]
    return found + [enum for one in nested for enum in enums_of(one)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_openai_accepts_the_schema_in_strict_mode(name: str) -> None:
    body = response_with(SCHEMAS[name])

    rules.check_response(body)

    with pytest.raises(rules.BrokenRule):
        rules.check_response(response_without_adaption(SCHEMAS[name]))


def response_without_adaption(schema: ai.Schema) -> dict[str, Any]:
    body = response_with(schema)
    body["text"]["format"]["schema"] = schema.schema
    return body


@pytest.mark.parametrize("name", SCHEMAS)
def test_bedrock_accepts_the_schema(name: str) -> None:
    schema_rules.check(json.dumps(decodable(SCHEMAS[name].schema)))

    with pytest.raises(schema_rules.SchemaRefused):
        schema_rules.check(json.dumps(SCHEMAS[name].schema))


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_enum_is_empty(name: str) -> None:
    assert all(enums_of(SCHEMAS[name].schema)) is True


def test_each_section_of_an_outline_may_cite_its_own_passages_only() -> None:
    sections = decodable(SCHEMAS["outline"].schema)["properties"]
    items = {kind: one["properties"]["items"]["items"] for kind, one in sections.items()}

    assert list(sections) == [one.kind for one in PLAN]
    assert items["main"]["properties"]["refs"]["items"]["enum"] == ["c01", "c02"]
    assert items["main"]["required"] == ["title", "description", "refs"]
    assert items["introduction"]["required"] == ["title", "description"]


def test_a_block_may_cite_the_sources_of_its_section_only() -> None:
    block = decodable(SCHEMAS["section"].schema)["properties"]["blocks"]["items"]
    without = decodable(SCHEMAS["section without references"].schema)["properties"]["blocks"]

    assert block["properties"]["refs"]["items"]["enum"] == ["c01", "c07"]
    assert block["required"] == ["kind", "text", "refs"]
    assert without["items"]["required"] == ["kind", "text"]
