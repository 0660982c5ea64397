"""The schema of a model's answer, and its merge with the result of the rules."""

import json
from typing import Any

import pytest

from richpanel.classification import Classification, Language, Scored
from richpanel.classification.taxonomy import Intent, Modifier, RiskFlag
from richpanel.decisions.facts import Downgrade, Verdict, VerdictReason
from richpanel.decisions.model_answers import (
    DECISION_SCHEMA,
    VERDICT_SCHEMA,
    ModelAnswerInvalid,
    ModelDecision,
    ModelVerdict,
    merge,
    verdict_of,
)
from tests.unit.richpanel.situations import about, order, outcome, status, turn

STATUS, CANCEL = Intent.ORDER_STATUS_TRACKING, Intent.CANCEL_ORDER
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


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"schema_version": "rp_decision_v2"}, "schema_version"),
        ({"language": "fr"}, "language"),
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
    with pytest.raises(ModelAnswerInvalid, match=f"^{rule}"):
        ModelDecision.parse(json.dumps(ANSWER | change))


def test_the_error_of_an_invalid_answer_contains_no_value() -> None:
    with pytest.raises(ModelAnswerInvalid) as raised:
        ModelDecision.parse(json.dumps(ANSWER | {"language": "Ana Ruiz, 12 Elm St"}))

    assert "Ana" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "Sure! Here is the JSON"])
def test_a_text_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(ModelAnswerInvalid):
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
    with pytest.raises(ModelAnswerInvalid):
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


@pytest.mark.parametrize(
    ("rules", "model", "expected", "agree"),
    [
        # The same: the higher confidence.
        ([(STATUS, 0.86)], [(STATUS, 0.95)], (STATUS, 0.95), True),
        ([(STATUS, 0.96)], [(STATUS, 0.60)], (STATUS, 0.96), True),
        # The rules recognise no intent: the model's, below Tier 2.
        ([], [(STATUS, 0.99)], (STATUS, 0.84), False),
        ([], [(STATUS, 0.70)], (STATUS, 0.70), False),
        ([(STATUS, 0.40)], [(CANCEL, 0.99)], (CANCEL, 0.84), False),
        # Different: the more urgent, at the lower confidence less a tenth.
        ([(STATUS, 0.96)], [(CANCEL, 0.90)], (CANCEL, 0.80), False),
        ([(CANCEL, 0.78)], [(STATUS, 0.96)], (CANCEL, 0.68), False),
        ([(STATUS, 0.96)], [(Intent.UNKNOWN_OTHER, 0.80)], (STATUS, 0.70), False),
        ([(STATUS, 0.96)], [(STATUS, 0.50)], (STATUS, 0.0), False),  # not present for the model
        # The same level: the more confident one.
        ([(CANCEL, 0.78)], [(Intent.BILLING_ISSUE, 0.96)], (Intent.BILLING_ISSUE, 0.68), False),
        # P0 of either one applies in full.
        ([(STATUS, 0.96)], [(Intent.LEGAL_THREAT, 0.30)], (Intent.LEGAL_THREAT, 0.30), False),
        ([(Intent.LEGAL_THREAT, 0.78)], [(STATUS, 0.96)], (Intent.LEGAL_THREAT, 0.78), False),
        ([], [(Intent.LEGAL_THREAT, 0.99)], (Intent.LEGAL_THREAT, 0.99), False),
        # Neither recognises an intent, at any confidence.
        ([], [(Intent.UNKNOWN_OTHER, 0.99)], (Intent.UNKNOWN_OTHER, 0.0), True),
    ],
)
def test_two_results_are_merged(
    rules: list[tuple[Intent, float]],
    model: list[tuple[Intent, float]],
    expected: tuple[Intent, float],
    agree: bool,
) -> None:
    merged, opinion = merge(about(*rules), said(*model))

    assert first(merged) == expected
    assert opinion.agrees is agree


def test_no_other_intent_exceeds_the_confidence_of_the_chosen_one() -> None:
    merged, _ = merge(about((CANCEL, 0.78)), said((Intent.BILLING_ISSUE, 0.96), (STATUS, 0.9)))

    assert merged.intents == (
        Scored(Intent.BILLING_ISSUE, 0.68),
        Scored(CANCEL, 0.68),
        Scored(STATUS, 0.9),
    )
    assert outcome(merged).reason == "low_confidence"


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


def test_if_rules_and_model_differ_no_order_facts_are_stated() -> None:
    merged, opinion = merge(about(), said((STATUS, 0.99)))

    decision = outcome(turn(merged, model=opinion), order_facts=order())

    assert decision.tier == 1
