"""Checks an import before it is started: nothing is stored of a file that cannot be imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts.imports import fields, files
from console.contacts.imports.rows import Reading, RowRefused
from console.store.contacts.imports import Attested
from shared.api.auth import Scope
from shared.contacts import lists
from shared.identity.contacts import attributes
from shared.runtime.csv_files import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from console.contacts.imports.inputs import StartInput
    from console.contacts.imports.job import ImportDependencies
    from console.store.contacts.imports import Import
    from shared.api.auth import Caller
    from shared.runtime.csv_files import Record


def checked(
    deps: ImportDependencies, found: Import, body: StartInput, caller: Caller, cause: str
) -> Import:
    """
    Return an import as it is stored when it begins, with a copy of its file that no later upload replaces.

    Raises FileMissing, Unreadable, InvalidInput, ListNotFound, and Forbidden for an attested opt-in without its scope.
    """
    table = deps.inbox.contacts
    if body.consent is not None and body.consent.state == "opted_in":
        caller.require(Scope.CONSENT_WRITE)
    if body.list_id is not None:
        lists.get(table, found.company_id, body.list_id)
    definitions = attributes.of_company(table, found.company_id)
    fields.check(body.columns, definitions)
    uploaded = files.key_of(found.company_id, found.import_id)
    layout = files.layout_of(files.beginning_of(deps.bucket, uploaded))
    fields.check_width(body.columns, len(layout.header))
    copied = files.key_of(found.company_id, found.import_id, cause)
    deps.bucket.copy(uploaded, copied)
    rows = files.rows_from(deps.bucket, copied, layout, layout.start, layout.line)
    total = _counted(rows, Reading(body.columns, body.region, definitions))
    return found.model_copy(
        update={
            "stage": "running",
            "started_by": caller.principal,
            "cause": cause,
            "columns": [one or "" for one in body.columns],
            "encoding": layout.encoding,
            "delimiter": layout.delimiter,
            "start": layout.start,
            "line": layout.line,
            "total": total,
            "region": body.region,
            "fills": body.fills,
            "list_id": body.list_id,
            "consent": _attested(body),
        }
    )


def _attested(body: StartInput) -> Attested | None:
    given = body.consent
    if given is None:
        return None
    return Attested(
        state=given.state,
        channels=set(given.channels),
        source=given.source,
        given_at=given.moment,
    )


def _counted(rows: Iterable[Record], reading: Reading) -> int:
    """
    Return how many rows a file has, all of which are read.

    Raises Unreadable for another encoding, too many rows, and a file of which no row can be imported.
    """
    total, is_any_valid = 0, False
    first: tuple[int, RowRefused] | None = None
    for record in rows:
        total += 1
        if total > files.MOST_ROWS:
            problem = f"the file has more than {files.MOST_ROWS:,} rows"
            raise Unreadable("too_many_rows", problem, record.line)
        if record.fault is not None and record.fault.reason == "encoding_unreadable":
            raise record.fault
        if is_any_valid:
            continue
        try:
            reading.row(record)
            is_any_valid = True
        except RowRefused as refusal:
            first = first or (record.line, refusal)
    if is_any_valid:
        return total
    if first is None:
        raise Unreadable("no_row", "the file has no row")
    line, broken = first
    raise Unreadable("no_row", f"no row can be imported: {broken.rule}", line, broken.column)
