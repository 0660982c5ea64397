"""
Limits how many reply turns of a project run at the same time (`rate_limits.max_concurrent_turns`).

A turn without a free slot is no failure. Its record waits in the queue twice, for seconds; then the reply is a due item
and comes back with a new record, so that waiting uses up none of the attempts that failures need:

    refused at attempt 1, 2     the record is hidden for 5 to 30 seconds
    refused later               due within a minute, brought back by the sweeper
    waited for OLDER_MS         before turns that have just arrived, while its record is hidden
    waited for LONGEST_WAIT_MS  an agent answers
"""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.lifecycle.status import Status
from conversations.outbound.results import End, Ended
from conversations.outbound.turns import deferral
from conversations.outbound.turns.plan import Outcome
from conversations.store.items.parts.due import DueKind
from conversations.store.limits import turn_slots
from conversations.store.recovery import due
from conversations.store.recovery.due import PROJECT_BUSY
from shared.aws.tables import leases
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation

HIDDEN_TIMES = 2  # of the five receives of a record: three are left for failures
SHORTEST_MS, LONGEST_MS = 5 * clock.SECOND_MS, 15 * clock.SECOND_MS  # per attempt
DUE_WITHIN_MS = 60 * clock.SECOND_MS
OLDER_MS = 60 * clock.SECOND_MS
LONGEST_WAIT_MS = 30 * 60 * clock.SECOND_MS


@contextmanager
def slot(resources: Resources, opened: OpenConversation, run: Run, since_ms: int) -> Iterator[bool]:
    """
    Hold a slot of the conversation's project; yields whether one was free. No call for a project without a limit.

    *since_ms*: when the reply began to wait. If the worker is killed, the slot is free after the worker's deadline.
    """
    company = opened.company
    most = company.rate_limits.max_concurrent_turns
    if most is None:
        yield True
        return
    project = (company.company_id, company.project_id)
    turn = turn_slots.turn_of(run.owner, leases.expiry(run.remaining_ms()))
    is_taken = turn_slots.take(
        resources.log, project, most, turn, is_older=_has_waited(since_ms, OLDER_MS)
    )
    try:
        yield is_taken
    finally:
        if is_taken:
            _release(resources, project, turn)


def postpone(
    resources: Resources, opened: OpenConversation, turn_id: str, run: Run, since_ms: int
) -> Outcome:
    """End a turn that found no slot: it is due later, or an agent answers. Raises Transient for a short wait."""
    if _has_waited(since_ms, LONGEST_WAIT_MS):
        end = End(reason=PROJECT_BUSY, status=Status.HANDOFF_PENDING)
    elif run.attempt <= HIDDEN_TIMES:
        wait = _between(SHORTEST_MS, LONGEST_MS) * run.attempt
        if _has_waited(since_ms, OLDER_MS):
            company = opened.company
            # The worker receives the record and loads the conversation before it takes the slot.
            until = clock.now_ms() + wait + SHORTEST_MS
            turn_slots.prefer_older(resources.log, (company.company_id, company.project_id), until)
        raise Transient(PROJECT_BUSY, wait)
    else:
        end = End(reason=PROJECT_BUSY, due_at_ms=clock.now_ms() + _between(0, DUE_WITHIN_MS))
    since = _oldest_wait(resources, opened, clock.to_text(since_ms))
    deferral.apply_refusal(resources, opened, end, turn_id, waiting_since=since)
    return Outcome(Ended.REFUSED, None, end.reason)


def _oldest_wait(resources: Resources, opened: OpenConversation, since: str) -> str:
    """Return since when the conversation waits for a slot: a newer message's turn must not restart the time."""
    waiting = due.get(resources.log, opened.ref, DueKind.RESUME)
    if waiting is None or waiting.reason != PROJECT_BUSY or waiting.first_due_at is None:
        return since
    return min(since, waiting.first_due_at)


def _release(resources: Resources, project: tuple[str, str], turn: str) -> None:
    try:
        turn_slots.release(resources.log, project, turn)
    except (ClientError, BotoCoreError) as failure:
        # The turn is complete, and its lease ends by itself.
        logger.warning("slot not released", extra=describe(failure))


def _has_waited(since_ms: int, least_ms: int) -> bool:
    return clock.now_ms() - since_ms >= least_ms


def _between(least_ms: int, most_ms: int) -> int:
    return random.randrange(least_ms, most_ms)  # noqa: S311 - spreads load, not used for security
