"""The account at Bedrock: queued answers of models."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from local.sandbox.accounts.seeds import Seed


class ToolUseSeed(Seed):
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class BedrockAnswer(Seed):
    """
    The model's answer to the next request: *text*, a call of the tool *tool* with *arguments*, or several calls *uses*.

    *stop* replaces the stop reason of the content.
    """

    text: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    uses: list[ToolUseSeed] = Field(default_factory=list)
    stop: str | None = None
    cached_tokens: int = 0


@dataclass
class Bedrock:
    """Queued answers of the models."""

    answers: deque[BedrockAnswer] = field(default_factory=deque)
