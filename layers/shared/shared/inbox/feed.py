"""
The inbox feed of every context: reads the keys in a DynamoDB stream and refreshes the entries of their conversations.

    refreshed                             the record is done
    -> Permanent, or a bug (TypeError)    the head is parked in the inbox table, and the feed goes on
    -> any other exception                Lambda retries from this record on; after an hour the head is parked

The streams contain keys only: a feed reads the present head, so records may come twice, late, out of order and in
batches that run at the same time. Lambda drops none: an old record leads to the present entry as a new one does, until
the stream deletes it after 24 hours.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.tables.prefetched import PrefetchedTable
from shared.identity import keyed_hashes
from shared.inbox import entries
from shared.inbox.entries import Tables
from shared.inbox.items import Entry, pk
from shared.inbox.live.hints import Announcer
from shared.inbox.live.posts import Live
from shared.inbox.live.push_starts import PushStarts
from shared.inbox.notifications.notifier import Notifier
from shared.inbox.notifications.webhooks.outbox import Outbox
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics, write_metrics
from shared.runtime.settings import Settings, Url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Attributes
    from shared.inbox.entries import BatchHeads, Change
    from shared.inbox.notifications.notifier import Additions, Campaigns

# Of the clients of the feeds: a batch must end within the function's 30 seconds.
QUICK = Config(connect_timeout=2, read_timeout=4, retries={"total_max_attempts": 3})
# Announcements of a batch start within ANNOUNCE_MS. Their reads, with all retries of QUICK, and the last posts may take
# SPARE_MS; a batch that leaves less time is not announced, since a timeout would make Lambda repeat it.
ANNOUNCE_MS = 3_000
SPARE_MS = 20_000
INTERNAL_ERROR = "internal_error"
INSERTED = "INSERT"
# A record that fails is retried for an hour; its head is parked then, so that those behind it do not grow as old.
RETRIED_FOR_MS = 3_600 * clock.SECOND_MS
RETRIES_EXHAUSTED = "retries_exhausted"
LATE_MS = 600 * clock.SECOND_MS
# Exceptions of code that met an unexpected shape. Errors of AWS and of the network have other types.
type Identity = tuple[tuple[str, Any], ...]  # of a key
_BUGS = (TypeError, ValueError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, kw_only=True)
class FeedSettings(Settings):
    """The environment of every inbox feed; a context adds its tables."""

    inbox_table_name: str
    contacts_table_name: str
    identifier_keys_secret_id: str
    live_table_name: str
    api_keys_table_name: str
    live_endpoint: Url
    inbox_function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """
    Handles the records of one function's streams.

    *announce* is called once after each batch with the changes of entries, a limit of time and the oldest record's age
    (ms). It must not raise.
    """

    tables: Tables
    heads: BatchHeads
    notifier: Notifier | None = None
    outbox: Outbox | None = None
    announce: Callable[[Sequence[Change], int, float], None] | None = None


def _reference(change: Change) -> str:
    return change.reference


def feed_of(
    settings: FeedSettings,
    dynamodb: DynamoDBClient,
    heads: BatchHeads,
    key_of: Callable[[Change], str] = _reference,
    additions: Additions | None = None,
    *,
    campaigns: Campaigns | None = None,
) -> Feed:
    """
    Return the feed of a context's *heads*, and configure the identifier keys of this process.

    *key_of* returns the key that GET /inbox gives a conversation. *additions* and *campaigns*: notes, drafts
    and ends of campaigns that cause notifications.
    """
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=QUICK), settings.identifier_keys_secret_id
        )
    )
    live = Live(
        Table(dynamodb, settings.live_table_name),
        Table(dynamodb, settings.api_keys_table_name),
        settings.live_endpoint,
    )
    pushes = PushStarts(live.table, settings.inbox_function)
    announcer = Announcer(live=live, key_of=key_of, pushes=pushes)
    tables = Tables(
        inbox=Table(dynamodb, settings.inbox_table_name),
        contacts=Table(dynamodb, settings.contacts_table_name),
    )
    notifier = Notifier(table=live.table, additions=additions, campaigns=campaigns)
    return Feed(
        tables=tables,
        heads=heads,
        notifier=notifier,
        outbox=Outbox(live.table, tables.inbox, settings.inbox_function),
        announce=announcer.announce,
    )


@dataclass(slots=True)
class _Run:
    """
    One invocation. *shown*: references that it has refreshed; their later records are older than the head read.

    *references*: of keys that were found in a batch. *campaigns*: keys of campaigns that were read.
    """

    feed: Feed
    references: Mapping[Identity, str | None] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)
    campaigns: set[Identity] = field(default_factory=set)

    def take(self, record: DynamoDBRecord) -> None:
        """Refresh the entry that a record is about. Raises the exceptions that a retry may pass."""
        stream = record.dynamodb
        key = stream.keys if stream is not None else None
        if key:
            is_new = record.raw_event.get("eventName") == INSERTED
            self._notify_of(key, _age_ms(record.raw_event), is_new=is_new)
        reference = self._reference_of(key) if key else None
        if reference is None or reference in self.shown:
            return
        try:
            self._show(reference)
        except Exception:
            if _age_ms(record.raw_event) < RETRIED_FOR_MS:
                raise
            self._park(reference, RETRIES_EXHAUSTED)
        self.shown.add(reference)

    def _reference_of(self, key: Attributes) -> str | None:
        known = _identity(key)
        if known in self.references:
            return self.references[known]
        return self.feed.heads.reference_of(key)

    def _show(self, reference: str) -> None:
        feed, context = self.feed, self.feed.heads.context
        try:
            notify = feed.notifier.of_entry if feed.notifier is not None else None
            publish = feed.outbox.of_entry if feed.outbox is not None else None
            change = entries.refresh(
                feed.tables, feed.heads, reference, notify=notify, publish=publish
            )
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

    def _notify_of(self, key: Attributes, age_ms: float, *, is_new: bool) -> None:
        """
        Notify of a new note or draft, or of a campaign's end. One that fails for an hour is left out: it is in its
        conversation, or in the list of campaigns.
        """
        try:
            change = self._notification_of(key, is_new=is_new)
        except Exception as failure:
            if age_ms < RETRIED_FOR_MS:
                raise
            logger.warning("notification left out", extra=describe(failure))
            metrics.add_metric("NotificationsFailed", MetricUnit.Count, 1)
            return
        if change is not None:
            self.changes.append(change)

    def _notification_of(self, key: Attributes, *, is_new: bool) -> Change | None:
        notifier = self.feed.notifier
        if notifier is None:
            return None
        if notifier.is_campaign(key):
            if _identity(key) in self.campaigns:  # This record is older than what was read.
                return None
            change = notifier.of_campaign(key)
            self.campaigns.add(_identity(key))
            return change
        # Not from the batch: `entries.refresh` needs what was read there.
        inbox = self.feed.tables.inbox.source
        return notifier.of_addition(inbox, self.feed.heads, key) if is_new else None

    def _park(self, reference: str, reason: str) -> None:
        context = self.feed.heads.context
        entries.park(self.feed.tables.inbox, context, reference, reason)
        logger.warning("head parked", extra={"context": context, "reason": reason})
        metrics.add_metric("Parked", MetricUnit.Count, 1)


def process(
    feed: Feed, event: dict[str, Any], context: LambdaContext
) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the failed ones: Lambda retries from the first of them on."""
    records = event["Records"]
    run = _prefetched(feed, records)
    age_ms = max(map(_age_ms, records), default=0)
    if age_ms >= LATE_MS:
        metrics.add_metric("FeedLate", MetricUnit.Count, 1)
    processor = _Processor()
    try:
        answer = process_partial_response(event, run.take, processor, context)
        _announce(feed, run.changes, age_ms, context.get_remaining_time_in_millis() - SPARE_MS)
    finally:
        write_metrics()
    count, failed = len(records), len(processor.fail_messages)
    logger.info(
        "records handled", extra={"records": count, "entries": len(run.changes), "failed": failed}
    )
    return answer


def _prefetched(feed: Feed, records: Sequence[Mapping[str, Any]]) -> _Run:
    """
    Return a run whose entries, then heads, were read in batches, in the order that `entries.refresh` needs.

    If a batch cannot be read, the run reads one by one, so that only the records fail whose items cannot be read.
    """
    found = [
        {name: value["S"] for name, value in record["dynamodb"]["Keys"].items()}
        for record in records
    ]
    keys = list({_identity(key): key for key in found}.values())
    try:
        by_keys = feed.heads.for_keys(keys)
        references = {_identity(key): by_keys.reference_of(key) for key in keys}
        named = [one for one in dict.fromkeys(references.values()) if one is not None]
        if not named:
            return _Run(feed, references)
        own = [pk(Entry.key(feed.heads.context, one)) for one in named]
        inbox = PrefetchedTable(feed.tables.inbox, own)  # before the heads
        tables = replace(feed.tables, inbox=inbox)
        return _Run(replace(feed, tables=tables, heads=feed.heads.prefetched(named)), references)
    except (Transient, Permanent, ClientError, BotoCoreError, *_BUGS) as failure:
        logger.warning("batch not read", extra=describe(failure))
        return _Run(feed)


def _identity(key: Attributes) -> Identity:
    return tuple(sorted(key.items()))


def _age_ms(record: Mapping[str, Any]) -> float:
    """Return how long ago the change was; 0 if the record does not say it."""
    at = record["dynamodb"].get("ApproximateCreationDateTime")
    return clock.now_ms() - at * clock.SECOND_MS if isinstance(at, int | float) else 0


def _announce(feed: Feed, changes: Sequence[Change], age_ms: float, left_ms: int) -> None:
    if not changes:
        return
    if left_ms > 0:
        if feed.outbox is not None:
            feed.outbox.start(changes, min(ANNOUNCE_MS, left_ms))
        if feed.announce is not None:
            feed.announce(changes, min(ANNOUNCE_MS, left_ms), age_ms)
    elif feed.announce is not None:
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
