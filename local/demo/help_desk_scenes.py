"""The scenes of acme's help desk on the local stack: customers write, and what became of it when all is through."""

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

from events.richpanel.cast import ACCOUNT, TAGS
from events.richpanel.samples import ROUTE
from events.richpanel.scenes import SCENES, Run, Scene
from local.demo.delivery_totals import Cost, lines
from local.stack.processes import StackError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from local.stack.cli import Stack

INGRESS_LOGS = "/aws/lambda/parley-local-richpanel-webhook"
WORKER_LOGS = "/aws/lambda/parley-local-richpanel-worker"
PATIENCE_SECONDS = 180
_OURS = {ACCOUNT["bot_author_id"], *ACCOUNT["automation_author_ids"]}

_http = urllib3.PoolManager(retries=False, timeout=60)
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a scene: the ticket as the help desk shows it, and our rows about it."""

    scene: Scene
    ticket: dict[str, Any]
    events: list[dict[str, Any]]
    audit: list[dict[str, Any]]

    @property
    def replies(self) -> list[str]:
        """What we wrote in the ticket."""
        return [said["body"] for said in self.ticket["comments"] if said["author_id"] in _OURS]

    @property
    def decision(self) -> dict[str, Any]:
        """The only decision about it. Raises ValueError where there is none, or a second one."""
        (row,) = [row for row in self.audit if row["action_type"] == "route"]
        decision: dict[str, Any] = json.loads(row["action_payload_redacted"])
        return decision

    @property
    def is_right(self) -> bool:
        """Whether it ended as it had to."""
        wanted = [self.scene.reply] if self.scene.reply else []
        decided = [row for row in self.audit if row["action_type"] == "route"]
        return (
            len(decided) == 1
            and self.scene.tag in self.ticket["tags"]
            and len(self.replies) == len(wanted)
            and all(word in reply for word, reply in zip(wanted, self.replies, strict=True))
        )


@dataclass(frozen=True, slots=True)
class DeskAccount:
    """What became of the help desk's calls, and what those of each kind cost."""

    outcomes: Counter[str]
    costs: dict[str, Cost]

    @property
    def through(self) -> int:
        """Calls that a worker is done with."""
        return self.outcomes.total()


def set_the_stage(stack: Stack, run: Run) -> None:
    """Put tags, the order and the tickets there, before anybody writes. Raises StackError."""
    _wake(stack)
    _post(stack, "/_tags", {"names": TAGS})
    _post(stack, "/_orders", run.order())
    for scene in SCENES:
        _post(stack, "/_tickets", run.ticket(scene))


def _wake(stack: Stack) -> None:
    """Have the webhook started: the help desk calls once, and a first start on a busy machine takes long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            answer = _http.request("POST", stack.api_url + ROUTE, json={})
            if answer.status == HTTPStatus.UNAUTHORIZED:
                return
        time.sleep(1)
    raise StackError("The webhook of the help desk does not answer.")


def play(stack: Stack, run: Run, scene: Scene) -> list[int | None]:
    """Let the customer of a scene write; how our webhook answered the help desk's calls, None for no answer."""
    answers: list[int | None] = _post(stack, "/_comments", run.last_message(scene))["webhooks"]
    return answers


def wait_until_through(stack: Stack, run: Run, *, tell: Callable[[str], None]) -> DeskAccount:
    """
    Wait until every call of a run is accounted for, and return the account.

    Gives up after three minutes and returns what it found: the caller sees that it does not add up.
    """
    calls = sum(scene.webhooks for scene in SCENES)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        account = read_account(stack, run)
        tell(f"{account.through} of {calls} calls are through")
        if account.through >= calls or time.monotonic() > deadline:
            return account
        time.sleep(1)


def read_account(stack: Stack, run: Run) -> DeskAccount:
    """The account of a run's calls so far. What the sweep finds by itself is not in it."""
    outcomes: Counter[str] = Counter()
    costs: dict[str, Cost] = {}
    for line in handled(stack, run):
        outcomes[line["outcome"]] += 1
        kind = line["intents"][0] if line["intents"] else line["outcome"]
        before = costs.get(kind, Cost(0, 0.0))
        costs[kind] = Cost(before.events + 1, before.write_units + float(line["wru"]))
    return DeskAccount(outcomes, costs)


def handled(stack: Stack, run: Run) -> Iterator[dict[str, Any]]:
    """What the worker logged at the end of each call of a run."""
    for line in lines(stack.client("logs"), WORKER_LOGS, run.number * 1_000):
        is_call = line.get("message") == "event handled" and line.get("source") == "webhook"
        if is_call and run.has(line["correlation_id"]):
            yield line


def endings(stack: Stack, run: Run) -> list[Ending]:
    """What became of each scene."""
    events, audit = (list(rows(stack, name)) for name in ("idempotency", "audit_actions"))
    return [
        Ending(
            scene,
            _shown(stack, run.ticket_id(scene)),
            [row for row in events if row["conversation_id"] == run.ticket_id(scene)],
            [row for row in audit if row["conversation_id"] == run.ticket_id(scene)],
        )
        for scene in SCENES
    ]


def nobody_learns_whose_orders_exist(ended: list[Ending]) -> bool:
    """Whether somebody else's order and one that does not exist were answered in the same words."""
    said = {ending.scene.name: ending.replies for ending in ended}
    return said["not-hers"] == said["not-there"]


def rows(stack: Stack, table: str) -> Iterator[dict[str, Any]]:
    """All rows of one of the context's tables, named as the contract does."""
    pages = stack.client("dynamodb").get_paginator("scan")
    for page in pages.paginate(TableName=stack.tables[f"richpanel_{table}"]):
        for item in page["Items"]:
            yield {name: _deserialize(value) for name, value in item.items()}


def _shown(stack: Stack, ticket_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = _asked("GET", f"{stack.sandbox_url}/_tickets/{ticket_id}")
    return shown


def _post(stack: Stack, path: str, body: object) -> Any:  # noqa: ANN401 - any JSON value
    return _asked("POST", stack.sandbox_url + path, json=body)


def _asked(method: str, url: str, **given: Any) -> Any:  # noqa: ANN401 - any JSON value
    answer = _http.request(method, url, **given)
    if answer.status not in {200, 201}:
        raise StackError(f"{method} {url} answered {answer.status}: {answer.data.decode()}")
    return answer.json()
