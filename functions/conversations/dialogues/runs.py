"""
Plays the scenarios of stored runs, one for each event. Nothing is sent to customers.

    result stored already        only the end of the run is noted
    set changed, or no version   the scenario fails with that reason
    model fails for now          repeated by the queue, the last time the scenario fails
    function has no time left    the scenario fails
    bound of the run reached     it and all later scenarios fail
    limit of the company reached the scenario fails
    crash                        the scenario is played again; only its result counts, and what the first try has cost
                                 is not counted
"""

from __future__ import annotations

import json
from collections import Counter
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
from conversations.store.items.parts.evaluation import EvaluationResult
from conversations.store.versions import project_versions
from conversations.store.versions.evaluations import Evaluations
from shared.ai.evaluation.bounds import BoundedCalls, Bounds
from shared.ai.evaluation.judge import Judge
from shared.ai.spending.company_model import CompanyCalls
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Run
    from conversations.lifecycle.records.evaluation_step import EvaluationStep
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from conversations.store.items.parts.evaluation import EvaluationRun
    from shared.ai import port as ai
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Attributes, Table

SET_CHANGED, VERSION_GONE, PROJECT_GONE = "set_changed", "version_gone", "project_gone"
LONGEST_TEXT = 4_000  # of all answers of a scenario, as stored
MOST_FAILURES = 20
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
    stored = Evaluations(deps.log, step.company_id, step.project_id)
    begun = stored.run(step.run_id)
    if begun is None:
        return "nothing"
    if not stored.has_result(step.run_id, step.position):
        until_ms = clock.now_ms() + run.remaining_ms() - SPARE_MS
        name, outcomes = _outcomes(deps, step, stored, begun, until_ms)
        if any(one.may_pass for one in outcomes) and not run.is_last:
            raise Transient("model_unavailable")
        _store(stored, begun, step.position, name, outcomes)
    _note_end(stored, step.run_id)
    return "played"


def give_up(deps: RunDependencies, step: EvaluationStep, reason: str) -> None:
    """Store that a scenario could not be played."""
    stored = Evaluations(deps.log, step.company_id, step.project_id)
    begun = stored.run(step.run_id)
    if begun is not None:
        outcomes = [Outcome(name="", stopped=reason) for _ in begun.versions]
        _store(stored, begun, step.position, f"scenario {step.position + 1}", outcomes)
        _note_end(stored, step.run_id)


def _outcomes(
    deps: RunDependencies,
    step: EvaluationStep,
    stored: Evaluations,
    begun: EvaluationRun,
    until_ms: int,
) -> tuple[str, list[Outcome]]:
    """Return the name of a scenario and its outcome with each version."""
    scenarios = stored.scenarios(begun.set_name, begun.revision)
    item = deps.companies.get(projects.key(step.company_id, step.project_id))
    if scenarios is None or item is None:
        reason = SET_CHANGED if scenarios is None else PROJECT_GONE
        name = f"scenario {step.position + 1}"
        return name, [Outcome(name=name, stopped=reason) for _ in begun.versions]
    written = Written(Dialogue.model_validate_json(scenarios[step.position]), NOWHERE)
    left = Bounds(begun.most_calls - begun.used_calls, begun.most_micros - begun.used_micros)
    scenario = _Scenario(deps, begun, item, written, left, until_ms)
    return written.dialogue.name, [scenario.outcome(number) for number in begun.versions]


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario of a run, with the project's item, what is left of the run's bounds, and its end in ms since 1970."""

    deps: RunDependencies
    begun: EvaluationRun
    item: Attributes
    written: Written
    left: Bounds
    until_ms: int

    def outcome(self, number: int) -> Outcome:
        """Play it with a version."""
        name = self.written.dialogue.name
        ids = str(self.item["company_id"]), str(self.item["project_id"])
        version = project_versions.of_project(self.deps.log, *ids).read(number)
        if version is None:
            return Outcome(name=name, stopped=VERSION_GONE)
        try:
            return self._evaluation(version.settings).run(self.written)
        except (NotPlayable, SettingsBroken, ConfigurationInvalid):
            return Outcome(name=name, stopped="not_playable")
        except SecretUnreadable:
            return Outcome(name=name, stopped="secrets_missing")
        except (Misconfigured, NotSent) as refusal:
            return Outcome(name=name, stopped=refusal.code)
        except Unwritable as refusal:
            return Outcome(name=name, stopped=refusal.reason, may_pass=refusal.may_pass)

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


def _store(
    stored: Evaluations,
    begun: EvaluationRun,
    position: int,
    name: str,
    outcomes: list[Outcome],
) -> None:
    results = [_shown(number, one) for number, one in zip(begun.versions, outcomes, strict=True)]
    counts: Counter[str] = Counter(done=1)
    for field, one in zip(("passed", "passed_against"), outcomes, strict=False):
        counts[field] += one.is_passed
        counts["used_calls"] += one.calls
        counts["used_micros"] += one.micros
    result = EvaluationResult(
        position=position, name=name, results=results, ttl=EvaluationResult.time_to_live()
    )
    stored.add_result(begun, result, {field: n for field, n in counts.items() if n})


def _shown(number: int, outcome: Outcome) -> dict[str, Any]:
    """Return the result with a version: what failed, and what the model has written."""
    turns = outcome.performance.turns if outcome.performance else ()
    said = "\n\n".join("\n".join(turn.sent_by("ai", "system")) for turn in turns)
    judged = [
        {"question": question, **judgement.model_dump()}
        for turn in turns
        for question, judgement in turn.judgements
    ]
    shown = {
        "version": number,
        "passed": outcome.is_passed,
        "failures": outcome.failures[:MOST_FAILURES],
        "stopped": outcome.stopped,
        "said": said[:LONGEST_TEXT],
        "judged": json.loads(json.dumps(judged), parse_float=str),
        "calls": outcome.calls,
        "micros": outcome.micros,
    }
    return {name: value for name, value in shown.items() if value not in (None, "", [])}


def _note_end(stored: Evaluations, run_id: str) -> None:
    """Note the versions that have passed the whole set. Repeatable. Recorded answers belong to no version."""
    ended = stored.run(run_id)
    if ended is None or ended.recorded or ended.done < ended.total:
        return
    for number, passed in zip(ended.versions, (ended.passed, ended.passed_against), strict=False):
        if passed == ended.total:
            stored.note_passed(ended, number)
