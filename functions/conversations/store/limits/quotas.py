"""Use of a project's limits: API requests, and what its models use of a day's and a month's budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import Rate, Spent
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.ai.port import Usage
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.tables.rate_limits.limit import Limit

_DAY, _MONTH = len("2026-03-01"), len("2026-03")
_MOST_DAYS = 31


def take_request(
    table: Table, company_id: str, project_id: str, limits: Sequence[Limit]
) -> int | None:
    """Count one request of a project; return None or, if one of the *limits* is reached, the seconds to wait."""
    quotas = Quotas(table, lambda subject: key(Rate.partition("requests", subject)))
    free_at = quotas.take(f"{company_id}#{project_id}", limits)
    return None if free_at is None else -(-(free_at - clock.now_ms()) // clock.SECOND_MS)


@dataclass(frozen=True, slots=True)
class Used:
    """The use of a project's models today and this month (UTC); *is_warned*: its alarm of today was raised."""

    tokens_today: int = 0
    micros_today: int = 0
    micros_of_month: int = 0
    is_warned: bool = False


def add_use(table: Table, company_id: str, project_id: str, usage: Usage) -> None:
    """Count one model call. A repeated write counts twice: overcounting is safer than undercounting."""
    spent = Spent.named(
        tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, micros=usage.micros, calls=1
    )
    facts = {"item_type": Spent.item_type, **Spent.named(ttl=Spent.time_to_live())}
    table.update(_today(company_id, project_id), add=spent, put=facts)


def used(table: Table, company_id: str, project_id: str, *, is_month: bool) -> Used:
    """Return what was used, strongly consistent; of the month only if *is_month*: 31 small items, one read unit."""
    today = clock.to_text(clock.now_ms())[:_DAY]
    if not is_month:
        item = table.get(_today(company_id, project_id))
        days = {today: Spent.read(item)} if item else {}
    else:
        days = dict(month(table, company_id, project_id, today[:_MONTH]))
    spent = days.get(today, Spent())
    return Used(
        tokens_today=spent.tokens_in + spent.tokens_out,
        micros_today=spent.micros,
        micros_of_month=sum(one.micros for one in days.values()),
        is_warned=spent.is_warned or False,
    )


def month(table: Table, company_id: str, project_id: str, of: str) -> Sequence[tuple[str, Spent]]:
    """Return the days of a month, `2026-11`, on which models were called, strongly consistent."""
    condition: ConditionBase = Key(PARTITION_KEY).eq(Spent.partition(company_id, project_id))
    condition &= Key(SORT_KEY).begins_with(of)
    rows, _ = table.query(None, condition, limit=_MOST_DAYS)
    return [(str(row[SORT_KEY]), Spent.read(row)) for row in rows]


def note_warning(table: Table, company_id: str, project_id: str) -> bool:
    """Note that the alarm of today was raised; False if it was before."""
    is_first = Spent.attr("is_warned").not_exists()
    facts = {"item_type": Spent.item_type, **Spent.named(ttl=Spent.time_to_live(), is_warned=True)}
    try:
        table.update(_today(company_id, project_id), put=facts, when=is_first)
    except ConditionFailed:
        return False
    return True


def _today(company_id: str, project_id: str) -> Attributes:
    day = clock.to_text(clock.now_ms())[:_DAY]
    return key(Spent.partition(company_id, project_id), Spent.sk(day))
