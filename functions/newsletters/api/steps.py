"""Starts and cancels the generation of steps, and shows its progress and the replaced contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api import presenters, views
from newsletters.api.access import NotFound
from newsletters.api.changes import missing_content
from newsletters.drafting.drafts.changes import replaceable
from newsletters.drafting.plan import FRAME
from newsletters.jobs import requests
from newsletters.jobs.requests import Requested
from newsletters.jobs.state import is_usable, is_working
from newsletters.store import jobs
from newsletters.store.bucket import revisions
from newsletters.store.items import STEPS
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import StepItem, StepName
    from shared.api.routing.routes import Request


class NotReady(Exception):
    """The previous step has no content to generate this one from."""


class NothingToDraft(Exception):
    """Every item of the outline is excluded."""


class UpstreamStale(Exception):
    """The previous step was generated from older values."""


class HasUserEdits(Exception):
    """The draft has edits that a new generation would replace."""


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

    Raises InvalidInput, NotReady, NothingToDraft, UpstreamStale, HasUserEdits, NoContent, StepProcessing and
    StaleVersion.
    """
    _check_inputs(newsletter, name)
    step = newsletter.step(name)
    if step is None or not is_working(step):
        _check_consent(newsletter, name, request.input)
        _check_sections(newsletter, name, request.input.sections)
    options = request.input.model_dump(exclude_none=True)
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


def _check_inputs(newsletter: Newsletter, name: StepName) -> None:
    topics, outline = newsletter.topics, newsletter.outline
    match name:
        case "topics":
            if topics is None or not topics.selected_types:
                raise NotReady("topics: select types first")
            if not newsletter.metadata.target_audience:
                raise NotReady("target_audience: name an audience first")
        case "outline":
            _check_idle(topics, "topics")
            if not is_usable(topics):
                raise NotReady("topics: retrieve passages first")
        case "draft":
            _check_idle(outline, "outline")
            if outline is None or not is_usable(outline):
                raise NotReady("outline: generate it first")
            if not any(
                item.included
                for section in outline.sections
                if section.kind not in FRAME
                for item in section.items
            ):
                raise NothingToDraft("outline: every item is excluded")


def _check_idle(above: StepItem | None, name: StepName) -> None:
    """Raise StepProcessing while a job works on the previous step."""
    if above is not None and is_working(above):
        raise requests.StepProcessing(f"{name}: a job is working on it; cancel it or wait")


def _check_consent(newsletter: Newsletter, name: StepName, given: inputs.StartInput) -> None:
    above: dict[StepName, StepName] = {"outline": "topics", "draft": "outline"}
    upper = above.get(name)
    if upper is not None and newsletter.stale_steps()[upper] and not given.accept_stale:
        raise UpstreamStale(
            f"accept_stale: the {upper} were made from older values; generate them again or accept"
        )
    draft = newsletter.draft
    is_replaced = name == "draft" and draft is not None and draft.has_user_edits
    # Of a section alone the text becomes a revision, and edits of other sections stay.
    if is_replaced and not given.replace_edits and given.sections is None:
        raise HasUserEdits("replace_edits: the draft has edits; discard them or accept")


def _check_sections(newsletter: Newsletter, name: StepName, keys: list[str] | None) -> None:
    """Raise InvalidInput for a key of no section that can be written again alone."""
    if keys is None:
        return
    draft, outline = newsletter.draft, newsletter.outline
    if name != "draft":
        raise InvalidInput([{"field": "sections", "problem": "only a draft has sections"}])
    if draft is None or outline is None or not draft.has_content:
        raise missing_content(draft, "draft")
    known = replaceable(draft, outline)
    problem = "must be a section whose heading the outline and the text have once"
    problems = [
        {"field": f"sections.{at}", "problem": problem}
        for at, key in enumerate(keys)
        if key not in known
    ]
    if problems:
        raise InvalidInput(problems)
