"""
The monthly cost of a stage without any event, in us-east-1 and without free tiers, read from the template.

Not included, because an idle stage has too little of it: storage of tables, bucket, logs and queues, and calls of the
API.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests import template
from tests.cost.idle.idle_runs import schedules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONTEXTS: Final = ("conversations", "email-threads", "newsletters", "richpanel", "whatsapp")
HOURS: Final = 730
MINUTES: Final = HOURS * 60
MOST_DOLLARS: Final = {"dev": 1.0, "prod": 8.0}

DOLLARS_AN_ALARM_METRIC = 0.10
DOLLARS_A_DASHBOARD = 3.00
DOLLARS_A_SECRET = 0.40
DOLLARS_A_KEY = 1.00
DOLLARS_A_METRIC = 0.30  # a custom metric that has data in every hour
METRICS_OF_A_METHOD = (
    5  # detailed metrics of API Gateway are custom metrics: count, 4xx, 5xx and two latencies
)
DOLLARS_A_GIGABYTE_OF_LOGS = 0.50
DOLLARS_A_MILLION_INVOCATIONS = 0.20
DOLLARS_A_GIGABYTE_SECOND = 0.0000133334  # arm64
DOLLARS_A_MILLION_CALLS = {True: 0.50, False: 0.40}  # of a FIFO queue, of a standard queue

DOLLARS_A_MILLION_READS = 0.125  # of DynamoDB: a query that finds nothing costs one unit at most
DOLLARS_A_MILLION_SECRETS = 5.00
DOLLARS_A_MILLION_TRACES = 5.00
# Calls of an hour without events, counted by `tests.cost.idle.idle_runs`; the page changes when they do.
CALLS_AN_HOUR: Final[dict[str, dict[str, int]]] = {
    "WhatsAppScheduled": {"dynamodb": 639, "secretsmanager": 0, "sqs": 301},
    "ConversationsSweeper": {"dynamodb": 240, "secretsmanager": 12, "sqs": 180},
    "InboxApi": {"dynamodb": 15, "secretsmanager": 0, "sqs": 0},
    "EmailThreadsScheduled": {"dynamodb": 60, "secretsmanager": 0, "sqs": 24},
    "NewslettersScheduled": {"dynamodb": 12, "secretsmanager": 0, "sqs": 24},
    "RichpanelSweep": {"dynamodb": 0, "secretsmanager": 12, "sqs": 12},
    # An estimate: it looks twice for its message, which is an event with a price of its own.
    "WhatsAppCanary": {"dynamodb": 36, "secretsmanager": 12, "sqs": 0},
}
# Estimates: a scheduled run takes a quarter of a second and writes one kilobyte of log lines (Lambda's own three, and
# one of ours).
SECONDS_A_RUN = 0.25
LOG_BYTES_A_RUN = 1_000
# The canary's message is an event: `make cost` has its price. These metrics have data every hour because of it.
METRICS_OF_THE_CANARY = ("CanarySuccess", "Received")
DOLLARS_A_MILLION_EVENTS = 11.85
# Lambda documents five pollers for a standard queue; each waits 20 seconds for a message. FIFO queues are not
# documented, so this is the most that they can cost. It is printed and not part of the limit.
POLLERS = 5
SECONDS_A_POLL = 20


@dataclass(frozen=True)
class Part:
    """One line of the bill. *is_estimate*: AWS does not document the quantity, so the limit does not include it."""

    name: str
    quantity: float
    dollars: float
    is_estimate: bool = False


def parameters_of(stage: str) -> dict[str, str]:
    """The parameters that samconfig.toml gives to a stage."""
    config = tomllib.loads((template.ROOT / "samconfig.toml").read_text())
    pairs = config[stage]["global"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in pairs)


def idle_cost(stage: str, **changed: str) -> list[Part]:
    """All parts of a stage's idle bill, with *changed* parameters."""
    given = parameters_of(stage) | changed
    alarms = sum(_billed_metrics(name, given) for name in _made("AWS::CloudWatch::Alarm", given))
    dashboards = len(_made("AWS::CloudWatch::Dashboard", given))
    secrets = len(_made("AWS::SecretsManager::Secret", given))
    keys = len(_made("AWS::KMS::Key", given))
    has_canary = template.exists("WhatsAppCanary", **given)
    metrics = len(METRICS_OF_THE_CANARY) * has_canary
    events = MINUTES / 5 * has_canary
    return [
        Part("metrics of alarms", alarms, alarms * DOLLARS_AN_ALARM_METRIC),
        Part("dashboards", dashboards, dashboards * DOLLARS_A_DASHBOARD),
        Part("secrets", secrets, secrets * DOLLARS_A_SECRET),
        Part("KMS keys", keys, keys * DOLLARS_A_KEY),
        Part("metrics of the canary", metrics, metrics * DOLLARS_A_METRIC),
        *_detailed_metrics(given, has_canary=has_canary),
        Part("events of the canary", events, events * DOLLARS_A_MILLION_EVENTS / 1e6),
        *_scheduled_runs(given),
        _traces(given, events),
        _polling(given),
    ]


def dollars(parts: list[Part]) -> float:
    """The sum of the parts that count toward the limit of a stage."""
    return sum(part.dollars for part in parts if not part.is_estimate)


def markdown() -> str:
    """The idle bill of both stages for docs/costs.md."""
    bills = {stage: idle_cost(stage) for stage in MOST_DOLLARS}
    rows = ["| a month without events | dev | $ | prod | $ |", "|---|--:|--:|--:|--:|"]
    for dev, prod in zip(bills["dev"], bills["prod"], strict=True):
        figures = (f"{part.quantity:,.0f} | {part.dollars:.2f}" for part in (dev, prod))
        rows.append(f"| {dev.name} | {' | '.join(figures)} |")
    sums = (f"| {dollars(bill):.2f}" for bill in bills.values())
    rows.append(f"| **sum without polling** | {' | '.join(sums)} |")
    rows += ["", "| used contexts | queues polled | polling, at most, $ | scheduled runs, $ |"]
    rows += ["|---|--:|--:|--:|"]
    for contexts in (*CONTEXTS, ",".join(CONTEXTS)):
        given = {**parameters_of("dev"), "Contexts": contexts}
        bill = {part.name: part for part in idle_cost("dev", Contexts=contexts)}
        polling, runs = bill["polling of queues, at most"], bill["scheduled runs"]
        name = "all" if contexts == ",".join(CONTEXTS) else contexts
        count = len(sources(**given))
        rows.append(f"| {name} | {count} | {polling.dollars:.2f} | {runs.dollars:.2f} |")
    return "\n".join(rows) + "\n"


def _made(kind: str, given: Mapping[str, str]) -> list[str]:
    return [name for name in template.resources(kind) if template.exists(name, **given)]


def _billed_metrics(alarm: str, given: Mapping[str, str]) -> int:
    queries = template.properties(alarm, **given).get("Metrics", [])
    return sum("MetricStat" in query for query in queries) or 1


def _detailed_metrics(given: Mapping[str, str], *, has_canary: bool) -> Iterator[Part]:
    """Only the canary calls an idle API."""
    settings = template.properties("ParleyApi", **given)["MethodSettings"]
    routes = [
        s for s in settings if s["MetricsEnabled"] and "webhooks~1whatsapp" in s["ResourcePath"]
    ]
    count = METRICS_OF_A_METHOD * len(routes) * has_canary
    yield Part("detailed metrics of routes", count, count * DOLLARS_A_METRIC)


def _scheduled_runs(given: Mapping[str, str]) -> Iterator[Part]:
    runs, price = 0.0, 0.0
    canary = {"WhatsAppCanary": 5} if template.exists("WhatsAppCanary", **given) else {}
    for name, every in (schedules(**given) | canary).items():
        gigabytes = template.properties(name, **given).get("MemorySize", 256) / 1024
        times = MINUTES / every
        calls = {service: HOURS * count for service, count in CALLS_AN_HOUR[name].items()}
        runs += times
        price += times * gigabytes * SECONDS_A_RUN * DOLLARS_A_GIGABYTE_SECOND
        price += calls["sqs"] * DOLLARS_A_MILLION_CALLS[False] / 1e6
        price += calls["dynamodb"] * DOLLARS_A_MILLION_READS / 1e6
        if given.get("SecretStore") != "parameters":
            price += calls["secretsmanager"] * DOLLARS_A_MILLION_SECRETS / 1e6
    price += runs * DOLLARS_A_MILLION_INVOCATIONS / 1e6
    yield Part("scheduled runs", runs, price)
    logs = runs * LOG_BYTES_A_RUN / 1e9
    yield Part("log lines of them (MB)", logs * 1e3, logs * DOLLARS_A_GIGABYTE_OF_LOGS)


def _traces(given: Mapping[str, str], events: float) -> Part:
    """With active tracing Lambda records one run a second of each function, so every scheduled one."""
    if template.holds("TracesAll", **given):
        traces = events + sum(MINUTES / every for every in schedules(**given).values())
    elif template.exists("ApiSamplingRule", **given):
        rule = template.properties("ApiSamplingRule", **given)["SamplingRule"]
        traces = events * rule["FixedRate"]
    else:
        traces = 0.0
    return Part("traces", traces, traces * DOLLARS_A_MILLION_TRACES / 1e6)


def _polling(given: Mapping[str, str]) -> Part:
    calls, price = 0.0, 0.0
    for source in sources(**given):
        polls = POLLERS * MINUTES * 60 / SECONDS_A_POLL
        is_fifo = str(source["Queue"]).endswith(".fifo")
        calls += polls
        price += polls * DOLLARS_A_MILLION_CALLS[is_fifo] / 1e6
    return Part("polling of queues, at most", calls, price, is_estimate=True)


def sources(**given: str) -> list[dict[str, Any]]:
    """The properties of all event sources of queues that are enabled under these parameters."""
    return [
        event["Properties"]
        for name in _made("AWS::Serverless::Function", given)
        for event in template.properties(name, **given).get("Events", {}).values()
        if event["Type"] == "SQS" and event["Properties"]["Enabled"]
    ]
