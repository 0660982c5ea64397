"""A model whose calls count for the ceilings of a company: for work that its people ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from shared.ai import port as ai
from shared.ai.spending import ceilings, prices
from shared.ai.spending.budget import REASON
from shared.ai.spending.items import CompanySettings
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.spending.ceilings import Ceiling
    from shared.ai.spending.prices import ModelPrice
    from shared.aws.dynamodb import Table


@dataclass(frozen=True, slots=True)
class CompanyCalls:
    """
    Calls that count for the ceilings of a company; *counts* is the spending table.

    Each call reserves its estimate, and counts its real price afterwards. A crash between them, and a call of unknown
    outcome, leave the estimate. A company without ceilings pays one read for each call.

    With *spares*, for what is only tried, calls end where the alarm of a ceiling is raised: the rest is for others.
    """

    counts: Table
    company: str
    spares: bool = False

    def make[Made](
        self, estimate: int, call: Callable[[], Made], price_of: Callable[[Made], int]
    ) -> Made:
        """Make a call, in micro-dollars. Raises as it does, and ai.Unavailable (`spending_limit`) beyond a ceiling."""
        date = clock.to_text(clock.now_ms())[: len("2026-03-01")]
        # As reservations read them: roles permit no other read.
        found = self.counts.get_many([CompanySettings.key(self.company)])
        own = ceilings.ceilings_of(CompanySettings.read(found[0]) if found else None, date)
        if self.spares:
            own = tuple(replace(one, micros=min(one.micros, one.warn_at)) for one in own)
        if not ceilings.reserve(self.counts, self.company, own, estimate):
            metrics.add_metric("SpendingLimitReached", MetricUnit.Count, 1)
            logger.warning("spending limit reached", extra={"company": self.company})
            raise ai.Unavailable(REASON, ai.Repeat.NEVER)
        try:
            made = call()
        except ai.Unavailable as failure:
            if not failure.may_be_billed:
                self._settle(own, -estimate)
            raise
        except (SecretUnreadable, Misconfigured, NotSent):  # no key, so no call
            self._settle(own, -estimate)
            raise
        self._settle(own, price_of(made) - estimate)
        return made

    def _settle(self, own: tuple[Ceiling, ...], difference: int) -> None:
        if difference:
            ceilings.settle(self.counts, self.company, own, difference)


@dataclass(frozen=True, slots=True)
class CompanyModel:
    """A model with its price, whose calls count like `CompanyCalls`: by their longest answer before they begin."""

    model: ai.Model
    price: ModelPrice
    counts: Table
    company: str
    spares: bool = False

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`. Raises ai.Unavailable (`spending_limit`) if the longest answer would exceed a ceiling."""
        estimate = self.price.estimate(prices.size_of(request), request.limits.most_tokens)
        return CompanyCalls(self.counts, self.company, self.spares).make(
            estimate,
            lambda: self.model.reply(request),
            lambda reply: reply.usage.micros or self.price.of_use(reply.usage),
        )
