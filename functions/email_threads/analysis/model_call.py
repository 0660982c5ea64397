"""One call of the mailbox's model, with a second attempt for an answer outside the schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.metrics import MetricUnit
from pydantic import ValidationError

from email_threads.analysis import prompt
from email_threads.analysis.kept_answers import COST, VERSION
from email_threads.analysis.schema import NAME, Answer, answer_schema
from email_threads.configuration.model_limits import FEWEST_TOKENS
from email_threads.configuration.requirements_schema import USUAL, RequirementsSchema
from shared.ai import port as ai
from shared.ai.calls.model_calls import AnswerInvalid, ModelCalls, complete_text
from shared.ai.providers.model_creation import model_for
from shared.ai.settings import ModelSettings
from shared.ai.spending import prices
from shared.ai.spending.budget import REASON
from shared.ai.spending.company_model import CompanyModel
from shared.aws.secrets import SecretUnreadable
from shared.aws.sqs_fifo import to_json
from shared.aws.tables.dynamodb_json import plain
from shared.providers.outcomes import Misconfigured
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from email_threads.configuration.resources import SendingResources
    from email_threads.store.items import Mailbox

WITHIN_MS: Final = 45 * clock.SECOND_MS


class NoAnswer(Exception):
    """
    The model gave no usable answer; *code* is ours or the provider's. *may_repeat*: a later attempt may succeed.

    *usage*: the usage of the answered calls; None if no call was answered.
    """

    def __init__(self, code: str, *, may_repeat: bool, usage: ai.Usage | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.may_repeat = may_repeat
        self.usage = usage


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A valid answer as JSON, the model's name, and the tokens of all calls; *has_price*: its price is known."""

    text: str
    model: str
    usage: ai.Usage
    has_price: bool = False

    def stored_by(self, version: int | None) -> dict[str, Any]:
        """Return the attributes that are stored at the mail; *version* is the version of the mailbox's settings."""
        return {
            "answer": self.text,
            "model": self.model,
            "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out,
            **({VERSION: version} if version is not None else {}),
            **({COST: self.usage.micros} if self.has_price else {}),
        }


def note(failure: Exception) -> None:
    """Write a line about a failure. It raises no alarm: a person sees it."""
    logger.warning("model call failed", extra=describe(failure))


def _count(failure: Exception) -> None:
    metrics.add_metric("ModelFailure", MetricUnit.Count, 1)
    note(failure)


def answer(
    resources: SendingResources,
    mailbox: Mailbox,
    content: str,
    fields: RequirementsSchema,
    *,
    is_reserved: bool,
) -> ModelAnswer:
    """
    Ask the mailbox's model about *content* (`prompt.input_of`). Without a reservation (*is_reserved*) the calls count
    for the company's ceilings only. Raises NoAnswer.
    """
    settings = settings_of(mailbox)

    def ask() -> ModelAnswer:
        model = model_for(settings, resources.models, mailbox.company_id)
        if not is_reserved:
            counts = resources.spending.table
            model = CompanyModel(model, prices.price_for(settings), counts, mailbox.company_id)
        return asked(model, settings, content, fields)

    return answered(ask)


def settings_of(mailbox: Mailbox) -> ModelSettings:
    """Return the settings of the mailbox's model. Raises NoAnswer."""
    try:
        return ModelSettings.model_validate_json(to_json(plain(mailbox.ai)))
    except ValidationError:
        raise NoAnswer("model_settings_invalid", may_repeat=False) from None


def micros_of(mailbox: Mailbox, kept: Mapping[str, Any]) -> int:
    """Return what an answer that is stored at its mail has cost with the mailbox's model, in micro-dollars."""
    usage = ai.Usage(int(kept.get("tokens_in", 0)), int(kept.get("tokens_out", 0)))
    return prices.price_for(settings_of(mailbox)).of_use(usage)


def fields_of(mailbox: Mailbox) -> RequirementsSchema:
    """Return the requirements schema of the mailbox. Raises NoAnswer if this version refuses the stored schema."""
    if mailbox.requirements_schema is None:
        return USUAL
    try:
        return RequirementsSchema.model_validate(mailbox.requirements_schema)
    except ValidationError:
        raise NoAnswer("requirements_schema_invalid", may_repeat=False) from None


def answered(
    ask: Callable[[], ModelAnswer], count: Callable[[Exception], None] = _count
) -> ModelAnswer:
    """Return the answer of a call of the model. Raises NoAnswer in place of its failures, which *count* gets."""
    try:
        return ask()
    except ai.Unavailable as failure:
        if failure.code != REASON:  # a limit of the company, which is counted where it is reached
            count(failure)
        raise NoAnswer(failure.code, may_repeat=failure.repeat is ai.Repeat.LATER) from None
    except (Misconfigured, SecretUnreadable) as failure:
        count(failure)
        raise NoAnswer(getattr(failure, "code", "key_missing"), may_repeat=False) from None


def asked(
    model: ai.Model,
    settings: ModelSettings,
    content: str,
    fields: RequirementsSchema,
    *,
    count: Callable[[Exception], None] = _count,
    deadline_ms: int | None = None,
) -> ModelAnswer:
    """
    Ask a model about *content*; no call lasts beyond *deadline_ms*. *count* gets invalid answers.

    Raises NoAnswer and Unavailable.
    """
    request = ai.Request(
        system=prompt.SYSTEM,
        history=[ai.Message(ai.Role.USER, content)],
        limits=ai.Limits(
            # Settings of earlier releases may have fewer.
            most_tokens=max(FEWEST_TOKENS, settings.max_output_tokens),
            within_ms=WITHIN_MS,
            temperature=settings.temperature,
        ),
        schema=ai.Schema(NAME, answer_schema(fields)),
    )
    calls = ModelCalls(model=model, deadline_ms=deadline_ms)

    def accept(reply: ai.Reply) -> ModelAnswer:
        if reply.stop is ai.Stop.REFUSED:
            raise NoAnswer("refused", may_repeat=False, usage=calls.usage)
        try:
            answer = Answer.parse(complete_text(reply))
        except AnswerInvalid as invalid:
            count(invalid)
            raise
        has_price = prices.is_known(settings)
        return ModelAnswer(answer.model_dump_json(), model.name, calls.usage, has_price)

    try:
        return calls.ask(request, accept)
    except AnswerInvalid:
        raise NoAnswer("answer_invalid", may_repeat=False, usage=calls.usage) from None
    finally:
        tokens = calls.usage.tokens_in + calls.usage.tokens_out
        metrics.add_metric("ModelAsked", MetricUnit.Count, calls.count)
        metrics.add_metric("ModelTokens", MetricUnit.Count, tokens)
