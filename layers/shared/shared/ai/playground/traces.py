"""A model that keeps what it was asked and what it answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.ai import port as ai
from shared.ai.playground.views import ModelCallView
from shared.ai.spending import prices
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, eq=False)
class Traced:
    """A model that keeps what it was asked and what it answered."""

    model: ai.Model
    calls: list[ModelCallView] = field(default_factory=list)

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        began = clock.now_ms()
        reply = self.model.reply(request)
        self.calls.append(
            ModelCallView(
                system=request.system,
                history=_described(request.history),
                answer=reply.text,
                calls=[f"{call.name} {call.arguments}" for call in reply.tool_calls],
                stop=reply.stop,
                tokens_in=reply.usage.tokens_in,
                tokens_out=reply.usage.tokens_out,
                ms=clock.now_ms() - began,
            )
        )
        return reply

    def trace(self, usage: ai.Usage) -> dict[str, Any]:
        """Return the fields of a `TraceView`. *usage* is of all calls."""
        return {
            "model": self.name,
            "model_calls": self.calls,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "ms": sum(one.ms for one in self.calls),
            "dollars": prices.dollars(prices.price_of(self.name, usage)),
        }


def _described(history: Sequence[ai.Turn]) -> list[str]:
    """Return a line for each turn that the model reads."""
    return [
        f"{turn.role}: {turn.text}"
        if isinstance(turn, ai.Message)
        else f"{turn.call.name} {turn.call.arguments} -> {turn.result}"
        for turn in history
    ]
