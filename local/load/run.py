"""One load run: send, kill, wait, compare."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import urllib3

from events.whatsapp import gateway
from local.load.check import Verdict, parked, verdict
from local.load.function_killer import FunctionKiller
from local.load.traffic import SENDERS, traffic

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from local.load.traffic import Traffic
    from local.stack.cli import Stack

TIMEOUT_SECONDS = 1_800
REPORT_EVERY_SECONDS = 20
REPEATS_AFTER_SECONDS = 0.5
BETWEEN_KILLS_SECONDS = (1.0, 6.0)
# Messages of a killed worker are redelivered after the queue's visibility timeout. The deployed value is six times the
# longest run of a worker; a local batch takes a second and the emulator runs one at a time, so a short one suffices.
VISIBILITY_SECONDS = 15
QUEUES = ("whatsapp", "whatsapp_jobs", "whatsapp_campaigns")
_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The size of the run. *kills*: the maximum per function."""

    events: int
    conversations: int
    kills: int
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result: number of repeated requests, killed processes, durations, and the verdict."""

    traffic: Traffic
    verdict: Verdict
    refused: int
    killed: Counter[str]
    sent_within_s: float
    done_within_s: float

    def in_words(self) -> Iterator[str]:
        """Yield the lines of a readable report."""
        sent, result = self.traffic, self.verdict
        reasons = ", ".join(
            f"{number} {reason}" for reason, number in sorted(result.parked.items())
        )
        killed = ", ".join(f"{name} {number}" for name, number in sorted(self.killed.items()))
        yield (
            f"{sent.events} events sent = {result.stored} stored + {sent.repeats} repeated"
            f" + {result.parked.total()} parked ({reasons})"
        )
        yield f"killed: {killed or 'none'}; {self.refused} requests failed and were repeated"
        yield (
            f"sent at {sent.events / self.sent_within_s:.0f} events a second, "
            f"all stored at {sent.events / self.done_within_s:.0f} (waits for killed workers included)"
        )
        yield from (f"ERROR: {fault}" for fault in result.faults)
        if not result.faults:
            yield "No message was lost or duplicated, and every conversation is in order."


def run(stack: Stack, plan: Plan, *, report: Callable[[str], None]) -> Outcome:
    """Send everything while functions are killed, wait until all is handled, and check the result."""
    sent = traffic(plan.seed, plan.events, plan.conversations, int(time.time()))
    killer = FunctionKiller(plan.seed, plan.kills, BETWEEN_KILLS_SECONDS)
    before = parked(stack)
    began = time.monotonic()
    with short_visibility(stack, "whatsapp", VISIBILITY_SECONDS):
        killer.start()
        try:
            with ThreadPoolExecutor(SENDERS) as senders:
                refused = sum(
                    senders.map(lambda bodies: _post_all(stack, bodies), sent.requests_by_sender)
                )
            sent_within = time.monotonic() - began
            report(f"all sent, in {sent_within:.0f} s")
            _wait_until_handled(stack, report)
        finally:
            killer.stop()
    done_within = time.monotonic() - began
    return Outcome(
        sent, verdict(stack, sent, before), refused, killer.killed, sent_within, done_within
    )


def _post_all(stack: Stack, bodies: list[bytes]) -> int:
    """Send as a provider does: repeat each request until it gets 200. Returns the number of repeats."""
    http = urllib3.PoolManager(retries=False, timeout=30)
    refused = 0
    for body in bodies:
        headers = {"Content-Type": "application/json", "X-Hub-Signature-256": gateway.sign(body)}
        while not is_accepted(http, f"{stack.api_url}/webhooks/whatsapp", body, headers):
            refused += 1
            time.sleep(REPEATS_AFTER_SECONDS)
    return refused


def is_accepted(
    http: urllib3.PoolManager, address: str, body: bytes, headers: dict[str, str]
) -> bool:
    """Send one request; whether it was answered with 200."""
    try:
        return http.request("POST", address, body=body, headers=headers).status == _OK
    except urllib3.exceptions.HTTPError:
        return False


def _wait_until_handled(stack: Stack, report: Callable[[str], None]) -> None:
    """Wait until the queue has no waiting messages and none in flight, for half an hour at most."""
    began = time.monotonic()
    next_report = 0.0
    while (waited := time.monotonic() - began) < TIMEOUT_SECONDS and (
        left := stack.messages_on(QUEUES)
    ):
        if waited >= next_report:
            next_report = waited + REPORT_EVERY_SECONDS
            report(f"{left} events wait")
        time.sleep(1)


@contextmanager
def short_visibility(stack: Stack, queue: str, seconds: int) -> Iterator[None]:
    """Shorten the visibility timeout of one of the stack's queues."""
    sqs, url = stack.client("sqs"), stack.queues[queue]
    shipped = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": str(seconds)})
    try:
        yield
    finally:
        sqs.set_queue_attributes(QueueUrl=url, Attributes=shipped["Attributes"])
