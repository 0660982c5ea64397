"""
Two companies at the same time: one sends all its events at once, the other one message after the other.

For each message of the second company it counts the events of the first one that waited when the message was accepted,
and how many of them were handled before it. Counts do not depend on the speed of this machine.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import urllib3

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import COUNTER, Customer
from local.load.check import messages_stored
from local.load.run import REPEATS_AFTER_SECONDS, is_accepted
from local.load.traffic import SENDERS, message_ids, traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from local.load.run import Plan
    from local.stack.cli import Stack

MESSAGES = 20
STORED_WITHIN_SECONDS = 600
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Wait:
    """
    What one message of the second company waited for, in events of the first one.

    *accepted* and *handled* are those before the message was accepted, *handled_then* those before it was stored.
    """

    accepted: int
    handled: int
    handled_then: int

    @property
    def waiting(self) -> int:
        """Events of the first company that waited when the message was accepted."""
        return max(0, self.accepted - self.handled)

    @property
    def before(self) -> int:
        """The number of them that were handled before the message; events that came later do not count."""
        return min(self.waiting, self.handled_then - self.handled)


@dataclass(frozen=True, slots=True)
class FairnessVerdict:
    """The faults of a run: messages that were never stored."""

    faults: list[str]


@dataclass(frozen=True, slots=True)
class FairnessOutcome:
    """The waits of the second company's messages, in order, and the verdict."""

    events: int
    waits: Sequence[Wait]
    verdict: FairnessVerdict

    def in_words(self) -> Iterator[str]:
        """Yield the lines of a readable report."""
        yield f"{self.events} events of one company, {len(self.waits)} messages of another one meanwhile"
        behind = [wait for wait in self.waits if wait.waiting]
        if behind:
            shares = [wait.before / wait.waiting for wait in behind]
            most = max(wait.waiting for wait in behind)
            yield (
                f"{len(behind)} of them were accepted behind up to {most} events; {_percent(shares)}"
                f" of these were handled first on average, {max(shares):.0%} at most"
            )
        else:
            yield "none of them was accepted behind other events: send more events"
        yield from (f"ERROR: {fault}" for fault in self.verdict.faults)


def _percent(shares: Sequence[float]) -> str:
    return f"{sum(shares) / len(shares):.0%}"


class Accepted:
    """The messages that the webhook has accepted, each once, counted by several senders."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ids: set[str] = set()

    @property
    def count(self) -> int:
        """The number of messages; repeats, statuses and invalid events are none."""
        return len(self._ids)

    def add(self, message_ids: Sequence[str]) -> None:
        """Count the messages of an accepted request."""
        with self._lock:
            self._ids.update(message_ids)


def run(stack: Stack, plan: Plan, *, report: Callable[[str], None]) -> FairnessOutcome:
    """Send the events of both companies and count. No process is killed."""
    sent = traffic(plan.seed, plan.events, plan.conversations, int(time.time()))
    accepted = Accepted()
    waits: list[Wait] = []
    faults: list[str] = []
    with ThreadPoolExecutor(SENDERS) as senders:
        posts = [
            senders.submit(_post_all, stack, bodies, accepted) for bodies in sent.requests_by_sender
        ]
        for number in range(MESSAGES):
            wait = _send_one(stack, sent.run, number, accepted)
            if wait is None:
                faults.append(f"message {number} was not stored in {STORED_WITHIN_SECONDS} s")
            else:
                waits.append(wait)
                report(f"message {number}: {wait.before} of {wait.waiting} events first")
        for post in posts:
            post.result()
    return FairnessOutcome(sent.events, waits, FairnessVerdict(faults))


def _send_one(stack: Stack, name: str, number: int, accepted: Accepted) -> Wait | None:
    """Send a message of the second company and return what it waited for; None if it is not stored in time."""
    message_id = f"{name}second.{number}"
    customer = Customer("Second company", wa_id=f"4477009{number:05d}")
    content = payloads.text(f"message {number} of the second company")
    message = payloads.message(customer, message_id, int(time.time()), content)
    change = payloads.messages_change(COUNTER, [message], [customer])
    handled = messages_stored(stack, name)
    before = accepted.count
    _post(stack, gateway.meta_bytes(payloads.webhook(payloads.entry(COUNTER.waba, change))))
    key = {"pk": {"S": f"MSG#{message_id}"}}
    dynamodb, table = stack.client("dynamodb"), stack.tables["whatsapp"]
    until = time.monotonic() + STORED_WITHIN_SECONDS
    while "Item" not in dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True):
        if time.monotonic() >= until:
            return None
        time.sleep(_POLL_SECONDS)
    return Wait(before, handled, messages_stored(stack, name))


def _post_all(stack: Stack, bodies: list[bytes], accepted: Accepted) -> None:
    for body in bodies:
        _post(stack, body)
        accepted.add(message_ids(body))


def _post(stack: Stack, body: bytes) -> None:
    """Send as a provider does: repeat the request until it gets 200."""
    http = urllib3.PoolManager(retries=False, timeout=30)
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": gateway.sign(body)}
    while not is_accepted(http, f"{stack.api_url}/webhooks/whatsapp", body, headers):
        time.sleep(REPEATS_AFTER_SECONDS)
