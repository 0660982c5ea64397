"""
Logs and metrics of all functions: JSON lines through one redaction filter, metrics in the same stream (EMF).

What an exception says can hold anything a customer wrote (a parser's message shows its input, an SDK's the whole item).
So a log line names the exception's type and the lines of code it passed; its text only where we wrote it ourselves.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger, Metrics, single_metric
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from shared.failures import Permanent, Transient
from shared.redaction import redacted

if TYPE_CHECKING:
    from aws_lambda_powertools.logging.types import PowertoolsLogRecord

# Ids of providers and of AWS: the way to follow one message. They are digits in part and would look like phone numbers.
_IDS = frozenset(
    {
        "correlation_id",
        "principal",  # the id of an API key
        "function_request_id",
        "xray_trace_id",
        "timestamp",
        "location",
        "function_arn",
    }
)
_FRAMES = 6


class _Redacting(LambdaPowertoolsFormatter):
    """Writes each line with every text of it redacted."""

    def serialize(self, log: dict[str, Any] | PowertoolsLogRecord) -> str:
        """Turn one log record into its line of JSON."""
        clean: dict[str, Any] = {}
        for key, value in log.items():
            try:
                clean[key] = redacted(value, key, _IDS)
            except Exception:  # noqa: BLE001 - whatever failed, what it should have looked at must not get out
                _count_failure()
        if any(clean[key] != log.get(key) for key in clean):
            _count_hit()
        return super().serialize(clean)


def _count_hit() -> None:
    """
    Count a line that would have shown something: some code logs what it should not, and the filter may miss the next.

    In a line of its own, since not every function that logs flushes metrics.
    """
    service = {"service": str(logger.service)}
    with single_metric("RedactionHits", MetricUnit.Count, 1, default_dimensions=service):
        pass


def _count_failure() -> None:
    """Count a field that was left out of a line, because the filter failed at it."""
    service = {"service": str(logger.service)}
    with single_metric("RedactionFailed", MetricUnit.Count, 1, default_dimensions=service):
        pass


logger = Logger(logger_formatter=_Redacting(), stream=sys.stdout)
metrics = Metrics()


def describe(error: BaseException) -> dict[str, Any]:
    """
    What a log line may say of an exception: `error` (its type), `reason` (our own words, or AWS's code) and `at`.

    `at` lists the newest frames of the traceback as `file:line function`.
    """
    said: dict[str, Any] = {"error": type(error).__name__}
    if isinstance(error, Permanent | Transient):
        said["reason"] = error.reason
    elif isinstance(error, ClientError):
        # Of an answer without a body that can be read, botocore makes an error without a code.
        code = error.response.get("Error", {}).get("Code", "no code")
        said["reason"] = f"{error.operation_name}: {code}"
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    said["at"] = [
        f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames
    ]
    return said
