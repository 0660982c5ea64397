"""Runs every five minutes: continues due jobs and deletions, and counts the dead letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from newsletters.configuration.resources import Resources
from newsletters.jobs.watch import look_after
from newsletters.store import jobs
from newsletters.store.objects import Store
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.failures import Transient
from shared.runtime import clock
from shared.runtime.observability import describe, logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.aws.dynamodb import Attributes

LEFT_MS = 10_000  # The next run continues the rest.


@dataclass(frozen=True, kw_only=True)
class ScheduledSettings(Settings):
    """The environment of this function."""

    table_name: str
    newsletters_bucket_name: str
    newsletter_steps_queue_url: str
    newsletter_exports_queue_url: str
    dead_letter_urls: tuple[str, ...]


settings = ScheduledSettings.load()
sqs = boto3.client("sqs")
resources = Resources(
    store=Store(
        Table(boto3.client("dynamodb"), settings.table_name),
        Bucket(lambda: boto3.client("s3"), settings.newsletters_bucket_name),
    ),
    steps=FifoQueue(lambda: sqs, settings.newsletter_steps_queue_url),
    exports=FifoQueue(lambda: sqs, settings.newsletter_exports_queue_url),
)


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - the schedule sends nothing
    """Continue the open work that is due, and count the dead letters."""
    count_dead_letters(sqs, settings.dead_letter_urls)
    looked_after = 0
    start: Attributes | None = None
    while True:
        found, start = jobs.due(resources.store.table, clock.now_ms(), start)
        for work in found:
            if context.get_remaining_time_in_millis() < LEFT_MS:
                return
            try:
                look_after(resources, work)
            except (ClientError, Transient) as failure:
                # A failure must not keep other work waiting; the failed item stays in the list.
                logger.warning("open work not looked after", extra=describe(failure))
            looked_after += 1
        if start is None:
            break
    if looked_after:
        logger.info("open work looked after", extra={"count": looked_after})
