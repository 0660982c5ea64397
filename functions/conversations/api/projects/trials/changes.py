"""Begins and stops trials of versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr

from conversations.api.access import StateConflict
from conversations.api.projects import versions as project_versions
from conversations.api.projects.trials import queries
from conversations.configuration import projects, versions
from conversations.lifecycle import trials
from conversations.store.items.parts.trial import Trial
from conversations.store.versions import evaluations
from conversations.store.versions.trials import Trials
from shared.ai.trials import calls, views
from shared.ai.trials.calls import TrialCalls
from shared.ai.trials.items import Mode
from shared.ai.versions.stored import NoVersion
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from shared.ai.trials.inputs import StopInput, TrialInput
    from shared.ai.trials.views import TrialView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes


def begin(deps: ApiDependencies, project_id: str, request: Request[TrialInput]) -> TrialView:
    """Begin a trial. Repeatable. Raises NotFound, InvalidInput for broken rules, TrialRefused and StateConflict."""
    caller, resources = request.caller, deps.resources
    item = project_versions.item_of(deps, caller, project_id)
    stored = Trials(resources.log, caller.company, project_id)

    def named() -> str | None:
        name = project_versions.item_of(deps, caller, project_id).get(versions.TRIAL)
        return str(name) if name else None

    def is_running(trial_id: str) -> bool:
        live = projects.parse(item)
        return trials.running(stored, resources.companies, trial_id, live) is not None

    begun = TrialCalls(
        stored=stored,
        named=named,
        live_beside=lambda given: _live_beside(deps, caller, item, given),
        is_running=is_running,
        naming=lambda before, trial_id: _naming(deps, item, before, trial_id),
        make=lambda trial: Trial(**trial.model_dump()),
    ).begin(request)
    return views.shown(begun)


def stop(
    deps: ApiDependencies, project_id: str, trial_id: str, request: Request[StopInput]
) -> TrialView:
    """Stop a trial, or withdraw the version of one that has ended. Repeatable. Raises NotFound and NoTrial."""
    stored = queries.stored_of(deps, request.caller, project_id)
    ended = calls.stop(stored, trial_id, request)
    queries.put_away(deps, request.caller, project_id, trial_id)
    return views.shown(ended)


def _live_beside(deps: ApiDependencies, caller: Caller, item: Attributes, given: TrialInput) -> int:
    """Return the live version. Raises InvalidInput and StateConflict for a version that may not be tried."""
    resources = deps.resources
    company_id, project_id = str(item["company_id"]), str(item["project_id"])
    if not item.get("ai_config"):
        raise _refused("project_id", "must be a project with AI: ai_config is missing")
    try:
        version = project_versions.version_of(deps, caller, project_id, given.version)
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


def _refused(field: str, rule: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": rule}])
