"""Response models of due times and of reports about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store.deadlines import service_levels
from email_threads.store.items.threads.service_level import TargetName, TargetState
from shared.api.models.views import View

if TYPE_CHECKING:
    from email_threads.store.items import Thread
    from email_threads.store.items.threads.service_level import ServiceLevelDay, Target


class TargetView(View):
    """
    A target of a thread. `state`: open, met, overdue (not reached by `due_at`) or late (reached after it).

    The alarm before a breach is at `alarm_at`. `running` is false while the thread waits for the customer or is closed.
    """

    due_at: str
    alarm_at: str
    state: TargetState
    running: bool
    reached_at: str | None = None


class ServiceLevelView(View):
    """The targets of a thread since the customer's mail of `started_at`, which opened or reopened it."""

    started_at: str
    first_response: TargetView | None = None
    resolution: TargetView | None = None


class ServiceLevelDayView(View):
    """
    Counts of a day. A met target counts on the day of the answer, a breach on the day of the due time.

    `questions_asked` and `score_1` to `score_5` are of the question how satisfied customers are.
    """

    date: str
    first_response_met: int
    first_response_breached: int
    resolution_met: int
    resolution_breached: int
    questions_asked: int
    score_1: int
    score_2: int
    score_3: int
    score_4: int
    score_5: int


class ServiceLevelReport(View):
    """The days of a period with counts, in the time zone of the mailbox's business hours."""

    days: list[ServiceLevelDayView]


def of_thread(thread: Thread) -> ServiceLevelView | None:
    """Show the targets of a thread; None without any."""
    level = thread.service_level
    if level is None:
        return None
    running = service_levels.running(thread)
    shown = {
        name: _target(target, running=name in running) for name, target in level.targets.items()
    }
    return ServiceLevelView(
        started_at=level.started_at,
        first_response=shown.get(TargetName.FIRST_RESPONSE),
        resolution=shown.get(TargetName.RESOLUTION),
    )


def of_day(day: ServiceLevelDay) -> ServiceLevelDayView:
    """Show the counts of a day."""
    counts = day.model_dump(include=set(ServiceLevelDayView.model_fields) - {"date"})
    return ServiceLevelDayView(
        date=day.date, **{name: int(count) for name, count in counts.items()}
    )


def _target(target: Target, *, running: bool) -> TargetView:
    return TargetView(
        due_at=target.due_at,
        alarm_at=target.alarm_at,
        state=target.state,
        running=running,
        reached_at=target.reached_at,
    )
