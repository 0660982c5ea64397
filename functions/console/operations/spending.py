"""Costs that outsiders have caused for a company today, with the bounds; and its limits on what models cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.operations import inputs
from console.operations.views import BoundView, SpendingLimitsView, SpendingView, SpentView
from shared.access.refusals import ChangeRefused
from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import MICROS

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.inputs import SpendingInput
    from shared.ai.spending.bounds import Bound
    from shared.ai.spending.items import CompanySettings
    from shared.ai.spending.usage import Used
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

_DOLLARS = {"dollars_per_day": "day_micros", "dollars_per_month": "month_micros"}
_WARN, _WARN_PERCENT = "warn_at_percent", "warn_percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySpending:
    """The counts in *table*, and the percentages of the deployment."""

    table: Table
    percent: int
    most_percent: int

    def shown(self, company: str) -> SpendingView:
        """Return the use and the bounds of each kind of cost today (UTC), and the limits."""
        day = f"{inputs.today():%Y-%m-%d}"
        used = usage.of_day(
            self.table, company, day, percent=self.percent, most_percent=self.most_percent
        )
        return SpendingView(
            company=company,
            day=day,
            limits=self._limits(company, day, usage.settings_of(self.table, company)),
            most_percent=self.most_percent,
            kinds=list(map(_spent, used)),
        )

    def change(self, caller: Caller, given: SpendingInput) -> Callable[[], SpendingView]:
        """
        Return the change of a company's limits, which the next call of a model reads. Safe to repeat.

        Raises ChangeRefused for a percentage above the maximum of the deployment; the change raises SettingsChanged.
        """
        for kind, percent in given.percents.items():
            if percent is not None and percent > self.most_percent:
                rule = f"must be at most {self.most_percent}, the maximum of the deployment"
                raise ChangeRefused(f"percents.{kind}", rule)
        company = given.company or caller.company

        def change() -> SpendingView:
            changes = _changes(given)
            stored = usage.percents_of(self.table, company)  # which the audit log has as before
            if given.percents:
                merged = stored | {kind.value: one for kind, one in given.percents.items()}
                changes["percents"] = {kind: one for kind, one in merged.items() if one is not None}
            usage.change(self.table, company, caller.principal, changes, given.version)
            return self.shown(company)

        return change

    def _limits(
        self, company: str, day: str, settings: CompanySettings | None
    ) -> SpendingLimitsView:
        today, month = ceilings.spent(self.table, company, day)
        return SpendingLimitsView(
            version=settings.version if settings else 0,
            dollars_per_day=_dollars(settings.day_micros if settings else None),
            dollars_per_month=_dollars(settings.month_micros if settings else None),
            warn_at_percent=settings.warn_percent if settings else ceilings.WARN_PERCENT,
            dollars_today=today / MICROS,
            dollars_this_month=month / MICROS,
            changed_at=settings.updated_at if settings else None,
            changed_by=settings.updated_by if settings else None,
        )


def _changes(given: SpendingInput) -> dict[str, Any]:
    """Return the attributes that a call names; None removes one."""
    changes: dict[str, Any] = {}
    for name, attribute in _DOLLARS.items():
        if given.has(name):
            value = getattr(given, name)
            changes[attribute] = None if value is None else round(value * MICROS)
    if given.has(_WARN):
        changes[_WARN_PERCENT] = given.warn_at_percent
    return changes


def _dollars(micros: int | None) -> float | None:
    return None if micros is None else micros / MICROS


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
