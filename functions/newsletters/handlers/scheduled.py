"""Runs every five minutes: continues due jobs and deletions, and counts the dead letters."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from newsletters.configuration.resources import EXPORT_MS, ROUND_MS, STEP_MS, Resources
from newsletters.issues.delivery import turns
from newsletters.jobs import watch
from newsletters.jobs.requests import queue_of
from newsletters.jobs.state import is_overdue
from newsletters.store import jobs
from newsletters.store.bucket.objects import Store
from newsletters.store.items import Choices, Issue, Job, Series, Signup
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue, messages_in
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from newsletters.store.jobs import OpenWork
    from shared.aws.dynamodb import Attributes

LEFT_MS = 10_000  # The next run continues the rest.
MOST_KEPT = 1_000  # of the due work of a company: more than a round


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
            _look_after(work)
        except (ClientError, Transient) as failure:
            # A failure must not keep other work waiting; the failed item stays in the list.
            logger.warning("open work not looked after", extra=describe(failure))
        looked_after += 1
    if looked_after:
        logger.info("open work looked after", extra={"count": looked_after})


def _look_after(work: OpenWork) -> None:
    if isinstance(work, Issue):
        turns.look_after(resources, work)
    elif isinstance(work, Signup | Choices):
        from newsletters.issues.delivery.signups import readers  # noqa: PLC0415 - few runs find lost messages

        readers.look_after(resources, work)
    elif isinstance(work, Series):
        from newsletters.series import looks  # noqa: PLC0415 - as above

        looks.look_after(resources, work)
    else:
        watch.look_after(resources, work)


def _due() -> Iterator[OpenWork]:
    start: Attributes | None = None
    while True:
        found, start = jobs.due(resources.store.table, clock.now_ms(), start)
        yield from found
        if start is None:
            return


def _round_of(works: Iterable[OpenWork]) -> Iterator[OpenWork]:
    """
    Yield the jobs and issues that may join their queues, the oldest of each company first, then what no company waits
    for.

    All due work is read, so that work of one company is found behind another's, and little of it is kept.
    """
    counts: dict[FifoQueue, Counter[str]] = defaultdict(Counter)
    kept: dict[tuple[FifoQueue, str], list[Job | Issue]] = defaultdict(list)
    others: list[OpenWork] = []
    for work in works:
        is_late = isinstance(work, Job) and is_overdue(work.deadline_ms)
        if is_late or not isinstance(work, Issue | Job):
            if len(others) < MOST_KEPT:
                others.append(work)
            continue
        queue = resources.steps if isinstance(work, Issue) else queue_of(resources, work)
        company = work.company_id or ""
        counts[queue][company] += 1
        if len(kept[queue, company]) < MOST_KEPT:
            kept[queue, company].append(work)
    for queue, waiting in counts.items():
        left = messages_in(queue.client, queue.url)
        shares = runs[queue.name].hand_over(left, waiting)
        for company in waiting:
            yield from kept[queue, company][: shares[company]]
    yield from others
