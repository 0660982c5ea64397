"""Starts exports of a draft, lists them, and returns links to their files."""

from __future__ import annotations

import unicodedata
from html import unescape
from typing import TYPE_CHECKING, Final

from newsletters.api import presenters, views
from newsletters.api.access import NotFound
from newsletters.api.changes import missing_content
from newsletters.jobs import requests
from newsletters.jobs.requests import EXPORT_PREFIX, Requested, StepProcessing
from newsletters.jobs.state import is_working
from newsletters.store import jobs
from newsletters.store.bucket.objects import folder_of
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.items.item import timestamp
from newsletters.store.items.metadata import is_code
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Export
    from newsletters.store.items.jobs import Job
    from shared.api.routing.routes import Request

EXPORT_FORMATS: Final = ("pdf", "docx", "html", "email", "markdown", "text")
LINK_SECONDS: Final = 900


def start_exports(
    resources: Resources, newsletter: Newsletter, request: Request[inputs.ExportsInput]
) -> views.StartedExports:
    """Start an export in each format whose file does not show the present text. Raises NoContent, StepProcessing."""
    draft = newsletter.draft
    if draft is None or not draft.has_content:
        raise missing_content(draft, "draft")
    if is_working(draft):
        raise StepProcessing("draft: a job is working on it; cancel it or wait")
    requested = Requested(cause=request.cause, by=request.caller.principal)
    started = {
        one: requests.start_export(resources, newsletter, one, requested)
        for one in request.input.formats
    }
    return views.StartedExports(
        jobs={one: presenters.progress(job) for one, job in started.items()},
        status_url=f"/newsletters/{newsletter.code}/exports",
    )


def export_jobs(store: Store, code: str) -> dict[str, Job]:
    """
    Return the newest export job of each format, by format. Does not check whether the caller may read the newsletter.

    Call it before the newsletter is read: the newsletter then has the file of every job that is done.
    """
    if not is_code(code.upper()):
        return {}
    names = [f"{EXPORT_PREFIX}{one}" for one in EXPORT_FORMATS]
    found = jobs.get_many(store.table, code.upper(), names)
    return {name.removeprefix(EXPORT_PREFIX): job for name, job in found.items()}


def exports_view(newsletter: Newsletter, found: dict[str, Job]) -> views.ExportsView:
    """Return the exported files, and the newest job of each format; *found* is the result of `export_jobs`."""
    from newsletters.exports.glyphs import missing_in  # noqa: PLC0415 - few requests are for files

    stored = newsletter.draft.exports if newsletter.draft else {}
    return views.ExportsView(
        exports={
            one: views.ExportView(
                generated_at=export.generated_at,
                file_size=export.file_size,
                is_outdated=_is_outdated(newsletter, export),
                warnings=export.warnings,
                section_bytes=export.section_bytes,
            )
            for one, export in stored.items()
        },
        jobs={one: presenters.progress(job) for one, job in found.items()},
        missing_characters=missing_in(_shown(newsletter)),
    )


def _shown(newsletter: Newsletter) -> str:
    text = newsletter.draft.effective_content if newsletter.draft else ""
    titles = [one.title for one in newsletter.draft.citations] if newsletter.draft else []
    # A character reference in Markdown is shown as its character.
    return "\n".join([newsletter.metadata.title, unescape(text), *titles])


def export_link(
    store: Store, newsletter: Newsletter, export_format: str, *, inline: bool
) -> views.ExportLink:
    """Return a link that downloads an exported file, or shows it. Raises NotFound."""
    stored = newsletter.draft.exports if newsletter.draft else {}
    export = stored.get(export_format)
    if export is None:
        raise NotFound("format: no file was exported in this format")
    now = clock.now_ms()
    folder = folder_of(store, newsletter.code)
    name = file_name(newsletter.metadata.title, export.s3_key)
    return views.ExportLink(
        url=folder.link_to(export.s3_key, seconds=LINK_SECONDS, filename=name, inline=inline),
        expires_at=timestamp(now + LINK_SECONDS * clock.SECOND_MS),
        file_size=export.file_size,
        generated_at=export.generated_at,
        is_outdated=_is_outdated(newsletter, export),
    )


def file_name(title: str, key: str) -> str:
    """Return the title as a file name, with the extension of the key."""
    ending = key.rpartition("/")[2].removeprefix("export.")
    stem = "".join(
        sign if unicodedata.category(sign)[0] in "LMN" or sign in "-_" else " " for sign in title
    )
    return f"{' '.join(stem.split())[:80] or 'newsletter'}.{ending}"


def _is_outdated(newsletter: Newsletter, export: Export) -> bool:
    draft = newsletter.draft
    return draft is None or export.content_hash != content_hash(newsletter.metadata, draft)
