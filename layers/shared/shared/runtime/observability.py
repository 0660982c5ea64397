"""
Logs and metrics of all functions: JSON lines through one redaction filter, metrics in the same stream (EMF).

Exception messages can contain customer text (a parser's message shows its input, an SDK's the whole item). So a log
line contains the exception's type and its stack frames, and its text only if our own code wrote it.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools import Logger, Metrics, single_metric
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import MetricResolution, MetricUnit
from aws_lambda_powertools.metrics.functions import is_metrics_disabled
from botocore.exceptions import ClientError

from shared.runtime.failures import Permanent, Transient
from shared.runtime.redaction import redacted

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
        "gen_ai.request.model",  # the id of a model, with a date in it
    }
)
_FRAMES = 6

# The conditions that operators must see: the counter that an alarm of stacks/monitoring.yaml watches, and the weight of
# one occurrence. The alarm is raised when the weights of five minutes reach 1. A metric of the same name counts, too.
NOW: Final = "AttentionNow"
SOON: Final = "AttentionSoon"
REJECTED: Final = "RequestsRejected"
CONDITIONS: Final[dict[str, tuple[str, float]]] = {
    "AccountAlert": (NOW, 1),
    "DeadLetters": (NOW, 1),
    "Drift": (NOW, 1),
    "FlowBlocked": (NOW, 1),
    "Parked": (NOW, 1),
    "QualityRed": (NOW, 1),
    "RedactionFailed": (NOW, 1),
    "ReplyFailed": (NOW, 1),
    "SecretEmpty": (NOW, 1),
    "SendDoubled": (NOW, 1),
    "SendUnknown": (NOW, 1),
    "SentWhileOff": (NOW, 1),
    "AuditFailed": (SOON, 1),
    "CampaignsLate": (SOON, 0.1),
    "ConfigurationInvalid": (SOON, 1),
    "ConsentsUnreadable": (SOON, 1),
    "FeedLate": (SOON, 1),
    "FilesLate": (SOON, 0.1),
    "GapCheckFailed": (SOON, 1),
    "HelpDeskRefused": (SOON, 0.5),
    "JobLate": (SOON, 1),
    "ModelFailed": (SOON, 0.2),
    "ModelFailure": (SOON, 0.5),
    "ScheduleLate": (SOON, 1),
    "SendInDoubt": (SOON, 1),
    "SenderLimitReached": (SOON, 0.05),
    "SpendingLimitReached": (SOON, 1),
    "SpendingWarned": (SOON, 1),
    "StepRefused": (SOON, 1),
    "SweepFound": (SOON, 0.5),
    "SweepIncomplete": (SOON, 1),
    "SwitchesUnreadable": (SOON, 1),
    "TableFailed": (SOON, 1),
    "TableThrottled": (SOON, 1),
    "Unmatched": (SOON, 0.05),
    "SignatureRejected": (REJECTED, 1),
}


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
    count_condition("RedactionFailed")


def count_condition(condition: str, times: float = 1) -> None:
    """
    Count one of CONDITIONS in the counter that an alarm watches, in a separate line that names the condition.

    All contexts share a counter, as CloudWatch bills an alarm for each metric; `context` and `condition` are properties
    of the line, which cost nothing and which a query of the logs finds.
    """
    if is_metrics_disabled():  # an operator's command, whose output the line would disturb
        return
    counter, weight = CONDITIONS[condition]
    shared = {"service": "all"}
    with single_metric(
        counter, MetricUnit.Count, times * weight, default_dimensions=shared
    ) as line:
        line.add_metadata("condition", condition)
        line.add_metadata("context", str(logger.service))


class _CountingConditions(Metrics):
    """Metrics that also count the conditions among them."""

    def add_metric(
        self,
        name: str,
        unit: MetricUnit | str,
        value: float,
        resolution: MetricResolution | int = 60,
    ) -> None:
        """Add a metric to the run's line and, if it is a condition and not 0, to the counter of its alarm."""
        super().add_metric(name, unit, value, resolution)
        if value and name in CONDITIONS:
            count_condition(name, value)


logger = Logger(logger_formatter=_Redacting(), stream=sys.stdout)
metrics = _CountingConditions()


def write_metrics() -> None:
    """Write the metrics of a run that may have none; `log_metrics` warns about such a run."""
    if metrics.metric_set:
        metrics.flush_metrics()


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
