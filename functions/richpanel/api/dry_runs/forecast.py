"""
The report before going live: what dry run has decided in the last days, and how that compares with what people did.

Reads the list of decisions of each day, newest first and at most MOST_READ, and the present state of a few tickets.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from richpanel.api.dry_runs.ticket_snapshots import NotSetUp
from richpanel.api.views import ComparedView, ForecastLine, ForecastView
from richpanel.store import audits
from richpanel.store.items import AuditAction, DecisionOutcome
from richpanel.store.rate_limit import Priority
from richpanel.worker.audit import WOULD
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from richpanel.api.access import ApiDependencies
    from richpanel.api.inputs import ForecastQuery

MOST_READ: Final = 2_000  # decisions of a report, below 1 KB each: 250 read units
_READ_AT_ONCE: Final = 200
_UNKNOWN: Final = "unknown"  # decided before dry run stored what it would have done


@dataclass(slots=True)
class _Line:
    """The decisions of dry run on one intent: by the outcome that each would have had, reason of no reply, and team."""

    would: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    teams: Counter[str] = field(default_factory=Counter)


def made(deps: ApiDependencies, query: ForecastQuery, deadline_ms: int) -> ForecastView:
    """Return the report. Raises NotSetUp if tickets are to be compared and no key of the help desk is set up."""
    lines: dict[str, _Line] = {}
    newest: dict[str, str] = {}
    read = decided = 0
    for row in _rows(deps, query.days):
        read += 1
        if row.result != DecisionOutcome.DRY_RUN:
            continue
        decided += 1
        _add(lines, facts := json.loads(row.action_payload_redacted))
        if row.ticket_id and len(newest) < query.compare:
            newest.setdefault(row.ticket_id, str(facts.get("team") or ""))
    return ForecastView(
        days=query.days,
        decisions=decided,
        others=read - decided,
        is_complete=read < MOST_READ,
        by_intent=[
            ForecastLine(
                intent=intent,
                decisions=line.would.total(),
                would_reply=line.would[DecisionOutcome.REPLIED],
                would_hand_over=line.would[DecisionOutcome.HANDED_OVER],
                would_route=line.would[DecisionOutcome.ROUTED],
                unknown=line.would[_UNKNOWN],
                teams=dict(line.teams),
                reasons=dict(line.reasons),
            )
            for intent, line in sorted(lines.items(), key=lambda one: -one[1].would.total())
        ],
        compared=_compared(deps, newest, deadline_ms),
    )


def _rows(deps: ApiDependencies, days: int) -> Iterator[AuditAction]:
    """Yield the decisions of the last days, newest first, at most MOST_READ."""
    today = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()
    left = MOST_READ
    for day in range(days):
        partition = AuditAction.decisions_of(str(today - timedelta(days=day)))
        start = None
        while left > 0:
            limit = min(_READ_AT_ONCE, left)
            rows, start = audits.page(deps.audit, partition, limit=limit, start=start)
            left -= len(rows)
            yield from rows
            if start is None:
                break


def _add(lines: dict[str, _Line], facts: dict[str, Any]) -> None:
    line = lines.setdefault(str(facts.get("intent") or _UNKNOWN), _Line())
    would = str(facts.get(WOULD) or _UNKNOWN)
    line.would[would] += 1
    line.teams[str(facts.get("team") or _UNKNOWN)] += 1
    if would != DecisionOutcome.REPLIED:
        line.reasons[str(facts.get("reason") or _UNKNOWN)] += 1


def _compared(deps: ApiDependencies, newest: dict[str, str], deadline_ms: int) -> ComparedView:
    """Compare the team of each decision with the present assignee of its ticket, until the time or the limit ends."""
    found: Counter[str] = Counter()
    differing: dict[str, str] = {}
    if newest:
        help_desk = deps.help_desk(Priority.BACKGROUND, deadline_ms)
        if help_desk is None:
            raise NotSetUp("the help desk API key is missing")
        teams = {assignee: team for team, assignee in deps.account.assignees.items()}
        for ticket_id, team in newest.items():
            try:
                ticket = help_desk.ticket(ticket_id)
            except (Permanent, Transient):
                break  # What is left counts as not read: a partial comparison is named as one.
            if ticket is None or not ticket.assignee_id:
                found["unassigned"] += 1
            elif ticket.assignee_id not in teams:
                found["person"] += 1
            elif teams[ticket.assignee_id] == team:
                found["same"] += 1
            else:
                found["other"] += 1
                differing[ticket_id] = teams[ticket.assignee_id]
    return ComparedView(
        same_team=found["same"],
        other_team=found["other"],
        person=found["person"],
        unassigned=found["unassigned"],
        not_read=len(newest) - found.total(),
        differing=differing,
    )
