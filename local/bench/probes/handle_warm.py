"""
Handles one event repeatedly, with AWS calls answered from a recording: the processor time of a warm function alone.

Standard input, JSON: `handler`, `first` (an event that warms up), `event`, `times`. Last line of standard output, JSON,
each per event: `cpu_ms`, user and system time of all threads; `sdk_ms`, the part of it in which boto3 writes, signs and
reads requests that never leave the process; `calls` of AWS.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any
from unittest import mock

from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.httpsession import URLLib3Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botocore.awsrequest import AWSPreparedRequest

_send = URLLib3Session.send
_make_api_call = vars(BaseClient)["_make_api_call"]  # every call of every client goes through it


class _Body:
    """A completely received body."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: object) -> Iterator[bytes]:
        """Yield the whole body at once."""
        yield self._content


class Recording:
    """Recorded responses of AWS, per operation in their order."""

    def __init__(self) -> None:
        self._answers: dict[str, list[AWSResponse]] = defaultdict(list)
        self._left: dict[str, deque[AWSResponse]] = {}
        self.sdk_seconds = 0.0

    def record(self, session: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        """Send a request and record its response."""
        answer = _send(session, request)
        self._answers[_operation(request)].append(answer)
        answer.content  # noqa: B018 - reads the body while the connection is open
        return answer

    def replay(self, request: AWSPreparedRequest) -> AWSResponse:
        """Return the recorded response. Raises IndexError for a call that was not recorded."""
        kept = self._left[_operation(request)].popleft()
        headers: Any = kept.headers
        return AWSResponse(kept.url, kept.status_code, headers, _Body(kept.content))

    def rewind(self) -> None:
        """Start over, for the next event."""
        self._left = {operation: deque(kept) for operation, kept in self._answers.items()}

    @property
    def calls(self) -> int:
        """The number of AWS calls per event."""
        return sum(map(len, self._answers.values()))

    def timed_call(self, client: BaseClient, *arguments: Any) -> Any:  # noqa: ANN401 - the SDK's
        """Make one SDK call and measure its time."""
        began = time.thread_time()
        try:
            return _make_api_call(client, *arguments)
        finally:
            self.sdk_seconds += time.thread_time() - began


class _Context:
    aws_request_id = "00000000-0000-0000-0000-000000000000"
    function_name = "bench"
    function_version = "$LATEST"
    invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:bench"
    memory_limit_in_mb = 512

    def get_remaining_time_in_millis(self) -> int:
        """Return a constant that is always sufficient."""
        return 60_000


def _operation(request: AWSPreparedRequest) -> str:
    target = request.headers.get("X-Amz-Target") or request.url
    return f"{request.method} {target.decode() if isinstance(target, bytes) else target}"


def main() -> None:
    """Warm up, record one event, then handle it as often as requested."""
    asked = json.load(sys.stdin)
    module, _, name = asked["handler"].rpartition(".")
    handler = getattr(importlib.import_module(module), name)
    context, recording = _Context(), Recording()
    handler(asked["first"], context)
    # Functions, because they must become methods of the sessions and clients; a bound method would not.
    record = lambda *given: recording.record(*given)  # noqa: E731, PLW0108
    replay = lambda _, request: recording.replay(request)  # noqa: E731
    timed = lambda *given: recording.timed_call(*given)  # noqa: E731, PLW0108
    with mock.patch.object(URLLib3Session, "send", record):
        handler(asked["event"], context)
    with (
        mock.patch.object(URLLib3Session, "send", replay),
        mock.patch.object(BaseClient, "_make_api_call", timed),
    ):
        began = time.process_time()
        for _ in range(asked["times"]):
            recording.rewind()
            handler(asked["event"], context)
        cpu = time.process_time() - began
    per_event = 1_000 / asked["times"]
    told = {
        "cpu_ms": cpu * per_event,
        "sdk_ms": recording.sdk_seconds * per_event,
        "calls": recording.calls,
    }
    print(json.dumps(told))


main()
