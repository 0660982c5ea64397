"""Calls of Parley's API with a key of a company, and the wait for what they start."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import urllib3

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.stack.cli import Stack

_ACCEPTED: Final = (200, 201, 202)
_POLL_SECONDS: Final = 0.5
WITHIN_SECONDS: Final = 120
http = urllib3.PoolManager(retries=False, timeout=60)


@dataclass(frozen=True, slots=True)
class CompanyApi:
    """The API of the local stack, with a key of the company."""

    stack: Stack
    key: str

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:  # noqa: ANN401 - any JSON
        """Return the result of a call. Raises RuntimeError if it is refused."""
        status, answer = self.answer(method, path, body)
        if status not in _ACCEPTED:
            raise RuntimeError(f"{method} {path.partition('?')[0]} answered {status}")
        result: dict[str, Any] = answer["result"]
        return result

    def answer(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:  # noqa: ANN401 - any JSON
        """Return status and content of the response to a call, each of which has its own Idempotency-Key."""
        answer = http.request(
            method,
            self.stack.api_url + path,
            headers={"x-api-key": self.key, "Idempotency-Key": uuid.uuid4().hex},
            body=json.dumps(body) if body is not None else None,
        )
        content: dict[str, Any] = answer.json()
        return answer.status, content


def until[T](
    read: Callable[[], T | None],
    seconds: float = WITHIN_SECONDS,
    *,
    every: float = _POLL_SECONDS,
) -> T | None:
    """Return what *read*, called every few seconds, finds; None if it finds nothing within some seconds."""
    deadline = time.monotonic() + seconds
    while (found := read()) is None and time.monotonic() < deadline:
        time.sleep(every)
    return found
