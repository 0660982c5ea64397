"""
Verifies a webhook call of the help desk and puts its events on the queues; acknowledged only if all were queued.

It uses no table and makes no request to the help desk: the worker determines which messages of a conversation are
new. The help desk does not retry a failed call; the sweep finds the tickets of lost calls.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from richpanel.inbound import payloads
from richpanel.inbound.channels import Channel
from richpanel.inbound.event import RichpanelEvent, deduplication_id
from shared.api.webhook_signatures import is_one_of, is_timely_signed
from shared.aws.secrets import JsonSecret, texts
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.runtime import clock

type AuthMode = Literal["token", "hmac", "either"]


class NoActiveSecret(Exception):
    """The secret holds no value that counts in this mode: every call is refused, and operators must be alerted."""


@dataclass(frozen=True, slots=True)
class Call:
    """The credentials of a call; empty if not given. *is_signed*: the call has a signature or timestamp header."""

    body: bytes | None
    token: str
    timestamp: str
    signature: str
    is_signed: bool


@dataclass(slots=True, eq=False)
class EventQueues:
    """The two queues, separate so that chats never wait behind mail."""

    mail: FifoQueue
    live: FifoQueue

    def of(self, channel: Channel) -> FifoQueue:
        """Return the queue for events of a channel."""
        return self.live if channel is Channel.LIVECHAT else self.mail


def is_authentic(call: Call, secret: JsonSecret, mode: AuthMode) -> bool:
    """
    Whether the call holds an active token or is signed with an active key; a new one is picked up within a minute.

    Raises NoActiveSecret if no call at all could pass, SecretUnreadable, and ClientError when AWS fails.
    """
    if _passes(call, secret.value(), mode):
        return True
    if secret.refreshed() and _passes(call, secret.value(), mode):
        return True
    if not _active(secret.value(), mode):
        raise NoActiveSecret(mode)
    return False


def enqueue(
    body: bytes, request_id: str, queues: EventQueues, channels: Mapping[str, Channel]
) -> list[RichpanelEvent]:
    """Queue every event of a verified body, and return them. Raises Unreadable and NotEnqueued."""
    events = payloads.events_of(body, channels, clock.now_ms())
    mail: list[Entry] = []
    live: list[Entry] = []
    for position, event in enumerate(events):
        entries = live if event.channel is Channel.LIVECHAT else mail
        entries.append(event.entry(_deduplication(event, body, request_id, position)))
    queues.live.send(live)
    queues.mail.send(mail)
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
    """Return the values of the secret that count in this mode."""
    tokens = [] if mode == "hmac" else texts(secret.get("active_tokens"))
    keys = [] if mode == "token" else texts(secret.get("active_hmac_keys"))
    return tokens + keys


def _deduplication(event: RichpanelEvent, body: bytes, request_id: str, position: int) -> str:
    """Return the deduplication id: from the event's id, else unique per call, which may bring a new message."""
    if event.event_id is not None:
        return deduplication_id(event.event_id)
    return hashlib.sha256(body + f"{request_id}{position or ''}".encode()).hexdigest()
