"""The words that callers and models share."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """Why a model stopped. Only END is a whole answer."""

    END = "end"
    LENGTH = "length"
    REFUSED = "refused"  # by the model, a guardrail or a filter
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history."""

    role: Role
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON schema that an answer has to follow, under a name of its own (letters, digits, `_`)."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a model may say and how long it may take."""

    most_tokens: int
    within_ms: int
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read and written; what is paid for."""

    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. With a schema, *text* is JSON that is meant to follow it: check it."""

    text: str = field(repr=False)
    stop: Stop
    usage: Usage = Usage()


class Unavailable(Exception):
    """The model did not answer: throttled, too slow, down, or not allowed to us. *code* never holds what it said."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Model(Protocol):
    """Whoever answers."""

    @property
    def name(self) -> str:
        """What audit rows call it: provider and version, never a secret."""

    def reply(
        self,
        system: str,
        history: Sequence[Message],
        *,
        limits: Limits,
        schema: Schema | None = None,
    ) -> Reply:
        """The answer to a history that ends with the user. Raises Unavailable."""


# Bounds that not every provider's decoder knows; callers check the answer itself.
_BOUNDS = frozenset(
    {"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default"}
)


def decodable(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    """A schema as constrained decoders take it: without bounds, every property required, nothing else allowed."""
    if isinstance(schema, list):
        return [decodable(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: decodable(entry) for name, entry in schema.items() if name not in _BOUNDS}
    if kept.get("type") == "object" and "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept
