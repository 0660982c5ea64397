"""The words that callers and models share."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The user's turn in front of a history that the assistant begins: models want the user first.
OPENING = "Begin the conversation."


class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """Why a model stopped. Only END is a whole answer; TOOLS is one that waits for a result."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"  # cut, by the limit of tokens or the model's window
    REFUSED = "refused"  # by the model, a guardrail or a filter
    MALFORMED = "malformed"  # the model wrote what its own host could not read
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history."""

    role: Role
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may ask for. *parameters* is the JSON Schema of an object."""

    name: str  # [a-zA-Z0-9_-]{1,64}
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks for. *arguments* is JSON text as the model wrote it: it may be no JSON at all."""

    call_id: str  # [a-zA-Z0-9_.:-]{1,64}
    name: str
    arguments: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call and what came of it, in one piece: no provider takes the one without the other."""

    call: ToolCall
    result: str = field(repr=False)
    is_error: bool = False


type Turn = Message | Exchange


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON schema that an answer has to follow, under a name of its own (letters, digits, `_`)."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a model may say and how long it may take. Some models take no *temperature*: None leaves it out."""

    most_tokens: int
    within_ms: int
    temperature: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read and written; what is paid for."""

    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. With a schema, *text* is JSON that is meant to follow it: check it."""

    text: str = field(repr=False)
    stop: Stop
    usage: Usage = Usage()
    tool_calls: tuple[ToolCall, ...] = ()


class Repeat(StrEnum):
    """Whether asking again may help."""

    LATER = "later"  # throttled, down, too slow: it passes
    ONCE = "once"  # one more time, and then no more
    NEVER = "never"  # our request, our rights or our settings are wrong


class Unavailable(Exception):
    """The model did not answer: throttled, too slow, down, or not allowed to us. *code* never holds what it said."""

    def __init__(self, code: str, repeat: Repeat = Repeat.LATER) -> None:
        super().__init__(code)
        self.code = code
        self.repeat = repeat


class Model(Protocol):
    """Whoever answers."""

    @property
    def name(self) -> str:
        """What audit rows call it: provider and version, never a secret."""

    def reply(
        self,
        system: str,
        history: Sequence[Turn],
        *,
        limits: Limits,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),
    ) -> Reply:
        """
        The answer to a history that ends with the user or with an exchange. Raises Unavailable.

        A history with exchanges needs the tools that they are about.
        """


def alternating(history: Sequence[Turn]) -> list[Turn]:
    """The history as all models take it: neighbours of one role as one message, and the user first (see OPENING)."""
    turns: list[Turn] = []
    for turn in history:
        last = turns[-1] if turns else None
        if isinstance(turn, Message) and isinstance(last, Message) and last.role is turn.role:
            turns[-1] = Message(turn.role, f"{last.text}\n\n{turn.text}")
        else:
            turns.append(turn)
    first = turns[0] if turns else None
    if isinstance(first, Message) and first.role is Role.USER:
        return turns
    return [Message(Role.USER, OPENING), *turns]


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
        # Here the keys are the caller's words, one of which may be `default` or `pattern`.
        named = {name: decodable(entry) for name, entry in schema["properties"].items()}
        kept["properties"] = named
        kept["required"] = list(named)
        kept["additionalProperties"] = False
    return kept
