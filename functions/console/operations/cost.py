"""An estimate of a month's cost: units that AWS measured, times list prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from console.operations import prices
from console.operations.deployment import INDEXES, MEMORY_MB, QUEUES
from console.operations.measurements import CloudWatchMetrics, Metric, Period
from console.operations.views import CostLine, CostView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DAY = 86_400
_MILLION = 1_000_000
_GIGABYTE_MB = 1_024
_MEGABYTE = 1_000_000
_DECEMBER = 12
_FEEDS: Final = ("whatsapp", "conversations", "email_threads")
_RECEIVERS: Final = ("whatsapp", "conversations", "richpanel")

type Weighted = Mapping[Metric, float]  # how many units one count of a metric is


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the bill: the sum of its metrics by their weights, in *unit*, at *price* per million."""

    name: str
    unit: str
    price: float
    metrics: Weighted
    is_upper_bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The measured units of a deployment. *tables*: the names of its tables, in the order of `INDEXES`."""

    metrics: CloudWatchMetrics
    stage: str
    tables: tuple[str, ...]

    def shown(self, month: str) -> CostView:
        """Return the estimate of a month, `2026-11`, until now. Raises Unavailable."""
        period = _period(month)
        parts = self._parts()
        conversations, events = (
            self._counters("NewConversations", _FEEDS),
            self._counters("Accepted", _RECEIVERS),
        )
        asked = [metric for part in parts for metric in part.metrics]
        totals = self.metrics.totals([*asked, *conversations, *events], period)
        lines = [_line(part, totals) for part in parts]
        measured = [line.dollars for line in lines if line.dollars is not None]
        dollars = sum(measured) if measured else None
        begun, accepted = _count(conversations, totals), _count(events, totals)
        return CostView(
            month=month,
            until=clock.to_text(int(period.end.timestamp() * clock.SECOND_MS)),
            lines=lines,
            dollars=dollars,
            conversations=begun,
            dollars_per_conversation=_each(dollars, begun),
            events=accepted,
            dollars_per_event=_each(dollars, accepted),
            not_included=list(prices.NOT_INCLUDED),
        )

    def _parts(self) -> list[_Part]:
        seconds = {
            metric: MEMORY_MB[name] / _GIGABYTE_MB / clock.SECOND_MS
            for name in MEMORY_MB
            for metric in [self._of_function("Duration", name)]
        }
        return [
            _Part("DynamoDB writes", "write units", prices.WRITE_UNIT, self._units("ConsumedWriteCapacityUnits")),
            _Part("DynamoDB reads", "read units", prices.READ_UNIT, self._units("ConsumedReadCapacityUnits")),
            _Part("Lambda invocations", "invocations", prices.INVOCATION,
                  _each_once(self._of_function("Invocations", name) for name in MEMORY_MB)),
            _Part("Lambda duration", "GB-seconds", prices.GIGABYTE_SECOND, seconds),
            _Part("API Gateway", "calls", prices.API_CALL, _each_once([self._calls()])),
            # Up to ten messages share a request.
            _Part("SQS", "messages sent, received and deleted, and empty receives", prices.QUEUE_CALL,
                  self._messages(), is_upper_bound=True),
            _Part("CloudWatch Logs", "MB", prices.LOG_MEGABYTE,
                  dict.fromkeys((self._logs(name) for name in MEMORY_MB), 1 / _MEGABYTE)),
        ]  # fmt: skip

    def _units(self, name: str) -> Weighted:
        found = []
        for table, indexes in zip(self.tables, INDEXES.values(), strict=True):
            dimension = ("TableName", table)
            found.append(Metric("AWS/DynamoDB", name, (dimension,)))
            found += [
                Metric("AWS/DynamoDB", name, (dimension, ("GlobalSecondaryIndexName", index)))
                for index in indexes
            ]
        return _each_once(found)

    def _messages(self) -> Weighted:
        names = (
            "NumberOfMessagesSent",
            "NumberOfMessagesReceived",
            "NumberOfMessagesDeleted",
            "NumberOfEmptyReceives",
        )
        return _each_once(
            Metric("AWS/SQS", name, (("QueueName", f"parley-{self.stage}-{queue.name}"),))
            for queue in QUEUES
            for name in names
        )

    def _of_function(self, name: str, function: str) -> Metric:
        return Metric("AWS/Lambda", name, (("FunctionName", f"parley-{self.stage}-{function}"),))

    def _logs(self, function: str) -> Metric:
        group = f"/aws/lambda/parley-{self.stage}-{function}"
        return Metric("AWS/Logs", "IncomingBytes", (("LogGroupName", group),))

    def _calls(self) -> Metric:
        api = (("ApiName", f"parley-{self.stage}"), ("Stage", self.stage))
        return Metric("AWS/ApiGateway", "Count", api)

    def _counters(self, name: str, services: tuple[str, ...]) -> list[Metric]:
        space = f"Parley/{self.stage}"
        return [Metric(space, name, (("service", service),)) for service in services]


def _line(part: _Part, totals: Mapping[Metric, float]) -> CostLine:
    found = [totals[metric] * weight for metric, weight in part.metrics.items() if metric in totals]
    quantity = sum(found) if found else None
    return CostLine(
        part=part.name,
        unit=part.unit,
        quantity=quantity,
        dollars_per_million=part.price,
        dollars=None if quantity is None else quantity * part.price / _MILLION,
        is_upper_bound=part.is_upper_bound,
    )


def _each_once(metrics: Iterable[Metric]) -> Weighted:
    return dict.fromkeys(metrics, 1.0)


def _count(metrics: list[Metric], totals: Mapping[Metric, float]) -> int | None:
    found = [totals[metric] for metric in metrics if metric in totals]
    return round(sum(found)) if found else None


def _each(dollars: float | None, count: int | None) -> float | None:
    return dollars / count if dollars is not None and count else None


def _period(month: str) -> Period:
    year, number = map(int, month.split("-"))
    start = datetime(year, number, 1, tzinfo=UTC)
    end = datetime(year + number // _DECEMBER, number % _DECEMBER + 1, 1, tzinfo=UTC)
    now = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC)
    return Period(start, max(min(end, now), start + timedelta(minutes=1)), _DAY)
