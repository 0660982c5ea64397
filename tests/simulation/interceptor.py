"""
Every outgoing call of the handlers passes through here and is counted; it can be killed, failed, recorded or replayed.

Two kinds of calls: operations of AWS clients (hooks of botocore, retries of the SDK inside one call) and HTTP requests
of `shared.providers.http` (urllib3). Both are numbered in one sequence.
"""

from __future__ import annotations

import copy
import io
import json
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, Self

import urllib3
from botocore.awsrequest import AWSHTTPConnectionPool, AWSHTTPSConnectionPool, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError
from botocore.httpsession import URLLib3Session
from botocore.response import StreamingBody
from moto.core.models import botocore_stubber

from tests.tables.calls import Request

if TYPE_CHECKING:
    from collections.abc import Callable


class Queues(Protocol):
    """The replacement of SQS: one queue with its dead letters, or several."""

    def answer(self, request_body: bytes) -> dict[str, Any]:
        """SendMessageBatch: the request's JSON in, the answer's JSON out."""
        ...

    def answer_other(self, operation: str, request_body: bytes) -> dict[str, Any]:
        """Every other call, in the same format."""
        ...

    def copy(self) -> Self:
        """Separate queues in the same state."""
        ...


# The first one that an item has is its key: other rows of the same context have the second as a plain attribute.
_PARTITION_KEYS = ("PK", "pk", "event_id", "conversation_id", "message_id")
_SORT_KEYS = {"PK": "SK", "conversation_id": "ts_action_id"}
_TRANSACTION = ".TransactWriteItems"
READS = frozenset(
    {
        "dynamodb.GetItem",
        "dynamodb.BatchGetItem",
        "dynamodb.Query",
        "s3.GetObject",
        "s3.HeadObject",
        "s3.ListObjectsV2",
        "sqs.GetQueueAttributes",
        "secrets-manager.GetSecretValue",
        "ssm.GetParametersByPath",
        "HTTP.GET",
    }
)
SENDS = frozenset({"socialmessaging.SendWhatsAppMessage", "HTTP.POST"})


class Died(BaseException):
    """The process is killed here. No `except Exception` may survive it."""


class When(StrEnum):
    """Whether the call was executed before the crash."""

    BEFORE = "before"
    AFTER = "after"


class Fault(StrEnum):
    """How a call fails without a crash."""

    LOST_ANSWER = "lost answer"  # executed, but its first response is lost; the SDK may repeat it
    THROTTLED = "throttled"  # refused, at every attempt of the SDK
    UNAVAILABLE = "unavailable"  # a 5xx, at every attempt of the SDK


@dataclass(frozen=True)
class Recorded:
    """The recorded response of one call, for replays."""

    name: str
    answer: Any
    body: bytes | None = None


def of_handling(call: str) -> bool:
    """Whether a call is one of a message's handling: neither of the count of its attempts, nor to SQS."""
    return not call.startswith(("dynamodb.UpdateItem 00000000-0000-4000-8000-", "sqs."))


def _never(_: str) -> bool:
    return False


def _ignored(*_: Any) -> None:
    return None


@dataclass
class Interceptor[Q: Queues = Any]:
    """
    The way out. `calls` are the names of the calls so far, such as `dynamodb.PutItem MSG#wamid.x`; `first_of_runs`
    the numbers with which invocations began.

    `die_at` (number, when), `fault_at` (number, fault) and `fails_if` (for any call with a matching name) inject
    failures. Number 1 is the first call after `rewind`. `observer` receives each operation (`dynamodb.PutItem`) with
    its parameters, including those that are only presigned. `on_moment` receives the number of the first call of each
    invocation before it, and of every call after it.
    """

    queue: Q
    calls: list[str] = field(default_factory=list)
    first_of_runs: list[int] = field(default_factory=list)
    die_at: tuple[int, When] | None = None
    fault_at: tuple[int, Fault] | None = None
    fails_if: Callable[[str], bool] = field(default=_never)
    observer: Callable[[str, dict[str, Any]], None] = field(default=_ignored)
    on_moment: Callable[[int, When], None] = field(default=_ignored)
    recording: list[Recorded] | None = None
    replayed: list[Recorded] = field(default_factory=list)
    after_replay: Callable[[], None] = field(default=_ignored)
    _is_dead: bool = False
    _now: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rewind(self) -> None:
        """Restart the numbering at 1 and remove all injected failures."""
        self.calls.clear()
        self.first_of_runs.clear()
        self.die_at = self.fault_at = None
        self.fails_if = _never
        self.recording = None
        self.replayed = []
        self._is_dead = False

    @property
    def has_no_fault(self) -> bool:
        """Whether every call succeeds, and none is replayed."""
        return (self.fails_if, self.after_replay) == (_never, _ignored) and not (
            self.die_at or self.fault_at or self.recording is not None or self.replayed
        )

    def revive(self) -> None:
        """A new process, without the crash point of the last one."""
        self._is_dead = False
        self.die_at = None

    def start_run(self) -> None:
        """Start an invocation."""
        self.first_of_runs.append(len(self.calls) + 1)
        self.on_moment(len(self.calls) + 1, When.BEFORE)

    def hook_into(self, events: Any) -> None:
        """Route calls through this interceptor instead of directly to moto: of a client, or all of a session."""
        events.unregister("before-send", botocore_stubber)
        events.register("before-parameter-build", self._before_parameters)
        events.register("before-call", self._before_call)
        events.register("before-send", self._before_send)
        events.register("after-call", self._after_call)

    def _before_parameters(self, params: dict[str, Any], event_name: str, **_: Any) -> None:
        self.observer(event_name.partition(".")[2], params)

    # AWS: before-call, then before-send for each attempt of the SDK, then after-call.

    def _before_call(
        self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any
    ) -> Any:
        service = model.service_model.service_id.hyphenize()
        number, old = self._begin(f"{service}.{model.name} {_key_of(params)}".strip())
        context["call"], self._now.call, self._now.attempts = number, number, 0
        if old is None:
            return None
        context["is_replayed"] = True
        return _again(old)

    def _before_send(self, request: Any, event_name: str, **_: Any) -> AWSResponse | None:
        number = self._now.call
        self._now.attempts += 1
        fault = self._fault_of(number)
        if fault in (Fault.THROTTLED, Fault.UNAVAILABLE):
            return _refusal(request, event_name, fault)
        is_repeated = fault is Fault.LOST_ANSWER and self._now.attempts > 1
        if is_repeated and event_name.endswith(_TRANSACTION):
            lost: AWSResponse | None = self._now.lost
            return lost  # DynamoDB knows the token of the SDK; moto does not
        answer = self._transport(request, event_name)
        if fault is Fault.LOST_ANSWER and self._now.attempts == 1:
            self._now.lost = answer
            if answer is None:  # Neither moto nor the queue: over the network to the sandbox.
                URLLib3Session().send(request)
            raise ReadTimeoutError(endpoint_url=request.url)
        return answer

    def _transport(self, request: Any, event_name: str) -> AWSResponse | None:
        _, service, operation = event_name.split(".")
        if service != "sqs":
            answer: AWSResponse | None = botocore_stubber(event_name, request)
            return answer
        if operation == "SendMessageBatch":
            said = self.queue.answer(request.body)
        else:
            said = self.queue.answer_other(operation, request.body)
        return _response(request, 200, json.dumps(said).encode())

    def _after_call(
        self, http_response: Any, parsed: dict[str, Any], context: dict[str, Any], **_: Any
    ) -> None:
        if context.get("is_replayed"):
            return
        number = context["call"]
        if self.recording is not None:
            self.recording.append(_recorded(self.calls[number - 1], http_response, parsed))
        self._end(number)

    # HTTP

    def wrap(self, urlopen: Callable[..., Any]) -> Callable[..., Any]:
        """`HTTPConnectionPool.urlopen` through this interceptor, except for the SDK's own pools."""

        def through(pool: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
            if isinstance(pool, AWSHTTPConnectionPool | AWSHTTPSConnectionPool):
                return urlopen(pool, method, url, *args, **options)
            number, old = self._begin(f"HTTP.{method} {url.partition('?')[0]}")
            preload = options.get("preload_content", True)
            if old is not None:
                return _http_answer(*old.answer, preload=preload)
            fault = self._fault_of(number)
            if fault is Fault.THROTTLED:
                return _http_answer(
                    429, {"Retry-After": "2"}, b'{"error": {"code": 130429}}', preload=preload
                )
            if fault is Fault.UNAVAILABLE:
                return _http_answer(503, {}, b'{"error": {"code": 2}}', preload=preload)
            # Always read completely: a recorded response is returned twice.
            real = urlopen(pool, method, url, *args, **{**options, "preload_content": True})
            answer = (real.status, dict(real.headers), real.data)
            if self.recording is not None:
                self.recording.append(Recorded(self.calls[number - 1], answer))
            if fault is Fault.LOST_ANSWER:
                raise urllib3.exceptions.ReadTimeoutError(pool, url, "the answer was lost")
            self._end(number)
            return _http_answer(*answer, preload=preload)

        return through

    # Both

    def _begin(self, name: str) -> tuple[int, Recorded | None]:
        with self._lock:
            self.calls.append(name)
            number = len(self.calls)
        if self._is_dead or self.die_at == (number, When.BEFORE):
            self._die(name)
        if number <= len(self.replayed):
            old = self.replayed[number - 1]
            assert old.name == name, "the same events and answers must lead to the same calls"
            return number, old
        if self.replayed and number == len(self.replayed) + 1:
            self.after_replay()
        return number, None

    def _end(self, number: int) -> None:
        if self._is_dead or self.die_at == (number, When.AFTER):
            self._die(self.calls[number - 1])
        self.on_moment(number, When.AFTER)

    def _die(self, name: str) -> None:
        # A killed process makes no further call from any thread or `finally`.
        self._is_dead = True
        raise Died(name)

    def _fault_of(self, number: int) -> Fault | None:
        if self.fails_if(self.calls[number - 1]):
            return Fault.UNAVAILABLE
        return self.fault_at[1] if self.fault_at and self.fault_at[0] == number else None


def _key_of(params: dict[str, Any]) -> str:
    """The item or object of a call, for readable names; empty if there is none."""
    if isinstance(params, Request):
        fields = params.parameters
    else:
        body = params.get("body")
        if not isinstance(body, bytes) or not body.startswith(b"{"):
            return str(params.get("url_path", "")).lstrip("/")
        fields = json.loads(body)
    if "TransactItems" in fields:
        (fields,) = fields["TransactItems"][0].values()
    key = fields.get("Key") or fields.get("Item") or {}
    partition = next((name for name in _PARTITION_KEYS if name in key), None)
    if partition is None:
        return ""
    sort = key.get(_SORT_KEYS.get(partition, ""), {"S": ""})["S"]
    return f"{key[partition]['S']} {sort}".strip()


def _recorded(name: str, http_response: Any, parsed: dict[str, Any]) -> Recorded:
    content: bytes | None = None
    if isinstance(parsed.get("Body"), StreamingBody):
        content = parsed["Body"].read()
        parsed["Body"] = StreamingBody(io.BytesIO(content), len(content))
    rest = {name: value for name, value in parsed.items() if name != "Body" or content is None}
    return Recorded(name, (http_response, copy.deepcopy(rest)), content)


def _again(old: Recorded) -> Any:
    http_response, parsed = old.answer
    parsed = copy.deepcopy(parsed)
    if old.body is not None:
        parsed["Body"] = StreamingBody(io.BytesIO(old.body), len(old.body))
    return http_response, parsed


def _refusal(request: Any, event_name: str, fault: Fault) -> AWSResponse:
    """The answer of a service that throttles or fails, in its own protocol."""
    is_throttled = fault is Fault.THROTTLED
    if event_name.startswith("before-send.s3."):
        code = "SlowDown" if is_throttled else "InternalError"
        body = f"<Error><Code>{code}</Code><Message>-</Message></Error>"
        return _response(request, 503 if is_throttled else 500, body.encode())
    code = "ThrottlingException" if is_throttled else "InternalServerError"
    status = 400 if is_throttled else 500
    return _response(request, status, json.dumps({"__type": code, "message": "-"}).encode())


class _Body(io.BytesIO):
    """A body as botocore expects it: bytes in chunks."""

    def stream(self, **_: object) -> Any:
        """The remaining bytes."""
        yield self.read()


def _response(request: Any, status: int, body: bytes) -> AWSResponse:
    headers = HTTPHeaders()
    headers["Content-Length"] = str(len(body))
    return AWSResponse(request.url, status, headers, _Body(body))


def _http_answer(
    status: int, headers: dict[str, str], body: bytes, *, preload: bool
) -> urllib3.HTTPResponse:
    return urllib3.HTTPResponse(
        io.BytesIO(body), headers=headers, status=status, preload_content=preload
    )
