"""Checks the scenarios of the help desk's sets, and starts their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from richpanel.decisions.command import scenarios
from richpanel.decisions.command.samples import SampleInvalid
from richpanel.decisions.command.scenarios import TicketScenario
from richpanel.inbound.evaluation_step import EvaluationStep
from richpanel.store import sets, settings
from shared.ai.evaluation import answers
from shared.ai.evaluation.sets.calls import SetCalls
from shared.api.opaque_ids import seal_of

if TYPE_CHECKING:
    from richpanel.api.access import ApiDependencies
    from shared.ai.evaluation.sets.calls import Problem
    from shared.ai.evaluation.sets.inputs import RunInput
    from shared.ai.evaluation.sets.items import StoredSet
    from shared.ai.evaluation.sets.views import RunView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request


def calls_of(deps: ApiDependencies, caller: Caller) -> SetCalls:
    """Return the calls about the sets of the help desk."""
    stored = sets.of_help_desk(deps.state)
    return SetCalls(stored, caller.company, ("help-desk",), seal_of(deps.seal_secret))


def problems_of(place: str, given: dict[str, Any], names: set[str]) -> list[Problem]:
    """Return why a scenario at *place* is refused, with field and rule; its name is added to *names*."""
    found = answers.problems_of(TicketScenario, place, given, names)
    if not found:
        try:
            scenarios.sample_of(TicketScenario.model_validate(given))
        except SampleInvalid as refusal:
            field, _, rule = str(refusal).partition(": ")
            return [{"field": f"{place}.{field}" if rule else place, "problem": rule or field}]
    return found


def begin(deps: ApiDependencies, found: StoredSet, request: Request[RunInput]) -> RunView:
    """Start a run. Repeatable. Raises NoVersion, and InvalidInput for the same version twice."""
    given = request.input
    number = given.version or settings.number_in_force(deps.state)
    versions = settings.versions_of(deps.state)
    for one in filter(None, (number, given.against)):
        versions.get(one)
    run, positions = calls_of(deps, request.caller).begin(found, request, number)
    steps = [EvaluationStep(run_id=run.run_id, position=position) for position in positions]
    deps.queues.mail.send(step.entry() for step in steps)
    return run
