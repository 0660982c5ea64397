"""The depths and ages of all queues."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.deployment import QUEUES, Queue
from console.operations.measurements import CloudWatchMetrics, Metric, Period, Unavailable
from console.operations.views import QueuesView, QueueView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_sqs import SQSClient

# SQS reports an age each minute, with a delay.
_AGES = timedelta(minutes=5)
_MINUTE = 60
_WAITING: Final = "ApproximateNumberOfMessages"
_IN_FLIGHT: Final = "ApproximateNumberOfMessagesNotVisible"
_DELAYED: Final = "ApproximateNumberOfMessagesDelayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queues:
    """The queues of a deployment. *first_url* is the URL of one of them: all have the same account and region."""

    client: Callable[[], SQSClient]
    metrics: CloudWatchMetrics
    first_url: str
    stage: str

    def shown(self) -> QueuesView:
        """Return all queues. What cannot be read is null, with the problem."""
        problem: str | None = None
        ages: Mapping[Queue, float] = {}
        try:
            ages = self._ages()
        except Unavailable as unavailable:
            problem = str(unavailable)
        return QueuesView(
            queues=[self._view(queue, ages.get(queue)) for queue in QUEUES], ages_problem=problem
        )

    def depth(self, queue: Queue) -> tuple[int, int, int]:
        """Return the numbers of messages that wait, are in flight and are delayed. Raises Unavailable."""
        url = f"{self.first_url.rpartition('/')[0]}/{self.name(queue)}"
        try:
            found = self.client().get_queue_attributes(
                QueueUrl=url, AttributeNames=[_WAITING, _IN_FLIGHT, _DELAYED]
            )["Attributes"]
        except (ClientError, BotoCoreError) as failure:
            raise Unavailable.of("SQS", failure) from None
        return int(found[_WAITING]), int(found[_IN_FLIGHT]), int(found[_DELAYED])

    def name(self, queue: Queue) -> str:
        """Return the name of a queue in this stage."""
        return f"parley-{self.stage}-{queue.name}"

    def _view(self, queue: Queue, oldest_seconds: float | None) -> QueueView:
        problem, waiting, in_flight, delayed = None, None, None, None
        try:
            waiting, in_flight, delayed = self.depth(queue)
        except Unavailable as unavailable:
            problem = str(unavailable)
        is_empty = waiting == in_flight == delayed == 0
        return QueueView(
            name=queue.name,
            context=queue.context,
            is_dead_letters=queue.is_dead_letters,
            waiting=waiting,
            in_flight=in_flight,
            delayed=delayed,
            # The metric is some minutes late: an empty queue has no oldest message.
            oldest_seconds=None if oldest_seconds is None or is_empty else int(oldest_seconds),
            problem=problem,
        )

    def _ages(self) -> Mapping[Queue, float]:
        metrics = {queue: self._age(queue) for queue in QUEUES}
        end = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC)
        totals = self.metrics.totals(metrics.values(), Period(end - _AGES, end, _MINUTE))
        return {queue: totals[metric] for queue, metric in metrics.items() if metric in totals}

    def _age(self, queue: Queue) -> Metric:
        named = (("QueueName", self.name(queue)),)
        return Metric("AWS/SQS", "ApproximateAgeOfOldestMessage", named, "Maximum")
