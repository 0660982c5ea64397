"""Settings of a language model: its provider, its limits and its key."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from shared.ai.port import Effort
from shared.runtime.settings import is_local_stage

TOKENS, MOST_TOKENS = 1_024, 32_768
REASONING_TOKENS = 4_096
LARGEST_RECORDING_BYTES = 16 << 20  # OpenAI accepts 25 MB

# Parts of the ids of the models at Bedrock whose requests and answers `shared.ai.providers.embeddings` knows.
EMBEDDERS = ("titan-embed-text-v2", "cohere.embed")

type Provider = Literal["bedrock", "openai", "scripted"]


def _available(provider: str) -> str:
    if provider == "scripted" and not is_local_stage():
        raise ValueError(
            "must be `bedrock` or `openai`: `scripted` is a model of the local stack only"
        )
    return provider


class Configured(BaseModel):
    """Base class of settings that a project stores. Unknown attributes are ignored: old items contain some."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", defer_build=True)


class Reasoning(Configured):
    """
    The reasoning effort of a model of OpenAI before it answers; a model may support fewer efforts.

    *max_tokens* limits the reasoning, in addition to `max_output_tokens` of the answer.
    """

    effort: Effort
    max_tokens: Annotated[int, Field(ge=0, le=65_536)] = REASONING_TOKENS


type Dollars = Annotated[float, Field(ge=0, le=10_000)]


class TokenPrices(Configured):
    """
    What the provider charges for a model, in dollars for a million tokens that it reads, writes, and reads from its
    cache; without *cached_input* a cached token costs half of one that is read.
    """

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None


class ModelSettings(Configured):
    """
    The model of a project. *model* may be None only if *provider* is `scripted`, a model that the local stack plays.

    *api_key_reference* is the name of the secret with the key; a model of Bedrock needs none. *cache_prompt* caches the
    prompt at Bedrock: it costs a quarter more to write and a tenth to read within five minutes. *price* replaces the
    list price (`shared.ai.spending.prices`).
    """

    provider: Annotated[Provider, AfterValidator(_available)]
    model: Annotated[str, Field(min_length=1, max_length=2_048)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_output_tokens: Annotated[int, Field(ge=16, le=MOST_TOKENS)] = TOKENS
    reasoning: Reasoning | None = None
    guardrail_id: Annotated[str, Field(min_length=1)] | None = None
    api_key_reference: Annotated[str, Field(min_length=1)] | None = None
    cache_prompt: bool = False
    price: TokenPrices | None = None

    @model_validator(mode="after")
    def _has_provider_settings(self) -> ModelSettings:
        if self.provider != "scripted" and self.model is None:
            raise ValueError("model is missing")
        if self.provider == "openai" and self.api_key_reference is None:
            raise ValueError("api_key_reference is missing")
        if self.provider == "bedrock" and (self.temperature or 0) > 1:
            raise ValueError("temperature must be at most 1")
        if self.cache_prompt and self.provider != "bedrock":
            raise ValueError("cache_prompt is a setting of bedrock_config: OpenAI always caches")
        if self.reasoning and self.provider != "openai":
            raise ValueError("reasoning is a setting of openai_config")
        if self.reasoning and self.reasoning.effort != "none" and self.temperature is not None:
            raise ValueError("temperature must be absent: a model that reasons does not accept it")
        return self


class TranscriptionSettings(Configured):
    """
    The audio model that turns voice notes into text; `scripted` is played by the local stack.

    *language* (ISO 639-1): of all recordings, if they have one.
    """

    provider: Annotated[Literal["openai", "scripted"], AfterValidator(_available)]
    model: Annotated[str, Field(min_length=1, max_length=200)] = "gpt-4o-mini-transcribe"
    api_key_reference: Annotated[str, Field(min_length=1)] | None = None
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] | None = None
    largest_bytes: Annotated[int, Field(ge=1, le=LARGEST_RECORDING_BYTES)] = 2_000_000

    @model_validator(mode="after")
    def _has_key(self) -> TranscriptionSettings:
        if self.provider == "openai" and self.api_key_reference is None:
            raise ValueError("api_key_reference is missing")
        return self


class EmbeddingSettings(Configured):
    """
    The model that turns questions into vectors, so that they are grouped by what they mean; `scripted` is played by the
    local stack.

    Questions are alike from *least_alike* on, the cosine of their vectors. *price* in dollars for a million tokens
    replaces the list price.
    """

    provider: Annotated[Provider, AfterValidator(_available)]
    model: Annotated[str, Field(min_length=1, max_length=2_048)] | None = None
    api_key_reference: Annotated[str, Field(min_length=1)] | None = None
    least_alike: Annotated[float, Field(gt=0, le=1)] | None = None
    price: Dollars | None = None

    @model_validator(mode="after")
    def _has_provider_settings(self) -> EmbeddingSettings:
        if self.provider != "scripted" and self.model is None:
            raise ValueError("model is missing")
        if self.provider == "openai" and self.api_key_reference is None:
            raise ValueError("api_key_reference is missing")
        if self.provider == "bedrock" and not any(one in str(self.model) for one in EMBEDDERS):
            raise ValueError(f"model must have one of {', '.join(EMBEDDERS)} in its id")
        return self
