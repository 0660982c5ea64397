"""The table and the bucket of this context, and the prefixes of its objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.stored_objects import Folder

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket


@dataclass(frozen=True, slots=True)
class Store:
    """The table and the bucket of newsletters. The table may have items of other systems."""

    table: Table
    bucket: Bucket


def folder_of(store: Store, code: str) -> Folder:
    """Return the folder of all objects of a newsletter."""
    return Folder(store.bucket, f"newsletters/{code}/")


def large_values(store: Store, code: str) -> Folder:
    """Return the folder of values that are too large for an item."""
    return Folder(store.bucket, f"newsletters/{code}/steps/")


def revisions_of(store: Store, code: str) -> Folder:
    """Return the folder of content that was replaced."""
    return Folder(store.bucket, f"newsletters/{code}/revisions/")


def export_key(code: str, extension: str) -> str:
    """Return the key of an exported file (contract: `exports.{format}.s3_key`)."""
    return f"newsletters/{code}/export.{extension}"


def issue_folder(store: Store, issue_id: str) -> Folder:
    """Return the folder of the sealed content of an issue, which outlives its newsletter."""
    return Folder(store.bucket, f"issues/{issue_id}/")


def privacy_exports(company_id: str, job_id: str) -> str:
    """Return the prefix of the exports of a user's data."""
    return f"subjects/{company_id}/{job_id}/"
