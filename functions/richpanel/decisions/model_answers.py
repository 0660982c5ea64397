"""
The schemas of the language model's answers, and their merge with the rules' result: the model decides, the rules veto.

The model returns intents, flags and a verdict: no team, tag, template or text. An answer outside its schema is a
failure.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from richpanel.classification import Classification, Language, Scored
from richpanel.classification.answers import with_reroute
from richpanel.classification.taxonomy import (
    Intent,
    Level,
    Modifier,
    RiskFlag,
    intents,
    modifiers,
    thresholds,
)
from richpanel.decisions.facts import Downgrade, ModelOpinion, Verdict, VerdictReason
from shared.ai.calls.model_calls import AnswerInvalid

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}|unknown")


def _language_code(value: str) -> str:
    if not _LANGUAGE.fullmatch(value):
        raise ValueError("must be a BCP 47 code or unknown")
    return value


type Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the answer from a JSON *text*. Raises AnswerInvalid."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "answer"
            raise AnswerInvalid(f"{field}: {first['type']}") from None


class ModelIntent(_Answer):
    """One intent with the model's confidence."""

    intent: Intent
    confidence: Confidence


class ModelDecision(_Answer):
    """`rp_decision_v1`: the model's classification of a message."""

    schema_version: Literal["rp_decision_v1"]
    language: Annotated[str, AfterValidator(_language_code)]
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
    Return the classification that the model decides: its main intent is primary, at its confidence.

    The rules keep what the model cannot overrule: strong P0 patterns come first, modifiers and flags of either count,
    and a P0 intent that only one of them suspects forbids an automatic reply without changing the intent.
    """
    urgent = {scored.intent: scored for scored in _urgent(rules.intents)}
    strong = [urgent.pop(intent) for intent in rules.strong_tier0 if intent in urgent]
    certain, uncertain = _by_certainty(_urgent(_scored(model)))
    first = {scored.intent: scored for scored in sorted((*strong, *certain), key=_urgency)}
    others = [scored for scored in _scored(model) if not _is_urgent(scored.intent)]
    suspected = rules.suspected_tier0 | urgent.keys() | {scored.intent for scored in uncertain}
    merged = replace(
        rules,
        intents=(*first.values(), *others) or (Scored(Intent.UNKNOWN_OTHER, 0.0),),
        suspected_tier0=suspected - first.keys(),
        language=_language(model)
        or (rules.language if rules.is_language_certain else Language.UNKNOWN),
        is_language_certain=_language(model) is not None or rules.is_language_certain,
        risk_flags=_flags(rules, urgent) | set(model.risk_flags),
        modifiers=rules.modifiers | _modifiers(model),
        # The linear model of the rules and its doubts are replaced by the model.
        is_doubted=False,
        version=f"{rules.version}+model",
    )
    return with_reroute(merged), ModelOpinion()


def _urgent(answer: Iterable[Scored]) -> list[Scored]:
    return [scored for scored in answer if _is_urgent(scored.intent) and scored.confidence > 0]


def _is_urgent(intent: Intent) -> bool:
    return intents[intent].level is Level.P0


def _by_certainty(urgent: Iterable[Scored]) -> tuple[list[Scored], list[Scored]]:
    """Separate the P0 intents of the model by `thresholds.present`: below it they are only suspected."""
    certain: list[Scored] = []
    uncertain: list[Scored] = []
    for scored in urgent:
        (certain if scored.confidence >= thresholds.present else uncertain).append(scored)
    return certain, uncertain


def _flags(rules: Classification, overruled: Iterable[Intent]) -> frozenset[RiskFlag]:
    """Return the flags of the rules, without flags of P0 intents that the model overruled."""
    return rules.risk_flags - {flag for intent in overruled if (flag := intents[intent].risk_flag)}


def _urgency(scored: Scored) -> tuple[float, int]:
    return -scored.confidence, intents[scored.intent].row


def _scored(model: ModelDecision) -> tuple[Scored, ...]:
    """Return the model's intents, the main one first; a confidence in "unknown" is not used."""
    return tuple(
        Scored(answer.intent, 0.0 if answer.intent is Intent.UNKNOWN_OTHER else answer.confidence)
        for answer in model.intents
    )


def _language(model: ModelDecision) -> Language | None:
    """Return the model's language as far as `Language` distinguishes it; None if the model does not know it."""
    if model.language == Language.UNKNOWN:
        return None
    primary = model.language.partition("-")[0]
    return Language(primary) if primary in set(Language) else Language.UNKNOWN


def _modifiers(model: ModelDecision) -> set[Modifier]:
    flagged = {kind for kind, facts in modifiers.items() if facts.risk_flag in model.risk_flags}
    return flagged | ({Modifier.WANTS_PERSON} if model.wants_human else set())
