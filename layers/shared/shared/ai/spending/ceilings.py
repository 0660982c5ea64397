"""
A company's ceilings in dollars on what models cost it, in a day and a month (UTC): what outsiders cause, of all
kinds, and what its people ask for in mails and newsletters.

Estimates are reserved by a conditional addition, so concurrent calls never exceed a ceiling by more than the calls in
flight cost beyond their estimates. At `warn_percent` of a ceiling the alarm SpendingWarned is raised once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import BotoCoreError, ClientError

from shared.ai.spending.bounds import Kind
from shared.ai.spending.items import COUNTED_DAYS, Day
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.ai.spending.items import CompanySettings
    from shared.aws.dynamodb import Table

MODELS: Final = "models"  # stands for all of KINDS in the key of a period
KINDS: Final = frozenset(
    {Kind.MAIL_ANALYSIS, Kind.AI_ANSWER, Kind.TICKET_MODEL, Kind.TRANSCRIPTION}
)
MOST_MICROS: Final = 1_000_000_000_000  # a million dollars
WARN_PERCENT: Final = 80  # by default
_MONTH: Final = len("2026-03")


@dataclass(frozen=True, slots=True)
class Ceiling:
    """At most *micros* in a *period*, a date or a month; the alarm is raised at *warn_at*."""

    period: str
    micros: int
    warn_at: int


def ceilings_of(settings: CompanySettings | None, date: str) -> tuple[Ceiling, ...]:
    """Return the ceilings of a company in a day and its month."""
    if settings is None:
        return ()
    limits = {date: settings.day_micros, date[:_MONTH]: settings.month_micros}
    return tuple(
        Ceiling(period, most, most * settings.warn_percent // 100)
        for period, most in limits.items()
        if most is not None
    )


def reserve(table: Table, company: str, ceilings: Sequence[Ceiling], micros: int) -> bool:
    """Count an estimate in all periods, or in none and return False. One write for each ceiling."""
    counted: list[Ceiling] = []
    for one in ceilings:
        if not _count(table, company, one, micros):
            add(table, company, counted, -micros)
            return False
        counted.append(one)
    return True


def add(table: Table, company: str, ceilings: Sequence[Ceiling], micros: int) -> None:
    """Add to what is counted in the periods."""
    for one in ceilings:
        table.update(Day.key(company, one.period, MODELS), add={"micros": micros})


def settle(table: Table, company: str, ceilings: Sequence[Ceiling], difference: int) -> None:
    """Correct an estimate. A failure leaves it: the call is paid for already, and a retry would pay again."""
    try:
        add(table, company, ceilings, difference)
    except (ClientError, BotoCoreError) as failure:
        logger.warning("cost not settled", extra=describe(failure))


def spent(table: Table, company: str, date: str) -> tuple[int, int]:
    """Return the micro-dollars that are counted in a day and its month, as far as there were ceilings."""
    keys = [Day.key(company, period, MODELS) for period in (date, date[:_MONTH])]
    found = {item["pk"]: int(item.get("micros", 0)) for item in table.get_many(keys)}
    day, month = (found.get(key["pk"], 0) for key in keys)
    return day, month


def _count(table: Table, company: str, ceiling: Ceiling, micros: int) -> bool:
    """Count an estimate in a period; False if the ceiling has no room for it."""
    room = ceiling.micros - micros
    has_room = Attr("micros").not_exists() | Attr("micros").lte(room)
    expires = {"ttl": clock.expires_in(COUNTED_DAYS * clock.DAY_SECONDS)}
    key = Day.key(company, ceiling.period, MODELS)
    if room < 0:
        return False
    try:
        stored = table.update(key, add={"micros": micros}, put=expires, when=has_room)
    except ConditionFailed:
        return False
    total = int(stored["micros"])
    if total - micros < ceiling.warn_at <= total:
        metrics.add_metric("SpendingWarned", MetricUnit.Count, 1)
        logger.warning("budget nearly spent", extra={"company": company, "period": ceiling.period})
    return True
