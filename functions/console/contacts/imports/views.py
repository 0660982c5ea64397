"""Response models of imports of contacts."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.contacts.imports.people import Outcome  # noqa: TC001 - field of models
from console.contacts.imports.undo import Undone  # noqa: TC001 - field of a model
from console.store.contacts.imports import (  # noqa: TC001 - fields of a model
    ImportEnd,
    ImportStage,
    UndoStage,
)
from shared.api.models import views

_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ImportForm(views.View):
    """A new import, and the form that uploads its file: a POST as multipart/form-data, whose last field is `file`."""

    model_config = _IN_CAMEL

    import_id: str
    url: str
    fields: dict[str, str]
    expires_at: str
    largest_bytes: int


class ImportColumn(views.View):
    """A column of a file, and the field that its name proposes or the request names."""

    name: str
    field: str | None


class PreviewRow(views.View):
    """
    What a row would do; `rule` is the one that a refused row breaks, in `column` (from 1, absent for the whole row).
    `cells` are the texts of the row, absent of one that cannot be read.
    """

    line: int
    cells: list[str] | None
    outcome: Outcome
    column: int | None
    rule: str | None


class ImportPreview(views.View):
    """The columns of a file, the fields that columns may have, and what the first rows would do."""

    columns: list[ImportColumn]
    fields: list[str]
    rows: list[PreviewRow]


class UndoView(views.View):
    """
    The undoing of an import. `withdrawn`: rows whose contact was taken out of the list; `kept`: whose contact is in it
    by people, by its own act or by another import, too; `gone`: whose contact is not in it any more.
    """

    stage: UndoStage
    withdrawn: int
    kept: int
    gone: int


class ImportView(views.View):
    """
    An import: `new` until it is started, then `running` until it is `done`. Of the `total` rows `handled` are counted
    by what they have done. `isStopping`: it ends before the next rows, with the outcome `stopped`. `undoUntil`: of an
    import into a list that can be undone.
    """

    model_config = _IN_CAMEL

    import_id: str
    stage: ImportStage
    is_stopping: bool
    outcome: ImportEnd | None
    created_at: str
    created_by: str
    finished_at: str | None
    total: int
    handled: int
    created: int
    updated: int
    unchanged: int
    refused: int
    list_id: str | None
    undo_until: str | None
    undo: UndoView | None


class ImportViews(views.View):
    """A page of the imports of the last month, newest first."""

    imports: list[ImportView]


class ImportRow(views.View):
    """
    What a row has done, by the number of its first line; a refused row has `column` and `rule`. `undone`: what
    became of its membership when the import was undone.
    """

    line: int
    outcome: Outcome
    column: int | None
    rule: str | None
    undone: Undone | None


class ImportRowList(views.View):
    """A page of the rows of an import in their order; it may be short or empty before the last one."""

    rows: list[ImportRow]
