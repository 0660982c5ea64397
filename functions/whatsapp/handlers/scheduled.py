"""Every minute: counts, unfinished sends, unpaid orders, campaigns, sequences, dead letters, and hourly the refresh."""

from dataclasses import asdict, dataclass
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
    number_refresh,
    payment_checks,
    rollup,
    sequence_steps,
    unfinished_sends,
)
from whatsapp.store.sending import timers


@dataclass(frozen=True, kw_only=True)
class ScheduledSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    whatsapp_queue_url: str
    whatsapp_jobs_queue_url: str
    whatsapp_campaigns_queue_url: str
    dead_letter_urls: tuple[str, ...]


MINUTE_MS = 60 * clock.SECOND_MS
PAYMENTS_MINUTES = 2  # Each check is due for four minutes.
REFRESH_MINUTES, REFRESH_MINUTE = 60, 50  # apart from the counts of full and half hours
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
    count_dead_letters(sqs, settings.dead_letter_urls)
    due_at_ms = clock.from_text(event["time"])
    unfinished = unfinished_sends.queue_due(table, queue, due_at_ms)
    if unfinished:
        logger.warning("unfinished sends queued", extra={"count": unfinished})
    minute = due_at_ms // MINUTE_MS
    if minute % PAYMENTS_MINUTES == 0:
        payment_checks.check_due(table, queue, due_at_ms)
    if minute % REFRESH_MINUTES == REFRESH_MINUTE:
        jobs.send([number_refresh.entry_of(due_at_ms)])
    opened = timers.opened(table)
    steps = sequence_steps.queue_due(table, jobs, opened, due_at_ms)
    if steps:
        logger.info("steps of sequences queued", extra={"count": steps})
    if opened.ids:
        from whatsapp.actions.campaigns import schedule  # noqa: PLC0415 - few minutes have an open campaign

        logger.info("campaigns", extra={"open": schedule.run_due(table, campaigns, due_at_ms)})
    counted = rollup.count_due(table, due_at_ms, context.get_remaining_time_in_millis)
    if counted.hours or counted.left:
        logger.info("hours counted", extra=asdict(counted))
