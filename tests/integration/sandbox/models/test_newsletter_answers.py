"""The schemas of newsletters are answered by their scripts, through both providers, with faults on request."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from newsletters.drafting import prompts
from newsletters.drafting.outlines import generation as outline_generation
from newsletters.drafting.plan import plan_of
from newsletters.drafting.text import section_text
from shared.ai import port as ai
from shared.ai.providers.bedrock import Bedrock
from shared.ai.providers.openai import Account, OpenAI
from tests.unit.newsletters.drafting.samples import (
    chunk,
    item,
    metadata,
    reference,
    section,
    topics,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.sandbox import Sandbox

KINDS = ["openai:a-model", "openai:scripted", "bedrock:format", "bedrock:tool"]
LIMITS = ai.Limits(most_tokens=4_096, within_ms=8_000)
PASSAGES = prompts.labelled([("main", chunk("chunk-1"))])
PLAN = plan_of(metadata(), topics("Research Findings"))
SOURCES = {"c01": reference("r1", "Rain fell. It helped.")}
CORRECTION = (
    ai.Message(ai.Role.ASSISTANT, "{}"),
    ai.Message(ai.Role.USER, "Correct your answer."),
)


class Secret:
    def value(self) -> Mapping[str, Any]:
        return {"ai_api_key": "a-key"}

    def refreshed(self) -> bool:
        return False


def model(sandbox: Sandbox, kind: str) -> ai.Model:
    provider, _, name = kind.partition(":")
    if provider == "openai":
        return OpenAI(Account(f"{sandbox.url}/v1", Secret()), name)
    client = partial(
        boto3.client, "bedrock-runtime", endpoint_url=sandbox.url, region_name="us-east-1"
    )
    bedrock = Bedrock(lambda *_: client(), "a-model")
    bedrock.structure = name  # type: ignore[assignment] # one of its two words
    return bedrock


def written(
    sandbox: Sandbox, kind: str, *later: ai.Message, description: str = "", text: str = ""
) -> ai.Reply:
    sources = {"c01": reference("r1", text)} if text else SOURCES
    content = prompts.section_content(
        metadata(description=description), section("main", item("Rain", "r1")), sources, 1_500
    )
    return model(sandbox, kind).reply(
        ai.Request(
            prompts.SECTION_SYSTEM,
            [ai.Message(ai.Role.USER, content), *later],
            limits=LIMITS,
            schema=prompts.section_schema(sources),
        )
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_provider_answers_an_outline(sandbox: Sandbox, kind: str) -> None:
    content = prompts.outline_content(metadata(), PLAN, PASSAGES, keep=[], avoid=[])

    reply = model(sandbox, kind).reply(
        ai.Request(
            prompts.OUTLINE_SYSTEM,
            [ai.Message(ai.Role.USER, content)],
            limits=LIMITS,
            schema=prompts.outline_schema(PLAN, PASSAGES),
        )
    )

    answer = outline_generation.parsed(reply.text, PLAN, PASSAGES)
    assert [one.title for one in answer["main"].items] == ["Rain fell."]


@pytest.mark.parametrize("kind", KINDS)
def test_each_provider_answers_a_section(sandbox: Sandbox, kind: str) -> None:
    blocks = section_text.parsed(written(sandbox, kind).text, SOURCES).blocks

    assert [(block.kind, block.text) for block in blocks] == [
        ("subheading", "Rain"),
        ("paragraph", "Rain fell. It helped."),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_answer_is_no_json_in_the_first_attempt(sandbox: Sandbox, kind: str) -> None:
    description = "[[break:once:json]]"

    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(written(sandbox, kind, description=description).text)

    repeated = written(sandbox, kind, *CORRECTION, description=description)
    assert json.loads(repeated.text).keys() == {"blocks"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_refuses_on_request(sandbox: Sandbox, kind: str) -> None:
    assert written(sandbox, kind, description="[[break:refuse]]").stop is ai.Stop.REFUSED


def test_a_long_arabic_section_fits_into_an_answer(sandbox: Sandbox) -> None:
    rain = "\u0627\u0644\u0645\u0637\u0631"
    sentence = (
        f"\u0646\u0632\u0644 {rain} \u0641\u064a \u0627\u0644\u0645\u062f\u064a\u0646\u0629. "
    )

    reply = written(sandbox, "openai:a-model", text=sentence * 300)

    assert reply.stop is ai.Stop.END
    assert reply.text.count(rain) == 300
