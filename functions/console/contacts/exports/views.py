"""Response models of exports of contacts."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.store.contacts.exports import ExportFormat  # noqa: TC001 - field of a model
from shared.api.models import views


class ExportView(views.View):
    """
    An export: running until `finishedAt`. `link` downloads its file for 15 minutes; each read makes a new one, until
    the file is deleted a day after its end. `total` counts the contacts so far.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    export_id: str
    format: ExportFormat
    requested_at: str
    requested_by: str
    finished_at: str | None
    total: int
    link: str | None
