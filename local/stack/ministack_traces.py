"""
A patch of MiniStack: it writes the segment of each invocation, as the Lambda service does.

MiniStack starts a trace per invocation and gives its header to the function, but writes no segments. Batches of a queue
are left out: their messages belong to the traces of their senders, and nothing refers to the batch's own trace.
Unlike on AWS, the authorizer and the function behind it have a trace each.
"""

import json
import os
import socket
import time
from typing import Any

from ministack.core.lambda_runtime import Worker

_FORMAT = '{"format": "json", "version": 1}\n'
_invoke = Worker.invoke


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


def install() -> None:
    """Replace MiniStack's own function."""
    Worker.invoke = invoke
