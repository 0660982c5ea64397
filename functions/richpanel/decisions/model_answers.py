"""
The schemas of the language model's answers, and their merge with the rules' result if `CLASSIFIER` is `both`.

The model returns intents, flags and a verdict: no team, tag, template or text. An answer outside its schema is a
failure.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from richpanel.classification import Classification, Language, Scored
from richpanel.classification.answers import is_present
from richpanel.classification.taxonomy import Intent, Level, Modifier, RiskFlag, intents, modifiers
from richpanel.decisions.facts import Downgrade, ModelOpinion, Verdict, VerdictReason

# Maximum confidence of the model alone: too low for facts of an order if the rules find no intent.
MOST_ALONE = 0.84
PRICE_OF_DISAGREEMENT = 0.10

type Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ModelAnswerInvalid(Exception):
    """The model's answer is outside its schema. The text has the first field and the rule, never a value."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the answer from a JSON *text*. Raises ModelAnswerInvalid."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "answer"
            raise ModelAnswerInvalid(f"{field}: {first['type']}") from None


class ModelIntent(_Answer):
    """One intent with the model's confidence."""

    intent: Intent
    confidence: Confidence


class ModelDecision(_Answer):
    """`rp_decision_v1`: the model's classification of a message."""

    schema_version: Literal["rp_decision_v1"]
    language: Language
    intents: Annotated[list[ModelIntent], Field(min_length=1, max_length=3)]
    risk_flags: Annotated[list[RiskFlag], Field(max_length=4)]
    wants_human: bool

    @model_validator(mode="after")
    def _has_distinct_intents(self) -> Self:
        if len({scored.intent for scored in self.intents}) < len(self.intents):
            raise ValueError("must not repeat an intent")
        return self


class ModelVerdict(_Answer):
    """`rp_verifier_v1`: whether facts of one order may be stated."""

    schema_version: Literal["rp_verifier_v1"]
    allow_tier2: bool
    confidence: Confidence
    downgrade_to: Downgrade | None
    reason_code: VerdictReason

    @model_validator(mode="after")
    def _either_allows_or_refuses(self) -> Self:
        is_ok = self.reason_code is VerdictReason.OK
        if self.allow_tier2 != is_ok or self.allow_tier2 != (self.downgrade_to is None):
            raise ValueError("must either allow or refuse")
        return self


DECISION_SCHEMA: dict[str, Any] = ModelDecision.model_json_schema()
VERDICT_SCHEMA: dict[str, Any] = ModelVerdict.model_json_schema()


def verdict_of(answer: ModelVerdict) -> Verdict:
    """Convert the model's verdict to a `Verdict`."""
    return Verdict(answer.allow_tier2, answer.confidence, answer.reason_code, answer.downgrade_to)


def merge(rules: Classification, model: ModelDecision) -> tuple[Classification, ModelOpinion]:
    """
    Merge both results, and return whether they agree. P0 intents, flags and modifiers of either count.

    Same primary intent: the higher confidence. Rules without an intent: the model's, `MOST_ALONE` at most. Different
    intents: the more urgent, at the lower confidence less `PRICE_OF_DISAGREEMENT`; Tier 2 requires agreement.
    """
    first, other = _primary(rules.intents), _primary(_scored(model))
    agree = first.intent is other.intent
    merged = replace(
        rules,
        intents=_joined(_winner(first, other), rules.intents, _scored(model)),
        language=model.language if rules.language is Language.UNKNOWN else rules.language,
        risk_flags=rules.risk_flags | set(model.risk_flags),
        modifiers=rules.modifiers | _modifiers(model),
        version=f"{rules.version}+model",
    )
    return merged, ModelOpinion(agrees=agree)


def _winner(rules: Scored, model: Scored) -> Scored:
    if rules.intent is model.intent is Intent.UNKNOWN_OTHER:
        return Scored(Intent.UNKNOWN_OTHER, 0.0)  # a confidence in "unknown" is not used
    if rules.intent is model.intent:
        return max(rules, model, key=lambda scored: scored.confidence)
    urgent = min(rules, model, key=_urgency)
    if intents[urgent.intent].level is Level.P0:
        return urgent  # a P0 intent of either counts in full
    if rules.intent is Intent.UNKNOWN_OTHER:
        return Scored(model.intent, min(model.confidence, MOST_ALONE))
    lower = min(rules.confidence, model.confidence)
    return Scored(urgent.intent, round(max(0.0, lower - PRICE_OF_DISAGREEMENT), 4))


def _joined(first: Scored, *answers: Iterable[Scored]) -> tuple[Scored, ...]:
    """Return *first*, then the other intents of both; none as urgent as *first* or more gets a higher confidence."""
    others: dict[Intent, float] = {}
    for scored in (scored for answer in answers for scored in answer):
        if scored.intent not in {first.intent, Intent.UNKNOWN_OTHER}:
            previous = others.get(scored.intent, 0.0)
            others[scored.intent] = max(previous, scored.confidence)
    capped = (
        Scored(
            intent,
            confidence if _is_less_urgent(intent, first) else min(confidence, first.confidence),
        )
        for intent, confidence in others.items()
    )
    return (first, *sorted(capped, key=_order))


def _primary(answer: Iterable[Scored]) -> Scored:
    """Return the most urgent intent present, by the taxonomy's order; `unknown_other` if none is present."""
    scored_intents = list(answer)
    no_intent = next(
        (scored for scored in scored_intents if scored.intent is Intent.UNKNOWN_OTHER),
        Scored(Intent.UNKNOWN_OTHER, 0.0),
    )
    return min(
        (scored for scored in scored_intents if is_present(scored)),
        key=_urgency,
        default=no_intent,
    )


def _urgency(scored: Scored) -> tuple[int, float, int]:
    facts = intents[scored.intent]
    return facts.level, -scored.confidence, facts.row


def _order(scored: Scored) -> tuple[bool, int, float, int]:
    return (not is_present(scored), *_urgency(scored))


def _is_less_urgent(intent: Intent, than: Scored) -> bool:
    return intents[intent].level > intents[than.intent].level


def _scored(model: ModelDecision) -> tuple[Scored, ...]:
    return tuple(Scored(answer.intent, answer.confidence) for answer in model.intents)


def _modifiers(model: ModelDecision) -> set[Modifier]:
    flagged = {kind for kind, facts in modifiers.items() if facts.risk_flag in model.risk_flags}
    return flagged | ({Modifier.WANTS_PERSON} if model.wants_human else set())
