"""
Logs and metrics of all functions: JSON lines through one redaction filter, metrics in the same stream (EMF).

Exception messages can contain customer text (a parser's message shows its input, an SDK's the whole item). So a log
line contains the exception's type and its stack frames, and its text only if our own code wrote it.
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

# Ids of providers and of AWS, needed to trace a message. They contain digits and would look like phone numbers.
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
    """Formats each line with every text in it redacted."""

    def serialize(self, log: dict[str, Any] | PowertoolsLogRecord) -> str:
        """Serialise one log record as a line of JSON."""
        clean: dict[str, Any] = {}
        for key, value in log.items():
            try:
                clean[key] = redacted(value, key, _IDS)
            except Exception:  # noqa: BLE001 - after any failure, the unredacted value must not be logged
                _count_failure()
        if any(clean[key] != log.get(key) for key in clean):
            _count_hit()
        return super().serialize(clean)


def _count_hit() -> None:
    """
    Count a line with redacted content: some code logs data that it should not, and the filter may miss the next case.

    Written as a separate line, since not every function that logs flushes metrics.
    """
    service = {"service": str(logger.service)}
    with single_metric("RedactionHits", MetricUnit.Count, 1, default_dimensions=service):
        pass


def _count_failure() -> None:
    """Count a field omitted from a line because the filter failed on it."""
    service = {"service": str(logger.service)}
    with single_metric("RedactionFailed", MetricUnit.Count, 1, default_dimensions=service):
        pass


logger = Logger(logger_formatter=_Redacting(), stream=sys.stdout)
metrics = Metrics()


def describe(error: BaseException) -> dict[str, Any]:
    """
    Return the loggable facts of an exception: `error` (its type), `reason` (our own code, or AWS's) and `at`.

    `at` lists the newest frames of the traceback as `file:line function`.
    """
    facts: dict[str, Any] = {"error": type(error).__name__}
    if isinstance(error, Permanent | Transient):
        facts["reason"] = error.reason
    elif isinstance(error, ClientError):
        # If the response body cannot be parsed, botocore creates an error without a code.
        code = error.response.get("Error", {}).get("Code", "no code")
        facts["reason"] = f"{error.operation_name}: {code}"
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    facts["at"] = [
        f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames
    ]
    return facts
