"""
The rate limit of calls per company: each call is counted in the table of API keys, and refused above the rate.

    RATE#{company}     `key_id` of the counter; no API key has such an id

One write per call. If counting fails, the call passes: an outage of the counter must not close the API.
"""

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.dynamodb import Attributes, Table
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, metrics

MINUTE_SECONDS = 60
KEY_PATTERN = "RATE#{company}"


def per_minute_of(percent: int, stage_per_second: int) -> int:
    """Return the calls that a company may make in a minute: a *percent* of the whole stage's, at least one."""
    return max(1, stage_per_second * MINUTE_SECONDS * percent // 100)


def wait_of(table: Table, company: str, per_minute: int) -> int | None:
    """Count one call of a company. Returns None if it may pass, else the seconds until its next call may."""
    try:
        free_at = Quotas(table, _key).take(company, [Limit(per_minute, MINUTE_SECONDS)])
    except (Transient, ClientError, BotoCoreError) as failure:
        metrics.add_metric("CallUncounted", MetricUnit.Count, 1)
        logger.warning("call not counted", extra=describe(failure))
        return None
    if free_at is None:
        return None
    metrics.add_metric("CompanyRateLimited", MetricUnit.Count, 1)
    return clock.seconds_until(free_at)


def _key(company: str) -> Attributes:
    return {"key_id": KEY_PATTERN.format(company=company)}
