"""Lists the failed messages of earlier releases under their companies, once, from the newest one on."""

from collections.abc import Callable

from shared.aws.dynamodb import Table
from shared.runtime import clock
from whatsapp import store
from whatsapp.store.sending import job_positions

_RESERVE_MS = clock.SECOND_MS  # for a page


def list_some(table: Table, remaining_ms: Callable[[], int]) -> None:
    """List as many as the time allows; a later call continues. Nothing once all are listed. Safe to repeat."""
    position = job_positions.get(table, "failed_lists")
    while not position.get("is_done") and remaining_ms() > _RESERVE_MS:
        last = store.failed_messages.list_failed(table, position.get("start"))
        position = {"start": last} if last else {"is_done": True}
        job_positions.put(table, "failed_lists", position)
