"""Runs every five minutes: queues the removal of expired threads, and counts the dead letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from email_threads.inbound.events import EmailErase, entry
from email_threads.store.privacy import retention
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime.observability import logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

LEFT_MS = 10_000  # The next run queues the rest.


@dataclass(frozen=True, kw_only=True)
class ScheduledSettings(Settings):
    """The environment of this function."""

    email_conversations_table_name: str
    email_threads_queue_url: str
    dead_letter_urls: tuple[str, ...]


settings = ScheduledSettings.load()
sqs = boto3.client("sqs")
table = Table(boto3.client("dynamodb"), settings.email_conversations_table_name)
queue = FifoQueue(lambda: sqs, settings.email_threads_queue_url)


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - the schedule sends nothing
    """Queue the expired threads, and count the dead letters."""
    count_dead_letters(sqs, settings.dead_letter_urls)
    seen: set[str] = set()
    for conversation_id in retention.expired(table):
        if context.get_remaining_time_in_millis() < LEFT_MS:
            break
        if conversation_id not in seen:
            queue.send([entry(EmailErase(conversation_id=conversation_id))])
            seen.add(conversation_id)
    if seen:
        logger.info("expired threads queued", extra={"count": len(seen)})
