"""Begins and stops trials of versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr

from conversations.api.access import NotFound, StateConflict
from conversations.api.projects import versions as project_versions
from conversations.api.projects.trials import queries
from conversations.api.projects.trials.inputs import DEFAULT_DAYS, MOST_DAYS
from conversations.configuration import projects, versions
from conversations.lifecycle import trials
from conversations.store.items.parts.trial import EndCause, Mode, Trial
from conversations.store.versions import evaluations
from conversations.store.versions.trials import Trials
from shared.ai.spending.bounds import MICROS
from shared.ai.versions.stored import NoVersion
from shared.api.errors import InvalidInput
from shared.runtime import clock

if TYPE_CHECKING:
    from datetime import datetime

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.trials.inputs import StopInput, TrialInput
    from conversations.api.projects.trials.views import TrialView
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes

_RUNS = "version: another trial is running; stop it first"
_MARK = 8  # characters of the hash of the call in the id of a trial
_DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS
_OF_MODE = {
    Mode.SHADOW: ("most_answers", "most_dollars"),
    Mode.SHARE: ("share", "most_conversations"),
}


def begin(deps: ApiDependencies, project_id: str, request: Request[TrialInput]) -> TrialView:
    """Begin a trial. Repeatable. Raises NotFound, InvalidInput for broken rules, and StateConflict."""
    caller, given, resources = request.caller, request.input, deps.resources
    item = project_versions.item_of(deps, caller, project_id)
    until = _checked(given)
    stored = Trials(resources.log, caller.company, project_id)
    before = item.get(versions.TRIAL)
    newest = stored.read(str(before)) if before else None
    if newest is not None and newest.made_for == request.cause:
        return queries.view(newest)
    live = _compared(deps, item, request)
    if newest is not None and trials.running(
        stored, resources.companies, newest.trial_id, projects.parse(item)
    ):
        raise StateConflict(_RUNS)
    now = clock.now_ms()
    wanted = Trial(
        trial_id=f"{now:013d}-{request.cause[:_MARK]}",
        mode=Mode(given.mode),
        version=given.version,
        live=live,
        share=given.share,
        most_conversations=given.most_conversations,
        most_answers=given.most_answers,
        most_micros=round(given.most_dollars * MICROS) if given.most_dollars else None,
        until=clock.to_text(until),
        handed_off_points=given.handed_off_points,
        at_least=given.at_least,
        by=caller.principal,
        at=clock.to_text(now),
        made_for=request.cause,
    )
    if stored.begin(wanted, _naming(deps, item, before, wanted.trial_id)):
        return queries.view(wanted)
    first = project_versions.item_of(deps, caller, project_id).get(versions.TRIAL)
    begun = stored.read(str(first)) if first else None
    if begun is None or begun.made_for != request.cause:
        raise StateConflict(_RUNS)
    return queries.view(begun)


def stop(
    deps: ApiDependencies, project_id: str, trial_id: str, request: Request[StopInput]
) -> TrialView:
    """Stop a trial, or withdraw the version of one that has ended. Repeatable. Raises NotFound."""
    caller = request.caller
    stored, trial = queries.found(deps, caller, project_id, trial_id)
    withdraws = request.input.withdraw
    ended: Trial | None = trial
    if not trial.is_over:
        by = caller.principal
        ended = stored.end(trial_id, EndCause.STOPPED, by, withdrawn=withdraws)
    if ended is not None and withdraws and not ended.withdrawn:
        ended = stored.withdraw(trial_id)
    if ended is None:
        raise NotFound(queries.TRIAL_NOT_FOUND)
    queries.put_away(deps, caller, project_id, trial_id)
    return queries.view(ended)


def _compared(deps: ApiDependencies, item: Attributes, request: Request[TrialInput]) -> int:
    """Return the live version. Raises InvalidInput and StateConflict for a version that may not be tried."""
    given, resources = request.input, deps.resources
    company_id, project_id = str(item["company_id"]), str(item["project_id"])
    if not item.get("ai_config"):
        raise _refused("project_id", "must be a project with AI: ai_config is missing")
    try:
        version = project_versions.version_of(deps, request.caller, project_id, given.version)
    except NoVersion:
        raise _refused("version", "must be a version of the project") from None
    live = versions.live_version(resources.log, resources.companies.table, item)
    if given.version == live:
        raise _refused("version", "must be another version than the live one")
    project_versions.checked_project(item, version.settings)
    if Mode(given.mode) is Mode.SHARE:  # it goes live for these customers
        sets = evaluations.of_project(resources.log, company_id, project_id).gates_before(
            given.version
        )
        if sets:
            raise StateConflict(f"version: it has not passed the sets {', '.join(sets)}")
    return live


def _checked(given: TrialInput) -> int:
    """Return when the trial ends, in ms since 1970. Raises InvalidInput with all fields that break a rule."""
    problems = _problems(given)
    now = clock.now_ms()
    until = now + DEFAULT_DAYS * _DAY_MS
    if given.until is not None:
        until = _ms(given.until)
        if not now < until <= now + MOST_DAYS * _DAY_MS:
            rule = f"must be in the future, at most {MOST_DAYS} days from now"
            problems.append({"field": "until", "problem": rule})
    if problems:
        raise InvalidInput(problems)
    return until


def _problems(given: TrialInput) -> list[dict[str, str]]:
    mode = Mode(given.mode)
    others = [name for one, names in _OF_MODE.items() if one is not mode for name in names]
    found = [
        {"field": name, "problem": f"must be absent in mode {mode}"}
        for name in others
        if getattr(given, name) is not None
    ]
    if mode is Mode.SHARE and given.share is None:
        found.append({"field": "share", "problem": "must be given in mode share: 1 to 100"})
    if mode is Mode.SHARE and given.share == 100 and given.handed_off_points is not None:  # noqa: PLR2004 - percent
        rule = "must be absent with a share of 100: no conversation has the live version"
        found.append({"field": "handed_off_points", "problem": rule})
    if mode is Mode.SHADOW and given.most_answers is None and given.most_dollars is None:
        rule = "must be given in mode shadow, or most_dollars"
        found.append({"field": "most_answers", "problem": rule})
    return found


def _naming(deps: ApiDependencies, item: Attributes, before: Any, trial_id: str) -> Attributes:  # noqa: ANN401 - an attribute
    """Return the write with which the project names its newest trial, unless another call was first."""
    named = Attr(versions.TRIAL)
    # The trial before may have been put away since the project was read.
    unchanged = named.not_exists() if before is None else named.not_exists() | named.eq(before)
    return deps.resources.companies.table.to_update(
        projects.key(str(item["company_id"]), str(item["project_id"])),
        put={versions.TRIAL: trial_id},
        when=Attr(projects.PARTITION_KEY).exists() & unchanged,
    )


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * clock.SECOND_MS)


def _refused(field: str, rule: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": rule}])
