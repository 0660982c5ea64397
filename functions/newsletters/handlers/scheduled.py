"""Runs every five minutes: continues due jobs and deletions, and counts the dead letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from newsletters.configuration.resources import EXPORT_MS, ROUND_MS, STEP_MS, Resources
from newsletters.jobs.requests import queue_of
from newsletters.jobs.state import is_overdue
from newsletters.jobs.watch import look_after
from newsletters.store import jobs
from newsletters.store.items import Deletion, Job
from newsletters.store.objects import Store
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.fair_shares import Runs
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue, messages_in
from shared.aws.tables.attempts import Attempts
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    newsletter_max_concurrency: int
    attempts_table_name: str
    max_attempts: int


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
attempts = Attempts.of(settings)
runs = {
    queue.name: Runs(attempts, queue.name, settings.newsletter_max_concurrency, record_ms, ROUND_MS)
    for queue, record_ms in ((resources.steps, STEP_MS), (resources.exports, EXPORT_MS))
}


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - the schedule sends nothing
    """Continue the open work that is due, a round for each queue, and count the dead letters."""
    count_dead_letters(sqs, settings.dead_letter_urls)
    looked_after = 0
    for work in _round_of(_due()):
        if context.get_remaining_time_in_millis() < LEFT_MS:
            break
        try:
            look_after(resources, work)
        except (ClientError, Transient) as failure:
            # A failure must not keep other work waiting; the failed item stays in the list.
            logger.warning("open work not looked after", extra=describe(failure))
        looked_after += 1
    if looked_after:
        logger.info("open work looked after", extra={"count": looked_after})


def _due() -> Iterator[Job | Deletion]:
    start: Attributes | None = None
    while True:
        found, start = jobs.due(resources.store.table, clock.now_ms(), start)
        yield from found
        if start is None:
            return


def _round_of(works: Iterable[Job | Deletion]) -> Iterator[Job | Deletion]:
    """Yield what no company waits for, then the jobs that may join their queues, the oldest of each company first."""
    by_queue: dict[FifoQueue, dict[str, list[Job]]] = {}
    for work in works:
        if isinstance(work, Deletion) or is_overdue(work.deadline_ms):
            yield work
        else:
            of_queue = by_queue.setdefault(queue_of(resources, work), {})
            of_queue.setdefault(work.company_id or "", []).append(work)
    for queue, waiting in by_queue.items():
        left = messages_in(queue.client, queue.url)
        counts = {company: len(found) for company, found in waiting.items()}
        shares = runs[queue.name].hand_over(left, counts)
        for company, found in waiting.items():
            yield from found[: shares[company]]
