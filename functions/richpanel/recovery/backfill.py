"""
Routes tickets whose newest message was decided in dry run, after dry run is switched off.

    lists of decisions, newest day first --> newest decision of a ticket was in dry run --> ticket read: still open,
    without an agent --> a wake-up event --> the worker routes it, without a reply (`richpanel.worker.backfills`)

It may be stopped and repeated: a ticket that was routed has a newer decision in the lists.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from json import loads
from typing import TYPE_CHECKING, Any

from richpanel.api.access import ApiDependencies, Erased, NotFound
from richpanel.api.dry_runs import ticket_snapshots
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.store import audits, events
from richpanel.store.items import AuditAction, DecisionOutcome, EventStatus
from richpanel.worker import backfills
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

READ_AT_ONCE = 200


class Result(StrEnum):
    """The result of a candidate: it is routed, or the reason why not."""

    ROUTE = "route"
    ERASED = "erased"
    NOT_FOUND = "ticket_not_found"
    NOT_NEEDED = "closed_or_with_an_agent"
    NEWER_MESSAGE = "newer_message"
    DONE = "routed_already"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ticket whose newest decision was made in dry run. *decided_at* is ISO 8601 UTC; *facts* are the audit's."""

    conversation_id: str
    event_id: str
    decided_at: str
    facts: dict[str, Any]


def candidates(deps: ApiDependencies, since_ms: int) -> Iterator[Candidate]:
    """Yield the candidates that were decided at *since_ms* or later, newest first."""
    seen: set[str] = set()
    for row in _decisions(deps, since_ms):
        conversation_id = row.ticket_id or ""
        if conversation_id not in seen and row.result == DecisionOutcome.DRY_RUN:
            decided_at = row.ts_action_id.partition("#")[0]
            facts = loads(row.action_payload_redacted)
            yield Candidate(conversation_id, row.idempotency_key, decided_at, facts)
        seen.add(conversation_id)


def _decisions(deps: ApiDependencies, since_ms: int) -> Iterator[AuditAction]:
    """Yield the decisions of all days (UTC) since *since_ms*, newest first."""
    since = clock.to_text(since_ms)
    day = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()
    while str(day) >= since[: len("YYYY-MM-DD")]:
        for row in _decisions_of(deps, str(day)):
            if row.ts_action_id < since:
                return
            yield row
        day -= timedelta(days=1)


def _decisions_of(deps: ApiDependencies, day: str) -> Iterator[AuditAction]:
    start: Attributes | None = None
    while True:
        rows, start = audits.page(
            deps.audit, AuditAction.decisions_of(day), limit=READ_AT_ONCE, start=start
        )
        yield from rows
        if start is None:
            return


def examine(deps: ApiDependencies, candidate: Candidate, deadline_ms: int) -> Result:
    """Read the ticket and return whether to route it. Raises NotSetUp, Permanent and Transient."""
    try:
        snapshot = ticket_snapshots.read_snapshot(deps, candidate.conversation_id, deadline_ms)
    except Erased:
        return Result.ERASED
    except NotFound:
        return Result.NOT_FOUND
    if not backfills.is_open_to_it(deps.account, snapshot.ticket, snapshot.reading):
        return Result.NOT_NEEDED
    if snapshot.reading.customer[-1].key != candidate.event_id:
        return Result.NEWER_MESSAGE
    own_id = backfills.event_id(candidate.event_id, candidate.conversation_id)
    own = events.get_many(deps.idempotency, [own_id]).get(own_id)
    return Result.DONE if own and own.status == EventStatus.PROCESSED else Result.ROUTE


def queue(deps: ApiDependencies, candidate: Candidate, by: str) -> None:
    """
    Have the worker route the ticket; *by* is the caller's identity. Safe to repeat. Raises NotEnqueued.

    A backfill that was parked is opened again.
    """
    facts = {"change": "backfill", "conversation": candidate.conversation_id}
    action = f"backfill:{digest(candidate.event_id)[:16]}"
    audits.add_change(deps.audit, by, action, facts, about=candidate.conversation_id)
    events.reopen(
        deps.idempotency, backfills.event_id(candidate.event_id, candidate.conversation_id)
    )
    wakeup = WakeupEvent(
        conversation_id=candidate.conversation_id,
        channel=Channel(candidate.facts.get("channel") or Channel.UNKNOWN),
        source="backfill",
        deduplication=digest("backfill", candidate.event_id),
        event_id=candidate.event_id,
    )
    wakeups.send(deps.queues, [wakeup])
