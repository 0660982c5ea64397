"""
The way in: a verified call of the help desk becomes events on the queues, all of them or none acknowledged.

Nothing here reads or writes a table or asks the help desk: what is new in a conversation, the worker finds out. The
help desk does not call again after a failure; the sweep finds what is lost here.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from richpanel.channels import Channel
from richpanel.event import RichpanelEvent, deduplication_id
from richpanel.inbound import payloads
from shared import clock
from shared.aws.secrets import JsonSecret, texts
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.webhook_signatures import is_one_of, is_timely_signed

type AuthMode = Literal["token", "hmac", "either"]


class NoActiveSecret(Exception):
    """There is nothing that a call could prove itself with: all are refused, and people have to know."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a call brings to prove itself; empty where it brings nothing. *is_signed*: it claims to be signed."""

    body: bytes | None
    token: str
    timestamp: str
    signature: str
    is_signed: bool


@dataclass(frozen=True, slots=True)
class Lanes:
    """The two queues: chats wait behind no mail."""

    mail: FifoQueue
    live: FifoQueue

    def of(self, channel: Channel) -> FifoQueue:
        """Where events of a channel go."""
        return self.live if channel is Channel.LIVECHAT else self.mail


def is_authentic(call: Call, secret: JsonSecret, mode: AuthMode) -> bool:
    """
    Whether the call holds an active token or is signed with an active key; a new one is picked up within a minute.

    Raises NoActiveSecret where no call at all could pass, SecretUnreadable, and ClientError when AWS fails.
    """
    if _passes(call, secret.value(), mode):
        return True
    if secret.refreshed() and _passes(call, secret.value(), mode):
        return True
    if not _active(secret.value(), mode):
        raise NoActiveSecret(mode)
    return False


def take(
    body: bytes, request_id: str, lanes: Lanes, channels: Mapping[str, Channel]
) -> list[RichpanelEvent]:
    """Enqueue everything in a verified body, and return it. Raises Unreadable, and NotEnqueued."""
    events = payloads.events_of(body, channels, clock.now_ms())
    mail: list[Entry] = []
    live: list[Entry] = []
    for position, event in enumerate(events):
        lane = live if event.channel is Channel.LIVECHAT else mail
        lane.append(event.entry(_deduplication(event, body, request_id, position)))
    lanes.live.send(live)
    lanes.mail.send(mail)
    return events


def _passes(call: Call, secret: Mapping[str, Any], mode: AuthMode) -> bool:
    if mode == "hmac" or (mode == "either" and call.is_signed):
        keys = texts(secret.get("active_hmac_keys"))
        now = clock.now_ms() // 1_000
        return call.body is not None and is_timely_signed(
            call.body, call.timestamp, call.signature, keys, now
        )
    return is_one_of(call.token, texts(secret.get("active_tokens")))


def _active(secret: Mapping[str, Any], mode: AuthMode) -> list[str]:
    """The values of the secret that count in this mode."""
    tokens = [] if mode == "hmac" else texts(secret.get("active_tokens"))
    keys = [] if mode == "token" else texts(secret.get("active_hmac_keys"))
    return tokens + keys


def _deduplication(event: RichpanelEvent, body: bytes, request_id: str, position: int) -> str:
    """What the queue drops repeats by: the event's id; without one each call counts, it may tell of another message."""
    if event.event_id is not None:
        return deduplication_id(event.event_id)
    return hashlib.sha256(body + f"{request_id}{position or ''}".encode()).hexdigest()
