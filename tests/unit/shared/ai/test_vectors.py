"""Vectors of many texts: in calls of the size that their model takes, until one fails or the time is up."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from shared.ai.calls import vectors
from shared.ai.calls.observed import ObservedEmbedder
from shared.ai.port import Embedded, Unavailable
from shared.ai.settings import EmbeddingSettings
from shared.ai.spending.prices import ModelPrice, price_of_embeddings
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import NotSent
from shared.runtime import clock
from tests.unit.shared.ai.test_observed_calls import lines, only

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Sequence

__all__ = ["lines"]  # a fixture
PRICE = ModelPrice(2.0, 0.0)


@dataclass
class Model:
    """A model that fails at the calls in *failures*, and takes *ms*."""

    most_texts: int = 2
    failures: dict[int, Exception] = field(default_factory=dict)
    now: list[int] = field(default_factory=lambda: [1_000])
    ms: int = 0
    calls: list[int] = field(default_factory=list)
    name: str = "bedrock:cohere.embed-v4:0"

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        assert within_ms > 0
        self.calls.append(len(texts))
        self.now[0] += self.ms
        if (failure := self.failures.get(len(self.calls))) is not None:
            raise failure
        return Embedded(tuple((float(len(one)), 1.0) for one in texts), 10)


@dataclass
class Unlimited:
    """Calls of a company without ceilings, and what they were counted with."""

    counted: list[int] = field(default_factory=list)

    def make(self, estimate: int, call: Callable[[], Any], price_of: Callable[[Any], int]) -> Any:
        made = call()
        self.counted += [estimate, price_of(made)]
        return made


@pytest.fixture(autouse=True)
def _one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_CALLS_AT_ONCE", 1)


def made_by(
    model: Model, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch, within_ms: int = 60_000
) -> tuple[vectors.Made, list[int]]:
    monkeypatch.setattr(clock, "now_ms", lambda: model.now[0])
    spending: Any = Unlimited()
    deadline = model.now[0] + within_ms
    made = vectors.vectors_of(model, texts, PRICE, spending, deadline)
    return made, spending.counted


def test_texts_are_divided_into_calls_and_have_their_vectors_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = Model()

    made, counted = made_by(model, ["a", "bb", "ccc"], monkeypatch)

    assert model.calls == [2, 1]
    read = [vectors.read(made.vectors[at], model.name) for at in range(3)]
    assert read == [(90, 90), (114, 57), (120, 40)]
    assert (made.tokens, made.failure, counted) == (20, None, [4, 40])


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Unavailable("ThrottlingException"), "ThrottlingException"),
        (SecretUnreadable("no key"), "secrets_missing"),
        (NotSent("no_connection"), "no_connection"),
    ],
)
def test_after_a_failure_the_vectors_before_it_are_kept_and_no_call_follows(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, code: str
) -> None:
    model = Model(failures={2: failure})

    made, counted = made_by(model, ["a"] * 6, monkeypatch)

    assert (model.calls, sorted(made.vectors), made.failure) == ([2, 2], [0, 1], code)
    assert counted[1] == 20


def test_a_call_that_may_be_billed_leaves_the_whole_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = Model(failures={1: Unavailable("ReadTimeoutError", may_be_billed=True)})

    _, (estimate, counted) = made_by(model, ["a" * 30], monkeypatch)

    assert counted == estimate == 20


def test_without_time_left_no_further_call_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(ms=6_000)

    made, _ = made_by(model, ["a"] * 6, monkeypatch, within_ms=10_000)

    assert (model.calls, made.failure) == ([2, 2], "no_time_left")
    assert len(made.vectors) == 4


def test_a_vector_of_another_model_is_not_read() -> None:
    stored = vectors.kept("openai:text-embedding-3-small", (1.0, 0.0))

    assert vectors.read(stored, "openai:text-embedding-3-small") == (127, 0)
    assert vectors.read(stored, "openai:text-embedding-3") is None
    assert vectors.read(None, "openai:text-embedding-3-small") is None
    assert vectors.read(vectors.kept("a", (0.0, 0.0)), "a") == (0, 0)


def test_a_call_is_one_line_with_the_names_of_the_conventions_and_no_content(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(ms=500)
    monkeypatch.setattr(clock, "now_ms", lambda: model.now[0])

    ObservedEmbedder(model).embed(["canary-words"], 1_000)

    assert "canary-words" not in lines.getvalue()
    assert only(lines) == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "aws.bedrock",
        "gen_ai.request.model": "cohere.embed-v4:0",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.embeddings.dimension.count": 2,
        "gen_ai.client.operation.duration": 0.5,
    }
    assert "vectors" not in json.loads(lines.getvalue())


@pytest.mark.parametrize(
    ("settings", "price"),
    [
        ({"provider": "bedrock", "model": "amazon.titan-embed-text-v2:0"}, 0.02),
        ({"provider": "bedrock", "model": "cohere.embed-multilingual-v3"}, 0.12),
        ({"provider": "openai", "model": "text-embedding-3-small", "api_key_reference": "k"}, 0.02),
        ({"provider": "openai", "model": "text-embedding-3-large", "api_key_reference": "k"}, 0.13),
        ({"provider": "openai", "model": "own", "api_key_reference": "k", "price": 7.0}, 7.0),
    ],
)
def test_a_model_of_vectors_has_its_list_price_or_the_one_of_the_settings(
    settings: dict[str, Any], price: float
) -> None:
    found = price_of_embeddings(EmbeddingSettings(**settings))

    assert (found.token_in, found.token_out) == (price, 0.0)


@dataclass
class Refusing(Model):
    """A model that refuses each call with one of the texts in *refused*."""

    refused: frozenset[str] = frozenset()
    code: str = "ValidationException"

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        found = super().embed(texts, within_ms)
        if self.refused & set(texts):
            raise Unavailable(self.code)
        return found


@pytest.mark.parametrize("code", ["ValidationException", "openai_400_invalid_value"])
def test_a_refused_text_alone_has_no_vector(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    model = Refusing(most_texts=8, refused=frozenset({"bad"}), code=code)

    made, _ = made_by(model, ["a", "b", "bad", "c", "d"], monkeypatch)

    assert (sorted(made.vectors), made.refused, made.failure) == ([0, 1, 3, 4], {2}, None)
    assert vectors.read(vectors.without_vector(model.name), model.name) == ()


def test_a_model_that_refuses_all_texts_has_failed_and_no_text_is_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [str(number) for number in range(200)]
    model = Refusing(most_texts=200, refused=frozenset(texts))

    made, _ = made_by(model, texts, monkeypatch)

    assert (made.vectors, made.refused, made.failure) == ({}, set(), "ValidationException")
    assert len(model.calls) == vectors.MOST_REFUSED + 1
    only_one, _ = made_by(Refusing(refused=frozenset("a")), ["a"], monkeypatch)
    assert (only_one.refused, only_one.failure) == (set(), "text_refused")
