"""The schema of a model's answer; the model decides, the rules veto."""

import json
from typing import Any

import pytest

from richpanel.classification import Classification, Language
from richpanel.classification.taxonomy import Intent, Modifier, RiskFlag
from richpanel.decisions.facts import Downgrade, Verdict, VerdictReason
from richpanel.decisions.model_answers import (
    DECISION_SCHEMA,
    VERDICT_SCHEMA,
    ModelDecision,
    ModelVerdict,
    merge,
    verdict_of,
)
from shared.ai.calls.model_calls import AnswerInvalid
from tests.cases import each
from tests.unit.richpanel.situations import about, order, outcome, status, turn

STATUS, CANCEL = Intent.ORDER_STATUS_TRACKING, Intent.CANCEL_ORDER
RETURN, LEGAL = Intent.RETURN_REQUEST, Intent.LEGAL_THREAT
ANSWER: dict[str, Any] = {
    "schema_version": "rp_decision_v1",
    "language": "en",
    "intents": [{"intent": "order_status_tracking", "confidence": 0.9}],
    "risk_flags": [],
    "wants_human": False,
}
VERDICT: dict[str, Any] = {
    "schema_version": "rp_verifier_v1",
    "allow_tier2": True,
    "confidence": 0.9,
    "downgrade_to": None,
    "reason_code": "OK",
}


def said(*scored: tuple[Intent, float], **more: Any) -> ModelDecision:
    listed = [{"intent": intent, "confidence": confidence} for intent, confidence in scored]
    return ModelDecision.parse(json.dumps(ANSWER | {"intents": listed} | more))


def first(merged: Classification) -> tuple[Intent, float]:
    return merged.primary, merged.confidence


def test_an_answer_within_the_schema_is_parsed() -> None:
    answer = ModelDecision.parse(json.dumps(ANSWER))

    assert (answer.intents[0].intent, answer.language) == (STATUS, Language.ENGLISH)


def test_an_answer_may_have_three_intents_and_four_flags() -> None:
    flags = ["chargeback", "legal_threat", "harassment", "privacy_request"]

    answer = said((STATUS, 1), (CANCEL, 0.6), (RETURN, 0), risk_flags=flags)

    assert (len(answer.intents), answer.risk_flags) == (3, flags)


@each(
    ("change", "rule"),
    [
        ({"schema_version": "rp_decision_v2"}, "schema_version"),
        ({"language": "French, I think"}, "language"),
        ({"intents": []}, "intents"),
        ({"intents": [{"intent": "refund_now", "confidence": 1.0}]}, "intents.0.intent"),
        ({"intents": [{"intent": "legal_threat", "confidence": 1.1}]}, "intents.0.confidence"),
        ({"intents": [{"intent": "legal_threat", "confidence": "0.9"}]}, "intents.0.confidence"),
        ({"intents": [{"intent": "legal_threat", "confidence": float("nan")}]}, "intents"),
        ({"intents": ANSWER["intents"] * 2}, "answer"),
        (
            {"intents": [{"intent": str(each), "confidence": 0.6} for each in list(Intent)[:4]]},
            "intents",
        ),
        ({"risk_flags": ["bored"]}, "risk_flags.0"),
        ({"risk_flags": ["chargeback"] * 5}, "risk_flags"),
        ({"wants_human": "no"}, "wants_human"),
        ({"team": "sales"}, "team"),
        ({"reply": "We refund you."}, "reply"),
    ],
)
def test_an_answer_outside_the_schema_is_refused(change: dict[str, Any], rule: str) -> None:
    with pytest.raises(AnswerInvalid, match=f"^{rule}"):
        ModelDecision.parse(json.dumps(ANSWER | change))


def test_the_error_of_an_invalid_answer_contains_no_value() -> None:
    with pytest.raises(AnswerInvalid) as raised:
        ModelDecision.parse(json.dumps(ANSWER | {"language": "Ana Ruiz, 12 Elm St"}))

    assert "Ana" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "Sure! Here is the JSON"])
def test_a_text_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(AnswerInvalid):
        ModelDecision.parse(text)


@pytest.mark.parametrize(
    "change",
    [
        {"allow_tier2": False},
        {"reason_code": "TOO_AMBIGUOUS"},
        {"downgrade_to": "TIER_1"},
        {"allow_tier2": False, "reason_code": "TOO_AMBIGUOUS"},
        {"downgrade_to": "TIER_3"},
        {"confidence": -0.1},
    ],
)
def test_a_contradictory_verdict_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(AnswerInvalid):
        ModelVerdict.parse(json.dumps(VERDICT | change))


def test_a_verdict_is_parsed() -> None:
    refused = VERDICT | {
        "allow_tier2": False,
        "reason_code": "CONFLICTING_INTENT",
        "downgrade_to": "ROUTE_ONLY",
    }

    assert verdict_of(ModelVerdict.parse(json.dumps(refused))) == Verdict(
        False, 0.9, VerdictReason.CONFLICTING_INTENT, Downgrade.ROUTE_ONLY
    )


def test_the_schemas_for_the_model_allow_no_further_fields() -> None:
    assert DECISION_SCHEMA["additionalProperties"] is False
    assert DECISION_SCHEMA["$defs"]["ModelIntent"]["additionalProperties"] is False
    assert VERDICT_SCHEMA["additionalProperties"] is False
    assert set(DECISION_SCHEMA["required"]) == set(ANSWER)
    assert set(VERDICT_SCHEMA["required"]) == set(VERDICT)


@each(
    ("rules", "model", "expected"),
    [
        ([(STATUS, 0.96)], [(STATUS, 0.60)], (STATUS, 0.60)),
        ([(CANCEL, 0.96)], [(STATUS, 0.90)], (STATUS, 0.90)),
        ([], [(STATUS, 0.99)], (STATUS, 0.99)),
        ([(STATUS, 0.96)], [(STATUS, 0.50)], (STATUS, 0.50)),
        # The model names its main intent first, also if others are more urgent.
        ([], [(STATUS, 0.9), (CANCEL, 0.6)], (STATUS, 0.9)),
        ([(STATUS, 0.96)], [(Intent.UNKNOWN_OTHER, 0.80)], (Intent.UNKNOWN_OTHER, 0.0)),
        ([], [(LEGAL, 0.99)], (LEGAL, 0.99)),
        ([], [(STATUS, 0.9), (LEGAL, 0.8)], (LEGAL, 0.8)),
        ([], [(LEGAL, 0.7), (Intent.FRAUD_SUSPECTED, 0.8)], (Intent.FRAUD_SUSPECTED, 0.8)),
    ],
)
def test_the_intent_and_the_confidence_of_the_model_decide(
    rules: list[tuple[Intent, float]],
    model: list[tuple[Intent, float]],
    expected: tuple[Intent, float],
) -> None:
    merged, _ = merge(about(*rules), said(*model))

    assert first(merged) == expected


def test_a_strong_pattern_of_tier_0_is_not_overruled_by_the_model() -> None:
    rules = about((LEGAL, 0.96), strong_tier0=frozenset({LEGAL}))

    decision = outcome(merge(rules, said((STATUS, 0.99)))[0])

    assert (decision.intent, decision.tier, decision.reply) == (LEGAL, 0, None)
    assert decision.risk_flags == {RiskFlag.LEGAL_THREAT}


@pytest.mark.parametrize(
    ("rules", "model"),
    [
        (about(suspected_tier0=frozenset({LEGAL})), [(RETURN, 0.95)]),
        (about((LEGAL, 0.8), risk_flags=frozenset({RiskFlag.LEGAL_THREAT})), [(RETURN, 0.95)]),
        (about(), [(RETURN, 0.95), (LEGAL, 0.30)]),
    ],
)
def test_a_weak_signal_of_tier_0_holds_the_reply_and_changes_nothing_else(
    rules: Classification, model: list[tuple[Intent, float]]
) -> None:
    clean = outcome(merge(about(), said((RETURN, 0.95)))[0])
    decision = outcome(merge(rules, said(*model))[0])

    assert clean.reply is not None
    assert (decision.reply, decision.reason) == (None, "tier0_suspected")
    assert (decision.intent, decision.team, decision.tags) == (RETURN, clean.team, clean.tags)
    assert (decision.tier, decision.risk_flags) == (None, frozenset())


def test_an_intent_of_tier_0_that_the_model_excludes_holds_no_reply() -> None:
    assert outcome(merge(about(), said((RETURN, 0.95), (LEGAL, 0)))[0]).reply is not None


def test_a_strong_pattern_in_the_message_leaves_the_intents_of_the_model_as_secondary() -> None:
    rules = about((LEGAL, 0.96), strong_tier0=frozenset({LEGAL}))

    merged, _ = merge(rules, said((STATUS, 0.9), (CANCEL, 0.6)))

    assert merged.secondary == (STATUS, CANCEL)


def test_flags_and_modifiers_of_either_count() -> None:
    rules = status(modifiers=frozenset({Modifier.THANKS_ONLY}), language=Language.UNKNOWN)

    merged, _ = merge(
        rules,
        said((STATUS, 0.9), risk_flags=["privacy_request", "harassment"], wants_human=True),
    )

    assert merged.modifiers == {
        Modifier.THANKS_ONLY,
        Modifier.WANTS_PERSON,
        Modifier.PRIVACY_REQUEST,
    }
    assert merged.risk_flags == {RiskFlag.PRIVACY_REQUEST, RiskFlag.HARASSMENT}
    assert merged.language is Language.ENGLISH
    assert outcome(merged).tier == 0


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en-GB", Language.ENGLISH),
        ("es", Language.SPANISH),
        ("fr", Language.FRENCH),
        ("zh", Language.UNKNOWN),
        ("unknown", Language.ENGLISH),
    ],
)
def test_the_language_is_the_models_if_it_knows_it(code: str, language: Language) -> None:
    assert merge(about(), said((STATUS, 0.9), language=code))[0].language is language


@pytest.mark.parametrize(
    ("before", "code", "language", "is_certain"),
    [
        (True, "unknown", Language.SPANISH, True),
        (False, "unknown", Language.UNKNOWN, False),
        (False, "fr", Language.FRENCH, True),
    ],
)
def test_a_language_is_certain_if_the_words_or_the_model_indicate_it(
    before: bool, code: str, language: Language, is_certain: bool
) -> None:
    rules = about(language=Language.SPANISH, is_language_certain=before)

    merged, _ = merge(rules, said((STATUS, 0.9), language=code))

    assert (merged.language, merged.is_language_certain) == (language, is_certain)


def test_facts_of_an_order_need_the_verdict_of_the_model_too() -> None:
    merged, opinion = merge(about(), said((STATUS, 0.99)))

    decision = outcome(turn(merged, model=opinion), order_facts=order())

    assert decision.reply is None
    assert decision.wants_verdict
