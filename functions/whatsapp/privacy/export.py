"""
Exports a contact from the inbox of a company: each item of the inventory is a line of JSON, each object is copied.

    exports/{company}/{job}/{run}/parts/000001.jsonl    one for each page, joined at the end
    exports/{company}/{job}/{run}/files/...             copies of media files, long texts and parked events
    exports/{company}/{job}/{run}/contact.jsonl         lines {kind: item type, item}, or {kind: OBJECT, file}

The bucket deletes exports after seven days; an erasure of the contact deletes them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.privacy.exports import ExportFolder
from whatsapp.configuration.folders import exports_of
from whatsapp.privacy import kinds
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.s3 import Bucket
    from whatsapp.privacy.inventory import Found, Inventory
    from whatsapp.store.items.privacy import PrivacyJob

_LINES = "contact.jsonl"
_WITHOUT_ITEM = frozenset({kinds.CAMPAIGN_LIST, kinds.OBJECT})


def folder_of(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    return ExportFolder(bucket, f"{exports_of(str(job.company))}{job.job_id}/{job.run}/", _LINES)


def write(inventory: Inventory, bucket: Bucket, job: PrivacyJob, page: Sequence[Found]) -> None:
    """Write a page as one part. Safe to repeat."""
    folder = folder_of(bucket, job)
    lines: list[dict[str, object]] = []
    keys = dict.fromkeys(one.key for one in page if one.kind not in _WITHOUT_ITEM)
    stored = inventory.table.get_many([pk(key) for key in keys])
    items = {str(item[PARTITION_KEY]): item for item in stored}
    for found in page:
        if found.kind == kinds.CAMPAIGN_LIST:
            lines.append({"kind": found.kind, "file": None})  # Its other lines are of others.
        elif found.kind == kinds.OBJECT:
            copied = folder.copy(found.key)
            if copied is not None:
                lines.append({"kind": found.kind, "file": copied})
        elif found.key in items:
            lines.append({"kind": found.kind, "item": items[found.key]})
    folder.put_part(job.page, lines)
