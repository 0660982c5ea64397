"""Limits the calls and the dollars of a run of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.ai import port as ai
from shared.ai.evaluation.bounds import REACHED
from shared.ai.spending import prices
from shared.aws.secrets import SecretUnreadable

if TYPE_CHECKING:
    from shared.ai.evaluation.bounds import Bounds
    from shared.ai.port import Model
    from shared.ai.spending.prices import ModelPrice

SECRETS_MISSING: Final = "secrets_missing"  # of a call without a key


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
