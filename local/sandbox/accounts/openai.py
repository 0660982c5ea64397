"""The account at OpenAI: queued answers, and conversations."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from local.sandbox.accounts.seeds import Seed

if TYPE_CHECKING:
    from collections.abc import Callable


class FunctionCallSeed(Seed):
    """A function call of the model; *arguments* is its text, which may be invalid JSON."""

    name: str
    arguments: str = "{}"


class OpenAiAnswer(Seed):
    """
    The model's answer to the next request.

    *text*, a *refusal* or *function_calls*, after *reasoning_tokens* of reasoning; *incomplete* (a reason) and *failed*
    (an error code) end it early. *refused* (an HTTP status and an error code) refuses the
    request. Without *is_counted* the response has no token usage.
    """

    text: str | None = None
    refusal: str | None = None
    function_calls: list[FunctionCallSeed] = Field(default_factory=list)
    incomplete: Literal["max_output_tokens", "content_filter"] | None = None
    failed: str | None = None
    refused: tuple[int, str] | None = None
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    is_counted: bool = True


@dataclass
class OpenAi:
    """
    The account: queued answers and encrypted reasoning of the model, queued texts of recordings, and the conversations
    with their items. *before*: what happens before an answer, by its `id()`, while the caller waits for it.
    """

    answers: deque[OpenAiAnswer] = field(default_factory=deque)
    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    transcripts: deque[str] = field(default_factory=deque)  # of the next recordings
    conversations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    reasoning: dict[str, str] = field(default_factory=dict)  # item id -> encrypted content
