"""A model that keeps what it was asked, and the views of a try that all contexts share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.ai import port as ai
from shared.api.models.views import View
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence


class ModelCallView(View):
    """One call of the model: what it read, and what it answered."""

    system: str
    history: list[str]
    answer: str
    calls: list[str]
    stop: str
    tokens_in: int
    tokens_out: int
    ms: int


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


def _described(history: Sequence[ai.Turn]) -> list[str]:
    """Return a line for each turn that the model reads."""
    return [
        f"{turn.role}: {turn.text}"
        if isinstance(turn, ai.Message)
        else f"{turn.call.name} {turn.call.arguments} -> {turn.result}"
        for turn in history
    ]
