"""The inbox over all contexts of the deployed stack: a message over HTTP in, a row out."""

from __future__ import annotations

import time
from typing import Any

import pytest
import urllib3

from local.demo.webhook_sender import deliver, recent_samples
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)
WITHIN_SECONDS = 90


def rows_of(deployed: Deployed, **query: str) -> list[dict[str, Any]]:
    answer = http.request(
        "GET",
        f"{deployed.stack.api_url}/inbox",
        fields=query,
        headers={"x-api-key": deployed.api_key},
    )
    assert answer.status == 200, answer.data
    found: list[dict[str, Any]] = answer.json()["result"]["conversations"]
    return found


def test_a_whatsapp_message_over_http_appears_in_the_inbox(deployed: Deployed) -> None:
    sample = next(one for one in recent_samples() if one.expects.stored and not one.is_social)

    assert deliver(deployed.stack, sample)[1]

    deadline = time.monotonic() + WITHIN_SECONDS
    while not (rows := rows_of(deployed, channel="whatsapp")) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert rows
    key = rows[0]["key"]
    opened = http.request(
        "GET",
        f"{deployed.stack.api_url}/whatsapp/conversations/{key}",
        headers={"x-api-key": deployed.api_key},
    ).json()["result"]
    assert opened["lastPreview"].startswith(rows[0]["preview"].removesuffix("…"))
    assert opened["phone"] == rows[0]["address"]


def test_no_feed_left_a_record_behind(deployed: Deployed) -> None:
    waiting = deployed.stack.client("sqs").get_queue_attributes(
        QueueUrl=deployed.stack.queues["inbox_feed_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )

    assert waiting["Attributes"]["ApproximateNumberOfMessages"] == "0"
