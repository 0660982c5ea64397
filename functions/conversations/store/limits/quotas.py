"""Use of a project's limits: API requests, and model tokens per day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store.items.base import key
from conversations.store.items.records import Rate, Spent
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.ai.port import Usage
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.tables.rate_limits.limit import Limit

_DAY = len("2026-03-01")


def take_request(
    table: Table, company_id: str, project_id: str, limits: Sequence[Limit]
) -> int | None:
    """Count one request of a project; return None or, if one of the *limits* is reached, the seconds to wait."""
    quotas = Quotas(table, lambda subject: key(Rate.partition("requests", subject)))
    free_at = quotas.take(f"{company_id}#{project_id}", limits)
    return None if free_at is None else -(-(free_at - clock.now_ms()) // clock.SECOND_MS)


def add_tokens(table: Table, company_id: str, project_id: str, usage: Usage) -> None:
    """Count one model call. A repeated write counts twice: overcounting is safer than undercounting."""
    spent = Spent.named(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, calls=1)
    facts = {"item_type": Spent.item_type, **Spent.named(ttl=Spent.time_to_live())}
    table.update(_today(company_id, project_id), add=spent, put=facts)


def tokens_of_today(table: Table, company_id: str, project_id: str) -> int:
    """Return the input and output tokens used today (UTC), strongly consistent."""
    item = table.get(_today(company_id, project_id))
    spent = Spent.read(item) if item else Spent()
    return spent.tokens_in + spent.tokens_out


def _today(company_id: str, project_id: str) -> Attributes:
    day = clock.to_text(clock.now_ms())[:_DAY]
    return key(Spent.partition(company_id, project_id), Spent.sk(day))
