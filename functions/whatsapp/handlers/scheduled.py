"""
The schedule, every minute: its jobs have slices of the time, and do not wait for each other.

The counts are last: under load they need most of the five minutes between two of them.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from shared.aws.client_configs import PATIENT
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.runtime import clock
from shared.runtime.observability import logger
from shared.runtime.settings import Settings
from whatsapp.jobs import (
    counting_plan,
    minute_jobs,
    number_refresh,
    payment_checks,
    rollup,
    sequence_steps,
    unfinished_sends,
)
from whatsapp.jobs.minute_jobs import Job
from whatsapp.store.items.sending.campaigns import OpenCampaigns
from whatsapp.store.sending import timers


@dataclass(frozen=True, kw_only=True)
class ScheduledSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    whatsapp_queue_url: str
    whatsapp_jobs_queue_url: str
    whatsapp_campaigns_queue_url: str
    dead_letter_urls: tuple[str, ...]


PAYMENTS_MINUTES, DAILY_MINUTES = 5, 20
HOUR_MINUTES, REFRESH_MINUTE = 60, 50
settings = ScheduledSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
queue = FifoQueue(lambda: sqs, settings.whatsapp_queue_url)
jobs = StandardQueue(lambda: sqs, settings.whatsapp_jobs_queue_url)
campaigns = StandardQueue(lambda: sqs, settings.whatsapp_campaigns_queue_url)
table = Table(boto3.client("dynamodb", config=PATIENT), settings.messages_table_name)


def handler(event: dict[str, Any], context: LambdaContext) -> None:
    """
    EventBridge event in, no result.

    Its `time` decides what is due, so that a late or repeated event does the same as a punctual one.
    """
    at_ms = clock.from_text(event["time"])
    jobs_of_minute, last = _jobs(at_ms), []
    if at_ms // minute_jobs.MINUTE_MS % counting_plan.EVERY_MINUTES == 0:
        last.append(Job("counts", minute_jobs.COUNT_MS, partial(_count, at_ms)))
    minute_jobs.run(jobs_of_minute, last, at_ms, context.get_remaining_time_in_millis)


def _count(at_ms: int, remaining_ms: Callable[[], int]) -> int:
    counted = rollup.count_due(table, at_ms, remaining_ms)
    if counted.hours or counted.left:
        logger.info("hours counted", extra=asdict(counted))
    return counted.lag_ms


def _jobs(at_ms: int) -> list[Job]:
    """Return the jobs of a minute. Their slices together are less than a minute."""
    minute = at_ms // minute_jobs.MINUTE_MS
    opened = cache(partial(timers.opened, table))
    jobs = [
        Job("dead_letters", 5 * clock.SECOND_MS, _count_dead_letters),
        Job("sends", 10 * clock.SECOND_MS, partial(_queue_sends, at_ms)),
        Job("steps", 10 * clock.SECOND_MS, partial(_queue_steps, opened, at_ms)),
        Job("campaigns", 15 * clock.SECOND_MS, partial(_run_campaigns, opened, at_ms)),
    ]
    if minute % PAYMENTS_MINUTES == 0:
        jobs.append(Job("payments", 8 * clock.SECOND_MS, partial(_check_payments, at_ms)))
    if minute % DAILY_MINUTES == 0:
        jobs.append(Job("daily_payments", 6 * clock.SECOND_MS, partial(_check_daily, at_ms)))
    if minute % HOUR_MINUTES == REFRESH_MINUTE:
        jobs.append(Job("refresh", 2 * clock.SECOND_MS, partial(_refresh_numbers, at_ms)))
    return jobs


def _count_dead_letters(_: Callable[[], int]) -> int:
    count_dead_letters(sqs, settings.dead_letter_urls)
    return 0


def _queue_sends(at_ms: int, remaining_ms: Callable[[], int]) -> int:
    count, lag_ms = unfinished_sends.queue_due(table, queue, at_ms, remaining_ms)
    if count:
        logger.warning("unfinished sends queued", extra={"count": count})
    return lag_ms


def _check_payments(at_ms: int, remaining_ms: Callable[[], int]) -> int:
    return payment_checks.check_due(table, queue, at_ms, remaining_ms)[1]


def _check_daily(at_ms: int, remaining_ms: Callable[[], int]) -> int:
    return payment_checks.check_daily(table, queue, at_ms, remaining_ms)[1]


def _refresh_numbers(at_ms: int, _: Callable[[], int]) -> int:
    jobs.send([number_refresh.entry_of(at_ms)])
    return 0


def _queue_steps(
    opened: Callable[[], OpenCampaigns], at_ms: int, remaining_ms: Callable[[], int]
) -> int:
    count, lag_ms = sequence_steps.queue_due(table, jobs, opened(), at_ms, remaining_ms)
    if count:
        logger.info("steps of sequences queued", extra={"count": count})
    return lag_ms


def _run_campaigns(
    opened: Callable[[], OpenCampaigns], at_ms: int, remaining_ms: Callable[[], int]
) -> int:
    if not opened().ids:
        return 0
    from whatsapp.actions.campaigns import schedule  # noqa: PLC0415 - few minutes have an open campaign

    ids = opened().ids
    lag_ms = schedule.run_due(table, campaigns, ids, at_ms, remaining_ms)
    logger.info("campaigns", extra={"open": len(ids)})
    return lag_ms
