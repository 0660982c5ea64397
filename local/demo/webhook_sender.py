"""Sends sample events to the local stack as the providers would, and waits until they are handled."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import urllib3

from events.whatsapp import gateway
from events.whatsapp.samples import samples
from local.demo.delivery_totals import Totals, read_totals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from events.whatsapp.sample_builder import Sample
    from local.stack.cli import Stack

DAY_SECONDS = 86_400
TIMEOUT_SECONDS = 180
QUEUES = ("whatsapp", "whatsapp_jobs", "whatsapp_campaigns")

_http = urllib3.PoolManager(retries=False, timeout=180)


def recent_samples() -> list[Sample]:
    """
    Return the samples dated two days ago: every run has new ids, and the provider still has the media.

    Omits the sample of a foreign topic: only the stack's own topic can invoke the function.
    """
    start = int(time.time()) - 2 * DAY_SECONDS
    return [sample for sample in samples(start) if sample.name != "sns_other_topic"]


def expected_counts(day: Sequence[Sample]) -> tuple[int, int]:
    """Return the number of events of a day, and how many of them repeat another event."""
    return sum(s.expects.accepted for s in day), sum(s.expects.duplicate for s in day)


def deliver(stack: Stack, sample: Sample) -> tuple[str, bool]:
    """Send one sample; return the response status as text, and whether the sample expects this status."""
    if sample.is_social:
        topic = stack.topics["whatsapp_social"]
        stack.client("sns").publish(TopicArn=topic, Message=sample.published)
        return "SNS", True
    address = f"{stack.api_url}/webhooks/whatsapp"
    if sample.event["httpMethod"] == "GET":
        token = stack.secret("whatsapp_apps")["verify_token"]
        query = {**sample.event["queryStringParameters"], "hub.verify_token": token}
        answer = _http.request("GET", address, fields=query)
        return str(answer.status), answer.data.decode() == gateway.CHALLENGE
    answer = _http.request("POST", address, body=sample.raw_body, headers=sample.signed_headers)
    return str(answer.status), answer.status == sample.expects.status


def wait_until_handled(
    stack: Stack, day: Sequence[Sample], since_ms: int, *, report: Callable[[str], None]
) -> Totals:
    """
    Wait until the queue is empty and the totals match, and return the totals.

    After three minutes it returns totals that do not match. *report* receives a line of progress every second.
    """
    expected, repeats = expected_counts(day)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        totals = read_totals(stack.client("logs"), since_ms)
        waiting = stack.messages_on(QUEUES)
        report(f"{totals.handled} of {expected} events handled, {waiting} on the queue")
        is_handled = waiting == 0 and totals.match(expected, repeats)
        if is_handled or time.monotonic() > deadline:
            return totals
        time.sleep(1)


def wait_until_empty(stack: Stack) -> bool:
    """Wait until the queue is empty; return False if it is not after three minutes."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while stack.messages_on(QUEUES):
        if time.monotonic() > deadline:
            return False
        time.sleep(1)
    return True
