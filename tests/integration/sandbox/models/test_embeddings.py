"""Vectors of texts by each provider, over the sandbox: the same each time, and alike for texts that mean the same."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from shared.ai.port import Repeat, Unavailable
from shared.ai.providers.embeddings import BedrockEmbedder, OpenAiEmbedder
from shared.ai.providers.openai import Account
from tests.integration.sandbox.models.test_mail_analysis import Secret

if TYPE_CHECKING:
    from local.sandbox import Sandbox

GERMAN, ENGLISH = "Darf ich mein Zelt zurückschicken?", "May I send my tent back?"
OTHER = "Wann ist der Laden geöffnet?"
MODELS = {
    "openai:text-embedding-3-small": 256,
    "openai:text-embedding-ada-002": 1_536,
    "bedrock:amazon.titan-embed-text-v2:0": 256,
    "bedrock:cohere.embed-multilingual-v3": 1_024,
    "bedrock:eu.cohere.embed-v4:0": 256,
}


def embedder(sandbox: Sandbox, name: str) -> Any:
    provider, _, model = name.partition(":")
    if provider == "openai":
        return OpenAiEmbedder(Account(f"{sandbox.url}/v1", Secret()), model)
    client = partial(
        boto3.client, "bedrock-runtime", endpoint_url=sandbox.url, region_name="us-east-1"
    )
    return BedrockEmbedder(lambda config: client(config=config), model)


def vectors(model: Any, *texts: str) -> list[tuple[float, ...]]:
    if model.most_texts > 1:
        return list(model.embed(texts, 5_000).vectors)
    return [model.embed([text], 5_000).vectors[0] for text in texts]


@pytest.mark.parametrize("name", MODELS)
def test_texts_that_mean_the_same_in_two_languages_have_vectors_that_are_alike(
    sandbox: Sandbox, name: str
) -> None:
    model = embedder(sandbox, name)

    german, english, other = vectors(model, GERMAN, ENGLISH, OTHER)

    assert len(german) == MODELS[name]
    assert math.sumprod(german, english) > 0.9
    assert math.sumprod(german, other) < 0.4
    assert vectors(model, GERMAN)[0] == german
    assert model.name == name


@pytest.mark.parametrize("name", MODELS)
def test_a_call_says_how_many_tokens_it_has_read(sandbox: Sandbox, name: str) -> None:
    assert embedder(sandbox, name).embed([ENGLISH], 5_000).tokens == 6


@pytest.mark.parametrize(
    ("name", "code"),
    [("openai:text-embedding-3-small", "openai_400"), ("bedrock:cohere.embed-v4:0", "ValidationException"),
     ("bedrock:amazon.titan-embed-text-v2:0", "ValidationException")],
)  # fmt: skip
def test_a_text_that_the_provider_refuses_is_a_failure_that_stays(
    sandbox: Sandbox, name: str, code: str
) -> None:
    with pytest.raises(Unavailable) as refused:
        embedder(sandbox, name).embed([""], 5_000)

    assert (refused.value.code, refused.value.repeat) == (code, Repeat.NEVER)


@dataclass
class OddClient:
    """A client of Bedrock whose answers have other *lists*."""

    lists: str

    def invoke_model(self, **_: Any) -> dict[str, Any]:
        return {"body": io.BytesIO(f'{{"embeddings": {self.lists}}}'.encode())}


@pytest.mark.parametrize("lists", ["[[1.0], [2.0, 3.0]]", "[[1.0], [NaN]]", "[[1.0], [Infinity]]"])
def test_an_answer_without_a_vector_for_each_text_is_a_failure_that_may_be_billed(
    lists: str,
) -> None:
    client = OddClient(lists)
    with pytest.raises(Unavailable) as refused:
        BedrockEmbedder(lambda _: client, "cohere.embed-v4:0").embed(["a", "b"], 5_000)

    assert (refused.value.code, refused.value.may_be_billed) == ("bedrock_bad_answer", True)
