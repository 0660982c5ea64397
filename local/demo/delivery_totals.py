"""What became of everything that was sent, read from the logs that the functions wrote: the same lines as on AWS."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_logs import CloudWatchLogsClient

INGRESS_LOGS = (
    "/aws/lambda/parley-local-whatsapp-webhook",
    "/aws/lambda/parley-local-whatsapp-social",
)
WORKER_LOGS = "/aws/lambda/parley-local-whatsapp-worker"


@dataclass(frozen=True, slots=True)
class Cost:
    """What events of one kind cost: how many there were, and the DynamoDB write units of all of them."""

    events: int
    write_units: float


@dataclass(frozen=True, slots=True)
class Account:
    """Accepted events, and what became of each; follow-ups (media, receipts) are the worker's own and stand apart."""

    accepted: int
    outcomes: Counter[str]
    reasons: Counter[str]
    follow_ups: int
    costs: dict[str, Cost]

    @property
    def through(self) -> int:
        """Events that a worker is done with."""
        return sum(self.outcomes.values())

    @property
    def dropped_by_queue(self) -> int:
        """Accepted events that no worker saw: a FIFO queue takes it once in five minutes, and says yes to repeats."""
        return self.accepted - self.through

    def adds_up(self, expected: int, repeats: int) -> bool:
        """Whether *expected* events were accepted, and all but the *repeats* among them are stored or parked."""
        is_each_once = self.outcomes["persisted"] + self.outcomes["parked"] == expected - repeats
        return self.accepted == expected and is_each_once and self.through <= expected


def read_account(logs: CloudWatchLogsClient, since_ms: int) -> Account:
    """The account of everything that was logged since a moment, in milliseconds since 1970."""
    accepted = sum(
        int(line["Accepted"][0])
        for group in INGRESS_LOGS
        for line in lines(logs, group, since_ms)
        if "Accepted" in line
    )
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    costs: dict[str, Cost] = {}
    follow_ups = 0
    for line in lines(logs, WORKER_LOGS, since_ms):
        if line.get("message") != "event handled":
            continue
        kind = line.get("kind", "unreadable")
        before = costs.get(kind, Cost(0, 0.0))
        costs[kind] = Cost(before.events + 1, before.write_units + float(line["wru"]))
        if kind in {"media", "receipt"}:
            follow_ups += 1
            continue
        outcomes[line["outcome"]] += 1
        if "reason" in line:
            reasons[line["reason"]] += 1
    return Account(accepted, outcomes, reasons, follow_ups, costs)


def lines(logs: CloudWatchLogsClient, group: str, since_ms: int) -> Iterator[dict[str, Any]]:
    """The JSON lines of a log group; the runtime's own START, END and REPORT lines are none."""
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since_ms)
    for page in pages:
        for event in page["events"]:
            for text in event["message"].splitlines():
                if text.startswith("{"):
                    yield json.loads(text)
