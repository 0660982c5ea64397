"""Who calls the functions of conversations: software of companies, agents, customers, providers and schedules."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from events.conversations import sample_data, twilio
from shared.api.auth import Scope
from shared.events.exchange import (
    FileStored,
    InboundMessage,
    NumberReleased,
    file_entry,
    inbound_entry,
    release_entry,
    status_entry,
)
from tests.aws import api_gateway
from tests.simulation.conversations.invocations import (
    Refused,
    call_of,
)
from tests.simulation.conversations.tables import Tables
from tests.simulation.interceptor import Died
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from shared.events.exchange import DeliveryStatus

MOST_CALLS = 10

# The first message of a conversation, and the notice of other events.
INBOUND, STATUSES = "inbound.fifo", "statuses.fifo"


@dataclass(kw_only=True)
class Callers(Tables):
    """The parts of a simulated system with the calls of its functions from outside."""

    def ask(self, payload: dict[str, Any] | bytes, **caller: str) -> tuple[int, dict[str, Any]]:
        """Request a conversation as a company's software does; return status and body."""
        answer = self.post(payload, caller)
        return answer["statusCode"], json.loads(answer["body"])

    def post(
        self, payload: dict[str, Any] | bytes, caller: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """As `ask`, but return the whole response. *caller* is the authorizer's context; None: without a key."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        vouched = {
            "company": sample_data.COMPANY,
            "principal": "api-key:1",
            "scopes": str(Scope.CONVERSATIONS_INITIATE),
            "projects": "*",
            **(caller or {}),
        }
        event = api_gateway.request(
            "POST /initiate-conversation",
            body.decode("utf-8", "surrogateescape"),
            headers={"Content-Type": "application/json"},
            request_id=str(uuid.uuid4()),
        )
        if caller is not None:
            event["requestContext"]["authorizer"] = vouched
        self.interceptor.start_run()
        with quiet():
            answer: dict[str, Any] = self.functions["ConversationsRouter"].handler(
                event, Invocation(self.clock)
            )
        return answer

    def request(self, payload: dict[str, Any]) -> dict[str, Any]:
        """As `ask`: return the result of a valid request. Raises Refused."""
        status, answer = self.ask(payload)
        if status >= HTTPStatus.BAD_REQUEST:
            raise Refused(status, answer)
        return answer

    def text(self, name: str, body: str, **fields: str) -> None:
        """The candidate writes an SMS; *name* makes the id of the message."""
        self.webhook(twilio.post(twilio.text(name, body, **fields)))

    def whatsapp(self, name: str, body: str, **fields: str) -> None:
        """The candidate writes over WhatsApp."""
        self.webhook(twilio.post(twilio.whatsapp(name, body, **fields)))

    def status(self, sid: str, word: str, action_id: str | None = None, **fields: str) -> None:
        """Twilio reports the status of a sent message."""
        given = {"From": self._sender_of(sid, action_id), **fields}
        form = {**twilio.status("-", word, **given), "MessageSid": sid, "SmsSid": sid}
        self.webhook(twilio.callback(form, action_id))

    def _sender_of(self, sid: str, action_id: str | None) -> str:
        """The number that Twilio sent a message from; the default one if the message is unknown."""
        link = self.row("log", f"OUT#twilio#{sid}", "#")
        action = self.row("log", f"ACTION#{action_id}", "#")
        ref = link["ref"] if link else str((action or {}).get("messagePk", "")).partition("#")[0]
        state = self.row("log", f"CONV#{ref}", "STATE")
        if state is None or "business_address" not in state:
            return twilio.SMS_NUMBER
        prefix = "whatsapp:" if state["channel_method"] == "whatsapp" else ""
        return f"{prefix}{state['business_address']}"

    def forward(self, event: InboundMessage | FileStored | NumberReleased | DeliveryStatus) -> None:
        """Another context forwards an event."""
        if isinstance(event, InboundMessage):
            ending, entry = INBOUND, inbound_entry(event)
        elif isinstance(event, FileStored):
            ending, entry = INBOUND, file_entry(event)
        elif isinstance(event, NumberReleased):
            ending, entry = INBOUND, release_entry(event)
        else:
            ending, entry = STATUSES, status_entry(event)
        self.fifo_queues.put(self._queue_named(ending), entry)

    def webhook(self, event: dict[str, Any]) -> None:
        with quiet():
            answer = self.functions["ConversationsTwilio"].handler(event, Invocation(self.clock))
        assert answer["statusCode"] == 200, answer

    def sweep(self) -> None:
        """Run the scheduled functions."""
        self.interceptor.start_run()
        with quiet():
            self.functions["ConversationsSweeper"].handler({}, Invocation(self.clock))

    def deliver_notification(self, event: dict[str, Any]) -> None:
        """Deliver a message published on a topic."""
        self.interceptor.start_run()
        with quiet():
            self.functions["ConversationsAwsSms"].handler(event, Invocation(self.clock))

    def call_admin_api(self, line: str, body: Any = None, **names: str) -> dict[str, Any]:
        """Call the API as an agent (`POST /conversations/{ref}/close`); return the result. A repeated call has the same
        key."""
        event = call_of(line, body, names)
        self.interceptor.start_run()
        with quiet():
            answer = self.functions["ConversationsAdmin"].handler(event, Invocation(self.clock))
        content: dict[str, Any] = json.loads(answer["body"])
        if answer["statusCode"] >= HTTPStatus.BAD_REQUEST:
            raise Refused(answer["statusCode"], content)
        result: dict[str, Any] = content["result"]
        return result

    def retry_until_accepted(self, call: Callable[[], object]) -> None:
        """Repeat a call until it succeeds: after a crash, or a response that permits a retry."""
        for _ in range(MOST_CALLS):
            try:
                call()
            except Died:
                self.new_process()
            except Refused as refusal:
                if not refusal.is_retryable:
                    raise
                self.clock.sleep(120)  # the lease of a crashed worker has expired
            else:
                return
        raise AssertionError("it never works")

    def _queue_named(self, ending: str) -> str:
        return next(name for name in self.workers if name.endswith(ending))
