"""
Worker of `newsletter-exports.fifo`: renders one format for each event. The only function with the layer of the
renderers.
"""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import boto3
from pydantic import TypeAdapter

from newsletters.configuration.resources import EXPORT_MS, ROUND_MS, ExportResources
from newsletters.inbound.events import ExportRequested
from newsletters.recovery import parking
from newsletters.store import parked
from newsletters.store.bucket.objects import Store
from newsletters.worker import results, shares
from newsletters.worker.results import Handled, Outcome
from shared.aws.client_configs import PATIENT
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.aws.workers.sqs_worker import Worker
from shared.events.record_body import parse_body
from shared.runtime.observability import metrics
from shared.runtime.settings import Origin, Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.aws.workers.sqs_worker import Record
    from shared.runtime.failures import Permanent

EVENTS: Final[TypeAdapter[ExportRequested]] = TypeAdapter(ExportRequested)


@dataclass(frozen=True, kw_only=True)
class ExportSettings(Settings):
    """The environment of this function. *image_origins* are where images of drafts may come from."""

    table_name: str
    newsletters_bucket_name: str
    newsletter_steps_queue_url: str
    newsletter_exports_queue_url: str
    attempts_table_name: str
    max_attempts: int
    newsletter_max_concurrency: int
    image_origins: tuple[Origin, ...] = ()


settings = ExportSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
table = Table(boto3.client("dynamodb", config=PATIENT), settings.table_name)
resources = ExportResources(
    store=Store(
        table,
        Bucket(lambda: boto3.client("s3", config=PATIENT), settings.newsletters_bucket_name),
    ),
    steps=FifoQueue(lambda: sqs, settings.newsletter_steps_queue_url),
    exports=FifoQueue(lambda: sqs, settings.newsletter_exports_queue_url),
    image_origins=settings.image_origins,
)


def _handle(record: Record) -> Handled:
    from newsletters.worker.export import export  # noqa: PLC0415 - parked events need no renderer

    event = parse_body(record.body, EVENTS)
    is_done = export(resources, event, results.run_of(record))
    parked.events_of(table).resolve(event)
    outcome = Outcome.PERSISTED if is_done else Outcome.IGNORED
    return Handled(outcome, kind=event.type, code=event.code)


def _park(record: Record, refusal: Permanent) -> Handled:
    company = parking.park(table, record.body, refusal)
    return Handled(Outcome.PARKED, company=company, reason=refusal.reason)


attempts = Attempts.of(settings)
runs = Runs(
    attempts, resources.exports.name, settings.newsletter_max_concurrency, EXPORT_MS, ROUND_MS
)
sharing = shares.of_queue(table, runs)
worker = Worker(
    sqs=sqs,
    queue_urls=[settings.newsletter_exports_queue_url],
    tables=[table],
    attempts=attempts,
    handle=partial(sharing.handled, handle=_handle),
    park=_park,
    report=lambda record, handled: results.report(table.consumed_write_units, record, handled),
    note_dead_letter=lambda record, reason: parked.events_of(table).note_dead_letter(
        record.body, reason, record.attempt
    ),
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch in; ids of the failed records out."""
    return sqs_worker.process(worker, event, context)
