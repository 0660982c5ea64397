"""Outcome counts and costs of sent events, read from the functions' logs. The log lines are the same as on AWS."""

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
    """The cost of one kind of event: the number of events and their DynamoDB write units in total."""

    events: int
    write_units: float


def rows_of(costs: dict[str, Cost]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each kind: events, write units in total, and per event."""
    for kind, cost in sorted(costs.items()):
        per_event = cost.write_units / cost.events
        yield kind, str(cost.events), f"{cost.write_units:.0f}", f"{per_event:.1f}"


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of accepted events by outcome. Follow-ups (media, receipts), which the worker queues, count separately."""

    accepted: int
    outcomes: Counter[str]
    reasons: Counter[str]
    follow_ups: int
    costs: dict[str, Cost]

    @property
    def handled(self) -> int:
        """Events that a worker has finished."""
        return sum(self.outcomes.values())

    @property
    def dropped_by_queue(self) -> int:
        """Accepted events that SQS dropped, because their deduplication id was used in the last five minutes."""
        return self.accepted - self.handled

    def match(self, expected: int, repeats: int) -> bool:
        """Whether *expected* events were accepted, and all of them except *repeats* are stored or parked."""
        unique = self.outcomes["persisted"] + self.outcomes["parked"]
        is_unique = unique == expected - repeats
        return self.accepted == expected and is_unique and self.handled <= expected


def read_totals(logs: CloudWatchLogsClient, since_ms: int) -> Totals:
    """Return the totals of all lines logged since *since_ms*, milliseconds since 1970."""
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
    return Totals(accepted, outcomes, reasons, follow_ups, costs)


def lines(logs: CloudWatchLogsClient, group: str, since_ms: int) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines of a log group, without the runtime's START, END and REPORT lines."""
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since_ms)
    for page in pages:
        for event in page["events"]:
            for text in event["message"].splitlines():
                if text.startswith("{"):
                    yield json.loads(text)
