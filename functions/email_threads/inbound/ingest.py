"""
Queues each mail that SES has stored: reads its headers, and groups it with the mails of its thread.

Writes nothing to the table. A mail is queued again when its notification is repeated; the worker recognises it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from email_threads.inbound.events import EmailReceived, received_entry
from email_threads.parsing.caps import MOST_HEADER_BYTES
from email_threads.parsing.headers.fields import Headers, root_id
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.inbound.notifications import StoredMail
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue


@dataclass(frozen=True, slots=True)
class Ingest:
    """The bucket of mails and `email-threads.fifo`."""

    bucket: Bucket
    queue: FifoQueue


def queue_mails(ingest: Ingest, mails: Sequence[StoredMail]) -> int:
    """Queue the mails and return their number. Raises NotEnqueued; objects that are gone are counted and left out."""
    entries = []
    for mail in mails:
        if mail.bucket != ingest.bucket.name:
            _count("MailOfOtherBucket")
            continue
        block = _header_bytes(ingest.bucket, mail)
        if block is None:
            _count("MailVanished")
            continue
        event = EmailReceived(
            key=mail.key, etag=mail.etag, size=mail.size, received_at=mail.stored_at
        )
        entries.append(received_entry(event, _root(block)))
    return ingest.queue.send(entries)


def _header_bytes(bucket: Bucket, mail: StoredMail) -> bytes | None:
    if mail.size == 0:  # S3 refuses a range of an empty object.
        return b""
    try:
        return bucket.first_bytes(mail.key, MOST_HEADER_BYTES)
    except ClientError as error:
        if bucket.is_missing(mail.key, error):
            return None
        raise


def _root(block: bytes) -> str | None:
    headers = Headers.read(block)
    own = next(iter(headers.ids("message-id")), None)
    return root_id(own, headers.ids("references"), headers.ids("in-reply-to"))


def _count(metric: str) -> None:
    metrics.add_metric(metric, MetricUnit.Count, 1)
    logger.warning("stored object left out", extra={"reason": metric})
