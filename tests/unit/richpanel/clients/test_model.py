"""The language model: its input, the use of its answers, and invalid answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from richpanel.classification import Classification, Language, Message, Scored
from richpanel.classification.taxonomy import Intent, RiskFlag
from richpanel.clients.language_model import Judge
from richpanel.decisions.facts import Downgrade, ModelFailure, ModelOpinion, VerdictReason
from richpanel.inbound.channels import Channel
from shared.ai import port as ai
from tests.integration.logs import counted

if TYPE_CHECKING:
    pass

STATUS = Scored(Intent.ORDER_STATUS_TRACKING, 0.9)
RULES = Classification(language=Language.ENGLISH, intents=(STATUS,), word_count=6)
MESSAGE = Message(
    text="Where is it? I am jane@shop.example, order #100234",
    channel=Channel.EMAIL,
    has_attachment=True,
)
DECISION: dict[str, Any] = {
    "schema_version": "rp_decision_v1",
    "language": "en",
    "intents": [{"intent": "order_status_tracking", "confidence": 0.95}],
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


class ScriptedJudge:
    """A judge whose model returns the given texts, and the inputs that it received."""

    def __init__(self, *texts: str | None) -> None:
        self.texts = list(texts)
        self.seen: list[str] = []
        self.name = "scripted"
        self.judge = Judge(self)

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`: unavailable for None."""
        self.seen.extend(turn.text for turn in request.history if isinstance(turn, ai.Message))
        text = self.texts.pop(0)
        if text is None:
            raise ai.Unavailable("scripted")
        return ai.Reply(text, ai.Stop.END)


def test_the_model_receives_a_redacted_text_and_boolean_facts() -> None:
    scripted = ScriptedJudge(json.dumps(DECISION))

    scripted.judge.opinion(MESSAGE, RULES)

    seen = json.loads(scripted.seen[0])
    assert "jane" not in seen["text"]
    assert "Where is it?" in seen["text"]
    assert {name: seen[name] for name in seen if name != "text"} == {
        "channel": "email",
        "has_order_number": False,
        "has_tracking_number": False,
        "has_attachment": True,
        "has_linked_order": False,
    }


def test_the_answer_decides_intent_and_confidence() -> None:
    merged, opinion = ScriptedJudge(json.dumps(DECISION)).judge.opinion(MESSAGE, RULES)

    assert (merged.primary, merged.confidence) == (Intent.ORDER_STATUS_TRACKING, 0.95)
    assert opinion == ModelOpinion()


def test_a_risk_that_only_the_model_sees_counts() -> None:
    said = DECISION | {"risk_flags": ["fraud_suspected"]}
    merged, _ = ScriptedJudge(json.dumps(said)).judge.opinion(MESSAGE, RULES)

    assert merged.risk_flags == {RiskFlag.FRAUD_SUSPECTED}


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        json.dumps(DECISION | {"team": "sales"}),
        json.dumps(DECISION | {"intents": []}),
        json.dumps(DECISION | {"intents": [{"intent": "refund_now", "confidence": 1}]}),
        json.dumps(DECISION | {"intents": [{"intent": "order_status_tracking", "confidence": 2}]}),
        json.dumps(DECISION | {"schema_version": "rp_decision_v2"}),
        " ".join("x" for _ in range(601)),
    ],
)
def test_an_answer_outside_its_schema_is_a_failure(text: str) -> None:
    merged, opinion = ScriptedJudge(text).judge.opinion(MESSAGE, RULES)

    assert merged is RULES
    assert opinion.failure is ModelFailure.INVALID


def test_a_failed_model_call_is_retried_once() -> None:
    scripted = ScriptedJudge(None, json.dumps(DECISION))

    _, opinion = scripted.judge.opinion(MESSAGE, RULES)

    assert opinion.failure is None
    assert len(scripted.seen) == 2


def test_an_unreachable_model_leaves_the_result_of_the_rules() -> None:
    scripted = ScriptedJudge(None, None, json.dumps(DECISION))

    counted("ModelFailure")
    merged, opinion = scripted.judge.opinion(MESSAGE, RULES)

    assert counted("ModelFailure") == 1
    assert merged is RULES
    assert opinion.failure is ModelFailure.UNREACHABLE
    assert len(scripted.seen) == 2


def test_a_verdict_allows_tier_2_or_returns_the_lower_tier() -> None:
    opinion = ModelOpinion()
    allowed = ScriptedJudge(json.dumps(VERDICT)).judge.verdict(MESSAGE, RULES, opinion)
    refused = VERDICT | {"allow_tier2": False, "downgrade_to": "TIER_0"}
    refused["reason_code"] = "ESCALATION_PRESENT"
    down = ScriptedJudge(json.dumps(refused)).judge.verdict(MESSAGE, RULES, opinion)

    assert allowed.verdict is not None
    assert (allowed.verdict.allow_tier2, allowed.verdict.reason) == (True, VerdictReason.OK)
    assert down.verdict is not None
    assert down.verdict.downgrade_to is Downgrade.TIER_0


@pytest.mark.parametrize("text", ["{}", json.dumps(VERDICT | {"downgrade_to": "TIER_1"})])
def test_a_verdict_outside_its_schema_is_a_failure(text: str) -> None:
    opinion = ScriptedJudge(text).judge.verdict(MESSAGE, RULES, ModelOpinion())

    assert opinion.failure is ModelFailure.INVALID
    assert opinion.verdict is None


def test_personal_data_at_the_cut_of_a_long_text_is_redacted() -> None:
    address = "jane.doe@shop.example"
    for half in range(len(address)):
        text = f"My mail is {address} {'and so on ' * 400}"[: 4_000 + 11 + half]
        scripted = ScriptedJudge(json.dumps(DECISION))

        scripted.judge.opinion(Message(text=text, channel=Channel.EMAIL), RULES)

        seen = json.loads(scripted.seen[0])["text"]
        assert len(seen) <= 4_000
        assert not any(part in seen for part in ("jane", "doe@", "shop.example", ".example"))


def test_quoted_history_is_not_sent_to_the_model() -> None:
    scripted = ScriptedJudge(json.dumps(DECISION))
    text = "Where is it?\n\nOn Mon, Mar 2, 2026, Your Shop wrote:\n> An earlier answer"

    scripted.judge.opinion(Message(text=text, channel=Channel.EMAIL), RULES)

    assert json.loads(scripted.seen[0])["text"] == "Where is it?"
