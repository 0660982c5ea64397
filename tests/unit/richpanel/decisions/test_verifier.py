"""The verification before facts of an order are stated."""

from typing import Any

import pytest

from richpanel.classification import Doubt
from richpanel.classification.taxonomy import Intent, Modifier
from richpanel.decisions.facts import (
    Downgrade,
    Memory,
    ModelFailure,
    ModelOpinion,
    Verdict,
    VerdictReason,
)
from tests.cases import each
from tests.unit.richpanel.situations import about, order, outcome, pending_request, status, turn

STATUS = Intent.ORDER_STATUS_TRACKING


@each(
    ("answer", "reason"),
    [
        (status(), "OK"),
        (about((STATUS, 0.96), (Intent.SHIPPING_DELAY_NOT_SHIPPED, 0.9)), "OK"),
        (about((STATUS, 0.96), (Intent.TECHNICAL_SUPPORT, 0.40)), "OK"),
        (status(names_own_order=False), "TOO_AMBIGUOUS"),
        (status(order_numbers=("1001", "2")), "TOO_AMBIGUOUS"),
        (status(doubts=frozenset({Doubt.OTHER_OWNER})), "TOO_AMBIGUOUS"),
        (status(doubts=frozenset({Doubt.SEVERAL_ORDERS})), "TOO_AMBIGUOUS"),
        (status(doubts=frozenset({Doubt.CHANGE_REQUEST})), "CONFLICTING_INTENT"),
        (status(doubts=frozenset({Doubt.DISPUTES_ANSWER})), "ESCALATION_PRESENT"),
        (status(modifiers=frozenset({Modifier.REPEATED_CONTACT})), "ESCALATION_PRESENT"),
        (status(is_resolution=True), "ESCALATION_PRESENT"),
        # Anything of P0 to P2 anywhere, however weak.
        (about((STATUS, 0.96), (Intent.BILLING_ISSUE, 0.40)), "CONFLICTING_INTENT"),
        (about((STATUS, 0.96), (Intent.DAMAGED_ITEM, 0.40)), "CONFLICTING_INTENT"),
        (about((STATUS, 0.96), (Intent.TECHNICAL_SUPPORT, 0.78)), "CONFLICTING_INTENT"),
    ],
)
def test_the_rules_return_the_reason_against_order_facts(answer: Any, reason: str) -> None:
    decision = outcome(answer, order_facts=order())

    assert decision.verdict is not None
    assert decision.verdict.reason == reason
    assert decision.verdict.confidence == (0.9 if reason == "OK" else 0.0)
    assert (decision.tier == 2) == (reason == "OK")


def test_without_a_match_no_facts_are_stated() -> None:
    verdict = outcome(status()).verdict

    assert verdict == Verdict(False, 0.0, VerdictReason.DETERMINISTIC_MATCH_FALSE, Downgrade.TIER_1)


def test_a_number_with_another_intent_in_a_flow_gets_no_facts() -> None:
    answer = about((Intent.PRE_PURCHASE_QUESTION, 0.96), order_numbers=("1001",))

    decision = outcome(answer, Memory(pending_flow=pending_request()), order_facts=order())

    assert decision.verdict is not None
    assert decision.verdict.reason == "CONFLICTING_INTENT"
    assert decision.reply is None


@pytest.mark.parametrize(
    ("opinion", "template"),
    [
        (
            ModelOpinion(verdict=Verdict(True, 0.80, VerdictReason.OK)),
            "t_order_status_verified",
        ),
        (
            ModelOpinion(verdict=Verdict(True, 0.79, VerdictReason.OK)),
            None,
        ),
        (ModelOpinion(), None),
        (
            ModelOpinion(
                verdict=Verdict(False, 0.9, VerdictReason.TOO_AMBIGUOUS, Downgrade.TIER_1),
            ),
            None,
        ),
        (
            ModelOpinion(
                verdict=Verdict(False, 0.9, VerdictReason.TOO_AMBIGUOUS, Downgrade.ROUTE_ONLY),
            ),
            None,
        ),
    ],
)
def test_with_a_model_both_verifiers_must_allow_facts(
    opinion: ModelOpinion, template: str | None
) -> None:
    decision = outcome(turn(status(), model=opinion), order_facts=order())

    assert (decision.reply.template if decision.reply else None) == template


def test_a_model_verdict_of_tier_0_hands_the_ticket_to_agents() -> None:
    opinion = ModelOpinion(
        verdict=Verdict(False, 0.9, VerdictReason.ESCALATION_PRESENT, Downgrade.TIER_0),
    )

    decision = outcome(turn(status(), model=opinion), order_facts=order())

    assert (decision.reply, decision.tier, decision.reason) == (None, 0, "tier0_always_handoff")
    assert "mw-escalated-human" in decision.tags


@pytest.mark.parametrize(
    ("opinion", "is_wanted"),
    [
        (ModelOpinion(), True),
        (ModelOpinion(failure=ModelFailure.INVALID), False),
        (ModelOpinion(verdict=Verdict(True, 0.9, VerdictReason.OK)), False),
        (None, False),
    ],
)
def test_the_models_verifier_is_called_only_if_the_reply_depends_on_it(
    opinion: ModelOpinion | None, is_wanted: bool
) -> None:
    decision = outcome(turn(status(), model=opinion), order_facts=order())

    assert decision.wants_verdict is is_wanted
