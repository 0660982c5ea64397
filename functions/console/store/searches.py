"""Access pattern of the counts of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.limit import Limit
from shared.inbox.live.items import SearchCount
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

# An open search is repeated when one of its conversations changes, at most once in three seconds.
PER_MINUTE = Limit(60, 60)


def wait_of(table: Table, caller: Caller) -> int | None:
    """
    Count a search of a caller. Returns None if it may run, else the seconds until the next one may.

    If counting fails, the search runs: an outage of the counter must not close the inbox.
    """
    quotas = Quotas(table, lambda principal: SearchCount.key(caller.company, principal))
    try:
        free_at = quotas.take(caller.principal, [PER_MINUTE])
    except (Transient, ClientError, BotoCoreError) as failure:
        metrics.add_metric("SearchUncounted", MetricUnit.Count, 1)
        logger.warning("search not counted", extra=describe(failure))
        return None
    return None if free_at is None else clock.seconds_until(free_at)
