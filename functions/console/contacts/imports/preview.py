"""Preview of an uploaded file: its columns, its first rows, and whether it can be imported at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.contacts.imports import fields, files
from console.contacts.imports.rows import Reading, RowRefused
from console.contacts.imports.views import ImportColumn, ImportPreview, PreviewRow
from shared.identity.contacts import attributes

if TYPE_CHECKING:
    from console.contacts.imports.inputs import ColumnsInput
    from console.contacts.imports.job import ImportDependencies
    from console.contacts.imports.people import ImportedPeople
    from console.store.contacts.imports import Import
    from shared.runtime.csv_files import Record

FIRST_ROWS: Final = 10
LONGEST_CELL: Final = 200  # characters of a preview


def of_file(deps: ImportDependencies, found: Import, body: ColumnsInput, by: str) -> ImportPreview:
    """Return the preview of an uploaded file. Raises FileMissing, Unreadable and InvalidInput."""
    beginning = files.beginning_of(deps.bucket, files.key_of(found.company_id, found.import_id))
    layout = files.layout_of(beginning)
    definitions = attributes.of_company(deps.inbox.contacts, found.company_id)
    columns = body.columns
    if columns is None:
        columns = fields.proposals(layout.header, definitions)
    else:
        fields.check_fields(columns, definitions)
        fields.check_width(columns, len(layout.header))
    people = deps.people(found, by, fills=body.fills)
    reading = Reading(columns, body.region, definitions)
    records = files.first_rows(beginning, layout, FIRST_ROWS)
    return ImportPreview(
        columns=[
            ImportColumn(name=name, field=field)
            for name, field in zip(layout.header, columns, strict=True)
        ],
        fields=fields.all_of(definitions),
        rows=[_row(people, reading, one) for one in records],
    )


def _row(people: ImportedPeople, reading: Reading, record: Record) -> PreviewRow:
    cells = None if record.given is None else [one[:LONGEST_CELL] for one in record.given]
    try:
        plan = people.plan(reading.row(record))
    except RowRefused as refusal:
        return PreviewRow(
            line=record.line,
            cells=cells,
            outcome="refused",
            column=refusal.column or None,
            rule=refusal.rule,
        )
    return PreviewRow(line=record.line, cells=cells, outcome=plan.outcome, column=None, rule=None)
