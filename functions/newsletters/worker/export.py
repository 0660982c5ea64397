"""Renders the draft in one format, stores the file, and records it in the draft."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from newsletters.exports.document import Citation, Document
from newsletters.exports.formats import FORMATS, render
from newsletters.jobs.execution import execution
from newsletters.jobs.requests import EXPORT_PREFIX
from newsletters.store import jobs
from newsletters.store.bucket.objects import export_key
from newsletters.store.content import newsletters, steps
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import content_hash, status_of
from newsletters.store.items import Export, JobState
from newsletters.store.items.item import timestamp
from newsletters.worker.image_download import downloaded
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import ExportResources, Run
    from newsletters.exports.document import Rendered
    from newsletters.inbound.events import ExportRequested
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Draft, Job

ATTEMPTS: Final = 5  # to record a file beside other formats that end at the same time


def export(resources: ExportResources, event: ExportRequested, run: Run) -> bool:
    """Export the draft in the format of the event. False: see `Execution`."""
    with execution(resources.store, run) as work:
        job = work.claim(event.code, f"{EXPORT_PREFIX}{event.format}", event.job_id)
        work.is_done = _export_draft(resources, job, event.format)
    return work.is_done


def _export_draft(resources: ExportResources, job: Job, export_format: str) -> bool:
    store = resources.store
    newsletter = newsletters.get_newsletter_full(store, job.code)
    draft = newsletter.draft if newsletter is not None else None
    if newsletter is None or draft is None or not draft.has_content:
        return jobs.end(store.table, job, JobState.CANCELLED)
    jobs.report(store.table, job, doing="rendering")
    rendered = _rendered(resources, newsletter, draft, export_format)
    written = FORMATS[export_format]
    # `html` has the contract's name; the e-mail's HTML must not replace it.
    extension = "email.html" if export_format == "email" else written.extension
    key = export_key(job.code, extension)
    # All exports of a format have one key: a worker whose job was replaced must not overwrite a newer file.
    jobs.report(store.table, job, doing="storing")
    store.bucket.put(key, rendered.body, written.content_type)
    exported = Export(
        s3_key=key,
        generated_at=timestamp(clock.now_ms()),
        file_size=len(rendered.body),
        sha256=hashlib.sha256(rendered.body).hexdigest(),
        content_hash=content_hash(newsletter.metadata, draft),
        warnings=list(rendered.warnings),
        section_bytes=dict(rendered.section_bytes),
    )
    return _recorded(store, job, export_format, exported)


def _rendered(
    resources: ExportResources, newsletter: Newsletter, draft: Draft, export_format: str
) -> Rendered:
    metadata = newsletter.metadata
    document = Document(
        title=metadata.title,
        language=metadata.language,
        content=draft.effective_content,
        updated_at=draft.updated_at,
        citations=tuple(Citation(one.n, one.title, one.url, one.date) for one in draft.citations),
        author=metadata.user_name,
        preheader=metadata.preview,
        earlier_sources=draft.earlier_sources,
    )
    images = downloaded(draft.effective_content, resources.image_origins)
    return render(export_format, document, images)


def _recorded(store: Store, job: Job, export_format: str, exported: Export) -> bool:
    """Record a file; False if the newsletter was deleted or the job taken over meanwhile."""
    for _ in range(ATTEMPTS):
        newsletter = newsletters.get_newsletter_full(store, job.code)
        if newsletter is None or newsletter.draft is None:
            return False
        draft = newsletter.draft
        with_file = draft.model_copy(update={"exports": {**draft.exports, export_format: exported}})
        status = status_of(newsletter.metadata, with_file)
        ending = jobs.to_end(store.table, job, JobState.DONE, doing="done", units_done=job.units)
        try:
            steps.save_export(
                store, newsletter, (export_format, exported), {"status": status}, ending
            )
        except StaleVersion:
            present = jobs.get(store.table, job.code, job.name)
            if present is None or present.job_id != job.job_id or not present.is_open:
                return False
            continue
        return True
    raise Transient("export_contended")
