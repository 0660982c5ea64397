"""Types that callers and models share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.ai.attachments import Attachment

# User turn put before a history that begins with the assistant: models require the user first.
OPENING = "Begin the conversation."


type Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """The reason why a model stopped. Only END is a complete answer; TOOLS waits for the result of a call."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"  # truncated by the token limit or the context window
    REFUSED = "refused"  # by the model, a guardrail or a filter
    MALFORMED = "malformed"  # the model's output could not be parsed by its own host
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history; only messages of the user have *files*."""

    role: Role
    text: str = field(repr=False)
    files: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call. *parameters* is the JSON Schema of an object."""

    name: str  # [a-zA-Z0-9_-]{1,64}
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    A function call requested by a model. *arguments* is the model's unchecked text, which may be invalid JSON.

    *items* are the provider's own items that led to the call, such as encrypted reasoning, and the call itself. The
    next request to the same provider repeats them; they are never stored.
    """

    call_id: str  # [a-zA-Z0-9_.:-]{1,64}
    name: str
    arguments: str = field(repr=False)
    items: tuple[Mapping[str, Any], ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call and its result as one unit: no provider accepts one without the other."""

    call: ToolCall
    result: str = field(repr=False)
    is_error: bool = False


type Turn = Message | Exchange


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON schema that an answer must follow, with a name (letters, digits, `_`)."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on output and time. Some models do not accept *temperature*: None omits it."""

    most_tokens: int
    within_ms: int
    temperature: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """
    One call. The history ends with a user message or an exchange; one with exchanges requires the *tools* that they
    call.
    """

    system: str = field(repr=False)
    history: Sequence[Turn] = field(repr=False)
    limits: Limits
    schema: Schema | None = None
    tools: Sequence[Tool] = ()

    @property
    def texts(self) -> list[str]:
        """All that the model reads."""
        texts = [self.system]
        texts += [
            turn.text if isinstance(turn, Message) else turn.call.arguments + turn.result
            for turn in self.history
        ]
        texts += [tool.description + json.dumps(tool.parameters) for tool in self.tools]
        return texts + ([json.dumps(self.schema.schema)] if self.schema else [])

    @property
    def file_tokens(self) -> int:
        """An estimate of the tokens of all files; 0 without files."""
        messages = (turn for turn in self.history if isinstance(turn, Message))
        return sum(file.tokens for message in messages for file in message.files)


@dataclass(frozen=True, slots=True)
class Usage:
    """
    Tokens read and written; the basis of billing. *cached_in* of those read were in the provider's cache. *micros*:
    what they cost in micro-dollars, as far as a model says it (`shared.ai.spending.priced`).
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cached_in: int = 0
    micros: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cached_in + other.cached_in,
            self.micros + other.micros,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. With a schema, *text* should be JSON that follows it; the caller must validate it."""

    text: str = field(repr=False)
    stop: Stop
    usage: Usage = Usage()
    tool_calls: tuple[ToolCall, ...] = ()


class Repeat(StrEnum):
    """Whether a retry may succeed."""

    LATER = "later"  # throttled, down or too slow
    ONCE = "once"  # one more attempt only
    NEVER = "never"  # our request, permissions or settings are wrong


class Unavailable(Exception):
    """
    The model did not answer: throttled, too slow, down or not permitted. *code* never contains text of the model.
    *may_be_billed*: the request was sent, and what became of it is not known.
    """

    def __init__(
        self, code: str, repeat: Repeat = Repeat.LATER, *, may_be_billed: bool = False
    ) -> None:
        super().__init__(code)
        self.code = code
        self.repeat = repeat
        self.may_be_billed = may_be_billed


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The name in audit rows: provider and version, never a secret."""

    def reply(self, request: Request) -> Reply:
        """Answer a request. Raises Unavailable."""


type Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of texts in their order, and the tokens that were read."""

    vectors: tuple[Vector, ...] = field(repr=False)
    tokens: int


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Provider and id of the model: vectors of another name cannot be compared."""

    @property
    def most_texts(self) -> int:
        """How many texts a call may have."""

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        """Return the vectors of texts that are not empty, with one attempt. Raises Unavailable."""


def alternating(history: Sequence[Turn]) -> list[Turn]:
    """Merge adjacent messages of one role, drop blank ones and put the user first (see OPENING), as models require."""
    turns: list[Turn] = []
    for turn in history:
        if isinstance(turn, Message) and not turn.text.strip():
            continue
        last = turns[-1] if turns else None
        if isinstance(turn, Message) and isinstance(last, Message) and last.role is turn.role:
            whole = f"{last.text}\n\n{turn.text}"
            turns[-1] = Message(turn.role, whole, last.files + turn.files)
        else:
            turns.append(turn)
    first = turns[0] if turns else None
    if isinstance(first, Message) and first.role is Role.USER:
        return turns
    return [Message(Role.USER, OPENING), *turns]


# Constraints that some providers' decoders do not support; callers validate the answer themselves.
_BOUNDS = frozenset(
    {"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default"}
)


def decodable(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    """Adapt a schema for constrained decoding: without bounds, every property required, no additional properties."""
    if isinstance(schema, list):
        return [decodable(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    adapted = {name: decodable(entry) for name, entry in schema.items() if name not in _BOUNDS}
    if adapted.get("type") == "object" and "properties" in adapted:
        # These keys are property names, which may be `default` or `pattern`.
        properties = {name: decodable(entry) for name, entry in schema["properties"].items()}
        adapted["properties"] = properties
        adapted["required"] = list(properties)
        adapted["additionalProperties"] = False
    return adapted
