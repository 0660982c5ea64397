"""A topic in memory in place of SNS."""

from __future__ import annotations

import json
from queue import Queue
from typing import Any


class Topic:
    """The events that the sandbox publishes on the topic *arn*."""

    def __init__(self, arn: str) -> None:
        self.arn = arn
        self.published: Queue[tuple[str, dict[str, Any]]] = Queue()

    def publish(self, topic: str, message: str) -> None:
        self.published.put((topic, json.loads(message)))

    def next(self) -> dict[str, Any]:
        topic, message = self.published.get(timeout=120)
        assert topic == self.arn
        return message
