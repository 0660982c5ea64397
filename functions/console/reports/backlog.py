"""Counts the conversations that are open now by age, from the list of open ones."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from console.reports.views import Backlog, BacklogReport
from shared.inbox.lists import entry_lists
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.reports.inputs import BacklogQuery
    from shared.aws.dynamodb import Table
    from shared.inbox.items import Channel, Context, Entry, Status

MOST_OPEN: Final = 5_000  # conversations of one report: about 300 read units
_PAGE: Final = 500
BOUNDS: Final = tuple(days * clock.DAY_SECONDS for days in (1, 3, 7, 30))
_OPEN: Final[tuple[Status, ...]] = ("open", "snoozed")


def backlog(
    table: Table, company: str, query: BacklogQuery, is_readable: Callable[[Entry], bool]
) -> BacklogReport:
    """Return the open conversations that the caller may read, by context and channel: of the newest MOST_OPEN."""
    both = [True, False]
    if query.assignee is not None:
        listed = entry_lists.of_assignee(company, query.assignee, _OPEN, both)
    else:
        listed = entry_lists.of_company(table, company, _OPEN, both)
    entries = entry_lists.entries(table, listed, limit=_PAGE)
    now_ms = clock.now_ms()
    found: dict[tuple[Context, Channel], Backlog] = {}
    for entry in islice(entries, MOST_OPEN):
        is_asked = query.context in {None, entry.context} and query.channel in {None, entry.channel}
        if is_asked and is_readable(entry):
            _add(found, entry, now_ms)
    return BacklogReport(
        bounds=list(BOUNDS),
        backlog=[found[key] for key in sorted(found)],
        complete=next(entries, None) is None,
    )


def _add(found: dict[tuple[Context, Channel], Backlog], entry: Entry, now_ms: int) -> None:
    classes = [0] * (len(BOUNDS) + 1)
    part = found.setdefault(
        (entry.context, entry.channel),
        Backlog(
            context=entry.context,
            channel=entry.channel,
            open=0,
            by_age=classes,
            waiting=0,
            by_wait=[*classes],
        ),
    )
    opened = entry.round.opened if entry.round else clock.from_text(entry.last_activity_at)
    part.open += 1
    part.by_age[_class_of(now_ms - opened)] += 1
    if entry.waiting_since is not None:
        part.waiting += 1
        part.by_wait[_class_of(now_ms - clock.from_text(entry.waiting_since))] += 1


def _class_of(age_ms: int) -> int:
    age = age_ms // clock.SECOND_MS
    return next((n for n, bound in enumerate(BOUNDS) if age < bound), len(BOUNDS))
