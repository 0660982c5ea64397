"""
The runs of a series, a look at a time, every five minutes.

    due --begin--> newsletter --> topics --> outline --> draft --> done
                                                          '-- files, issue --> done; people approve it
    a step that fails ends the run; what is there stays, and people go on with it

The newsletter's code and the issue's id follow from the series and the planned date, and a step's job from them, so a
look that is killed or repeated finds what the first one has made. Nothing is approved or sent here.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final

from newsletters.api import changes, configuration, inputs
from newsletters.jobs import requests
from newsletters.jobs.requests import Requested, StepProcessing
from newsletters.jobs.state import is_overdue, is_working
from newsletters.series import calendar_dates, titles
from newsletters.store import issues, series
from newsletters.store.content import newsletters
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.items import STEPS, Issue, Job, JobState, RunState, SeriesRun
from newsletters.store.items.item import timestamp
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import SeriesRequested
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Series

LOOK_MS: Final = 60 * clock.SECOND_MS  # the schedule's next run
KEPT: Final = 20  # ended runs
TYPE_REMOVED: Final = "topics: type_removed"
FILES: Final = ("email", "text")  # of which an issue is made


class RunFailed(Exception):
    """A run ends; the text is its reason."""


class StillWorking(Exception):
    """A job is at work; a later look goes on."""


def work(resources: Resources, event: SeriesRequested) -> bool:
    """Take a look at a series; False if it is at another turn, or nothing is due."""
    table = resources.store.table
    found = series.get(table, event.company_id, event.series_id)
    if found is None or found.turn != event.turn:
        return False
    if found.run is None:
        begun = _begun(resources, found)
        if begun is None or begun.run is None:
            return False
        found = begun
    try:
        ended = _go_on(resources, found)
    except (StillWorking, StepProcessing, StaleVersion):
        series.advance(table, found, clock.now_ms() + LOOK_MS)
        return True
    except RunFailed as failure:
        ended = _present(found).model_copy(
            update={"state": RunState.FAILED, "reason": str(failure)}
        )
    due_ms = found.next_run if found.enabled else None
    series.advance(table, found, due_ms, run=None, runs=[*found.runs, ended][-KEPT:])
    return True


def _begun(resources: Resources, found: Series) -> Series | None:
    """Begin the newest run that is due, and name those before it as missed; None if none is due."""
    if not found.enabled:
        return None
    due: list[SeriesRun] = []
    day, at_ms = date.fromisoformat(found.next_date), found.next_run
    while at_ms <= clock.now_ms():
        due.append(SeriesRun(planned=day.isoformat(), planned_ms=at_ms))
        day = calendar_dates.next_after(found.rule, day)
        at_ms = calendar_dates.moment(day, found.rule, found.timezone)
    if not due:
        series.advance(resources.store.table, found, found.next_run)
        return None
    missed = [one.model_copy(update={"state": RunState.MISSED}) for one in due[:-1]]
    return series.advance(
        resources.store.table,
        found,
        clock.now_ms() + series.LOOK_AFTER_MS,
        run=due[-1],
        runs=[*found.runs, *missed][-KEPT:],
        next_date=day.isoformat(),
        next_run=at_ms,
    )


def _go_on(resources: Resources, found: Series) -> SeriesRun:
    """Make what the run still lacks; return it with its results. Raises StillWorking and RunFailed."""
    newsletter = _newsletter(resources, found)
    done = {"state": RunState.DONE, "newsletter_code": newsletter.code}
    for name in STEPS:
        step = newsletter.step(name)
        if step is not None and step.has_content and not is_working(step):
            continue
        _wait_for(requests.start_step(resources, newsletter, name, _requested(found, name)), name)
        raise StillWorking  # The newsletter was read before the job has ended.
    if found.issue is None:
        return _present(found).model_copy(update=done)
    if not _has_files(newsletter):
        for file in FILES:
            job = requests.start_export(resources, newsletter, file, _requested(found, file))
            _wait_for(job, file)
        raise StillWorking
    made = issues.create(resources.store.table, _issue(found, newsletter))
    return _present(found).model_copy(update={**done, "issue_id": made.issue_id})


def _newsletter(resources: Resources, found: Series) -> Newsletter:
    """Return the newsletter of the run, made with its topics if it is new."""
    store, run = resources.store, _present(found)
    code = run.newsletter_code or _made(resources, found)
    newsletter = newsletters.get_newsletter_full(store, code)
    if newsletter is not None and newsletter.topics is None:
        given = inputs.TopicsInput(version=0, selected_types=found.selected_types)
        try:
            changes.select_topics(store, newsletter, given)
        except InvalidInput:  # A release has removed a type that the series selects.
            raise RunFailed(TYPE_REMOVED) from None
        newsletter = newsletters.get_newsletter_full(store, code)
    if newsletter is None:
        raise RunFailed("newsletter_deleted")
    return newsletter


def _made(resources: Resources, found: Series) -> str:
    """Make the newsletter of the run, and note its code: one that people delete is not made again."""
    run = _present(found)
    values = configuration.values_of(inputs.NewsletterInput.model_validate(found.configuration))
    made = configuration.made(
        resources.store,
        _cause(found),
        run.planned_ms,
        {**values, "title": titles.of_run(found.title, run.planned)},
        user_id=found.created_by,
        company_id=found.company_id,
    )
    noted = run.model_copy(update={"newsletter_code": made.newsletterCode})
    due_ms = clock.now_ms() + series.LOOK_AFTER_MS
    if series.advance(resources.store.table, found, due_ms, run=noted) is None:
        raise StillWorking  # People have changed the series meanwhile.
    return made.newsletterCode


def _wait_for(job: Job, name: str) -> None:
    """Return if a job is done or at work. Raises RunFailed."""
    if job.is_open and not is_overdue(job.deadline_ms):
        return
    if job.state is not JobState.DONE:
        raise RunFailed(f"{name}: {job.error_code or job.state.value}")


def _has_files(newsletter: Newsletter) -> bool:
    draft = newsletter.draft
    if draft is None:
        return False
    present = content_hash(newsletter.metadata, draft)
    files = [draft.exports.get(name) for name in FILES]
    return all(one is not None and one.content_hash == present for one in files)


def _issue(found: Series, newsletter: Newsletter) -> Issue:
    cause, run = _cause(found), _present(found)
    issue_id = issues.new_id(cause, run.planned_ms)
    fields: dict[str, Any] = {
        "subject": titles.subject_of(newsletter.metadata.title),
        **(found.issue or {}),
    }
    now = timestamp(run.planned_ms)
    return Issue(
        **Issue.key(issue_id),
        **fields,
        issue_id=issue_id,
        company_id=found.company_id,
        newsletter_code=newsletter.code,
        language=newsletter.metadata.language,
        created_at=now,
        created_by=found.created_by,
        updated_at=now,
        cause=cause,
    )


def _requested(found: Series, name: str) -> Requested:
    return Requested(cause=f"{_cause(found)} {name}", by=found.created_by)


def _cause(found: Series) -> str:
    return digest("newsletter series", found.company_id, found.series_id, _present(found).planned)


def _present(found: Series) -> SeriesRun:
    if found.run is None:
        raise RunFailed("no_run")
    return found.run
