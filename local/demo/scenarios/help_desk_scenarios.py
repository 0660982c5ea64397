"""Plays the scenarios of acme's help desk on the local stack, and reads their results once all calls are handled."""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import urllib3
from boto3.dynamodb.types import TypeDeserializer

from events.richpanel.sample_data import ACCOUNT, TAGS
from events.richpanel.samples import ROUTE
from events.richpanel.scenarios import SCENARIOS, Run, Scenario
from local.demo.delivery_totals import Cost, lines
from local.stack.processes import StackError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from local.stack.cli import Stack

INGRESS_LOGS = "/aws/lambda/parley-local-richpanel-webhook"
WORKER_LOGS = "/aws/lambda/parley-local-richpanel-worker"
TIMEOUT_SECONDS = 180
_AUTHOR_IDS = {ACCOUNT["bot_author_id"], *ACCOUNT["automation_author_ids"]}

_http = urllib3.PoolManager(retries=False, timeout=180)
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True)
class SceneResult:
    """The result of a scenario: the ticket as the help desk shows it, and Parley's rows about it."""

    scenario: Scenario
    ticket: dict[str, Any]
    events: list[dict[str, Any]]
    audit: list[dict[str, Any]]

    @property
    def replies(self) -> list[str]:
        """Parley's comments in the ticket."""
        return [
            comment["body"]
            for comment in self.ticket["comments"]
            if comment["author_id"] in _AUTHOR_IDS
        ]

    @property
    def decision(self) -> dict[str, Any]:
        """The ticket's routing decision. Raises ValueError unless there is exactly one."""
        (row,) = [row for row in self.audit if row["action_type"] == "route"]
        decision: dict[str, Any] = json.loads(row["action_payload_redacted"])
        return decision

    @property
    def is_expected(self) -> bool:
        """Whether tag, replies and number of decisions match the scenario."""
        expected = [self.scenario.reply] if self.scenario.reply else []
        decisions = [row for row in self.audit if row["action_type"] == "route"]
        return (
            len(decisions) == 1
            and self.scenario.tag in self.ticket["tags"]
            and len(self.replies) == len(expected)
            and all(text in reply for text, reply in zip(expected, self.replies, strict=True))
        )


@dataclass(frozen=True, slots=True)
class HelpDeskTotals:
    """The help desk's webhook calls by outcome, and their costs by intent."""

    outcomes: Counter[str]
    costs: dict[str, Cost]

    @property
    def handled(self) -> int:
        """Calls that a worker has finished."""
        return self.outcomes.total()


def seed_help_desk(stack: Stack, run: Run) -> None:
    """Create the tags, the order and the tickets in the sandbox. Raises StackError."""
    _start_webhook(stack)
    _post(stack, "/_tags", {"names": TAGS})
    _post(stack, "/_orders", run.order())
    for scenario in SCENARIOS:
        _post(stack, "/_tickets", run.ticket(scenario))


def _start_webhook(stack: Stack) -> None:
    """Start the webhook function: the help desk calls only once, and a cold start on a busy machine takes long."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            answer = _http.request("POST", stack.api_url + ROUTE, json={})
            if answer.status == HTTPStatus.UNAUTHORIZED:
                return
        time.sleep(1)
    raise StackError("The webhook of the help desk does not answer.")


def play(stack: Stack, run: Run, scenario: Scenario) -> list[int | None]:
    """Send the customer's message of a scenario; return the webhook's status for each call, None for no response."""
    answers: list[int | None] = _post(stack, "/_comments", run.last_message(scenario))["webhooks"]
    return answers


def wait_until_handled(stack: Stack, run: Run, *, report: Callable[[str], None]) -> HelpDeskTotals:
    """
    Wait until every call of a run is handled, and return the totals.

    After three minutes it returns incomplete totals.
    """
    calls = sum(scenario.webhooks for scenario in SCENARIOS)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        totals = read_totals(stack, run)
        report(f"{totals.handled} of {calls} calls handled")
        if totals.handled >= calls or time.monotonic() > deadline:
            return totals
        time.sleep(1)


def read_totals(stack: Stack, run: Run) -> HelpDeskTotals:
    """Return the totals of a run's calls so far, without the events that the sweep adds."""
    outcomes: Counter[str] = Counter()
    costs: dict[str, Cost] = {}
    for line in handled(stack, run):
        outcomes[line["outcome"]] += 1
        kind = line["intents"][0] if line["intents"] else line["outcome"]
        before = costs.get(kind, Cost(0, 0.0))
        costs[kind] = Cost(before.events + 1, before.write_units + float(line["wru"]))
    return HelpDeskTotals(outcomes, costs)


def handled(stack: Stack, run: Run) -> Iterator[dict[str, Any]]:
    """Yield the worker's log line for each handled call of a run."""
    for line in lines(stack.client("logs"), WORKER_LOGS, run.number * 1_000):
        is_call = line.get("message") == "event handled" and line.get("source") == "webhook"
        if is_call and run.has(line["correlation_id"]):
            yield line


def results(stack: Stack, run: Run) -> list[SceneResult]:
    """Return the result of each scenario."""
    events, audit = (list(rows(stack, name)) for name in ("idempotency", "audit_actions"))
    return [
        SceneResult(
            scenario,
            _read_ticket(stack, run.ticket_id(scenario)),
            [row for row in events if row["conversation_id"] == run.ticket_id(scenario)],
            [row for row in audit if row["conversation_id"] == run.ticket_id(scenario)],
        )
        for scenario in SCENARIOS
    ]


def hides_other_orders(scene_results: list[SceneResult]) -> bool:
    """Whether a request for another customer's order and one for an unknown order had the same reply."""
    replies = {result.scenario.name: result.replies for result in scene_results}
    return replies["foreign-order"] == replies["unknown-order"]


def rows(stack: Stack, table: str) -> Iterator[dict[str, Any]]:
    """Yield all rows of one of the context's tables; *table* is its name in the contract."""
    pages = stack.client("dynamodb").get_paginator("scan")
    for page in pages.paginate(TableName=stack.tables[f"richpanel_{table}"]):
        for item in page["Items"]:
            yield {name: _deserialize(value) for name, value in item.items()}


def _read_ticket(stack: Stack, ticket_id: str) -> dict[str, Any]:
    ticket: dict[str, Any] = _call("GET", f"{stack.sandbox_url}/_tickets/{ticket_id}")
    return ticket


def _post(stack: Stack, path: str, body: object) -> Any:  # noqa: ANN401 - any JSON value
    return _call("POST", stack.sandbox_url + path, json=body)


def _call(method: str, url: str, **options: Any) -> Any:  # noqa: ANN401 - any JSON value
    answer = _http.request(method, url, **options)
    if answer.status not in {200, 201}:
        raise StackError(f"{method} {url} answered {answer.status}: {answer.data.decode()}")
    return answer.json()
