"""
Estimates of costs in micro-dollars, rounded up: list prices (`AS_OF`, `SOURCES`), not confirmed by our own bills.

The price of a model is in its settings, else it follows from words in its id; a model with none of them counts as
the most expensive class. An estimate before the call assumes the longest answer; the settlement after it counts the
tokens that the provider reports.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.ai.spending.bounds import MICROS, Kind

if TYPE_CHECKING:
    from shared.ai.port import Request, Usage
    from shared.ai.settings import EmbeddingSettings, ModelSettings

AS_OF: Final = "2026-02"
SOURCES: Final = (
    "https://aws.amazon.com/bedrock/pricing/",
    "https://openai.com/api/pricing/",
)
BYTES_A_TOKEN: Final = 3  # fewer tokens in most scripts
CACHED_SHARE: Final = 0.5  # of the price of a token that was cached, at most


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """
    Micro-dollars of a token that a model reads, of one that it writes, and of one that it reads from the provider's
    cache.
    """

    token_in: float
    token_out: float
    cached_in: float | None = None

    def of(self, tokens_in: int, tokens_out: int) -> int:
        """Return the price of a call in micro-dollars, at least 1."""
        return max(1, -int(-(tokens_in * self.token_in + tokens_out * self.token_out) // 1))

    def estimate(self, size: int, most_tokens: int) -> int:
        """Return the price of a call with *size* bytes of input and the longest answer."""
        return self.of(-(-size // BYTES_A_TOKEN), most_tokens)

    def of_use(self, usage: Usage) -> int:
        """Return the price of what calls have used in micro-dollars, at least 1."""
        share = CACHED_SHARE
        if self.cached_in is not None and self.token_in:
            share = self.cached_in / self.token_in
        return self.of(usage.tokens_in - int(usage.cached_in * (1 - share)), usage.tokens_out)


SMALL: Final = ModelPrice(1.5, 6.0)
USUAL: Final = ModelPrice(3.5, 17.0)
LARGE: Final = ModelPrice(16.0, 125.0)
# The first class whose words an id has: "gpt-5-pro" is large, "gpt-5-mini" small, "gpt-5" usual.
_CLASSES: Final = (
    (re.compile(r"opus|premier|o1|(?<![a-z])pro-?\d*$|gpt-5(\.\d)?-pro|gpt-4\.5"), LARGE),
    (re.compile(r"haiku|mini|nano|lite|micro|flash|small|8b|scripted"), SMALL),
    (re.compile(r"sonnet|nova-pro|gpt-|o3|o4|mistral|llama|deepseek|qwen"), USUAL),
)
# Of models of vectors, whose answers cost nothing: the first whose words an id has, else the last.
_EMBEDDINGS: Final = (
    (re.compile(r"titan-embed-text-v2|text-embedding-3-small|scripted"), ModelPrice(0.02, 0.0)),
    (re.compile(r"cohere\.embed"), ModelPrice(0.12, 0.0)),
    (re.compile(r""), ModelPrice(0.13, 0.0)),
)
# Of one unit, for the kinds whose price no model decides. A message: an SMS of two segments, or a template.
UNITS: Final[dict[Kind, int]] = {
    Kind.NOTICE: 20_000,
    Kind.ORDER_LOOKUP: 1_000,
    Kind.MEDIA_DOWNLOAD: 4_000,
    Kind.SEQUENCE_MESSAGE: 100_000,
    Kind.READ_RECEIPT: 20,
}
TRANSCRIBED_SECOND: Final = 100  # the most expensive of the usual models: $0.006 a minute
# The message of an AI conversation that an answer is sent as.
MESSAGE: Final[dict[str, int]] = {"sms": 20_000, "whatsapp": 1_000, "email": 200}


def model_price(model: str | None) -> ModelPrice:
    """Return the price of a model by its id or ARN; None is the model of the local stack."""
    name = (model or "scripted").lower()
    return next((price for words, price in _CLASSES if words.search(name)), LARGE)


def dollars(micros: int) -> str:
    """Return micro-dollars as dollars, `0.001250`."""
    return f"{micros / MICROS:.6f}"


def price_for(settings: ModelSettings) -> ModelPrice:
    """Return the price of a configured model: the price in its settings, else the list price."""
    own = settings.price
    if own is None:
        return model_price(settings.model)
    return ModelPrice(own.input, own.output, own.cached_input)


def is_listed(model: str | None) -> bool:
    """Whether a model has a list price by its id or ARN; others count as the most expensive class."""
    name = (model or "scripted").lower()
    return any(words.search(name) for words, _ in _CLASSES)


def is_known(settings: ModelSettings) -> bool:
    """Whether a price is configured or listed for a model; what others cost is not shown."""
    return settings.price is not None or is_listed(settings.model)


def shown(micros: int | None) -> str | None:
    """Return micro-dollars as dollars; None if the price is not known."""
    return None if micros is None else dollars(micros)


def price_of_embeddings(settings: EmbeddingSettings) -> ModelPrice:
    """Return the price of a configured model of vectors: the price in its settings, else the list price."""
    if settings.price is not None:
        return ModelPrice(settings.price, 0.0)
    name = (settings.model or settings.provider).lower()
    return next(price for words, price in _EMBEDDINGS if words.search(name))


def size_of(request: Request) -> int:
    """Return the bytes of a call's input; a file counts as the bytes of as many tokens."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in request.texts)
    return size + BYTES_A_TOKEN * request.file_tokens


def price_of(model: str | None, usage: Usage) -> int:
    """Return the price of what a call has used."""
    return usage.micros or model_price(model).of_use(usage)
