"""Composition root of the recovery of this context, for the admin function and `operations recovery`."""

from collections.abc import Sequence

from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.port import Recovery
from whatsapp.recovery.dead_letters import EventLetters, NotificationLetters
from whatsapp.recovery.parked_events import InboxParkedEvents
from whatsapp.store.items import WebhookEvent


def recovery_of(
    *,
    table: Table,
    bucket: Bucket,
    queue: FifoQueue,
    files: StandardQueue,
    campaigns: StandardQueue,
    dead_letters: DeadLetters,
    media_dead_letters: DeadLetters,
    campaign_dead_letters: DeadLetters,
    social_dead_letters: DeadLetters,
    social_topics: Sequence[str],
) -> Recovery[WebhookEvent]:
    """Return the parked events and dead letters of the inbox. *queue*: `whatsapp.fifo`. *files*: the download queue."""
    return Recovery(
        context="whatsapp",
        parked=InboxParkedEvents(table, bucket, queue),
        dead_letters=(
            EventLetters(dead_letters, table, queue),
            NotificationLetters(social_dead_letters, table, queue, bucket, social_topics),
            EventLetters(media_dead_letters, table, files, "media"),
            EventLetters(campaign_dead_letters, table, campaigns, "campaigns"),
        ),
    )
