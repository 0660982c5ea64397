"""The request for an order number: sent, repeated once, answered, or ended."""

from datetime import timedelta

import pytest

from richpanel.classification import Classification
from richpanel.classification.taxonomy import Intent, Modifier, Team
from richpanel.decisions.facts import Memory, NoOrder, PendingFlow
from richpanel.decisions.readings import awaits_order_number
from richpanel.inbound.channels import Channel
from tests.unit.richpanel.situations import (
    NOW,
    about,
    ago,
    order,
    outcome,
    pending_request,
    status,
    switches,
    turn,
)

ASK = "t_order_status_ask_order_number"
NUMBER = about(order_numbers=("1001",), word_count=1, names_own_order=False)
ASKED = Memory(pending_flow=pending_request(), auto_reply_times=(ago(hours=1),))
ASKED_TWICE = Memory(
    pending_flow=pending_request(attempts=2), auto_reply_times=(ago(hours=1), ago(hours=3))
)


@pytest.mark.parametrize(
    "intent", [Intent.ORDER_STATUS_TRACKING, Intent.SHIPPING_DELAY_NOT_SHIPPED]
)
def test_a_question_after_an_order_without_a_match_opens_the_flow(intent: Intent) -> None:
    decision = outcome(about((intent, 0.96)))

    assert decision.reply is not None
    assert (decision.reply.template, decision.reply.type) == (ASK, "need_order_number")
    assert decision.pending_flow == PendingFlow(NOW, 1)
    assert decision.pending_flow_unsent is None
    assert "mw-order-lookup-needed" in decision.tags
    assert decision.tier2_refusal == "tier2_missing_deterministic_match"


def test_a_reply_that_is_not_sent_opens_no_flow() -> None:
    decision = outcome(status(), allowed=switches(template_enabled={}))

    assert (decision.reply, decision.pending_flow) == (None, None)
    assert "mw-order-lookup-needed" in decision.tags


def test_an_order_number_answers_the_flow_at_ninety_percent() -> None:
    decision = outcome(NUMBER, ASKED, order_facts=order())

    assert decision.reply is not None
    assert decision.reply.template == "t_order_status_verified"
    assert (decision.intent, decision.routing_confidence) == (Intent.ORDER_STATUS_TRACKING, 0.90)
    assert (decision.tier, decision.reason) == (2, "tier2_verified")
    assert decision.pending_flow is None
    assert decision.pending_flow_unsent == ASKED.pending_flow


def test_a_number_with_another_intent_answers_the_flow_too() -> None:
    answer = about((Intent.PRE_PURCHASE_QUESTION, 0.96), order_numbers=("1001",))

    decision = outcome(answer, ASKED)

    assert (decision.intent, decision.routing_confidence) == (Intent.ORDER_STATUS_TRACKING, 0.90)


@pytest.mark.parametrize("answer", [NUMBER, about(), status(), status(0.62)])
def test_without_a_match_or_a_number_the_number_is_requested_once_more(
    answer: Classification,
) -> None:
    decision = outcome(turn(answer), ASKED)

    assert decision.reply is not None
    assert decision.reply.template == ASK
    assert decision.intent is Intent.ORDER_STATUS_TRACKING
    assert decision.pending_flow == PendingFlow(NOW, 2)
    assert decision.pending_flow_unsent == ASKED.pending_flow


@pytest.mark.parametrize("answer", [NUMBER, about(), status()])
def test_after_the_second_request_an_agent_takes_over(answer: Classification) -> None:
    decision = outcome(turn(answer), ASKED_TWICE)

    assert (decision.reply, decision.reason) == (None, "flow_exhausted")
    assert decision.pending_flow is None
    assert decision.pending_flow_unsent is None
    assert decision.team is Team.EMAIL
    assert "mw-escalated-human" in decision.tags


def test_a_match_after_the_second_request_is_answered() -> None:
    assert outcome(NUMBER, ASKED_TWICE, order_facts=order()).reason == "tier2_verified"


@pytest.mark.parametrize("found", [NoOrder.NOT_LOOKED_UP, NoOrder.LOOKUP_FAILED])
def test_a_number_whose_lookup_is_pending_or_failed_does_not_end_the_flow(found: NoOrder) -> None:
    decision = outcome(NUMBER, ASKED_TWICE, order_facts=found)

    assert decision.reply is None
    assert decision.pending_flow == ASKED_TWICE.pending_flow


def test_a_number_that_the_channel_forbids_to_look_up_ends_the_flow() -> None:
    in_chat = turn(NUMBER, channel=Channel.LIVECHAT)

    assert outcome(in_chat, ASKED_TWICE, order_facts=NoOrder.NOT_LOOKED_UP).pending_flow is None


@pytest.mark.parametrize(
    "intent",
    [
        Intent.CHARGEBACK_DISPUTE,
        Intent.CANCEL_ORDER,
        Intent.DAMAGED_ITEM,
        Intent.REFUND_REQUEST,
    ],
)
def test_a_more_urgent_intent_ends_the_flow(intent: Intent) -> None:
    decision = outcome(about((intent, 0.96), order_numbers=("1001",)), ASKED)

    assert decision.intent is intent
    assert (decision.pending_flow, decision.pending_flow_unsent) == (None, None)


def test_an_agents_reply_ends_the_flow() -> None:
    decision = outcome(turn(NUMBER, last_person_reply_at=ago(minutes=59)), ASKED)

    assert decision.intent is Intent.UNKNOWN_OTHER
    assert decision.pending_flow is None


def test_an_agents_reply_before_the_request_does_not_end_the_flow() -> None:
    decision = outcome(turn(NUMBER, last_person_reply_at=ago(minutes=61)), ASKED)

    assert decision.intent is Intent.ORDER_STATUS_TRACKING


@pytest.mark.parametrize(("days", "is_live"), [(13.99, True), (14, False)])
def test_a_flow_expires_after_fourteen_days(days: float, is_live: bool) -> None:
    memory = Memory(pending_flow=pending_request(days=days))

    assert awaits_order_number(memory, NOW) is is_live
    assert (outcome(NUMBER, memory).intent is Intent.ORDER_STATUS_TRACKING) is is_live


def test_another_intent_keeps_the_flow() -> None:
    decision = outcome(about((Intent.TECHNICAL_SUPPORT, 0.96)), ASKED)

    assert (decision.intent, decision.reason) == (Intent.TECHNICAL_SUPPORT, "followup")
    assert decision.pending_flow == ASKED.pending_flow


@pytest.mark.parametrize(
    "answer",
    [
        about(modifiers=frozenset({Modifier.THANKS_ONLY})),
        about(modifiers=frozenset({Modifier.WANTS_PERSON}), order_numbers=("1001",)),
        about(is_resolution=True),
        about(has_text=False),
    ],
)
def test_thanks_a_picture_or_a_request_for_an_agent_keep_the_flow(
    answer: Classification,
) -> None:
    decision = outcome(turn(answer), ASKED_TWICE)

    assert (decision.reply, decision.reason) == (None, "modifier_present")
    assert decision.pending_flow == ASKED_TWICE.pending_flow


def test_without_a_flow_no_order_number_is_awaited() -> None:
    assert not awaits_order_number(Memory(), NOW)
    assert awaits_order_number(
        Memory(pending_flow=pending_request(days=1)), NOW + timedelta(days=1)
    )
