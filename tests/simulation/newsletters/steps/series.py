"""Steps of series: one that drafts a newsletter each Friday, and the time of its runs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from newsletters.store import series
from shared.aws.dynamodb import Table
from tests.simulation.newsletters.steps.issues import SENDER, made_list
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from newsletters.store.items import Series
    from tests.simulation.newsletters.system import System

ALL: Final = "/newsletters/series"
FRIDAYS: Final = {
    "title": "What the week taught us",
    "newsletter": {"target_audience": ["field_staff"], "length_preference": "short"},
    "selected_types": ["research_findings", "Policy Updates"],
    "rule": {"unit": "weeks", "weekdays": [5], "time": "09:00"},
    "timezone": "Europe/Berlin",
}
FIRST: Final = "2026-01-02T08:00"  # UTC


def fields_of_issue(system: System) -> dict[str, Any]:
    return {
        "list_ids": [made_list(system)],
        "sender": SENDER,
        "sender_name": "The Shop",
        "postal_address": "1 Mill Lane, Leeds",
        "permission_line": "You get this mail because you asked for it.",
    }


def begun(system: System, *, with_issue: bool = False, **more: Any) -> None:
    """A person makes the series."""
    issue = {"issue": fields_of_issue(system)} if with_issue else {}
    system.act("POST", ALL, {**FRIDAYS, **issue, **more}, key="series")


def one(system: System) -> Series:
    (found,) = series.of_company(Table(system.dynamodb, system.table), COMPANY)
    return found


def path(system: System) -> str:
    return f"{ALL}/{one(system).series_id}"


def at(system: System, moment: str) -> None:
    """A moment (UTC) comes, and the schedule and the workers run until the present run has ended."""
    system.clock.ms = int(datetime.fromisoformat(f"{moment}Z").timestamp() * 1_000)
    system.run_schedule()
    system.settle(is_over=lambda: one(system).run is None and is_idle(system))


def is_idle(system: System) -> bool:
    """Whether only the next run of the series is open."""
    return system.fifo_queues.is_empty and len(system.open_work()) <= 1


def runs(system: System) -> list[tuple[str, str]]:
    """The ended runs, oldest first: planned date and state."""
    return [(run.planned, run.state.value) for run in one(system).runs]
