"""Limits the calls and the dollars of a run of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.ai import port as ai
from shared.ai.spending import prices
from shared.aws.secrets import SecretUnreadable

REACHED: Final = "evaluation_bound"  # the code of a refused call
SECRETS_MISSING: Final = "secrets_missing"  # of a call without a key

if TYPE_CHECKING:
    from shared.ai.port import Model
    from shared.ai.spending.prices import ModelPrice


@dataclass(slots=True)
class Bounds:
    """The most *calls* and *micros* (micro-dollars, by list prices) of a run, and what it has used."""

    calls: int
    micros: int
    used_calls: int = 0
    used_micros: int = 0

    @property
    def has_room(self) -> bool:
        """Whether another call may be made, at any price."""
        return self.used_calls < self.calls and self.used_micros < self.micros


@dataclass(slots=True, eq=False)
class BoundedCalls:
    """
    A model whose calls count by *price*, or by what its replies say. A call that may exceed the bounds raises
    ai.Unavailable (`evaluation_bound`).
    """

    model: Model = field(repr=False)
    price: ModelPrice
    bounds: Bounds
    failed: ai.Unavailable | None = field(
        default=None, init=False
    )  # the newest call, where its caller goes on

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`. The longest possible answer must fit, so that no answer exceeds the bound."""
        most = self.price.estimate(prices.size_of(request), request.limits.most_tokens)
        self.failed = None
        if not self.bounds.has_room or self.bounds.used_micros + most > self.bounds.micros:
            self.failed = ai.Unavailable(REACHED, ai.Repeat.NEVER)
            raise self.failed
        self.bounds.used_calls += 1
        try:
            reply = self.model.reply(request)
        except ai.Unavailable as failure:
            self.failed = failure
            if failure.may_be_billed:
                self.bounds.used_micros += most
            raise
        except SecretUnreadable:
            self.failed = ai.Unavailable(SECRETS_MISSING, ai.Repeat.NEVER)
            raise
        self.bounds.used_micros += reply.usage.micros or self.price.of_use(reply.usage)
        return reply
