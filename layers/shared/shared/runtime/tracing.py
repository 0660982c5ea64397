"""
Traces of queue workers and APIs: one trace leads from a webhook through all queues to the reply.

Lambda starts a trace for each invocation and writes the segment of the function; `shared.aws.sqs_fifo` sends the trace
header beside each message. The invocation for a batch of messages has a separate trace, which X-Ray only links to
theirs. So `record` handles each message in the trace of its sender.

Only this module uses Powertools Tracer, and no ingress function imports it: the X-Ray SDK costs 20 to 45 ms of CPU,
and loads at the first sampled trace. Nothing is patched, since the SDK records URLs; exceptions are recorded by type
and by the reason of Parley's code, since their texts can contain customers' data. A failure of the SDK is logged and
changes nothing else.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Tracer

from shared.runtime import trace_header
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@cache
def recorder() -> Any:  # noqa: ANN401 - the SDK has no types, and is absent where tracing is off
    """
    Return X-Ray's recorder; None, without importing the SDK, outside Lambda and where the template turns it off.

    Imports the SDK at the first call, which only a sampled trace makes: X-Ray samples few of the traces under load.
    """
    is_off = os.environ.get("POWERTOOLS_TRACE_DISABLED", "false") == "true"
    if is_off or "LAMBDA_TASK_ROOT" not in os.environ:
        return None
    return Tracer(auto_patch=False).provider


_FUNCTION = os.environ.get("AWS_LAMBDA_FUNCTION_NAME", "function")


@contextmanager
def record(header: str | None, **annotations: str | int | None) -> Iterator[None]:
    """
    Handle a queue message, within the block, in the trace of its sender: *header* is its AWSTraceHeader attribute.

    The environment variable of the invocation names that trace meanwhile, and is restored afterwards: inside Lambda,
    X-Ray's SDK takes the trace from there only. The log lines and the messages sent by the block follow it too. The SDK
    keeps its segment as long as the trace id stays the same, so its context is cleared: two messages of one trace have
    different parents. Without a valid *header* the message belongs to the trace of the invocation.
    """
    before = os.environ.get(trace_header.VARIABLE)
    _set(trace_header.following(header) or before)
    _forget()
    try:
        with step(_FUNCTION, **annotations):
            yield
    finally:
        _set(before)
        _forget()


@contextmanager
def step(name: str, **annotations: str | int | None) -> Iterator[None]:
    """
    Run the block as a subsegment of the current trace; a queue message that it sends belongs to this subsegment.

    *annotations* are codes and hashes, never content, addresses or names; values of None are left out. An exception of
    the block marks the step as failed, with the exception's loggable facts, and propagates.
    """
    header = trace_header.current()
    if header is None or not trace_header.is_sampled() or recorder() is None:
        yield
        return
    open_steps = ExitStack()
    before = os.environ.get(trace_header.VARIABLE)
    with _harmless():
        segment = open_steps.enter_context(recorder().in_subsegment(name))
        _set(trace_header.below(header, segment.id))
    annotate(context=str(logger.service), **annotations)
    try:
        yield
    except BaseException as failure:
        _failed(failure)
        raise
    finally:
        _set(before)
        with _harmless():
            open_steps.close()  # Without the exception, whose text the SDK would record.


def annotate(**annotations: str | int | None) -> None:
    """Annotate the current step, as in `step`. Values of None are left out."""
    if not trace_header.is_sampled() or recorder() is None:
        return
    with _harmless():
        for name, value in annotations.items():
            if value is not None:
                recorder().put_annotation(name, value)


def describe_step(facts: Mapping[str, Any]) -> None:
    """Add *facts*, as in `step`, to the current step under names that annotations cannot have, such as with dots."""
    if not trace_header.is_sampled() or recorder() is None:
        return
    with _harmless():
        for name, value in facts.items():
            recorder().put_metadata(name, value)


class Failed(Exception):
    """Stands in a trace for an exception: only its type is shown."""


def _failed(failure: BaseException) -> None:
    facts = describe(failure)
    annotate(outcome="failed", error=facts["error"], reason=facts.get("reason"))
    with _harmless():
        recorder().current_subsegment().add_exception(Failed(facts["error"]), [])


def _forget() -> None:
    # Steps of a trace that is not sampled leave nothing behind.
    if trace_header.is_sampled() and recorder() is not None:
        with _harmless():
            recorder().clear_trace_entities()


def _set(header: str | None) -> None:
    if header is None:
        os.environ.pop(trace_header.VARIABLE, None)
    else:
        os.environ[trace_header.VARIABLE] = header


@contextmanager
def _harmless() -> Iterator[None]:
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - a failure of the SDK must not change the outcome of a record
        logger.warning("tracing failed", extra=describe(failure))
