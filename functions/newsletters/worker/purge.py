"""Removes the remaining objects, jobs and units of a deleted newsletter. Idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store import jobs
from newsletters.store.bucket.objects import folder_of
from newsletters.store.content.newsletters import PURGE_AFTER_MS
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import PurgeRequested
    from shared.aws.dynamodb import Attributes


def purge(resources: Resources, event: PurgeRequested) -> bool:
    """
    Remove objects, jobs and units; False if the newsletter was not deleted.

    A worker may write an object as long as its invocation lasts after the deletion: the last purge comes after that.
    """
    store = resources.store
    deletion = jobs.get_deletion(store.table, event.code)
    if deletion is None:
        return False
    folder = folder_of(store, event.code)
    for name in store.bucket.all_keys_under(folder.prefix):
        store.bucket.delete(name)
    start: Attributes | None = None
    while True:
        keys, start = jobs.work_keys(store.table, event.code, start)
        for key in keys:
            store.table.delete(key)
        if start is None:
            break
    deleted_ms = clock.from_text(deletion.deleted_at)
    if clock.now_ms() >= deleted_ms + PURGE_AFTER_MS:
        jobs.finish_deletion(store.table, event.code)
    else:
        jobs.postpone_deletion(store.table, deletion, deleted_ms + PURGE_AFTER_MS)
    return True
