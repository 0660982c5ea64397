"""
The recipients of a company's campaigns that are still to be sent to: an erased contact is taken out of their pages.

The line stays without a recipient, so that the place of a worker in the page stays, too.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from shared.aws.sqs_fifo import to_json
from shared.identity import addresses
from whatsapp.configuration.folders import ERASED_RECIPIENT, campaigns_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from shared.aws.s3 import Bucket

PAGES_A_TURN: Final = 50

type Row = dict[str, Any]


def pages_with(
    bucket: Bucket, company: str, ids: Collection[str], first: int
) -> tuple[list[str], int | None]:
    """Return the pages with a contact from position *first* on, and the position after them."""
    keys = list(islice(bucket.all_keys_under(campaigns_of(company)), first, first + PAGES_A_TURN))
    pages = [key for key in keys if "/pages/" in key]
    found = [key for key in pages if any(_names(row, ids) for row in _rows(bucket, key))]
    return found, first + PAGES_A_TURN if len(keys) == PAGES_A_TURN else None


def forget(bucket: Bucket, key: str, ids: Collection[str]) -> None:
    """Take a contact out of a page. Safe to repeat; a page that is done is gone."""
    rows = _rows(bucket, key)
    left = [
        {"line": row["line"], ERASED_RECIPIENT: True} if _names(row, ids) else row for row in rows
    ]
    if left != rows:
        bucket.put(key, to_json(left).encode())


def _names(row: Row, ids: Collection[str]) -> bool:
    spelt = addresses.spellings_of(str(row.get("to") or "").removeprefix("+"))
    return any(digits in ids for digits in spelt) or row.get("recipient") in ids


def _rows(bucket: Bucket, key: str) -> list[Row]:
    try:
        rows: list[Row] = json.loads(bucket.get(key))
    except ClientError as error:
        if bucket.is_missing(key, error):
            return []
        raise
    return rows
