"""Plays the dialogues of stored runs with the models of a project; `shared.ai.evaluation.sets.runs` says when."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conversations.ai.config import AiConfig
from conversations.configuration import projects
from conversations.configuration.projects import ConfigurationInvalid
from conversations.dialogues.evaluation import Evaluation, Outcome, dearest_price
from conversations.dialogues.rehearsal.rehearsal import TURN_MS, NotPlayable
from conversations.dialogues.scenarios.files import Written
from conversations.dialogues.scenarios.format import Dialogue
from conversations.dialogues.scenarios.settings import SettingsBroken, project_of
from conversations.outbound.compose.model_turns import models_of
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from conversations.store.versions import evaluations, project_versions
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.judge import Judge
from shared.ai.evaluation.sets import runs
from shared.ai.evaluation.sets.runs import NOT_PLAYABLE, VERSION_GONE, Stopped
from shared.ai.spending.company_model import CompanyCalls
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Run
    from conversations.lifecycle.records.evaluation_step import EvaluationStep
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai import port as ai
    from shared.ai.evaluation.bounds import Bounds
    from shared.ai.evaluation.sets.items import StoredRun
    from shared.ai.evaluation.sets.runs import Play
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Attributes, Table

PROJECT_GONE = "project_gone"
SPARE_MS = 10 * clock.SECOND_MS  # to store the result
NOWHERE = Path("/nonexistent")  # scenarios of the API have no files


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDependencies:
    """The tables of the log, of projects and of what companies spend, models, and the companies' documents."""

    log: Table
    spending: Table
    companies: Table
    model_deps: ModelDependencies
    documents: DocumentSearch


def play(deps: RunDependencies, step: EvaluationStep, run: Run) -> str:
    """Play one scenario, and return the outcome for the log. Raises Transient for a failure that may pass."""
    until_ms = clock.now_ms() + run.remaining_ms() - SPARE_MS

    def player(given: Play) -> tuple[str, list[Outcome | Stopped]]:
        item = deps.companies.get(projects.key(step.company_id, step.project_id))
        if item is None:
            return given.unnamed, [Stopped(PROJECT_GONE) for _ in given.run.versions]
        written = Written(Dialogue.model_validate_json(given.content), NOWHERE)
        scenario = _Scenario(deps, given.run, item, written, given.left, until_ms)
        return written.dialogue.name, [scenario.outcome(number) for number in given.run.versions]

    stored = evaluations.of_project(deps.log, step.company_id, step.project_id)
    is_played = runs.play(stored, step.run_id, step.position, player, is_last=run.is_last)
    return "played" if is_played else "nothing"


def give_up(deps: RunDependencies, step: EvaluationStep, reason: str) -> None:
    """Store that a scenario could not be played."""
    stored = evaluations.of_project(deps.log, step.company_id, step.project_id)
    runs.give_up(stored, step.run_id, step.position, reason)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario of a run, with the project's item, what is left of the run's bounds, and its end in ms since 1970."""

    deps: RunDependencies
    begun: StoredRun
    item: Attributes
    written: Written
    left: Bounds
    until_ms: int

    def outcome(self, number: int) -> Outcome | Stopped:
        """Play it with a version."""
        ids = str(self.item["company_id"]), str(self.item["project_id"])
        version = project_versions.of_project(self.deps.log, *ids).read(number)
        if version is None:
            return Stopped(VERSION_GONE)
        try:
            return self._evaluation(version.settings).run(self.written)
        except (NotPlayable, SettingsBroken, ConfigurationInvalid):
            return Stopped(NOT_PLAYABLE)
        except SecretUnreadable:
            return Stopped("secrets_missing")
        except (Misconfigured, NotSent) as refusal:
            return Stopped(refusal.code)
        except Unwritable as refusal:
            return Stopped(refusal.reason, refusal.may_pass)

    def _evaluation(self, settings: Mapping[str, Any]) -> Evaluation:
        bounds = self.left
        if self.begun.recorded:
            return Evaluation(bounds=bounds, settings=settings, item=self.item)
        company = project_of(self.written.dialogue, settings, self.item)
        config = AiConfig.read(company.ai_config, self.written.dialogue.channel)
        is_judged = any(step.expect.judge for step in self.written.dialogue.turns)
        judge = None
        if is_judged:
            model = BoundedCalls(self._model_of(config, company), dearest_price(config), bounds)
            judge = Judge(model, self.until_ms)
        return Evaluation(
            bounds=bounds,
            settings=settings,
            item=self.item,
            models=self._model_of,
            searches=self.deps.documents.knowledge_of,
            judge=judge,
            until_ms=self.until_ms,
        )

    def _model_of(self, config: AiConfig, company: Company) -> ai.Model:
        """Return the model of a project; its calls count for the project and the company."""
        until_ms = clock.now_ms() + TURN_MS
        deps, company_id = self.deps, company.company_id
        calls = CompanyCalls(deps.spending, company_id, spares=True)
        model = models_of(config, deps.model_deps, company_id, until_ms, _unreported, calls=calls)
        return Metered(model, deps.log, company)


def _unreported(failure: ai.Unavailable) -> None:
    """Count no failure of a first model: no customer waits."""
