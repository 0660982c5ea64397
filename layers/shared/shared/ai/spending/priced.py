"""A model whose replies say what they cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from shared.ai import port as ai

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.ai.spending.prices import ModelPrice

CHARACTERS_A_TOKEN: Final = 4  # a rule of thumb, for models that do not report usage


@dataclass(slots=True, eq=False)
class PricedModel:
    """A model with its price. It estimates the use of a reply that does not report it."""

    model: ai.Model
    price: ModelPrice

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        reply = self.model.reply(request)
        usage = _estimated(request, reply) if reply.usage == ai.Usage() else reply.usage
        return replace(reply, usage=replace(usage, micros=self.price.of_use(usage)))


def _estimated(request: ai.Request, reply: ai.Reply) -> ai.Usage:
    written = [reply.text, *(call.arguments for call in reply.tool_calls)]
    return ai.Usage(_tokens(request.texts) + request.file_tokens, _tokens(written))


def _tokens(texts: Sequence[str]) -> int:
    return math.ceil(sum(map(len, texts)) / CHARACTERS_A_TOKEN)
