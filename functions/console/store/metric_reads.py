"""Access pattern of the counts of reads of metrics, which CloudWatch bills: $0.01 for 1,000 metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.api.auth import RateLimited
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.limit import Limit
from shared.inbox.live.items import MetricCount
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Table

COST: Final = "cost"  # reads about 300 metrics
FLOWS: Final = "flows"  # queues and conservation: about 30 metrics
# Of the whole deployment, per minute and per day: $0.60 and $0.90 a day at most.
LIMITS: Final[Mapping[str, tuple[Limit, Limit]]] = {
    COST: (Limit(6, 60), Limit(200, clock.DAY_SECONDS)),
    FLOWS: (Limit(30, 60), Limit(3_000, clock.DAY_SECONDS)),
}


def take(table: Table, kind: str) -> None:
    """
    Count a read of metrics. Raises RateLimited, and what DynamoDB raises: a read that is not counted is not made.

    The text of RateLimited names the limit that ends last.
    """
    per_minute, per_day = LIMITS[kind]
    free_at = Quotas(table, MetricCount.key).take(kind, [per_minute, per_day])
    if free_at is None:
        return
    wait = clock.seconds_until(free_at)
    whose = f"reads of metrics are limited, for the whole deployment, to {per_day.most} a day and"
    raise RateLimited(wait, per_minute.most, whose)
