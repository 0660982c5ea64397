"""Stores sets of scenarios, starts their runs, and shows the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from conversations.api.access import NotFound, StateConflict
from conversations.api.projects import versions, views
from conversations.api.projects.inputs import LARGEST_SET_BYTES
from conversations.configuration.versions import live_version
from conversations.dialogues.rehearsal.rehearsal import NotPlayable, refuse_unplayable
from conversations.dialogues.runs import NOWHERE
from conversations.dialogues.scenarios.files import Written
from conversations.dialogues.scenarios.format import Dialogue
from conversations.lifecycle.records.evaluation_step import EvaluationStep
from conversations.store.items.parts.evaluation import EvaluationRun, EvaluationSet
from conversations.store.versions.evaluations import MOST_SETS, Evaluations
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock
from shared.runtime.validation.validation_errors import errors_of, rule_of

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import RunInput, RunQuery, SetInput, SetsQuery
    from conversations.store.items.parts.evaluation import EvaluationResult
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request

SET_NOT_FOUND = "set_name: set not found"
RUN_NOT_FOUND = "run_id: run not found"
_A_MILLION = 1_000_000
_ID_DIGITS = 26

type _Problem = dict[str, str]


def stored_of(deps: ApiDependencies, caller: Caller, project_id: str) -> Evaluations:
    """Return the sets of a project of the caller. Raises NotFound."""
    versions.item_of(deps, caller, project_id)
    return Evaluations(deps.resources.log, caller.company, project_id)


def set_of(stored: Evaluations, name: str) -> EvaluationSet:
    """Return a set. Raises NotFound."""
    found = stored.read(name)
    if found is None:
        raise NotFound(SET_NOT_FOUND)
    return found


def listed(
    deps: ApiDependencies, caller: Caller, project_id: str, query: SetsQuery
) -> Page[views.SetsView]:
    """Return a page of the sets of a project. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    listing = Listing(caller.company, "EVALUATION_SETS", (project_id,))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    found, last = stored.page(query.limit, start)
    sets = [views.SetView(**_facts(one)) for one in found]
    return Page(views.SetsView(sets=sets), listing.cursor(deps.seal, last) if last else None)


def shown(
    deps: ApiDependencies, caller: Caller, project_id: str, name: str
) -> views.SetContentView:
    """Return a set with its scenarios. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    found = set_of(stored, name)
    content = stored.scenarios(name, found.revision) or []
    dialogues = (Dialogue.model_validate_json(one) for one in content)
    plain = [one.model_dump(mode="json", exclude_defaults=True) for one in dialogues]
    return views.SetContentView(**_facts(found), content=plain)


def put(
    deps: ApiDependencies, project_id: str, name: str, request: Request[SetInput]
) -> views.SetView:
    """Store a set, or change it. Repeatable. Raises NotFound, InvalidInput and StateConflict."""
    stored = stored_of(deps, request.caller, project_id)
    before, given = stored.read(name), request.input
    content = None if given.scenarios is None else _content(given.scenarios)
    if before is None:
        if content is None:
            raise NotFound(SET_NOT_FOUND)
        if len(stored.page(MOST_SETS)[0]) == MOST_SETS:
            raise StateConflict(f"set_name: a project has at most {MOST_SETS} sets")
    is_kept = before is not None and content in {None, _stored_content(stored, before)}
    if before is not None and is_kept:
        if given.gate is not None:
            stored.set_gate(name, is_gate=given.gate)
        return views.SetView(**_facts(set_of(stored, name)))
    made = EvaluationSet(
        name=name,
        revision=before.revision + 1 if before else 1,
        scenarios=len(content or ()),
        gate=given.gate if given.gate is not None else bool(before and before.gate),
        by=request.caller.principal,
        at=clock.to_text(clock.now_ms()),
    )
    if not stored.put(made, content or ()):
        raise StateConflict("set_name: the set was changed meanwhile")
    return views.SetView(**_facts(made))


def _stored_content(stored: Evaluations, one: EvaluationSet) -> tuple[str, ...]:
    return tuple(stored.scenarios(one.name, one.revision) or ())


def _content(scenarios: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the scenarios as they are stored. Raises InvalidInput with scenario, field and rule of each error."""
    problems: list[_Problem] = []
    names: set[str] = set()
    for number, given in enumerate(scenarios):
        problems += _problems_of(f"scenarios.{number}", given, names)
    content = tuple(to_json(one) for one in scenarios)
    if not problems and sum(map(len, content)) > LARGEST_SET_BYTES:
        rule = f"must be at most {LARGEST_SET_BYTES} bytes"
        problems.append({"field": "scenarios", "problem": rule})
    if problems:
        raise InvalidInput(problems)
    return content


def _problems_of(field: str, given: dict[str, Any], names: set[str]) -> list[_Problem]:
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
    deps: ApiDependencies, project_id: str, found: EvaluationSet, request: Request[RunInput]
) -> views.RunView:
    """Start a run. Repeatable. Raises NotFound for a version, InvalidInput for the same one twice."""
    caller, given, resources = request.caller, request.input, deps.resources
    item = versions.item_of(deps, caller, project_id)
    number = given.version or live_version(resources.log, resources.companies.table, item)
    if given.against == number:
        raise InvalidInput([{"field": "against", "problem": "must be another version"}])
    for one in filter(None, (number, given.against)):
        versions.version_of(deps, caller, project_id, one)
    stored = Evaluations(resources.log, caller.company, project_id)
    run = stored.begin(
        EvaluationRun(
            run_id=request.cause[:_ID_DIGITS],
            set_name=found.name,
            revision=found.revision,
            version=number,
            against=given.against,
            recorded=given.recorded,
            total=found.scenarios,
            most_calls=given.most_calls,
            most_micros=round(given.most_dollars * _A_MILLION),
            by=caller.principal,
            at=clock.to_text(clock.now_ms()),
            ttl=EvaluationRun.time_to_live(),
        )
    )
    # Repeated after a crash: a scenario with a result is not played again.
    resources.agents.send(
        EvaluationStep(
            company_id=caller.company, project_id=project_id, run_id=run.run_id, position=position
        ).entry()
        for position in range(run.total)
    )
    return views.RunView(**_run_facts(run))


def results(
    deps: ApiDependencies, caller: Caller, project_id: str, run_id: str, query: RunQuery
) -> Page[views.RunResultsView]:
    """Return a run with a page of its results. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    run = stored.run(run_id)
    if run is None:
        raise NotFound(RUN_NOT_FOUND)
    listing = Listing(caller.company, "EVALUATION_RESULTS", (project_id, run_id))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    found, last = stored.results(run_id, query.limit, start)
    view = views.RunResultsView(**_run_facts(run), results=[_result(one) for one in found])
    return Page(view, listing.cursor(deps.seal, last) if last else None)


def _facts(one: EvaluationSet) -> dict[str, Any]:
    facts = one.model_dump(include=set(views.SetView.model_fields))
    return {**facts, "passed": sorted(one.passed)}


def _run_facts(run: EvaluationRun) -> dict[str, Any]:
    facts = run.model_dump(include=set(views.RunView.model_fields))
    return {
        **facts,
        "passed_against": run.passed_against if run.against else None,
        "calls": run.used_calls,
        "dollars": f"{run.used_micros / _A_MILLION:.6f}",
    }


def _result(one: EvaluationResult) -> views.ScenarioResultView:
    empty: dict[str, Any] = {"failures": [], "stopped": None, "said": "", "judged": [], "calls": 0}
    shown_results = [
        views.ResultView(**{**empty, **{k: v for k, v in row.items() if k != "micros"}})
        for row in one.results
    ]
    return views.ScenarioResultView(position=one.position, name=one.name, results=shown_results)
