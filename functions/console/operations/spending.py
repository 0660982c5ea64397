"""Costs that outsiders have caused for a company today, with the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.operations import inputs
from console.operations.views import BoundView, SpendingView, SpentView
from shared.ai.spending import usage
from shared.ai.spending.bounds import MICROS

if TYPE_CHECKING:
    from shared.ai.spending.bounds import Bound
    from shared.ai.spending.usage import Used
    from shared.aws.dynamodb import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySpending:
    """The counts in *table*, and the percentages of the deployment."""

    table: Table
    percent: int
    most_percent: int

    def shown(self, company: str) -> SpendingView:
        """Return the use and the bounds of each kind of cost today (UTC)."""
        day = f"{inputs.today():%Y-%m-%d}"
        used = usage.of_day(
            self.table, company, day, percent=self.percent, most_percent=self.most_percent
        )
        return SpendingView(company=company, day=day, kinds=list(map(_spent, used)))


def _spent(used: Used) -> SpentView:
    return SpentView(
        kind=used.kind,
        percent=used.percent,
        units=used.units,
        dollars=used.micros / MICROS,
        sender=_bound(used.bounds.sender),
        address=_bound(used.bounds.address),
        company=_bound(used.bounds.company),
        addresses={name: units for name, (units, _) in used.addresses.items()},
    )


def _bound(bound: Bound) -> BoundView:
    return BoundView(units=bound.units, dollars=bound.micros / MICROS)
