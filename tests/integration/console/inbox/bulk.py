"""The inbox and the API of its WhatsApp conversations: Lambda hands the calls of one to the other."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from uuid import uuid4

from botocore.client import BaseClient

from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.system import ACME, READ, Invocation, inbox_call
from tests.integration.whatsapp.conftest import text
from tests.template import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    import pytest

    from shared.api.auth import Caller
    from tests.integration.console.runs import Runs
    from tests.integration.console.system import Fed, InboxSystem
    from tests.integration.whatsapp.conftest import Harness

SCHEDULED = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
KIM = replace(ACME, scopes=READ | {"whatsapp:write"}, principal="user:kim", issued_at=1_767_268_000)
OWN, WHATSAPP, *_ = environment("InboxApi")["FUNCTIONS"].split(",")


class Died(BaseException):
    """The process of the inbox is killed here."""


@dataclass
class Bulk:
    """
    The inbox's function with its own queue of runs, as Lambda's asynchronous invocations are.

    *answers*: what the API of WhatsApp answers instead, by the number of the call; *left_ms*: the time of a run.
    """

    inbox: InboxSystem
    api: ModuleType
    harness: Harness
    feed: Fed
    started: list[dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)
    is_in_context: bool = False
    left_ms: Callable[[], int] = field(default=lambda: 29_000)

    def __post_init__(self) -> None:
        """Stand between the function and Lambda."""
        client = self.inbox.module.bulk_deps.functions.client()
        client.meta.events.register("before-call.lambda.Invoke", self._invoked)

    def conversations(self, *contacts: str) -> dict[str, str]:
        """Receive a message of each contact; the keys of the conversations by contact."""
        self.harness.take(
            {"messages": [text(f"wamid.{contact}", sender=contact) for contact in contacts]}
        )
        self.feed.take()
        return {row["handle"]: row["key"] for row in self.inbox.rows(KIM)}

    def post(self, path: str, body: dict[str, Any], caller: Caller = KIM, key: str = "") -> Answer:
        headers = {"Idempotency-Key": key or str(uuid4())}
        return self._call(inbox_call("POST", path, caller, {}, body, headers))

    def begin(self, *asked: str, caller: Caller = KIM, key: str = "", **targets: Any) -> Answer:
        """Ask for a change, an action and its value, without running it."""
        body = dict(zip(("action", "value"), asked, strict=False)) | targets
        return self.post("/inbox/bulk", body, caller, key)

    def shown(self, caller: Caller = KIM) -> dict[str, Any]:
        """The newest change."""
        found: dict[str, Any] = self.inbox.get(caller, "/inbox/bulk").result.get("change", {})
        return found

    def counts(self, caller: Caller = KIM) -> tuple[Any, ...]:
        """Outcome, total, and how many are done, skipped and refused."""
        names = ("outcome", "total", "done", "skipped", "refused")
        shown = self.shown(caller)
        return tuple(shown.get(name) for name in names)

    def drain(self) -> None:
        """Run what was started, until nothing is left."""
        while self.started:
            event = self.started.pop(0)
            context = SimpleNamespace(get_remaining_time_in_millis=self.left_ms)
            self.inbox.module.handler(event, context)

    def wake(self) -> None:
        """The schedule, and the runs that it starts."""
        self.inbox.module.handler({"time": clock.to_text(clock.now_ms())}, Invocation())
        self.drain()

    def rows(self, **query: Any) -> dict[str, dict[str, Any]]:
        """All conversations by contact, as the feed shows them after the changes."""
        self.feed.take()
        return {row["handle"]: row for row in self.inbox.rows(KIM, status="all", **query)}

    def heads(self) -> dict[str, dict[str, Any]]:
        """The conversations as their own API shows them, by contact."""
        found = {}
        for contact, row in self.rows().items():
            event = inbox_call("GET", f"/whatsapp/conversations/{row['key']}", KIM, {})
            event["resource"] = "/whatsapp/conversations/{key}"
            event["pathParameters"] = {"key": row["key"]}
            answer = self.api.handler(event, SimpleNamespace())
            found[contact] = json.loads(answer["body"])["result"]
        return found

    def _call(self, event: dict[str, Any]) -> Answer:
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
        answer = self.inbox.module.handler(event, context)
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def _invoked(self, params: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        function = unquote(params["url_path"]).split("/")[-2]
        event = json.loads(params["body"])
        answered = SimpleNamespace(status_code=HTTPStatus.OK)
        if params["headers"].get("X-Amz-Invocation-Type") == "Event":
            assert function == OWN
            self.started.append(event)
            return answered, {"StatusCode": HTTPStatus.ACCEPTED}
        assert function == WHATSAPP
        self.requests.append(event)
        answer = self._answered_by_context(event)
        return answered, {"StatusCode": 200, "Payload": io.BytesIO(json.dumps(answer).encode())}

    def _answered_by_context(self, event: dict[str, Any]) -> dict[str, Any]:
        if status := self.answers.pop(len(self.requests), None):
            body = json.dumps({"error": {"code": "busy", "retryable": status >= 500}})
            return {"statusCode": status, "body": body}
        self.is_in_context = True
        try:
            context = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
            answer: dict[str, Any] = self.api.handler(event, context)
        finally:
            self.is_in_context = False
        return answer


@contextmanager
def killed_at(
    call: int, *, after: bool, bulk: Bulk | Runs, patch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """
    Kill the inbox's process at its call of AWS with this number, before it is made or *after*; then it lives.

    Yields a list that has the call once the process was killed.
    """
    client: Any = BaseClient
    make, calls, killed = client._make_api_call, [0], list[str]()

    def made(self: Any, operation: str, parameters: Any) -> Any:
        if bulk.is_in_context:
            return make(self, operation, parameters)
        calls[0] += 1
        if calls[0] == call:
            killed.append(operation)
            if after:
                make(self, operation, parameters)
            raise Died
        return make(self, operation, parameters)

    with patch.context() as patched:
        patched.setattr(client, "_make_api_call", made)
        with suppress(Died):
            yield killed
