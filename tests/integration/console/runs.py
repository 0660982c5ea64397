"""The inbox's function with its own queue of runs that work on contacts, as Lambda's asynchronous invocations are."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.console.system import InboxSystem


SCHEDULED = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)


@dataclass
class Runs:
    """*left_ms*: the time that a run has left; *finished*: how many runs have ended."""

    inbox: InboxSystem
    started: list[dict[str, Any]] = field(default_factory=list)
    left_ms: Callable[[], int] = field(default=lambda: 29_000)
    finished: int = 0
    is_in_context: bool = False

    def __post_init__(self) -> None:
        """Stand between the function and Lambda."""
        client = self.inbox.module.bulk_deps.functions.client()
        client.meta.events.register("before-call.lambda.Invoke", self._invoked)

    def drain(self) -> None:
        """Run what was started, until nothing is left."""
        while self.started:
            self.drain_one()

    def drain_one(self) -> None:
        """Run what was started first."""
        event = self.started.pop(0)
        context = SimpleNamespace(get_remaining_time_in_millis=self.left_ms)
        self.inbox.module.handler(event, context)
        self.finished += 1

    def wake(self) -> None:
        """The schedule, and the runs that it starts."""
        self.look()
        self.drain()

    def look(self) -> None:
        """The schedule, which starts runs."""
        self.inbox.module.handler({"time": "2026-01-01T12:00:00Z"}, SCHEDULED)

    def _invoked(self, params: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        assert params["headers"]["X-Amz-Invocation-Type"] == "Event"
        self.started.append(json.loads(params["body"]))
        answered = SimpleNamespace(status_code=HTTPStatus.OK)
        return answered, {"StatusCode": HTTPStatus.ACCEPTED}
