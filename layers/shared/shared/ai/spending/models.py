"""A model whose calls are bounded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shared.ai import port as ai
from shared.ai.spending import prices
from shared.ai.spending.budget import REASON, Cause, Reached, Reservation

if TYPE_CHECKING:
    from shared.ai.spending.bounds import Kind
    from shared.ai.spending.budget import Spending
    from shared.ai.spending.prices import ModelPrice


@dataclass(slots=True, eq=False)
class BoundedModel:
    """
    A model for the work on one message. Its first call reserves the cost, and raises ai.Unavailable (`spending_limit`)
    beyond the bounds. Work that has started is completed: what its calls have used beyond the reservation counts after
    each of them, and `settle` counts the real price.

    *price* is the model's; *further_price* (micro-dollars): the price of a message that is sent besides.
    """

    model: ai.Model
    spending: Spending
    kind: Kind
    cause: Cause
    price: ModelPrice
    further_price: int = 0
    is_refused: bool = field(default=False, init=False)
    _reservation: Reservation | None = field(default=None, init=False)
    _usage: ai.Usage = field(default_factory=ai.Usage, init=False)
    _counted: int = field(default=0, init=False)  # micro-dollars

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        if self._reservation is None:
            size = prices.size_of(request)
            estimate = self.price.estimate(size, request.limits.most_tokens) + self.further_price
            reserved = self.spending.reserve(self.kind, self.cause, estimate)
            if isinstance(reserved, Reached):
                self.is_refused = True
                raise ai.Unavailable(REASON, ai.Repeat.NEVER)
            self._reservation, self._counted = reserved, reserved.micros
        reply = self.model.reply(request)
        self._usage += reply.usage
        if self._price() > self._counted:
            self.settle()
        return reply

    @property
    def spent(self) -> int | None:
        """The micro-dollars of all answered calls; None if there are none."""
        return None if self._usage == ai.Usage() else self._price() - self.further_price

    def settle(self) -> None:
        """Count the real price; without an answered call the estimate stays."""
        if self._reservation is not None and self._usage != ai.Usage():
            price = self._price()
            self.spending.settle(replace(self._reservation, micros=self._counted), price)
            self._counted = price

    def _price(self) -> int:
        return (self._usage.micros or self.price.of_use(self._usage)) + self.further_price
