"""Runs the turns of the project's models: bounded and metered, with a second model if the project has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations.ai.prompt.memory import accepted
from conversations.ai.turn import dialogue
from conversations.outbound.policy.spending_bounds import cause_of
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from shared.ai import port as ai
from shared.ai.calls.fallback import WithFallback
from shared.ai.calls.model_calls import SHORTEST_LEFT_MS, ModelCalls
from shared.ai.files.refused_files import ReadsFiles
from shared.ai.providers import model_creation
from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON
from shared.ai.spending.company_model import CompanyCalls, CompanyModel
from shared.ai.spending.models import BoundedModel
from shared.aws.secrets import SecretUnreadable
from shared.policy.facts import Reason
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.config import AiConfig, ConversationModel
    from conversations.ai.functions import Execute
    from conversations.ai.outcome import Answer
    from conversations.ai.prompt.memory import Remembered
    from conversations.ai.turn.task import Task
    from conversations.lifecycle.conversation import OpenConversation
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.providers.company_secrets import CompanySecrets


@dataclass(frozen=True, slots=True)
class ModelTurns:
    """Runs turns; *spending* bounds what customers cause."""

    log: Table
    model_deps: ModelDependencies
    credentials: CompanySecrets
    spending: Spending

    def answer(
        self,
        opened: OpenConversation,
        config: AiConfig,
        task: Task,
        execute: Execute,
        turn_id: str | None,
    ) -> Answer:
        """
        Run one turn. Without *turn_id* its cost counts for the ceilings of the company only: a caller has asked for it.
        Raises Unwritable.
        """
        try:
            return self._bounded(opened, config, task, execute, turn_id)
        except SecretUnreadable:
            metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
            raise Unwritable("secrets_missing") from None
        except Misconfigured as refusal:
            raise Unwritable(refusal.code) from None
        except NotSent as failure:
            raise Unwritable(failure.code, may_pass=True) from None
        except ai.Unavailable as failure:
            if failure.code in {Reason.TOKEN_CAP, REASON}:
                raise Unwritable(failure.code) from None
            if not config.fallback:
                _report(failure)
            may_pass = failure.repeat is ai.Repeat.LATER
            raise Unwritable("ai_failed", may_pass=may_pass) from None

    def summary(
        self, opened: OpenConversation, config: AiConfig, request: ai.Request, turn_id: str
    ) -> Remembered:
        """Return the memory that the model writes after a turn. Raises ai.Unavailable, and AnswerInvalid."""
        deadline_ms = clock.now_ms() + request.limits.within_ms + SHORTEST_LEFT_MS
        try:
            model = self._turn_models(config, opened.company.company_id, deadline_ms, None)
        except (SecretUnreadable, Misconfigured, NotSent):
            raise ai.Unavailable("not_set_up", ai.Repeat.NEVER) from None
        bounded = BoundedModel(
            model,
            self.spending,
            Kind.AI_ANSWER,
            cause_of(opened, f"memory:{turn_id}"),
            prices.price_for(config),
        )
        calls = ModelCalls(
            model=Metered(bounded, self.log, opened.company), deadline_ms=deadline_ms
        )
        try:
            return calls.ask(request, accepted)
        finally:
            bounded.settle()

    def _bounded(
        self,
        opened: OpenConversation,
        config: AiConfig,
        task: Task,
        execute: Execute,
        turn_id: str | None,
    ) -> Answer:
        company_id = opened.company.company_id
        if config.api_key_reference is not None:
            self.credentials.value(company_id, config.api_key_reference)
        if turn_id is None:
            calls = CompanyCalls(self.spending.table, company_id)
            model = self._turn_models(config, company_id, task.deadline_ms, calls)
            return dialogue.answer(Metered(model, self.log, opened.company), task, execute)
        model = self._turn_models(config, company_id, task.deadline_ms, None)
        bounded = BoundedModel(
            model,
            self.spending,
            Kind.AI_ANSWER,
            cause_of(opened, turn_id),
            prices.price_for(config),
            prices.MESSAGE[task.channel],
        )
        try:
            return dialogue.answer(Metered(bounded, self.log, opened.company), task, execute)
        finally:
            bounded.settle()

    def _turn_models(
        self, config: AiConfig, company_id: str, deadline_ms: int, calls: CompanyCalls | None
    ) -> ai.Model:
        return models_of(config, self.model_deps, company_id, deadline_ms, _report, calls=calls)


def models_of(
    config: AiConfig,
    deps: ModelDependencies,
    company_id: str,
    deadline_ms: int,
    report: Callable[[ai.Unavailable], None],
    *,
    calls: CompanyCalls | None,
) -> ai.Model:
    """
    Return a project's model, with its second one if the project has one. *report*: of a failure of the first.

    *calls*: as what each call counts for the ceilings of the company; None: the caller reserves.
    """

    def model(settings: ConversationModel) -> ai.Model:
        made = model_creation.model_for(settings, deps, company_id)
        if calls is not None:
            price = prices.price_for(settings)
            made = CompanyModel(made, price, calls.counts, calls.company, calls.spares)
        return ReadsFiles(made, settings.media)

    first, second = model(config), config.fallback
    if second is None:
        return first
    return WithFallback(
        first,
        second,
        lambda: model(second),
        deadline_ms,
        report,
        takes_refusals=config.guardrail_id is None,
    )


def _report(failure: ai.Unavailable) -> None:
    """Count and log a failure of a model; one that lasts until an operator acts raises the alarm of settings."""
    metrics.add_metric("ModelFailed", MetricUnit.Count, 1)
    if failure.repeat is not ai.Repeat.NEVER:
        logger.warning("model unavailable", extra={"reason": failure.code})
        return
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("model unusable", extra={"reason": failure.code})
