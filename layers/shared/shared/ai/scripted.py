"""A scripted stand-in for a model: deterministic and offline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.ai.port import Limits, Message, Reply, Schema, Stop, Tool, Turn, Unavailable, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(slots=True)
class Scripted:
    """*answer* builds the text from the last message and the schema; if it returns None, `reply` raises Unavailable."""

    answer: Callable[[str, Schema | None], str | None]
    requested_schemas: list[Schema | None] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name shows that it is not a model."""
        return "scripted"

    def reply(
        self,
        system: str,  # noqa: ARG002 - a script needs none
        history: Sequence[Turn],
        *,
        limits: Limits,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),  # noqa: ARG002 - a script calls no tools
    ) -> Reply:
        """See `Model.reply`; at most `limits.most_tokens` words."""
        self.requested_schemas.append(schema)
        last_message = [turn.text for turn in history if isinstance(turn, Message)][-1]
        text = self.answer(last_message, schema)
        if text is None:
            raise Unavailable("scripted")
        words = text.split(" ")
        if len(words) > limits.most_tokens:
            return Reply(" ".join(words[: limits.most_tokens]), Stop.LENGTH)
        return Reply(text, Stop.END, Usage(len(last_message.split()), len(words)))
