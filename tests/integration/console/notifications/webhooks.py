"""Webhooks of Acme: a receiver on this machine, a feed of heads in memory, and the inbox's function with its runs."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from shared.inbox import entries
from shared.inbox.lists import partitions
from shared.inbox.notifications.webhooks.outbox import Outbox
from shared.runtime import clock
from tests.aws import api_gateway
from tests.integration.answers import Answer
from tests.integration.console.runs import Runs
from tests.integration.console.system import ACME, InboxSystem, Invocation, Listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shared.api.auth import Caller
    from shared.inbox.entries import Change

FUNCTION = "parley-dev-inbox-api:live"
NOON = clock.from_text("2026-01-01T12:00:00.000Z")
MINUTE = 60_000
HOUR = 60 * MINUTE
ADMIN = replace(ACME, principal="user:kim", scopes=ACME.scopes | {"access:admin"})
ALL = "/inbox/webhooks"
EVERY_TYPE = [
    *("message.received", "message.sent", "conversation.opened", "conversation.reopened"),
    *("conversation.assigned", "conversation.resolved", "conversation.handed_off"),
    *("conversation.overdue", "conversation.failed", "contact.opted_out"),
]


@dataclass
class Receiver:
    """Takes deliveries. *statuses*: of the next answers; then 200."""

    url: str = ""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    refuses: str = ""  # a word in bodies that are answered with 500
    redirects_to: str = ""

    def taken(self) -> list[dict[str, Any]]:
        """The bodies since the last call."""
        found = [json.loads(body) for _, body in self.got]
        self.got.clear()
        return found

    def types(self) -> list[str]:
        """The types of the events since the last call."""
        return [one["type"] for one in self.taken()]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Serve on this machine."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
            status = receiver.statuses.pop(0) if receiver.statuses else 200
            if receiver.refuses and receiver.refuses.encode() in body:
                status = 500
            self.send_response(status)
            if receiver.redirects_to:
                self.send_header("Location", receiver.redirects_to)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: Any) -> None:
            """Write no log to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Hooked:
    """The system at a time that only `later` and sleeping functions move."""

    inbox: InboxSystem
    listed: Listed
    runs: Runs
    receiver: Receiver
    now: list[int]
    started: list[dict[str, Any]] = field(default_factory=list)
    begun: int = 0  # when the present run began

    def left_ms(self) -> int:
        """The time that the present run has left."""
        return max(0, 29_000 - (self.now[0] - self.begun))

    @property
    def outbox(self) -> Outbox:
        outbox = Outbox(self.inbox.module.live_table, self.inbox.table, FUNCTION)
        vars(outbox)["client"] = self
        return outbox

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> None:
        assert (FunctionName, InvocationType) == (FUNCTION, "Event")
        self.started.append(json.loads(Payload))

    def create(self, caller: Caller = ADMIN, **given: Any) -> dict[str, Any]:
        """Make a webhook, which feeds know at once; return the answer."""
        made = {"name": "CRM", "url": self.receiver.url, "types": EVERY_TYPE} | given
        answer = self.post(ALL, made, caller)
        assert answer.status == 200, answer
        partitions.forget()
        return dict(answer.result)

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        caller: Caller = ADMIN,
        key: str = "",
    ) -> Answer:
        headers = {"Idempotency-Key": key or str(uuid4())}
        event = api_gateway.request(f"POST {path}", body or {}, caller, headers=headers)
        answer = self.inbox.module.handler(event, Invocation())
        partitions.forget()
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def show(self, reference: str, minute: int = 0, **facts: Any) -> Change | None:
        """Show a changed head, as a feed does, without starting a run."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(entries, "refresh", lambda *_: None)
            self.listed.show(reference, minute, **facts)
        return self.refresh(reference)

    def refresh(self, reference: str) -> Change | None:
        listed = self.listed
        return entries.refresh(listed.tables, listed, reference, publish=self.outbox.of_entry)

    def feed(self, reference: str, minute: int = 0, **facts: Any) -> None:
        """Show a changed head, and do all that this starts."""
        change = self.show(reference, minute, **facts)
        self.now[0] += 1
        if change is not None:
            self.outbox.start([change], 3_000)
        self.run()

    def run(self) -> None:
        """Hand over what feeds have started, and what that starts."""
        while self.started:
            self.begun = self.now[0]
            context = SimpleNamespace(get_remaining_time_in_millis=self.left_ms)
            assert self.inbox.module.handler(self.started.pop(0), context) == {}
        self.runs.drain()

    def later(self, milliseconds: int) -> None:
        """Let the time pass, then the schedule comes."""
        self.now[0] += milliseconds
        self.runs.wake()

    def webhooks(self, caller: Caller = ADMIN) -> list[dict[str, Any]]:
        return list(self.inbox.get(caller, ALL).result["webhooks"])

    def deliveries(self, webhook: str) -> list[dict[str, Any]]:
        """The log, oldest first."""
        page = self.inbox.get(ADMIN, f"{ALL}/{webhook}/deliveries", limit=100)
        return list(reversed(page.result["deliveries"]))

    def left(self) -> list[str]:
        """The items of waiting deliveries and of what is due, by the beginnings of their keys."""
        table = self.inbox.module.live_table
        items = table._client.scan(TableName=table.name)["Items"]
        found = (item["pk"]["S"].partition("#")[0] for item in items)
        return sorted(one for one in found if one in {"WEBHOOK_WAITING", "WEBHOOK_DUE"})


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Whether a receiver with this secret accepts a delivery, by the rules of Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return f"v1,{wanted}" in headers["webhook-signature"].split(" ")


@pytest.fixture
def hooked(inbox: InboxSystem, listed: Listed) -> Iterator[Hooked]:
    """The system, with a receiver that plain http reaches, as in the local stack."""
    now = [NOON]

    def sleep(milliseconds: int) -> None:
        now[0] += milliseconds

    # Undone before the environment of the inbox is: pytest's own patches may be older than it.
    with pytest.MonkeyPatch.context() as patch, receiving() as receiver:
        patch.setattr(clock, "now_ms", lambda: now[0])
        patch.setattr(clock, "sleep_ms", sleep)
        patch.setenv("STAGE", "local")
        partitions.forget()
        found = Hooked(inbox, listed, Runs(inbox), receiver, now)
        drain_one = found.runs.drain_one

        def drained() -> None:
            found.begun = now[0]
            drain_one()

        found.runs.left_ms = found.left_ms
        patch.setattr(found.runs, "drain_one", drained)
        yield found
    partitions.forget()


WAITS: dict[str, Any] = {"waiting_since": "2026-01-01T12:00:00.000Z", "unread_count": 1}
RECEIVED = ["message.received"]
DAY = 24 * HOUR
SCHEDULE = 20 * MINUTE


def write(hooked: Hooked, reference: str, number: int) -> None:
    """The customer writes, and the feed notices it."""
    hooked.feed(reference, number, received=f"m{number}", **WAITS)


def sent_to(hooked: Hooked) -> list[tuple[str, str]]:
    """Conversation and event of each delivery that came."""
    return [(one["conversation"]["key"], one["id"]) for one in hooked.receiver.taken()]
