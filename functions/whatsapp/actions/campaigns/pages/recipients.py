"""
The recipients of a campaign: rows of a call or of a list in S3, checked, and cut into pages of a hundred.

    campaigns/{company}/{campaign}/pages/{n}.json    the rows of a page, deleted when the page is done
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from shared.identity import addresses
from shared.runtime.csv_files import Unreadable
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.inputs import is_user_id
from whatsapp.actions.campaigns.inputs import RecipientRow
from whatsapp.actions.campaigns.pages import lists
from whatsapp.configuration.folders import campaigns_of
from whatsapp.sending.templates import fit

if TYPE_CHECKING:
    from shared.aws.s3 import Bucket
    from whatsapp.store.items import Phone

PAGE = 100
MOST_ROWS = 1_000_000
LARGEST_LIST_BYTES = 100 << 20
# So many rows of a list are checked when the campaign is made, until one is valid; the job checks all.
CHECKED_FIRST = 1_000
_LONGEST_HEADER_BYTES = 64 << 10
NO_COUNTRY = "ZZ"  # of satellite numbers; ISO 3166 leaves the code to its users


class TooMany(Exception):
    """The list has more rows than a campaign may have."""


# A RecipientRow by its parameters' names, and its `line`; a user id is its `recipient`, not `to`.
type Row = dict[str, Any]


def page_key(company: str, campaign: str, number: int) -> str:
    """Return the key of a page's rows."""
    return f"{campaigns_of(company)}{campaign}/pages/{number}.json"


def store_page(bucket: Bucket, key: str, rows: list[Row]) -> None:
    """Store the rows of a page. Safe to repeat: they are the same."""
    bucket.put(key, to_json(rows).encode())


def rows_of_page(bucket: Bucket, key: str) -> list[Row]:
    """Return the rows of a page."""
    rows: list[Row] = json.loads(bucket.get(key))
    return rows


def checked(given: object, line: int, phone: Phone) -> Row | None:
    """Return a row with its number as digits, None if it names no customer or breaks a rule."""
    if isinstance(given, str):
        given = {"to": given}
    try:
        row = RecipientRow.model_validate(given) if not isinstance(given, RecipientRow) else given
        customer = (
            {"recipient": row.to}
            if is_user_id(row.to)
            else {"to": f"+{participants.number_of(row.to, phone, 'to')}"}
        )
        fit.check_values(row.components or [])
    except (ValidationError, InvalidInput):
        return None
    if not all(map(fit.is_value, row.body_params or ())):
        return None
    values = row.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"to"})
    return {**customer, **values, "line": line}


def country_of(row: Row) -> str:
    """Return the country (ISO 3166) by which the provider charges for a recipient: of the number, or of the user id."""
    user_id = row.get("recipient")
    if user_id:
        return str(user_id)[:2]  # A user id begins with the country of the number.
    number = str(row["to"])
    # A number whose country is not certain counts for the main one of its calling code.
    return addresses.country_of(number) or addresses.dialling_region_of(number) or NO_COUNTRY


def layout_of(bucket: Bucket, key: str) -> lists.Layout:
    """Return how a list is written. Raises Unreadable."""
    return lists.layout_of(bucket.first_bytes(key, _LONGEST_HEADER_BYTES))


def check_list(bucket: Bucket, key: str, phone: Phone) -> None:
    """
    Read a whole list before its campaign exists. Raises Unreadable if a row cannot be read, or no row of the first
    thousand is valid and there is no other; TooMany.
    """
    layout = layout_of(bucket, key)
    lists.check_names(layout)
    rows, has_valid = 0, False
    for record in lists.records(bucket.chunks_from(key, layout.start), layout, layout.start):
        if record.fault is not None:
            raise record.fault
        rows += 1
        if rows > MOST_ROWS:
            raise TooMany
        if not has_valid and rows <= CHECKED_FIRST:
            has_valid = checked(record.given, rows, phone) is not None
    if not has_valid and rows <= CHECKED_FIRST:
        raise Unreadable(
            "no_valid_recipients", "no row names a customer and keeps the limits of its values"
        )
