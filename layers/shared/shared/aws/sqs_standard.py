"""SQS standard queues, for work without an order: every message is a separate unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import FifoQueue

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

    from shared.aws.sqs_fifo import Entry


LONGEST_DELAY_SECONDS = 900  # SQS's limit


@dataclass(eq=False)
class StandardQueue(FifoQueue):
    """
    One standard queue, for sending. It has neither order nor deduplication: groups and deduplication ids of the entries
    are not sent, and a message may be delivered twice, also at the same time.
    """

    def _request_entry(self, number: int, entry: Entry) -> SendMessageBatchRequestEntryTypeDef:
        sent: SendMessageBatchRequestEntryTypeDef = {"Id": str(number), "MessageBody": entry.body}
        if entry.delay_seconds:
            sent["DelaySeconds"] = entry.delay_seconds
        return sent
