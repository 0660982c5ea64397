"""
The inbox feed of every context: reads the keys in a DynamoDB stream and refreshes the entries of their conversations.

    refreshed                             the record is done
    -> Permanent, or a bug (TypeError)    the head is parked in the inbox table, and the feed goes on
    -> any other exception                Lambda retries from this record on, then writes to the dead-letter queue

The streams contain keys only: a feed reads the present head, so records may come twice, late and out of order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.dynamodb import Table
from shared.failures import Permanent
from shared.inbox import entries
from shared.inbox.live.hints import Announcer
from shared.inbox.live.posts import Live
from shared.runtime.observability import describe, logger, metrics, write_metrics
from shared.runtime.settings import Settings, Url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.inbox.entries import Change, Heads

# Of the clients of the feeds: a batch must end within the function's 30 seconds.
QUICK = Config(connect_timeout=2, read_timeout=4, retries={"total_max_attempts": 3})
# Announcements of a batch start within ANNOUNCE_MS. Their reads, with all retries of QUICK, and the last posts may take
# SPARE_MS; a batch that leaves less time is not announced, since a timeout would make Lambda repeat it.
ANNOUNCE_MS = 3_000
SPARE_MS = 20_000
INTERNAL_ERROR = "internal_error"
# Exceptions of code that met an unexpected shape. Errors of AWS and of the network have other types.
_BUGS = (TypeError, ValueError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, kw_only=True)
class FeedSettings(Settings):
    """The environment of every inbox feed; a context adds its tables."""

    inbox_table_name: str
    live_table_name: str
    api_keys_table_name: str
    live_endpoint: Url


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """
    Handles the records of one function's streams. *table* is the table of the inbox.

    *announce* is called once after each batch with the changes of entries and a limit of time (ms); it must not raise.
    """

    table: Table
    heads: Heads
    announce: Callable[[Sequence[Change], int], None] | None = None


def _reference(change: Change) -> str:
    return change.reference


def feed_of(
    settings: FeedSettings,
    dynamodb: DynamoDBClient,
    heads: Heads,
    key_of: Callable[[Change], str] = _reference,
) -> Feed:
    """Return the feed of a context's *heads*. *key_of* returns the key that GET /inbox gives a conversation."""
    live = Live(
        Table(dynamodb, settings.live_table_name),
        Table(dynamodb, settings.api_keys_table_name),
        settings.live_endpoint,
    )
    announcer = Announcer(live=live, key_of=key_of)
    inbox = Table(dynamodb, settings.inbox_table_name)
    return Feed(table=inbox, heads=heads, announce=announcer.announce)


@dataclass(slots=True)
class _Run:
    """One invocation. *shown*: references that it has refreshed; their later records are older than the head read."""

    feed: Feed
    shown: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)

    def take(self, record: DynamoDBRecord) -> None:
        """Refresh the entry that a record is about. Raises the exceptions that a retry may pass."""
        stream = record.dynamodb
        key = stream.keys if stream is not None else None
        reference = self.feed.heads.reference_of(key) if key else None
        if reference is None or reference in self.shown:
            return
        self._show(reference)
        self.shown.add(reference)

    def _show(self, reference: str) -> None:
        feed, context = self.feed, self.feed.heads.context
        try:
            change = entries.refresh(feed.table, feed.heads, reference)
        except Permanent as refusal:
            self._park(reference, refusal.reason)
            return
        except (ClientError, BotoCoreError):  # Some of them are ValueErrors.
            raise
        except _BUGS as bug:
            logger.error("internal error", extra=describe(bug))
            self._park(reference, INTERNAL_ERROR)
            return
        if change is None:
            return
        self.changes.append(change)
        if change.is_new:
            metrics.add_metric("NewConversations", MetricUnit.Count, 1)
        logger.debug("entry changed", extra={"context": context, "version": change.version})

    def _park(self, reference: str, reason: str) -> None:
        context = self.feed.heads.context
        entries.park(self.feed.table, context, reference, reason)
        logger.warning("head parked", extra={"context": context, "reason": reason})
        metrics.add_metric("Parked", MetricUnit.Count, 1)


def process(
    feed: Feed, event: dict[str, Any], context: LambdaContext
) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the failed ones: Lambda retries from the first of them on."""
    run = _Run(feed)
    processor = _Processor()
    try:
        answer = process_partial_response(event, run.take, processor, context)
        _announce(feed, run.changes, context.get_remaining_time_in_millis() - SPARE_MS)
    finally:
        write_metrics()
    records, failed = len(event["Records"]), len(processor.fail_messages)
    logger.info(
        "records handled", extra={"records": records, "entries": len(run.changes), "failed": failed}
    )
    return answer


def _announce(feed: Feed, changes: Sequence[Change], left_ms: int) -> None:
    if feed.announce is None or not changes:
        return
    if left_ms > 0:
        feed.announce(changes, min(ANNOUNCE_MS, left_ms))
    else:
        metrics.add_metric("HintsFailed", MetricUnit.Count, len(changes))


class _Processor(BatchProcessor):
    def __init__(self) -> None:
        super().__init__(event_type=EventType.DynamoDBStreams)
        # The function itself did not fail, even if every record of its batch did.
        self.raise_on_entire_batch_failure = False

    def failure_handler(self, record: Any, exception: Any) -> Any:  # noqa: ANN401 - types of Powertools
        """Log a record that is retried."""
        logger.warning("retry scheduled", extra=describe(exception[1]))
        return super().failure_handler(record, exception)
