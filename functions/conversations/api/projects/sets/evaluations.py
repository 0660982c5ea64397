"""Checks the scenarios of a project's sets, and starts their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from conversations.api.projects import versions
from conversations.configuration.versions import live_version
from conversations.dialogues.rehearsal.rehearsal import NotPlayable, refuse_unplayable
from conversations.dialogues.runs import NOWHERE
from conversations.dialogues.scenarios.files import Written
from conversations.dialogues.scenarios.format import Dialogue
from conversations.lifecycle.records.evaluation_step import EvaluationStep
from conversations.store.versions import evaluations
from shared.ai.evaluation.sets.calls import SetCalls
from shared.runtime.validation.validation_errors import errors_of, rule_of

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from shared.ai.evaluation.sets.calls import Problem
    from shared.ai.evaluation.sets.inputs import RunInput
    from shared.ai.evaluation.sets.items import StoredSet
    from shared.ai.evaluation.sets.views import RunView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request


def calls_of(deps: ApiDependencies, caller: Caller, project_id: str) -> SetCalls:
    """Return the calls about the sets of a project of the caller. Raises NotFound."""
    versions.item_of(deps, caller, project_id)
    stored = evaluations.of_project(deps.resources.log, caller.company, project_id)
    return SetCalls(stored, caller.company, (project_id,), deps.seal, _plain)


def _plain(content: str) -> dict[str, Any]:
    return Dialogue.model_validate_json(content).model_dump(mode="json", exclude_defaults=True)


def problems_of(field: str, given: dict[str, Any], names: set[str]) -> list[Problem]:
    """Return why a scenario at *field* is refused, with field and rule; its name is added to *names*."""
    try:
        dialogue = Dialogue.model_validate(given)
    except ValidationError as refusal:
        return [
            {"field": ".".join([field, *map(str, one["loc"])]), "problem": rule_of(one)}
            for one in errors_of(refusal)
        ]
    if dialogue.name in names:
        return [{"field": f"{field}.name", "problem": "is used twice"}]
    names.add(dialogue.name)
    if dialogue.project:
        return [{"field": f"{field}.project", "problem": "must be absent: versions have settings"}]
    for number, step in enumerate(dialogue.turns):
        if step.files:
            at = f"{field}.turns.{number}.files"
            return [{"field": at, "problem": "must be absent: only the command reads files"}]
    try:
        refuse_unplayable(Written(dialogue, NOWHERE))
    except NotPlayable as refusal:
        return [{"field": f"{field}.{refusal.at}", "problem": "cannot be played in an evaluation"}]
    return []


def begin(
    deps: ApiDependencies, project_id: str, found: StoredSet, request: Request[RunInput]
) -> RunView:
    """Start a run. Repeatable. Raises NotFound for a version, InvalidInput for the same one twice."""
    caller, given, resources = request.caller, request.input, deps.resources
    item = versions.item_of(deps, caller, project_id)
    number = given.version or live_version(resources.log, resources.companies.table, item)
    for one in filter(None, (number, given.against)):
        versions.version_of(deps, caller, project_id, one)
    run, positions = calls_of(deps, caller, project_id).begin(found, request, number)
    resources.agents.send(
        EvaluationStep(
            company_id=caller.company, project_id=project_id, run_id=run.run_id, position=position
        ).entry()
        for position in positions
    )
    return run
