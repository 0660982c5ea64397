"""The WebSocket API over moto: its function, the connections that are open, and what they receive."""

from __future__ import annotations

import importlib
import json
import threading
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from shared.aws.dynamodb import Table
from shared.inbox.live.hints import Announcer
from shared.inbox.live.posts import Live
from shared.inbox.live.push_starts import PushStarts
from tests.integration.console.system import ACME, InboxSystem, Invocation
from tests.template import environment, properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from shared.api.auth import Caller
    from shared.inbox.entries import Change
    from tests.integration.answers import Answer

WITHIN_MS = 3_000


@dataclass
class Sockets:
    """API Gateway's management API: the open connections, what was posted to each, and which it closed."""

    open: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    received: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    broken: set[str] = field(default_factory=set)  # posts to them get no answer
    on_post: Callable[[], None] = field(default=lambda: None)
    most_at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> None:
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            self.on_post()
        try:
            self._check(ConnectionId)
            self.received[ConnectionId].append(json.loads(Data))
        finally:
            with self._lock:
                self._now -= 1

    def delete_connection(self, *, ConnectionId: str) -> None:
        self._check(ConnectionId)
        self.open.discard(ConnectionId)
        self.closed.append(ConnectionId)

    def _check(self, name: str) -> None:
        if name in self.broken:
            raise ReadTimeoutError(endpoint_url="wss://")
        if name not in self.open:
            answer: Any = {
                "Error": {"Code": "GoneException"},
                "ResponseMetadata": {"HTTPStatusCode": 410},
            }
            raise ClientError(answer, "PostToConnection")


@dataclass
class LiveSystem:
    """The function of the WebSocket API beside the function of tickets."""

    inbox: InboxSystem
    module: ModuleType
    sockets: Sockets

    @property
    def table(self) -> Table:
        found: Table = self.module.deps.live.table
        return found

    @property
    def keys(self) -> Table:
        """The table of API keys, which has the revocations."""
        found: Table = self.module.deps.live.keys
        return found

    def sign_out(self, caller: Caller) -> Answer:
        """Call POST /sign-out."""
        return self.inbox.call("POST", caller, "/sign-out")

    def ticket(self, caller: Caller = ACME) -> str:
        """A new ticket."""
        answer = self.inbox.call("POST", caller, "/live/tickets")
        assert answer.status == 200, answer
        return str(answer.result["ticket"])

    def connect(self, caller: Caller = ACME, name: str = "one", ticket: str | None = None) -> int:
        """Open a connection with a ticket, by default a new one, and return the status."""
        given = self.ticket(caller) if ticket is None else ticket
        status = self.send("$connect", name, queryStringParameters={"ticket": given})
        if status == 200:
            self.sockets.open.add(name)
        return status

    def close(self, name: str = "one") -> None:
        """Close a connection as a client does."""
        self.sockets.open.discard(name)
        assert self.send("$disconnect", name) == 200

    def say(self, name: str, message: Any) -> int:
        """Send a message over a connection."""
        text = message if isinstance(message, str) else json.dumps(message)
        return self.send("$default", name, body=text)

    def send(self, route: str, name: str, **fields: Any) -> int:
        context = {"routeKey": route, "connectionId": name, "requestId": "request-1"}
        answer = self.module.handler({"requestContext": context, **fields}, Invocation())
        assert answer.keys() == {"statusCode"}
        return int(answer["statusCode"])

    def announce(self, *changes: Change, within_ms: int = WITHIN_MS, age_ms: float = 0) -> None:
        """Announce changes as a feed does."""
        live = self.module.deps.live
        pushes = PushStarts(live.table, "parley-dev-inbox-api:live")
        announcer = Announcer(live=live, key_of=lambda one: one.reference, pushes=pushes)
        announcer.announce(changes, within_ms, age_ms)

    def hints(self, name: str = "one") -> list[dict[str, Any]]:
        """All hints that a connection has received."""
        return [hint for one in self.sockets.received[name] for hint in one.get("hints", [])]

    def stored(self) -> list[dict[str, Any]]:
        """All items of the table, expired ones too."""
        items = boto3.client("dynamodb").scan(TableName=self.table.name)["Items"]
        return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))


@contextmanager
def live_beside(inbox: InboxSystem) -> Iterator[LiveSystem]:
    """Import the function of the WebSocket API. The tables must exist."""
    # Of its own: the test's would restore the environment later than the inbox's.
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("ConsoleLive").items():
            patch.setenv(name, value)
        module = importlib.reload(importlib.import_module("console.handlers.live"))
        assert module.deps.live.table.name == properties("LiveTable")["TableName"]
        sockets = sockets_of(module.deps.live)
        vars(inbox.module.sessions)["client"] = sockets
        yield LiveSystem(inbox, module, sockets)


def sockets_of(live: Live) -> Sockets:
    """Replace the client of the management API."""
    sockets = Sockets()
    vars(live)["client"] = sockets
    return sockets
