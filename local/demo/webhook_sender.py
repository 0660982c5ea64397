"""Sample events to the local stack, the way their providers would send them, and the wait until they are through."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import urllib3

from events.whatsapp import gateway
from events.whatsapp.samples import samples
from local.demo.delivery_totals import Account, read_account

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from events.whatsapp.story import Sample
    from local.stack.cli import Stack

DAY_SECONDS = 86_400
PATIENCE_SECONDS = 180

_http = urllib3.PoolManager(retries=False, timeout=30)


def a_fresh_day() -> list[Sample]:
    """
    The samples as a day that has just ended: new ids at each run, and media that the provider still has.

    Without the one of another topic: only the stack's own topic can reach the function.
    """
    start = int(time.time()) - 2 * DAY_SECONDS
    return [sample for sample in samples(start) if sample.name != "sns_other_topic"]


def expectations(day: Sequence[Sample]) -> tuple[int, int]:
    """How many events a day brings, and how many of them are repeats of others."""
    return sum(s.expects.accepted for s in day), sum(s.expects.duplicate for s in day)


def deliver(stack: Stack, sample: Sample) -> tuple[str, bool]:
    """Send one sample; the answer's status in words, and whether it is what the sample expects."""
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


def wait_until_through(
    stack: Stack, day: Sequence[Sample], since_ms: int, *, tell: Callable[[str], None]
) -> Account:
    """
    Wait until nothing is on the queue and every event of the day is accounted for, and return the account.

    Gives up after three minutes and returns what it found: the caller sees that it does not add up. *tell* gets a
    line of progress every second.
    """
    expected, repeats = expectations(day)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        account = read_account(stack.client("logs"), since_ms)
        waiting = on_queue(stack)
        tell(f"{account.through} of {expected} events are through, {waiting} on the queue")
        is_through = waiting == 0 and account.adds_up(expected, repeats)
        if is_through or time.monotonic() > deadline:
            return account
        time.sleep(1)


def wait_until_empty(stack: Stack) -> bool:
    """Wait until the queue is empty; False when it is not after three minutes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while on_queue(stack):
        if time.monotonic() > deadline:
            return False
        time.sleep(1)
    return True


def on_queue(stack: Stack) -> int:
    """Messages that wait or are being handled."""
    attributes = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.queues["whatsapp"],
        AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    )["Attributes"]
    return sum(int(count) for count in attributes.values())
