"""Sums of CloudWatch metrics over a period of time. A metric without data has no sum: it is not 0."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

MOST_METRICS_A_CALL = 500  # GetMetricData


class Unavailable(Exception):
    """A service of AWS did not answer, or refused. The text names the part and AWS's code."""

    @classmethod
    def of(cls, part: str, failure: Exception) -> Unavailable:
        """Return the exception for a failed call, and log the failure."""
        facts = describe(failure)
        logger.warning("part unavailable", extra={"part": part, **facts})
        return cls(f"{part}: {facts.get('reason', facts['error'])}")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric with its dimensions, and how it is summed: `Sum`, `SampleCount` or `Maximum`."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...] = ()
    stat: Literal["Sum", "SampleCount", "Maximum"] = "Sum"


@dataclass(frozen=True, slots=True)
class Period:
    """From *start* until before *end*, both UTC, in steps of *step_seconds*."""

    start: datetime
    end: datetime
    step_seconds: int


@dataclass(frozen=True, slots=True)
class CloudWatchMetrics:
    """The metrics of this account and region. *client* returns the client, with short timeouts."""

    client: Callable[[], Any]  # the development environment has no stubs of CloudWatch

    def totals(self, metrics: Iterable[Metric], period: Period) -> Mapping[Metric, float]:
        """
        Return the total of each metric that has data; of a `Maximum` the highest value. Raises Unavailable.

        CloudWatch bills $0.01 for 1,000 metrics.
        """
        found: dict[Metric, float] = {}
        for group in batched(dict.fromkeys(metrics), MOST_METRICS_A_CALL, strict=False):
            found |= self._totals(group, period)
        return found

    def _totals(self, group: Sequence[Metric], period: Period) -> dict[Metric, float]:
        found: dict[Metric, float] = {}
        try:
            pages = (
                self.client()
                .get_paginator("get_metric_data")
                .paginate(
                    MetricDataQueries=[
                        _query(number, metric, period) for number, metric in enumerate(group)
                    ],
                    StartTime=period.start,
                    EndTime=period.end,
                )
            )
            for page in pages:
                for result in page["MetricDataResults"]:
                    if result.get("StatusCode") in {"Forbidden", "InternalError"}:
                        raise Unavailable(f"CloudWatch: {result['StatusCode']}")
                    metric = group[int(result["Id"].removeprefix("m"))]
                    if result["Values"]:
                        found[metric] = _combined(
                            metric, [*result["Values"], *_known(found, metric)]
                        )
        except (ClientError, BotoCoreError) as failure:
            raise Unavailable.of("CloudWatch", failure) from None
        return found


def _known(found: Mapping[Metric, float], metric: Metric) -> list[float]:
    return [found[metric]] if metric in found else []


def _combined(metric: Metric, values: Iterable[float]) -> float:
    return max(values) if metric.stat == "Maximum" else sum(values)


def _query(number: int, metric: Metric, period: Period) -> Any:  # noqa: ANN401 - a dictionary of the SDK
    return {
        "Id": f"m{number}",
        "MetricStat": {
            "Metric": {
                "Namespace": metric.namespace,
                "MetricName": metric.name,
                "Dimensions": [{"Name": name, "Value": value} for name, value in metric.dimensions],
            },
            "Period": period.step_seconds,
            "Stat": metric.stat,
        },
    }
