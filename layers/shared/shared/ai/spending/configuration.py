"""The environment of a function that bounds costs, and its access to the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.ai.spending.budget import Spending
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table


@dataclass(frozen=True, kw_only=True)
class SpendingSettings(Settings):
    """The part of the environment that names the table and the percentages of the deployment."""

    spending_table_name: str
    spending_percent: int
    spending_most_percent: int


def spending_of(settings: SpendingSettings, table: Table) -> Spending:
    """Return the bounds of the deployment. *table* is any table of the function: its client is used."""
    return Spending(
        table.beside(settings.spending_table_name),
        settings.spending_percent,
        settings.spending_most_percent,
    )
