"""
The conservation account: no accepted event is lost. Counted by the functions, summed by CloudWatch.

    accepted + put back = stored + duplicate + parked + other + waiting + dead letters

Only `whatsapp` and `richpanel` count each accepted event exactly once at its end. In the other contexts one event
becomes several records, each of which is counted, so that both sides have other units.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING, Final

from console.operations.deployment import QUEUES
from console.operations.inputs import today
from console.operations.measurements import Metric, Period, Unavailable
from console.operations.views import AccountView, ConservationView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from console.operations.inputs import DaysQuery
    from console.operations.measurements import CloudWatchMetrics
    from console.operations.queues import Queues

_HOUR = 3_600
_NOT_COMPARABLE: Final = "one event becomes several records, and each record is counted"
_NOT_ACCEPTED: Final = "events are not counted when they are accepted; each record is counted"
_PAST: Final = "the period is over: what waited at its end is not known"
_NOTHING: Final = "nothing was counted"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """The metrics of a context (dimension `service`). *queues*: SQS drops their repeats; with waiting messages."""

    accepted: tuple[str, ...] = ("Accepted",)
    stored: tuple[str, ...] = ("Persisted",)
    duplicate: tuple[str, ...] = ("Duplicate",)
    other: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    dead_letters: tuple[str, ...] = ()
    remark: str | None = None


_ACCOUNTS: Final = {
    "whatsapp": _Account(
        queues=("whatsapp.fifo",),
        dead_letters=("whatsapp-dead-letters.fifo",),
    ),
    "richpanel": _Account(
        accepted=("Accepted", "SweepEnqueued"),
        stored=("Processed",),
        other=("Erased",),
        queues=("richpanel.fifo", "richpanel-live.fifo"),
        dead_letters=("richpanel-dead-letters.fifo",),
    ),
    "conversations": _Account(stored=(), duplicate=(), remark=_NOT_COMPARABLE),
    "email_threads": _Account(accepted=(), other=("Ignored",), remark=_NOT_ACCEPTED),
    "newsletters": _Account(accepted=(), duplicate=(), other=("Ignored",), remark=_NOT_ACCEPTED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conservation:
    """The accounts of a deployment."""

    metrics: CloudWatchMetrics
    queues: Queues
    namespace: str  # of the functions' metrics: Parley/{stage}

    def shown(self, query: DaysQuery) -> ConservationView:
        """Return the accounts of all contexts over these days. Raises Unavailable."""
        asked = [
            metric for context in _ACCOUNTS for metric in self._metrics(context) if metric.name
        ]
        totals = self.metrics.totals(asked, _period(query.first_day, query.last_day))
        is_now = query.last_day >= today()
        return ConservationView(
            first_day=str(query.first_day),
            last_day=str(query.last_day),
            accounts=[self._account(context, totals, is_now=is_now) for context in _ACCOUNTS],
        )

    def _account(
        self, context: str, totals: Mapping[Metric, float], *, is_now: bool
    ) -> AccountView:
        account = _ACCOUNTS[context]

        def count(names: tuple[str, ...]) -> int | None:
            return _sum(totals, [self._counter(context, name) for name in names])

        dropped = _sum(totals, self._dropped(account))
        duplicate = count(account.duplicate)
        accepted, put_back = count(account.accepted), count(("Replayed",))
        ends = [
            count(account.stored),
            _added(duplicate, dropped),
            count(("Parked",)),
            count(account.other),
        ]
        waiting, dead_letters = None, None
        if account.remark is None and is_now:
            waiting, dead_letters = self._depth(account.queues), self._depth(account.dead_letters)
        remark = account.remark or _remark(accepted, ends, waiting, dead_letters, is_now=is_now)
        difference = None
        if account.remark is None and remark != _NOTHING:
            handled = sum(end or 0 for end in (*ends, waiting, dead_letters))
            difference = (accepted or 0) + (put_back or 0) - handled
        return AccountView(
            context=context,
            accepted=accepted,
            put_back=put_back,
            stored=ends[0],
            duplicate=ends[1],
            parked=ends[2],
            other=ends[3],
            waiting=waiting,
            dead_letters=dead_letters,
            difference=difference,
            remark=remark,
        )

    def _metrics(self, context: str) -> list[Metric]:
        account = _ACCOUNTS[context]
        names = (*account.accepted, *account.stored, *account.duplicate, *account.other)
        counters = [self._counter(context, name) for name in (*names, "Parked", "Replayed")]
        return counters + self._dropped(account)

    def _counter(self, context: str, name: str) -> Metric:
        return Metric(self.namespace, name, (("service", context),))

    def _dropped(self, account: _Account) -> list[Metric]:
        """Return the counters of messages that SQS dropped, since their id was used in the last five minutes."""
        return [
            Metric(
                "AWS/SQS",
                "NumberOfDeduplicatedSentMessages",
                (("QueueName", self.queues.name(queue)),),
            )
            for queue in QUEUES
            if queue.name in account.queues
        ]

    def _depth(self, names: tuple[str, ...]) -> int | None:
        """Return the number of messages in these queues now, None if it cannot be read."""
        try:
            return sum(sum(self.queues.depth(queue)) for queue in QUEUES if queue.name in names)
        except Unavailable:
            return None


def _remark(
    accepted: int | None,
    ends: list[int | None],
    waiting: int | None,
    dead_letters: int | None,
    *,
    is_now: bool,
) -> str | None:
    if accepted is None and all(end is None for end in ends):
        return _NOTHING
    if not is_now:
        return _PAST
    if waiting is None or dead_letters is None:
        return "the queues could not be read"
    return None


def _sum(totals: Mapping[Metric, float], metrics: list[Metric]) -> int | None:
    found = [totals[metric] for metric in metrics if metric in totals]
    return round(sum(found)) if found else None


def _added(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _period(first_day: date, last_day: date) -> Period:
    start = datetime.combine(first_day, time_of_day.min, UTC)
    return Period(
        start, datetime.combine(last_day + timedelta(days=1), time_of_day.min, UTC), _HOUR
    )
