"""
The quota of parked events: so many per company and UTC day are listed in the context's table.

Events above it are kept as objects only (`over_quota`). Events without a known company share one quota. One write per
parked event, two for the first of a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from shared.aws.tables.rate_limits.fixed_window import Quotas

# A hundred pages of the API: more than an operator reads in one day, and at most 160 MB of items a company and day.
EVENTS_PER_DAY = 10_000
UNCOUNTED = "ParkedUncounted"


def has_room(quotas: Quotas, subject: str) -> bool:
    """
    Count one parked event of *subject* (a company, or a list of it); False above the quota.

    True where the count fails: an outage of the counter must not stop the parking of events.
    """
    try:
        full_until = quotas.take(subject, [Limit(EVENTS_PER_DAY, clock.DAY_SECONDS)])
    except (Permanent, Transient, ClientError, BotoCoreError) as failure:
        metrics.add_metric(UNCOUNTED, MetricUnit.Count, 1)
        logger.warning("parked event not counted", extra=describe(failure))
        return True
    return full_until is None
