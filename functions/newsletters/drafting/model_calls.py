"""Asks the company's model, with a second attempt for an answer that was cut off or breaks the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit

from newsletters.configuration.model_limits import FEWEST_TOKENS
from newsletters.jobs.claimed_job import Written
from newsletters.jobs.failures import StepFailed
from newsletters.jobs.settings import model_of
from newsletters.store import companies
from shared.ai import port as ai
from shared.ai.calls.model_calls import AnswerInvalid, AnswerTruncated, ModelCalls
from shared.ai.providers.model_creation import model_for
from shared.ai.spending import prices
from shared.ai.spending.budget import REASON
from shared.ai.spending.company_model import CompanyModel
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import ErrorDetails

    from newsletters.configuration.resources import WorkerResources
    from newsletters.store.items import CompanySettings
    from shared.ai.settings import ModelSettings

WITHIN_MS: Final = 90 * clock.SECOND_MS


def problem_of(error: ErrorDetails) -> str:
    """Return the place and the rule of an error in an answer; a name that the model made up is `?`."""
    place = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        place[-1] = "?"
    return f"{'.'.join(place) or 'answer'}: {error['type']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt[Answer]:
    """
    A prompt: *system* has the instructions, *content* the input as JSON; *parse* reads the answer or raises
    AnswerInvalid.

    *failure* is the code of a job whose answer was invalid twice.
    """

    system: str
    content: str
    schema: ai.Schema
    parse: Callable[[str], Answer]
    failure: str


@dataclass(frozen=True, slots=True)
class Answered[Answer]:
    """The model's answer, the tokens of all calls, and the version of the company's settings."""

    answer: Answer
    usage: ai.Usage
    version: int | None

    def written(self, result: str) -> Written:
        """Return the result of a unit that was made from the answer."""
        return Written(result, self.usage, self.version)


def ask[Answer](
    resources: WorkerResources, company_id: str, prompt: Prompt[Answer]
) -> Answered[Answer]:
    """
    Return the model's answer.

    Raises StepFailed (`ai_not_configured`, `ai_refused`, `output_truncated`, `quota_exceeded`, `spending_limit`, the
    prompt's *failure*), and Transient (`ai_unavailable`) if a later attempt may succeed.
    """
    settings = companies.get_settings(resources.store.table, company_id)
    configured = model_of(settings)
    try:
        model = CompanyModel(
            model_for(configured, resources.models, company_id),
            prices.price_for(configured),
            resources.spending,
            company_id,
        )
        return _asked(resources, settings, model, configured, prompt)
    except (Misconfigured, SecretUnreadable) as failure:
        _count(failure)
        raise StepFailed("ai_not_configured") from None
    except ai.Unavailable as failure:
        if failure.code == REASON:  # counted where the limit was reached
            raise StepFailed(REASON) from None
        _count(failure)
        if failure.repeat is ai.Repeat.LATER:
            raise Transient("ai_unavailable") from None
        raise StepFailed("ai_unavailable") from None


def _asked[Answer](
    resources: WorkerResources,
    settings: CompanySettings | None,
    model: ai.Model,
    configured: ModelSettings,
    prompt: Prompt[Answer],
) -> Answered[Answer]:
    calls = ModelCalls(model=model, before_call=lambda: _use_unit(resources, settings))
    answer = answer_of(calls, configured, prompt)
    usage = calls.usage if prices.is_known(configured) else replace(calls.usage, micros=0)
    return Answered(answer, usage, settings.ai_version if settings is not None else None)


def answer_of[Answer](
    calls: ModelCalls, configured: ModelSettings, prompt: Prompt[Answer]
) -> Answer:
    """
    Return the answer of the model of *calls*.

    Raises StepFailed (`ai_refused`, `output_truncated`, the prompt's *failure*), ai.Unavailable, and as *calls* do
    before a call.
    """
    request = ai.Request(
        system=prompt.system,
        history=[ai.Message(ai.Role.USER, prompt.content)],
        limits=ai.Limits(
            # Settings of earlier releases may have fewer.
            most_tokens=max(FEWEST_TOKENS, configured.max_output_tokens),
            within_ms=WITHIN_MS,
            temperature=configured.temperature,
        ),
        schema=prompt.schema,
    )

    def accept(reply: ai.Reply) -> Answer:
        if reply.stop is ai.Stop.REFUSED:
            raise StepFailed("ai_refused")
        if reply.stop is ai.Stop.LENGTH:
            raise AnswerTruncated
        try:
            return prompt.parse(reply.text)
        except AnswerInvalid as invalid:
            _count(invalid)
            raise

    try:
        return calls.ask(request, accept)
    except AnswerTruncated:
        raise StepFailed("output_truncated") from None
    except AnswerInvalid:
        raise StepFailed(prompt.failure) from None


def _use_unit(resources: WorkerResources, settings: CompanySettings | None) -> None:
    if settings is None:
        raise StepFailed("ai_not_configured")
    metrics.add_metric("ModelAsked", MetricUnit.Count, 1)
    try:
        companies.use_ai(resources.store.table, settings.company_id, settings.ai_daily_units)
    except companies.QuotaUsed:
        raise StepFailed("quota_exceeded") from None


def _count(failure: Exception) -> None:
    metrics.add_metric("ModelFailure", MetricUnit.Count, 1)
    logger.warning("model call failed", extra=describe(failure))
