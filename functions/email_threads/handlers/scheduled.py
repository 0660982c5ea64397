"""
Runs every five minutes: queues sends whose time comes, threads with a due target, and removals of expired threads;
counts the dead letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import boto3

from email_threads.inbound.events import EmailDue, EmailErase, EmailSend, entry
from email_threads.replies.approval import schedule
from email_threads.store.deadlines import scheduled_sends, service_levels
from email_threads.store.privacy import retention
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue, messages_in
from shared.aws.sqs_standard import StandardQueue
from shared.runtime.observability import logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

SCHEDULED = "scheduled"
LEFT_MS = 10_000  # The next run queues the rest.
MOST_REMOVED = 1_200  # threads on the queue of the worker: a minute of its 20 runs


@dataclass(frozen=True, kw_only=True)
class ScheduledSettings(Settings):
    """The environment of this function."""

    email_conversations_table_name: str
    email_threads_queue_url: str
    email_inbound_queue_url: str
    dead_letter_urls: tuple[str, ...]


settings = ScheduledSettings.load()
sqs = boto3.client("sqs")
table = Table(boto3.client("dynamodb"), settings.email_conversations_table_name)
delayed = StandardQueue(lambda: sqs, settings.email_inbound_queue_url)
queue = FifoQueue(lambda: sqs, settings.email_threads_queue_url)


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - the schedule sends nothing
    """Queue the sends whose time comes, due and expired threads, and count the dead letters."""
    count_dead_letters(sqs, settings.dead_letter_urls)
    for send in scheduled_sends.due(table, schedule.AHEAD_SECONDS):
        due = EmailSend(
            conversation_id=send.thread,
            reply_id=send.reply_id,
            version=send.version,
            attempt=send.attempt,
            cause=SCHEDULED,
        )
        schedule.delay(delayed, due, send.send_at)
        scheduled_sends.remove(table, send)
        if context.get_remaining_time_in_millis() < LEFT_MS:
            return
    for page in service_levels.due(table):
        queue.send([entry(EmailDue(conversation_id=one, look_at=at)) for one, at in page])
        if context.get_remaining_time_in_millis() < LEFT_MS:
            return
    seen: set[str] = set()
    for conversation_id in _expired():
        if context.get_remaining_time_in_millis() < LEFT_MS:
            break
        if conversation_id not in seen:
            queue.send([entry(EmailErase(conversation_id=conversation_id))])
            seen.add(conversation_id)
    if seen:
        logger.info("expired threads queued", extra={"count": len(seen)})


def _expired() -> Iterator[str]:
    """Yield expired threads, as many as the queue of the worker has room for: mails do not wait behind removals."""
    found = retention.expired(table)
    first = next(found, None)
    if first is None:
        return
    room = MOST_REMOVED - messages_in(sqs, queue.url)
    if room > 0:
        yield from islice(chain([first], found), room)
