"""An import of company A whose file is uploaded, with a row that was reported, and an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import boto3

from console.contacts.imports import files
from console.contacts.imports.routes import ID_DIGITS
from console.store.contacts import imports as contact_imports
from console.store.contacts.exports import Export
from shared.runtime import clock

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

IMPORT: Final = "c" * ID_DIGITS
EXPORT: Final = "d" * ID_DIGITS
NAMES: Final = {"import_id": IMPORT, "export_id": EXPORT}
_FILE: Final = b"phone,name\n+447700900199,canary-words\n"


def store(inbox: InboxSystem) -> None:
    """Store the items and the uploaded file."""
    table, bucket = inbox.tables.contacts, inbox.module.exports
    s3 = boto3.client("s3", region_name="us-east-1")  # needs no location
    if bucket.name not in [one["Name"] for one in s3.list_buckets()["Buckets"]]:
        s3.create_bucket(Bucket=bucket.name)
    found = contact_imports.add(table, "acme", IMPORT, "user:canary-person")
    bucket.put(files.key_of("acme", IMPORT), _FILE, files.TYPE)
    row = {"line": 2, "outcome": "refused", "rule": "canary-words"}
    table.transact(contact_imports.rows_written(table, found, 0, [row]))
    made = Export(
        **Export.key_of("acme", EXPORT),
        company_id="acme",
        export_id=EXPORT,
        format="csv",
        requested_at="2026-01-01T12:00:00.000Z",
        requested_by="user:canary-person",
        scopes={"contacts:admin"},
        projects={"*"},
        total=1,
        finished_at=clock.to_text(clock.now_ms()),
        ttl=clock.expires_in(clock.DAY_SECONDS),
    )
    table.put(made.attributes())
