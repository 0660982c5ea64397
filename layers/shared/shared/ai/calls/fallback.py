"""
A model with a second one, which continues a turn after the first one failed or refused.

    the first one gives no answer    the second one answers this call and the later ones of the turn
    the first one refuses            as above, unless a guardrail of the project is its reason to
    both fail                        the first failure counts
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shared.ai.calls.model_calls import SHORTEST_LEFT_MS
from shared.ai.port import Exchange, Stop, Unavailable
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.port import Model, Reply, Request, Turn
    from shared.ai.settings import ModelSettings


@dataclass(slots=True, eq=False)
class WithFallback:
    """
    The models of one turn, which ends at *deadline_ms* (since 1970). *make_second* creates the model of *settings*.

    *report* is called with each failure of the first one. *takes_refusals*: the second one is also asked what the first
    one refuses.
    """

    first: Model
    settings: ModelSettings
    make_second: Callable[[], Model]
    deadline_ms: int
    report: Callable[[Unavailable], None]
    takes_refusals: bool = True
    second: Model | None = field(default=None, init=False)
    _calls_of_first: frozenset[str] = field(default=frozenset(), init=False)

    @property
    def name(self) -> str:
        """The name of the model that answered last."""
        return (self.second or self.first).name

    def reply(self, request: Request) -> Reply:
        """See `Model.reply`."""
        if self.second is not None:
            return self.second.reply(self._adapted(request))
        try:
            reply = self.first.reply(request)
        except Unavailable as failure:
            self.report(failure)
            answered = self._by_second(request)
            if answered is None:
                raise
            return answered
        if reply.stop is not Stop.REFUSED or not self.takes_refusals:
            return reply
        answered = self._by_second(request)
        return replace(answered, usage=answered.usage + reply.usage) if answered else reply

    def _by_second(self, request: Request) -> Reply | None:
        """Let the second model answer, and keep it; None if it fails too, or too little time is left."""
        if self.deadline_ms - clock.now_ms() < SHORTEST_LEFT_MS:
            return None
        try:
            second = self.make_second()
            made = (turn.call.call_id for turn in request.history if isinstance(turn, Exchange))
            self._calls_of_first = frozenset(made)
            reply = second.reply(self._adapted(request))
        except (Unavailable, SecretUnreadable, Misconfigured, NotSent):
            return None
        self.second = second
        return reply

    def _adapted(self, request: Request) -> Request:
        """Return the request with the limits of the second model, and without the first provider's own items."""
        limits = replace(
            request.limits,
            most_tokens=self.settings.max_output_tokens,
            temperature=self.settings.temperature,
            within_ms=min(request.limits.within_ms, self.deadline_ms - clock.now_ms()),
        )
        return replace(request, limits=limits, history=[*map(self._plain, request.history)])

    def _plain(self, turn: Turn) -> Turn:
        if isinstance(turn, Exchange) and turn.call.call_id in self._calls_of_first:
            return replace(turn, call=replace(turn.call, items=()))
        return turn
