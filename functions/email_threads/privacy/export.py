"""
Exports a person from the threads of a company: each item of the inventory is a line of JSON, each object is copied.

    exports/{company}/{job}/{run}/person.jsonl    lines {kind, item}, or {kind, file}
    exports/{company}/{job}/{run}/files/...       copies of long bodies, HTML, attachments and raw mails

Of a thread with other people only mails by the person or naming the person are exported. The bucket deletes
exports after seven days; an erasure of the person deletes them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.privacy import findings as kinds
from email_threads.store import objects, parked
from email_threads.store.privacy import erasure as store
from email_threads.store.privacy import retention
from shared.aws.tables.items import stored as as_stored
from shared.privacy.exports import ExportFolder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from email_threads.privacy.findings import Found
    from email_threads.privacy.inventory import Inventory
    from email_threads.store.items import PrivacyJob, Thread
    from shared.aws.s3 import Bucket

_LINES: Final = "person.jsonl"
# The attributes of a thread with others that do not tell the texts of other people.
_SHARED: Final = frozenset({
    "conversation_id", "company_id", "mailbox", "created_at", "updated_at", "status", "subject", "email_count",
})  # fmt: skip


def folder_of(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    return ExportFolder(
        bucket, f"{objects.exports_of(job.company_id, job.job_id)}{job.run}/", _LINES
    )


def write(stored: Inventory, job: PrivacyJob, page: Iterable[Found]) -> None:
    """Write a page as one part. Safe to repeat."""
    folder = folder_of(stored.bucket, job)
    lines: list[dict[str, object]] = []
    for found in page:
        if found.kind in kinds.OBJECTS:
            copied = folder.copy(found.key)
            if copied is not None:
                lines.append({"kind": found.kind, "file": copied})
        elif (item := _item(stored, found)) is not None:
            lines.append({"kind": found.kind, "item": item})
    folder.put_part(job.page, lines)


def _item(stored: Inventory, found: Found) -> dict[str, Any] | None:
    if found.kind == kinds.PARKED_EVENT:
        event = parked.events_of(stored.table).get(found.key)
        return event.attributes() if event is not None else None
    if found.kind == kinds.THREAD:
        head = retention.head(stored.table, found.key)
        return _head(stored, head, found) if head is not None else None
    return next(iter(store.items(stored.table, [found.key])), None)


def _head(stored: Inventory, head: Thread, found: Found) -> dict[str, Any]:
    item = head.attributes()
    if found.act == kinds.WHOLE:
        return item
    person = stored.person
    mails = [
        as_stored(entry)
        for entry in head.email_history
        if person.wrote(entry) or person.received(entry)
    ]
    return {name: item[name] for name in item if name in _SHARED} | {"email_history": mails}
