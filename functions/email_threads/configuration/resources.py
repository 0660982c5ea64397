"""What the worker and the API use: the table, the bucket of mails, the queues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.identity import keyed_hashes

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """
    *bucket* is that of mails, *queue* is `email-threads.fifo`.

    *media* and *conversations_inbound* are the bucket of files and the queue of the AI conversations.
    """

    table: Table
    bucket: Bucket
    media: Bucket
    queue: FifoQueue
    conversations_inbound: FifoQueue
    region: str


def token_secrets() -> tuple[bytes, ...]:
    """Return the secrets of reply tokens, the newest first: the keys of identifiers. Raises KeysUnreadable."""
    return tuple(key.secret for key in keyed_hashes.all_keys())
