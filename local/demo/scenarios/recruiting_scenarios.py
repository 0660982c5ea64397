"""
The scenarios of the recruiting company on the local stack.

Its software requests conversations over HTTP, the candidate answers through the sandbox, an agent acts over the API.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import urllib3

from events.conversations.recruiting import (
    ANSWER,
    CHANNELS,
    FRAGMENTS,
    HANDOFF_REQUEST,
    STOP,
    Candidate,
    Run,
)
from events.conversations.twilio import ROUTE
from local.demo.scenarios import conversation_probe
from local.stack.processes import StackError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from local.demo.scenarios.conversation_probe import Json, LoggedConversation
    from local.stack.cli import Stack

INITIATE = "/initiate-conversation"
SCOPES = ("conversations:initiate", "conversations:read", "conversations:reply")
DELIVERED = "delivered"

_http = urllib3.PoolManager(retries=False, timeout=180)


@dataclass(frozen=True, slots=True)
class Totals:
    """
    The counts of a run.

    *accepted*: requests, of which *repeated* were repeats. *started* and *blocked*: conversations. *webhook_calls*:
    calls for the candidate's texts, of which *repeated_calls* were repeats. *stored*: texts in the log. *sent*: the
    provider ids of outbound messages in the log. *received*: the ids of messages that the providers accepted.
    """

    accepted: int
    repeated: int
    started: int
    blocked: int
    webhook_calls: int
    repeated_calls: int
    stored: int
    sent: tuple[str, ...]
    received: tuple[str, ...]
    dead_letters: int

    @property
    def match(self) -> bool:
        """Whether every request and text has one result, and every outbound message reached its provider once."""
        return (
            self.accepted == self.started + self.blocked + self.repeated
            and self.webhook_calls == self.stored + self.repeated_calls
            and sorted(self.sent) == sorted(self.received)
            and len(set(self.sent)) == len(self.sent)
            and self.dead_letters == 0
        )


@dataclass
class RecruitingDemo:
    """
    A run in progress: its candidate, and the `ref` of each conversation by the name of its request.

    *report* receives a line for each action.
    """

    stack: Stack
    key: str
    report: Callable[[str], None]
    run: Run = field(default_factory=Run.now)
    refs: dict[str, str] = field(default_factory=dict)
    answers: list[tuple[int, Json]] = field(default_factory=list)
    webhooks: list[list[int | None]] = field(default_factory=list)

    @property
    def candidate(self) -> Candidate:
        """Ann; each run has its own phone number and e-mail address for her."""
        return self.run.candidate("Ann", "Doe")

    def conversation(self, name: str) -> LoggedConversation:
        """Return a conversation in its current state. Raises KeyError if it was not started."""
        return self.wait_until(name, lambda _: True)

    def wait_until(
        self, name: str, is_reached: Callable[[LoggedConversation], bool]
    ) -> LoggedConversation:
        """Wait until *is_reached* holds for a conversation and return it. Raises StackError, and KeyError as above."""
        return conversation_probe.wait_for(self.stack, self.refs[name], is_reached)

    def request_conversation(self, channel: str, name: str = "first") -> Json:
        """Request a conversation and return the response."""
        request = self.run.request(self.candidate, channel, name)
        status, answer = request_conversation(self.stack, self.key, request)
        suffix = ", repeated" if answer in (earlier for _, earlier in self.answers) else ""
        self.answers.append((status, answer))
        self.report(f"{status}  {name} request for {channel}{suffix}")
        if status == HTTPStatus.OK:
            self.refs[f"{name} {channel}"] = answer["conversation_ref"]
        return answer

    def send_texts(self, *texts: str, calls: int = 1) -> None:
        """Send texts of the candidate without a pause between them; Twilio calls the webhook *calls* times for each."""
        for body in texts:
            statuses = text(self.stack, self.candidate.text(body) | {"webhooks": calls})
            self.webhooks.append(statuses)
            suffix = f" (Twilio calls {calls} times)" if calls > 1 else ""
            self.report(f"{statuses[0]}  Ann texts: {body}{suffix}")

    def totals(self) -> Totals:
        """Return the counts so far."""
        conversations = [self.conversation(name) for name in self.refs]
        refs = [answer["conversation_ref"] for status, answer in self.answers if status == _OK]
        outbound = [message for conversation in conversations for message in conversation.outbound]
        return Totals(
            accepted=len(refs),
            repeated=len(refs) - len(set(refs)),
            started=sum(bool(conversation.outbound) for conversation in conversations),
            blocked=sum(conversation.status == "blocked" for conversation in conversations),
            # A call without an answer was made, too: on a busy machine the answer may come after Twilio's 15 seconds.
            webhook_calls=sum(one in {_OK, None} for statuses in self.webhooks for one in statuses),
            repeated_calls=sum(len(statuses) - 1 for statuses in self.webhooks),
            stored=sum(len(conversation.inbound) for conversation in conversations),
            sent=tuple(message.provider_id or "not accepted" for message in outbound),
            received=tuple(
                message.provider_id
                for message in conversation_probe.received(self.stack, self.candidate)
            ),
            dead_letters=conversation_probe.dead_letters(self.stack),
        )


_OK = int(HTTPStatus.OK)


def play(stack: Stack, key: str, *, report: Callable[[str], None]) -> RecruitingDemo:
    """Play all scenarios in order. Raises StackError if one does not reach its expected state."""
    start_functions(stack, key)
    demo = RecruitingDemo(stack, key, report)
    request_on_all_channels(demo)
    answer_in_fragments(demo)
    request_handoff(demo)
    answer_as_agent(demo)
    opt_out(demo)
    return demo


def request_on_all_channels(demo: RecruitingDemo) -> None:
    """The company requests one conversation on each channel, and repeats the request for SMS."""
    for channel in CHANNELS:
        demo.request_conversation(channel)
    demo.request_conversation("sms")
    demo.wait_until(
        "first whatsapp", lambda conversation: _last_delivery(conversation, 1) == DELIVERED
    )
    demo.wait_until("first sms", lambda conversation: _last_delivery(conversation, 1) == DELIVERED)
    demo.wait_until(
        "first email", lambda conversation: _last_delivery(conversation, 1) == DELIVERED
    )


def answer_in_fragments(demo: RecruitingDemo) -> None:
    """The candidate answers in three messages and gets one reply."""
    demo.send_texts(*FRAGMENTS)
    demo.wait_until("first sms", lambda conversation: _last_delivery(conversation, 2) == DELIVERED)


def request_handoff(demo: RecruitingDemo) -> None:
    """The candidate asks for a person; Twilio calls twice. The model announces a colleague and sends nothing more."""
    demo.send_texts(HANDOFF_REQUEST, calls=2)
    demo.wait_until(
        "first sms",
        lambda conversation: (
            conversation.status == "handoff_pending"
            and _last_delivery(conversation, 3) == DELIVERED
        ),
    )


def answer_as_agent(demo: RecruitingDemo) -> None:
    """An agent takes the conversation over, answers, and hands it back."""
    ref = demo.refs["first sms"]
    for act, body, action in (
        ("take-over", {}, "takes the conversation over"),
        ("messages", {"text": ANSWER}, f"writes: {ANSWER}"),
        ("hand-back", {}, "hands the conversation back"),
    ):
        status = _act(demo, f"{ref}/{act}", body)
        demo.report(f"{status}  Dana {action}")
        if act == "messages":
            demo.wait_until(
                "first sms", lambda conversation: _last_delivery(conversation, 4) == DELIVERED
            )
    demo.wait_until("first sms", lambda conversation: conversation.status == "reply_sent")


def opt_out(demo: RecruitingDemo) -> None:
    """The candidate sends STOP in an SMS: the company's new conversations are blocked on all channels."""
    demo.send_texts(STOP)
    demo.wait_until("first sms", lambda conversation: conversation.status == "opted_out")
    others = [channel for channel in CHANNELS if channel != "sms"]
    for channel in others:
        demo.request_conversation(channel, "second")
    for channel in others:
        demo.wait_until(f"second {channel}", lambda conversation: conversation.status == "blocked")


def start_functions(stack: Stack, key: str) -> None:
    """
    Start the functions that receive requests. Raises StackError.

    Twilio calls once and waits for 15 s; a cold start on a busy machine takes longer.
    """
    for route, headers, status in (
        (INITIATE, {"x-api-key": key}, HTTPStatus.BAD_REQUEST),
        (ROUTE, {}, HTTPStatus.FORBIDDEN),
    ):
        _until_it_answers(stack.api_url + route, headers, status)


def request_conversation(stack: Stack, key: str, request: Json) -> tuple[int, Json]:
    """Post a request of a company's software; return status and body of the response."""
    answer = _http.request(
        "POST", stack.api_url + INITIATE, headers={"x-api-key": key}, json=request
    )
    body: Json = answer.json()
    return answer.status, body


def text(stack: Stack, message: Json) -> list[int | None]:
    """
    Send a text through the sandbox; return the webhook's status for each call, None for none.

    A text to a number of AWS calls no webhook: it is published to a topic. Raises StackError.
    """
    answer = _http.request("POST", f"{stack.sandbox_url}/_texts", json=message)
    if answer.status != HTTPStatus.CREATED:
        raise StackError(f"the sandbox refused the text: {answer.data.decode()}")
    webhooks: list[int | None] = answer.json().get("webhooks", [])
    return webhooks


def _last_delivery(conversation: LoggedConversation, count: int) -> str | None:
    """Return the delivery status of the last of *count* outbound messages; None if their number differs."""
    return conversation.outbound[-1].delivery if len(conversation.outbound) == count else None


def _act(demo: RecruitingDemo, path: str, body: Mapping[str, Any]) -> int:
    headers = {"x-api-key": demo.key, "Idempotency-Key": f"{path}-{demo.run.number}"}
    url = f"{demo.stack.api_url}/conversations/{path}"
    answer = _http.request("POST", url, headers=headers, json=body)
    if answer.status not in {HTTPStatus.OK, HTTPStatus.ACCEPTED}:
        raise StackError(f"POST /conversations/{path} answered {answer.status}")
    return answer.status


def _until_it_answers(url: str, headers: Mapping[str, str], status: HTTPStatus) -> None:
    deadline = time.monotonic() + conversation_probe.TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            if _http.request("POST", url, headers=headers, json={}).status == status:
                return
        time.sleep(1)
    raise StackError(f"{url} does not answer.")
