"""The events of a load run, generated from one seed, so that a run can be repeated."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import LOAD_NUMBER, BusinessNumber, Customer

if TYPE_CHECKING:
    from events.whatsapp.payloads import Json

STRANGER = BusinessNumber(phone="506540352242966", display="15550783555", waba=LOAD_NUMBER.waba)
SENDERS = 4
"""Concurrent senders. One sender sends all events of a conversation, so that they are in order."""
LARGEST_POST = 10
REPEATED = 0.05
INVALID = 0.01


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that must be in the table once, with this text, at this position of its conversation."""

    message_id: str
    conversation: int
    customer: Customer
    at: int  # epoch seconds
    text: str


@dataclass(slots=True)
class Traffic:
    """The whole run: the requests of each sender in order, and the expected result."""

    run: str  # part of every message id
    requests_by_sender: list[list[bytes]]  # bodies of webhooks
    messages: list[Sent] = field(default_factory=list)
    repeats: int = 0
    invalid: Counter[str] = field(default_factory=Counter)  # reason -> events

    @property
    def events(self) -> int:
        """The number of all sent events, including repeats and invalid ones."""
        return len(self.messages) + self.repeats + self.invalid.total()


def traffic(seed: int, events: int, conversations: int, now_s: int) -> Traffic:
    """Generate *events* in *conversations*, 5 % repeats and 1 % invalid; the last is at *now_s* (epoch seconds)."""
    random = Random(seed)  # noqa: S311 - it makes samples, no secrets
    result = Traffic(f"wamid.load.{now_s}.", [[] for _ in range(SENDERS)])
    sent: dict[int, list[Sent]] = {number: [] for number in range(conversations)}
    waiting: list[list[Json]] = [[] for _ in range(SENDERS)]
    for position in range(events):
        conversation = random.randrange(conversations)
        at = now_s - events + position
        sender = conversation % SENDERS
        customer = Customer(
            f"Customer {conversation}", wa_id=f"44{now_s % 10**6:06d}{conversation:04d}"
        )
        new = Sent(
            f"{result.run}{position}",
            conversation,
            customer,
            at,
            f"message {len(sent[conversation]) + 1} of conversation {conversation}",
        )
        waiting[sender].append(_next(random, result, sent[conversation], new))
        if len(waiting[sender]) >= random.randint(1, LARGEST_POST):
            result.requests_by_sender[sender].append(_body(waiting[sender]))
            waiting[sender] = []
    for requests, changes in zip(result.requests_by_sender, waiting, strict=True):
        if changes:
            requests.append(_body(changes))
    return result


def message_ids(body: bytes) -> list[str]:
    """Return the ids of the messages in the body of a request, in order; a repeated or altered one keeps its id."""
    changes = [change for entry in json.loads(body)["entry"] for change in entry["changes"]]
    return [
        str(message["id"]) for change in changes for message in change["value"].get("messages", [])
    ]


def _next(random: Random, result: Traffic, before: list[Sent], new: Sent) -> Json:
    """Return the next event of a conversation, usually its new message."""
    draw = random.random()
    if draw < REPEATED and before:
        result.repeats += 1
        return _change(random.choice(before))
    if REPEATED <= draw < REPEATED + INVALID:
        invalid = random.choice([_conflict, _unknown_status, _unknown_phone])
        if before:
            return invalid(result, before[-1], new.at)
    result.messages.append(new)
    before.append(new)
    return _change(new)


def _change(sent: Sent, number: BusinessNumber = LOAD_NUMBER, text: str = "") -> Json:
    body = payloads.text(text or sent.text)
    message = payloads.message(sent.customer, sent.message_id, sent.at, body)
    return payloads.messages_change(number, [message], [sent.customer])


def _conflict(result: Traffic, before: Sent, at: int) -> Json:
    result.invalid["conflict"] += 1
    return _change(before, text=f"another text, {at}")


def _unknown_phone(result: Traffic, before: Sent, at: int) -> Json:
    result.invalid["unknown_phone"] += 1
    return _change(before, STRANGER, text=f"to an unknown number, {at}")


def _unknown_status(result: Traffic, before: Sent, at: int) -> Json:
    result.invalid["unknown_status"] += 1
    status = payloads.status(before.customer, before.message_id, "tele#ported", at)
    return payloads.statuses_change(LOAD_NUMBER, [status])


def _body(changes: list[Json]) -> bytes:
    return gateway.meta_bytes(payloads.webhook(payloads.entry(LOAD_NUMBER.waba, *changes)))
