"""Checks the scenarios of a company's sets, and starts their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.api.company.tries.scenarios import NewsletterScenario
from newsletters.inbound.events import EvaluationRequested, entry
from newsletters.store import companies, sets
from shared.ai.evaluation import answers
from shared.ai.evaluation.sets.calls import SetCalls
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from newsletters.api.queries import ApiDependencies
    from shared.ai.evaluation.sets.calls import Problem
    from shared.ai.evaluation.sets.inputs import RunInput
    from shared.ai.evaluation.sets.items import StoredSet
    from shared.ai.evaluation.sets.views import RunView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request


def calls_of(deps: ApiDependencies, caller: Caller) -> SetCalls:
    """Return the calls about the sets of the caller's company."""
    stored = sets.of_company(deps.resources.store.table, caller.company)
    return SetCalls(stored, caller.company, ("settings",), deps.seal)


def problems_of(place: str, given: dict[str, Any], names: set[str]) -> list[Problem]:
    """Return why a scenario at *place* is refused, with field and rule; its name is added to *names*."""
    if given.get("settings"):
        rule = "must be absent: versions have settings"
        return [{"field": f"{place}.settings", "problem": rule}]
    return answers.problems_of(NewsletterScenario, place, given, names)


def begin(deps: ApiDependencies, found: StoredSet, request: Request[RunInput]) -> RunView:
    """Start a run. Repeatable. Raises NoVersion, and InvalidInput without two versions."""
    caller, given, table = request.caller, request.input, deps.resources.store.table
    stored = companies.get_settings(table, caller.company)
    live = companies.live_version(table, stored) if stored is not None else None
    number = given.version or live
    if number is None:
        raise InvalidInput([{"field": "version", "problem": "is needed: there is none"}])
    versions = companies.versions_of(table, caller.company)
    for one in filter(None, (number, given.against)):
        versions.get(one)
    run, positions = calls_of(deps, caller).begin(found, request, number)
    steps = [
        EvaluationRequested(company_id=caller.company, run_id=run.run_id, position=position)
        for position in positions
    ]
    deps.resources.steps.send(map(entry, steps))
    return run
