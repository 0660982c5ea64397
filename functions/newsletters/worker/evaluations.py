"""Plays the newsletters of stored runs with the model of a version of a company's settings. Nothing else is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from newsletters.api.company.tries import scenarios
from newsletters.api.company.tries.scenarios import NewsletterScenario
from newsletters.api.inputs import VersionedSettings
from newsletters.store import companies, sets
from shared.ai.evaluation import answers
from shared.ai.evaluation.bounded_calls import SECRETS_MISSING, BoundedCalls
from shared.ai.evaluation.judge import Judge
from shared.ai.evaluation.sets import runs
from shared.ai.evaluation.sets.runs import NOT_PLAYABLE, VERSION_GONE, Stopped
from shared.ai.providers.model_creation import model_for
from shared.ai.settings import ModelSettings
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Run, WorkerResources
    from newsletters.inbound.events import EvaluationRequested
    from shared.ai.evaluation.answers import Made
    from shared.ai.evaluation.sets.runs import Outcome, Play

SPARE_MS: Final = 10 * clock.SECOND_MS  # to store the result
NO_MODEL: Final = "ai_not_configured"


def play(resources: WorkerResources, event: EvaluationRequested, run: Run) -> bool:
    """Play one scenario; False if there is no such run. Raises Transient for a failure that may pass."""
    until_ms = run.ends_at_ms - SPARE_MS

    def player(given: Play) -> tuple[str, list[Outcome]]:
        try:
            scenario = NewsletterScenario.model_validate_json(given.content)
        except ValidationError:  # of an earlier release
            return given.unnamed, [Stopped(NOT_PLAYABLE) for _ in given.run.versions]
        with_all = _Scenario(resources, given, event.company_id, scenario, until_ms)
        return scenario.name, [with_all.outcome(number) for number in given.run.versions]

    stored = sets.of_company(resources.store.table, event.company_id)
    return runs.play(stored, event.run_id, event.position, player, is_last=run.is_last)


def give_up(resources: WorkerResources, event: EvaluationRequested, reason: str) -> None:
    """Store that a scenario could not be played."""
    stored = sets.of_company(resources.store.table, event.company_id)
    runs.give_up(stored, event.run_id, event.position, reason)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario of a run of a company; no call of a model lasts beyond *until_ms*."""

    resources: WorkerResources
    given: Play
    company: str
    scenario: NewsletterScenario
    until_ms: int

    def outcome(self, number: int) -> Outcome:
        """Play it with a version."""
        version = companies.versions_of(self.resources.store.table, self.company).read(number)
        if version is None:
            return Stopped(VERSION_GONE)
        try:
            settings = VersionedSettings.model_validate(version.settings)
        except ValidationError:  # of an earlier release
            return Stopped(NOT_PLAYABLE)
        checks_claims = bool(settings.check_claims)
        if self.given.run.recorded:
            return self._recorded(checks_claims=checks_claims)
        return self._asked(settings, checks_claims=checks_claims)

    def _recorded(self, *, checks_claims: bool) -> Outcome:
        def step(answer: Any) -> Made:  # noqa: ANN401 - see `recorded`
            return scenarios.of_recorded(self.scenario, answer, checks_claims=checks_claims)

        return answers.recorded(self.scenario, step)

    def _asked(self, settings: VersionedSettings, *, checks_claims: bool) -> Outcome:
        if settings.ai is None:
            return Stopped(NO_MODEL)
        configured, bounds = ModelSettings.model_validate(settings.ai.model_dump()), self.given.left

        def step() -> Made:
            return scenarios.made(
                model,
                self.scenario,
                configured,
                checks_claims=checks_claims,
                deadline_ms=self.until_ms,
            )

        try:
            model = BoundedCalls(self._counted(configured), prices.price_for(configured), bounds)
            judge = Judge(model, self.until_ms)
            return answers.asked(self.scenario, step, judge, self.scenario.about, bounds)
        except SecretUnreadable:
            return Stopped(SECRETS_MISSING)
        except (Misconfigured, NotSent) as refusal:
            return Stopped(refusal.code)

    def _counted(self, configured: ModelSettings) -> CompanyModel:
        """Return the model, whose calls count for the limits of the company."""
        model = model_for(configured, self.resources.models, self.company)
        price = prices.price_for(configured)
        return CompanyModel(model, price, self.resources.spending, self.company, spares=True)
