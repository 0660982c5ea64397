"""
Patches of MiniStack for traces: the segment of each invocation, and the system attributes of messages sent in batches.

MiniStack starts a trace per invocation and gives its header to the function, but writes no segments as Lambda does. It
gives AWSTraceHeader to a queue's function, but loses it in SendMessageBatch. Segments of invocations by a queue are not
written: messages belong to the traces of their senders, and nothing refers to the batch's own. Unlike on AWS, the
authorizer and the function behind it have a trace each.
"""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from ministack.core.lambda_runtime import Worker
from ministack.services import sqs

_FORMAT = '{"format": "json", "version": 1}\n'
_invoke = Worker.invoke
_send_message, _send_message_batch = sqs._act_send_message, sqs._act_send_message_batch
# The system attributes of the entries of a batch that are still to be sent, one by one in their order.
_rest_of_batch: ContextVar[Iterator[Any] | None] = ContextVar("rest_of_batch", default=None)


def invoke(
    worker: Worker, event: object, request_id: str, *, trace_id: str | None = None, **given: object
) -> dict[str, Any]:
    """Invoke the function and send its segment to the collector."""
    began = time.time()
    result: dict[str, Any] = _invoke(worker, event, request_id, trace_id=trace_id, **given)
    if trace_id and not _is_batch(event):
        header = dict(part.split("=", 1) for part in trace_id.split(";"))
        _send(
            {
                "name": worker.config["FunctionName"],
                "origin": "AWS::Lambda::Function",
                "trace_id": header["Root"],
                "id": header["Parent"],
                "start_time": began,
                "end_time": time.time(),
                "fault": result.get("status") != "ok",
            }
        )
    return result


def _is_batch(event: object) -> bool:
    records = event.get("Records") if isinstance(event, dict) else None
    return bool(records and records[0].get("eventSource") == "aws:sqs")


def _send(segment: dict[str, Any]) -> None:
    host, port = os.environ["AWS_XRAY_DAEMON_ADDRESS"].split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto((_FORMAT + json.dumps(segment)).encode(), (host, int(port)))


def send_message(request: dict[str, Any], url: str) -> dict[str, Any]:
    """Send one message, or one of the batch that `send_message_batch` is sending."""
    rest = _rest_of_batch.get()
    attributes = {} if rest is None else {"MessageSystemAttributes": next(rest)}
    sent: dict[str, Any] = _send_message(request | attributes, url)
    return sent


def send_message_batch(request: dict[str, Any], url: str) -> dict[str, Any]:
    """Send a batch. MiniStack sends each entry by `send_message`, without its system attributes."""
    entries = request.get("Entries", [])
    before = _rest_of_batch.set(iter([entry.get("MessageSystemAttributes") for entry in entries]))
    try:
        sent: dict[str, Any] = _send_message_batch(request, url)
        return sent
    finally:
        _rest_of_batch.reset(before)


def install() -> None:
    """Replace MiniStack's own functions."""
    Worker.invoke = invoke
    sqs._act_send_message = send_message
    sqs._HANDLERS |= {"SendMessage": send_message, "SendMessageBatch": send_message_batch}
