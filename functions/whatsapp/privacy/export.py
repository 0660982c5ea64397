"""
Exports a contact from the inbox of a company: each item of the inventory is a line of JSON, each object is copied.

    exports/{company}/{job}/{run}/parts/000001.jsonl    one for each page, joined at the end
    exports/{company}/{job}/{run}/files/...             copies of media files, long texts and parked events
    exports/{company}/{job}/{run}/contact.jsonl         lines {kind: item type, item}, or {kind: OBJECT, file}

The bucket deletes exports after seven days; an erasure of the contact deletes them at once.
"""

from __future__ import annotations

import json
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from whatsapp.configuration.folders import exports_of
from whatsapp.privacy import kinds
from whatsapp.store.items import pk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.s3 import Bucket
    from whatsapp.privacy.inventory import Found, Inventory
    from whatsapp.store.items.privacy import PrivacyJob

LINES = "contact.jsonl"
FILES = "files/"
LINK_SECONDS = 3_600
_PARTS = "parts/"
_SPOOLED_BYTES = 8 << 20


def folder_of(job: PrivacyJob) -> str:
    """Return the prefix of the objects of a job's current run."""
    return f"{exports_of(str(job.company))}{job.job_id}/{job.run}/"


def write(inventory: Inventory, bucket: Bucket, job: PrivacyJob, page: Iterable[Found]) -> int:
    """Write a page as one part, and return the number of its lines. Safe to repeat."""
    folder = folder_of(job)
    lines: list[dict[str, object]] = []
    for found in page:
        if found.kind == kinds.OBJECT:
            if _copied(bucket, found.key, f"{folder}{FILES}{found.key}"):
                lines.append({"kind": found.kind, "file": f"{FILES}{found.key}"})
            continue
        item = inventory.table.get(pk(found.key))
        if item is not None:
            lines.append({"kind": found.kind, "item": item})
    text = "".join(f"{json.dumps(line, default=_plain, ensure_ascii=False)}\n" for line in lines)
    bucket.put(f"{folder}{_PARTS}{job.page:06d}.jsonl", text.encode(), "application/x-ndjson")
    return len(lines)


def join(bucket: Bucket, job: PrivacyJob) -> None:
    """Join the parts to one file of lines, and delete them. Safe to repeat: the file replaces an earlier one."""
    folder = folder_of(job)
    parts = list(bucket.all_keys_under(f"{folder}{_PARTS}"))
    with SpooledTemporaryFile(_SPOOLED_BYTES) as file:
        for part in parts:
            file.write(bucket.get(part))
        file.seek(0)
        bucket.put_file(f"{folder}{LINES}", file, "application/x-ndjson")


def _copied(bucket: Bucket, key: str, copy: str) -> bool:
    """Copy an object; False if it is gone."""
    try:
        bucket.copy(key, copy)
    except ClientError as error:
        if error.response["Error"]["Code"] in {"NoSuchKey", "404"}:
            return False
        raise
    return True


def _plain(value: object) -> object:
    """Return a value of DynamoDB as JSON has it."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
