"""A model that says what it was told to say: deterministic, offline, and plainly no model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.ai.port import Limits, Message, Reply, Schema, Stop, Unavailable, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(slots=True)
class Scripted:
    """*answer* makes the text from the last message and the schema; None: it does not answer."""

    answer: Callable[[str, Schema | None], str | None]
    asked: list[Schema | None] = field(default_factory=list)

    @property
    def name(self) -> str:
        """It is no model, and says so."""
        return "scripted"

    def reply(
        self,
        system: str,  # noqa: ARG002 - a script needs none
        history: Sequence[Message],
        *,
        limits: Limits,
        schema: Schema | None = None,
    ) -> Reply:
        """See `Model.reply`; at most `limits.most_tokens` words."""
        self.asked.append(schema)
        text = self.answer(history[-1].text, schema)
        if text is None:
            raise Unavailable("scripted")
        words = text.split(" ")
        if len(words) > limits.most_tokens:
            return Reply(" ".join(words[: limits.most_tokens]), Stop.LENGTH)
        return Reply(text, Stop.END, Usage(len(history[-1].text.split()), len(words)))
