"""Requests to `POST /initiate-conversation`, and the records that it queues."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from events.conversations import sample_data

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

SECRET = "do-not-repeat-me"
MINUTE_MS, HOUR_MS = 60_000, 3_600_000


def post_request(system: System, payload: dict[str, Any] | bytes, **caller: str) -> tuple[int, str]:
    """Post a request; returns status and code of the answer."""
    status, answer = system.ask(payload, **caller)
    return status, answer["error"]["code"] if "error" in answer else answer["status"]


def queued(system: System) -> list[dict[str, Any]]:
    """The bodies on the channels' queues."""
    return [
        json.loads(message.body)
        for queue in system.fifo_queues.queues.values()
        for message in queue.messages
    ]


def numbered(number: int, **changes: Any) -> dict[str, Any]:
    return sample_data.request("sms", f"req-{number}", **changes)


def queue_name(system: System, channel: str) -> str:
    return next(name for name in system.workers if name.endswith(f"{channel}.fifo"))


def limited(**limits: int) -> dict[str, Any]:
    return sample_data.project(rate_limits=limits)
