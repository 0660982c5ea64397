"""The sweep in the world of a worker."""

from __future__ import annotations

import boto3
import pytest

from richpanel.inbound.webhook import EventQueues
from shared.aws.sqs_fifo import FifoQueue
from tests.integration.richpanel.harness import Harness
from tests.integration.richpanel.recovery.sweeper import Sweeper
from tests.template import create_queue


@pytest.fixture
def sweeper(harness: Harness) -> Sweeper:
    sqs = boto3.client("sqs")
    queues = EventQueues(
        mail=FifoQueue(lambda: sqs, create_queue(sqs, "RichpanelQueue")),
        live=FifoQueue(lambda: sqs, create_queue(sqs, "RichpanelLiveQueue")),
    )
    return Sweeper(harness, queues)
