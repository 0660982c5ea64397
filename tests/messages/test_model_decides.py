"""With a model whose answers are all right, the decisions follow it: rules veto only unmistakable threats."""

from __future__ import annotations

import json

import pytest

from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import Intent, Level, intents
from richpanel.decisions.model_answers import ModelDecision, merge
from tests.messages.corpus import HELD_OUT, Labelled, read
from tests.unit.richpanel.situations import outcome, turn


def perfect_answer(labelled: Labelled) -> ModelDecision:
    flag = intents[labelled.intent].risk_flag
    answer = {
        "schema_version": "rp_decision_v1",
        "language": "unknown" if labelled.language == "unknown" else labelled.language,
        "intents": [{"intent": labelled.intent, "confidence": 0.95}],
        "risk_flags": [flag] if flag else [],
        "wants_human": False,
    }
    return ModelDecision.parse(json.dumps(answer))


@pytest.mark.parametrize("part", [*HELD_OUT, "voices", "threats"])
@pytest.mark.long
def test_with_perfect_answers_intents_and_tier_0_are_the_models(part: str) -> None:
    wrong_intent, wrong_tier0 = [], []
    messages = read(part)
    for labelled in messages:
        rules = classify(labelled.message)
        merged, opinion = merge(rules, perfect_answer(labelled))
        decision = outcome(turn(merged, channel=labelled.message.channel, model=opinion))
        if decision.intent is not labelled.intent and not _is_channel_intent(decision.intent):
            wrong_intent.append(labelled.id)
        is_tier0 = intents[labelled.intent].level is Level.P0 or bool(rules.strong_tier0)
        if (decision.tier == 0) is not is_tier0:
            wrong_tier0.append(labelled.id)

    assert len(wrong_intent) <= 0.02 * len(messages), wrong_intent
    assert wrong_tier0 == []


def _is_channel_intent(intent: Intent) -> bool:
    """Whether the channel decided, since the text names no intent."""
    return intent in {
        Intent.TIKTOK_SUPPORT_REQUEST,
        Intent.SOCIAL_MEDIA_SUPPORT_REQUEST,
        Intent.PHONE_SUPPORT_REQUEST,
    }
