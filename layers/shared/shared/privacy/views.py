"""Views of the jobs that erase or export a person."""

from shared.events.recovery.views import View


class RemainderView(View):
    """Data that an erasure leaves: its kind, why, and until when; without `until` it stays."""

    kind: str
    reason: str
    until: str | None = None


class ReceiptView(View):
    """
    The counts of removed or exported data of one run by type, without content.

    Of an erasure, `kept` is what stays in the tables and buckets and why, `outside` the copies that it does not reach
    and when they are gone. Both are absent in receipts of releases that did not list them.
    """

    run: int
    requested_at: str
    requested_by: str
    finished_at: str
    counts: dict[str, int]
    kept: list[RemainderView] | None = None
    outside: list[RemainderView] | None = None


class FileView(View):
    """One exported file."""

    name: str
    link: str


class ExportView(View):
    """The newest export, while it exists: links expire after an hour, the export after seven days."""

    lines: str  # link to the items, one JSON object for each line
    files: list[FileView]  # the first 1,000 files


class PrivacyJobView(View):
    """A job: `counts` of the current run so far, `receipts` of finished runs, newest first."""

    id: str
    kind: str
    state: str
    run: int
    requested_at: str
    counts: dict[str, int]
    receipts: list[ReceiptView]
    export: ExportView | None = None
