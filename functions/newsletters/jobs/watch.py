"""Finds due jobs and deletions: sends lost messages again, fails jobs past their deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.inbound.events import PurgeRequested, entry
from newsletters.jobs import outcomes
from newsletters.jobs.failures import StepFailed
from newsletters.jobs.requests import LOOK_AFTER_MS, send
from newsletters.jobs.state import TIMEOUT, is_overdue
from newsletters.store import jobs
from newsletters.store.items import Deletion, Job
from shared.runtime import clock
from shared.runtime.observability import count_condition, logger

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources


def look_after(resources: Resources, work: Job | Deletion) -> None:
    """
    Fail a job past its deadline; queue other work again. Safe to repeat.

    The item moves to its next turn before the message is sent: after a crash in between, the next run sends it.
    """
    table, next_look = resources.store.table, clock.now_ms() + LOOK_AFTER_MS
    if isinstance(work, Deletion):
        jobs.postpone_deletion(table, work, next_look)
        resources.steps.send([entry(PurgeRequested(code=work.code, turn=work.turn + 1))])
    elif is_overdue(work.deadline_ms):
        if outcomes.fail(resources.store, work, StepFailed(TIMEOUT)):
            count_condition("JobLate")
            logger.warning("job late", extra={"correlation_id": work.code, "kind": work.name})
    elif (moved := jobs.postpone(table, work, next_look)) is not None:
        send(resources, moved)
