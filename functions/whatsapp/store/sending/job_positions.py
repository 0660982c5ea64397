"""Positions of the schedule's jobs: a later run continues where an earlier one had no more time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.store.items import pk
from whatsapp.store.items.analytics.job_positions import JobPositions

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.store.items.analytics.job_positions import JobName


def get(table: Table, job: JobName) -> dict[str, Any]:
    """Return the position of a job (strongly consistent read); empty if there is none."""
    item = table.get(pk(JobPositions.pk_pattern))
    position: dict[str, Any] | None = getattr(JobPositions.read(item), job) if item else None
    return position or {}


def put(table: Table, job: JobName, position: dict[str, Any]) -> None:
    """
    Replace the position of a job; an empty one removes it. Safe to repeat.

    Of overlapping runs the last one counts: work before its position is done again, which every job allows.
    """
    table.update(
        pk(JobPositions.pk_pattern),
        put_once={"itemType": JobPositions.item_type},
        put=JobPositions.named(**{job: position or None}),
        drop=[] if position else [JobPositions.name_of(job)],
    )
