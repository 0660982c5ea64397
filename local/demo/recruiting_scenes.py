"""
The morning of the recruiting company on the local stack, scene by scene.

Its software asks for conversations over HTTP, the candidate answers through the sandbox, people act over the API.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import urllib3

from events.conversations.morning import (
    AGENT,
    ANSWER,
    CHANNELS,
    FRAGMENTS,
    STOP,
    WISH,
    Candidate,
    Run,
)
from events.conversations.twilio import ROUTE
from local.demo import conversation_probe
from local.stack.processes import StackError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from local.demo.conversation_probe import Json, Talk
    from local.stack.cli import Stack

INITIATE = "/initiate-conversation"
SCOPES = ("conversations:initiate", "conversations:read", "conversations:reply")
DELIVERED = "delivered"

_http = urllib3.PoolManager(retries=False, timeout=60)


@dataclass(frozen=True, slots=True)
class Account:
    """
    What went in and what came of it.

    *begun* and *blocked* are conversations; *told* is how often the webhook was told of a text, *retold* how often of
    one once more, *stored* the texts in the log; *sent* are the messages that the log has as sent, *received* those
    that the providers took for the same person.
    """

    accepted: int
    repeated: int
    begun: int
    blocked: int
    told: int
    retold: int
    stored: int
    sent: tuple[str, ...]
    received: tuple[str, ...]
    dead_letters: int

    @property
    def adds_up(self) -> bool:
        """Whether every request and text is accounted for, and each message reached its provider once and by us."""
        return (
            self.accepted == self.begun + self.blocked + self.repeated
            and self.told == self.stored + self.retold
            and sorted(self.sent) == sorted(self.received)
            and len(set(self.sent)) == len(self.sent)
            and self.dead_letters == 0
        )


@dataclass
class Morning:
    """
    A morning as it goes on: one candidate, and the `ref` of each conversation by the name of its request.

    *tell* gets a line for each thing that is done.
    """

    stack: Stack
    key: str
    tell: Callable[[str], None]
    run: Run = field(default_factory=Run.now)
    refs: dict[str, str] = field(default_factory=dict)
    answers: list[tuple[int, Json]] = field(default_factory=list)
    webhooks: list[list[int | None]] = field(default_factory=list)

    @property
    def candidate(self) -> Candidate:
        """Ann, who is somebody else in each run."""
        return self.run.candidate("Ann", "Doe")

    def talk(self, name: str) -> Talk:
        """A conversation as it stands now. Raises KeyError for one that was not begun."""
        return self.until(name, lambda _: True)

    def until(self, name: str, fits: Callable[[Talk], bool]) -> Talk:
        """A conversation as soon as it is as it is wanted. Raises StackError, and KeyError as above."""
        return conversation_probe.wait_for(self.stack, self.refs[name], fits)

    def ask(self, channel: str, name: str = "first") -> Json:
        """Ask for a conversation; the answer."""
        request = self.run.request(self.candidate, channel, name)
        status, answer = ask(self.stack, self.key, request)
        again = ", once more" if answer in (known for _, known in self.answers) else ""
        self.answers.append((status, answer))
        self.tell(f"{status}  {name} request for {channel}{again}")
        if status == HTTPStatus.OK:
            self.refs[f"{name} {channel}"] = answer["conversation_ref"]
        return answer

    def says(self, *words: str, calls: int = 1) -> None:
        """Let the candidate text, one message right after the other; Twilio tells of each so many times."""
        for body in words:
            statuses = text(self.stack, self.candidate.says(body) | {"webhooks": calls})
            self.webhooks.append(statuses)
            again = ", told twice" if calls > 1 else ""
            self.tell(f"{statuses[0]}  Ann texts: {body}{again}")

    def account(self) -> Account:
        """What became of it all so far."""
        found = [self.talk(name) for name in self.refs]
        refs = [answer["conversation_ref"] for status, answer in self.answers if status == _OK]
        said = [said for one in found for said in one.ours]
        return Account(
            accepted=len(refs),
            repeated=len(refs) - len(set(refs)),
            begun=sum(bool(one.ours) for one in found),
            blocked=sum(one.status == "blocked" for one in found),
            told=sum(statuses.count(_OK) for statuses in self.webhooks),
            retold=sum(len(statuses) - 1 for statuses in self.webhooks),
            stored=sum(len(one.theirs) for one in found),
            sent=tuple(one.provider_id or "nobody took it" for one in said),
            received=tuple(
                one.provider_id for one in conversation_probe.received(self.stack, self.candidate)
            ),
            dead_letters=conversation_probe.dead_letters(self.stack),
        )


_OK = int(HTTPStatus.OK)


def play(stack: Stack, key: str, *, tell: Callable[[str], None]) -> Morning:
    """All scenes, one after the other. Raises StackError where one does not end as it has to."""
    wake(stack, key)
    morning = Morning(stack, key, tell)
    write_to_her(morning)
    answer_once(morning)
    hand_over(morning)
    let_a_person_answer(morning)
    stop(morning)
    return morning


def write_to_her(morning: Morning) -> None:
    """The company asks for one conversation on each channel, and for one of them twice."""
    for channel in CHANNELS:
        morning.ask(channel)
    morning.ask("sms")
    morning.until("first whatsapp", lambda talk: _ends(talk, 1) == DELIVERED)
    morning.until("first sms", lambda talk: _ends(talk, 1) == DELIVERED)
    # Nobody reports what became of a mail in the sandbox.
    morning.until("first email", lambda talk: _ends(talk, 1) == "accepted")


def answer_once(morning: Morning) -> None:
    """She answers in three fragments, and gets one reply."""
    morning.says(*FRAGMENTS)
    morning.until("first sms", lambda talk: _ends(talk, 2) == DELIVERED)


def hand_over(morning: Morning) -> None:
    """She asks for a person, which Twilio tells twice: the model promises one, and is silent from then on."""
    morning.says(WISH, calls=2)
    morning.until(
        "first sms",
        lambda talk: talk.status == "handoff_pending" and _ends(talk, 3) == DELIVERED,
    )


def let_a_person_answer(morning: Morning) -> None:
    """A person takes the conversation over, answers, and gives it back."""
    ref, who = morning.refs["first sms"], {"agent_id": AGENT}
    for act, body, said in (
        ("take-over", who, "takes over"),
        ("messages", who | {"text": ANSWER}, f"writes: {ANSWER}"),
        ("hand-back", who, "hands back"),
    ):
        status = _act(morning, f"{ref}/{act}", body)
        morning.tell(f"{status}  Dana {said}")
        if act == "messages":
            morning.until("first sms", lambda talk: _ends(talk, 4) == DELIVERED)
    morning.until("first sms", lambda talk: talk.status == "reply_sent")


def stop(morning: Morning) -> None:
    """She says STOP in an SMS: no channel of the company reaches her any more."""
    morning.says(STOP)
    morning.until("first sms", lambda talk: talk.status == "opted_out")
    others = [channel for channel in CHANNELS if channel != "sms"]
    for channel in others:
        morning.ask(channel, "second")
    for channel in others:
        morning.until(f"second {channel}", lambda talk: talk.status == "blocked")


def wake(stack: Stack, key: str) -> None:
    """
    Have the ways in started. Raises StackError.

    Twilio calls once and waits for 15 s; a first start on a busy machine takes longer.
    """
    for route, headers, status in (
        (INITIATE, {"x-api-key": key}, HTTPStatus.BAD_REQUEST),
        (ROUTE, {}, HTTPStatus.FORBIDDEN),
    ):
        _until_it_answers(stack.api_url + route, headers, status)


def ask(stack: Stack, key: str, request: Json) -> tuple[int, Json]:
    """Post what a company's software posts; status and body of the answer."""
    answer = _http.request(
        "POST", stack.api_url + INITIATE, headers={"x-api-key": key}, json=request
    )
    body: Json = answer.json()
    return answer.status, body


def text(stack: Stack, words: Json) -> list[int | None]:
    """Let somebody text; how our webhook answered the calls, None for no answer. Raises StackError."""
    answer = _http.request("POST", f"{stack.sandbox_url}/_texts", json=words)
    if answer.status != HTTPStatus.CREATED:
        raise StackError(f"the sandbox took no text: {answer.data.decode()}")
    webhooks: list[int | None] = answer.json()["webhooks"]
    return webhooks


def _ends(talk: Talk, place: int) -> str | None:
    """How far the last of so many messages of ours is; None where there is another number of them."""
    return talk.ours[-1].delivery if len(talk.ours) == place else None


def _act(morning: Morning, path: str, body: Mapping[str, Any]) -> int:
    headers = {"x-api-key": morning.key, "Idempotency-Key": f"{path}-{morning.run.number}"}
    url = f"{morning.stack.api_url}/conversations/{path}"
    answer = _http.request("POST", url, headers=headers, json=body)
    if answer.status not in {HTTPStatus.OK, HTTPStatus.ACCEPTED}:
        raise StackError(f"POST /conversations/{path} answered {answer.status}")
    return answer.status


def _until_it_answers(url: str, headers: Mapping[str, str], status: HTTPStatus) -> None:
    deadline = time.monotonic() + conversation_probe.PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            if _http.request("POST", url, headers=headers, json={}).status == status:
                return
        time.sleep(1)
    raise StackError(f"{url} does not answer.")
