"""Asynchronous work: starts and cancels the generation of steps and exports, and shows their progress."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from newsletters.api import presenters, views
from newsletters.api.access import NotFound
from newsletters.api.changes import NoContent
from newsletters.api.stale_steps import stale_steps
from newsletters.drafting.plan import FRAME
from newsletters.jobs import requests
from newsletters.jobs.requests import EXPORT_PREFIX, Requested, StepProcessing
from newsletters.jobs.state import is_usable, is_working
from newsletters.store import jobs, revisions
from newsletters.store.items import STEPS
from newsletters.store.items.item import timestamp
from newsletters.store.items.metadata import is_code
from newsletters.store.objects import folder_of
from newsletters.store.step_inputs import content_hash
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.items import Export, StepName
    from newsletters.store.items.jobs import Job
    from newsletters.store.newsletters import Newsletter
    from newsletters.store.objects import Store
    from shared.api.routing import Request

EXPORT_FORMATS: Final = ("pdf", "docx", "html", "email", "markdown", "text")
LINK_SECONDS: Final = 900


class NotReady(Exception):
    """The step before has no content that this one could be made from."""


class NothingToDraft(Exception):
    """Every item of the outline is excluded."""


class UpstreamStale(Exception):
    """The step before was made from older values."""


class HasUserEdits(Exception):
    """The draft has a text of a person that a new generation would replace."""


def step_named(step: str) -> StepName:
    """Return the step with this name. Raises NotFound."""
    for name in STEPS:
        if name == step:
            return name
    raise NotFound("step: must be topics, outline or draft")


def start_step(
    resources: Resources,
    newsletter: Newsletter,
    name: StepName,
    request: Request[inputs.StartInput],
) -> views.StartedView:
    """
    Start the generation of a step; a running job with the same options is returned.

    Raises NotReady, NothingToDraft, UpstreamStale, HasUserEdits, StepProcessing and StaleVersion.
    """
    _check_inputs(newsletter, name)
    step = newsletter.step(name)
    if step is None or not is_working(step):
        _check_consent(newsletter, name, request.input)
    options = request.input.model_dump()
    requested = Requested(cause=request.cause, by=request.caller.principal, options=options)
    job = requests.start_step(resources, newsletter, name, requested)
    return views.StartedView(
        job_id=job.job_id,
        status=job.state,
        status_url=f"/newsletters/{newsletter.code}/{name}/status",
    )


def cancel_step(
    resources: Resources, newsletter: Newsletter, name: StepName
) -> views.CancelledView:
    """Cancel the job of a step; its last content stays."""
    job = requests.cancel(resources, newsletter, name)
    if job is None:
        return views.CancelledView(status="idle")
    return views.CancelledView(job_id=job.job_id, status=job.state)


def step_status(store: Store, newsletter: Newsletter, name: StepName) -> views.StepStatusView:
    """Return the state of a step and of its newest job."""
    job = jobs.get(store.table, newsletter.code, name)
    return presenters.step_status(newsletter, name, job)


def list_revisions(store: Store, newsletter: Newsletter, name: StepName) -> views.Revisions:
    """Return the contents of a step that were replaced, newest first."""
    found = revisions.of_step(store.table, newsletter.code, name)
    return views.Revisions(
        revisions=[
            views.RevisionView(version=one.version, at=one.at, by=one.by, cause=one.cause)
            for one in found
        ]
    )


def start_exports(
    resources: Resources, newsletter: Newsletter, request: Request[inputs.ExportsInput]
) -> views.StartedExports:
    """Start the export in each format that does not show the present text. Raises NoContent, StepProcessing."""
    draft = newsletter.draft
    if draft is None or not draft.has_content:
        raise NoContent("draft: generate it first")
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
    Return the newest export job of each format, by format. Not checked: whether the caller may read the newsletter.

    To be read before the newsletter: then a job that is done has its file there.
    """
    if not is_code(code.upper()):
        return {}
    names = [f"{EXPORT_PREFIX}{one}" for one in EXPORT_FORMATS]
    found = jobs.get_many(store.table, code.upper(), names)
    return {name.removeprefix(EXPORT_PREFIX): job for name, job in found.items()}


def exports(newsletter: Newsletter, found: dict[str, Job]) -> views.ExportsView:
    """Return the exported files, and the newest job of each format."""
    stored = newsletter.draft.exports if newsletter.draft else {}
    return views.ExportsView(
        exports={
            one: views.ExportView(
                generated_at=export.generated_at,
                file_size=export.file_size,
                is_outdated=_is_outdated(newsletter, export),
                warnings=export.warnings,
            )
            for one, export in stored.items()
        },
        jobs={one: presenters.progress(job) for one, job in found.items()},
    )


def export_link(store: Store, newsletter: Newsletter, export_format: str) -> views.ExportLink:
    """Return a link that downloads an exported file. Raises NotFound."""
    stored = newsletter.draft.exports if newsletter.draft else {}
    export = stored.get(export_format)
    if export is None:
        raise NotFound("format: no file was exported in this format")
    now = clock.now_ms()
    folder = folder_of(store, newsletter.code)
    name = file_name(newsletter.metadata.title, export.s3_key)
    return views.ExportLink(
        url=folder.link_to(export.s3_key, seconds=LINK_SECONDS, filename=name),
        expires_at=timestamp(now + LINK_SECONDS * clock.SECOND_MS),
        file_size=export.file_size,
        generated_at=export.generated_at,
        is_outdated=_is_outdated(newsletter, export),
    )


def file_name(title: str, key: str) -> str:
    """Return the title as a name of a file, with the ending of the key."""
    ending = key.rpartition("/")[2].removeprefix("export.")
    stem = "".join(
        sign if unicodedata.category(sign)[0] in "LMN" or sign in "-_" else " " for sign in title
    )
    return f"{' '.join(stem.split())[:80] or 'newsletter'}.{ending}"


def _is_outdated(newsletter: Newsletter, export: Export) -> bool:
    draft = newsletter.draft
    return draft is None or export.content_hash != content_hash(newsletter.metadata, draft)


def _check_inputs(newsletter: Newsletter, name: StepName) -> None:
    topics, outline = newsletter.topics, newsletter.outline
    match name:
        case "topics":
            if topics is None or not topics.selected_types:
                raise NotReady("topics: select types first")
            if not newsletter.metadata.target_audience:
                raise NotReady("target_audience: name an audience first")
        case "outline":
            if not is_usable(topics):
                raise NotReady("topics: retrieve passages first")
        case "draft":
            if outline is None or not is_usable(outline):
                raise NotReady("outline: generate it first")
            if not any(
                item.included
                for section in outline.sections
                if section.kind not in FRAME
                for item in section.items
            ):
                raise NothingToDraft("outline: every item is excluded")


def _check_consent(newsletter: Newsletter, name: StepName, given: inputs.StartInput) -> None:
    above: dict[StepName, StepName] = {"outline": "topics", "draft": "outline"}
    upper = above.get(name)
    if upper is not None and stale_steps(newsletter)[upper] and not given.accept_stale:
        raise UpstreamStale(
            f"accept_stale: the {upper} were made from older values; generate them again or accept"
        )
    draft = newsletter.draft
    if name == "draft" and draft and draft.has_user_edits and not given.replace_edits:
        raise HasUserEdits("replace_edits: the draft has edits; discard them or accept")
