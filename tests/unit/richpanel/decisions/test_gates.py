"""The gates before a reply: each shut gate withholds it, and the first shut gate is the reason."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from richpanel.classification.taxonomy import Intent, Modifier, RiskFlag
from richpanel.decisions.facts import (
    Memory,
    ModelFailure,
    ModelOpinion,
    Newest,
    NoOrder,
    RouteOnly,
    Turn,
)
from richpanel.decisions.gates.gates import Gate
from richpanel.decisions.outcome import Decision
from richpanel.decisions.switches import OutboundScope, Switches
from richpanel.inbound.channels import Channel
from tests.cases import each
from tests.unit.richpanel.situations import (
    NOW,
    SHOP,
    about,
    ago,
    auto_reply,
    order,
    outcome,
    pending_request,
    status,
    switches,
    turn,
)

RETURN = (Intent.RETURN_REQUEST, 0.96)


def shut(decision: Decision) -> list[str]:
    return [result.gate.value for result in decision.gates if not result.is_open]


def test_a_clear_request_with_all_gates_open_is_answered() -> None:
    decision = outcome(turn())

    assert decision.reply is not None
    assert decision.reply.template == "t_return_request_intake"
    assert (decision.tier, decision.reason, shut(decision)) == (1, "tier1_safe_assist", [])


def test_all_gates_are_evaluated_in_their_order() -> None:
    assert [result.gate.value for result in outcome(turn()).gates] == [
        "safe_mode_route_only",
        "automation_disabled",
        "channel_disabled",
        "template_disabled",
        "tier0_always_handoff",
        "tier0_suspected",
        "ticket_closed",
        "person_active",
        "assigned_to_person",
        "ticket_unreadable",
        "late_message",
        "operator_flag_missing",
        "payload_mismatch",
        "backfill",
        "modifier_present",
        "stale",
        "spending_limit",
        "schema_invalid_fail_closed",
        "vendor_error_fail_closed",
        "low_confidence",
        "ambiguous",
        "already_answered",
        "rate_limited",
        "followup",
        "no_template",
        "no_template_in_language",
        "flow_exhausted",
        "order_context_missing",
        "tier2_verifier_failed",
        "variable_missing",
        "recipient_not_allowed",
        "author_missing",
        "policy_refused",
    ]


@each(
    ("change", "reason"),
    [
        ({"safe_mode": True}, "safe_mode_route_only"),
        ({"automation_enabled": False}, "automation_disabled"),
        ({"automation_enabled_channels": frozenset({Channel.LIVECHAT})}, "channel_disabled"),
        ({"automation_enabled_channels": frozenset()}, "channel_disabled"),
        ({"template_enabled": {"t_return_request_intake": False}}, "template_disabled"),
        ({"template_enabled": {}}, "template_disabled"),
        ({"outbound_scope": OutboundScope.NONE}, "recipient_not_allowed"),
        ({"outbound_scope": OutboundScope.ALLOWLIST}, "recipient_not_allowed"),
    ],
)
def test_a_switch_that_is_off_prevents_the_reply_but_not_the_routing(
    change: dict[str, Any], reason: str
) -> None:
    decision = outcome(turn(), allowed=switches(**change))

    assert (decision.reply, decision.tier, decision.reason) == (None, None, reason)
    assert shut(decision) == [reason]
    assert decision.route_tag == "route-returns-admin"


@each(
    ("change", "reason"),
    [
        ({"ticket_is_open": False}, "ticket_closed"),
        ({"newest": Newest.PERSON}, "person_active"),
        ({"route_only": RouteOnly.TICKET_UNREADABLE}, "ticket_unreadable"),
        ({"route_only": RouteOnly.LATE_MESSAGE}, "late_message"),
        ({"route_only": RouteOnly.OPERATOR_FLAG_MISSING}, "operator_flag_missing"),
        ({"route_only": RouteOnly.PAYLOAD_MISMATCH}, "payload_mismatch"),
        ({"route_only": RouteOnly.BACKFILL}, "backfill"),
        ({"message_at": ago(hours=24, seconds=1)}, "stale"),
        (
            {"channel": Channel.LIVECHAT, "message_at": ago(minutes=30, seconds=1)},
            "stale",
        ),
        ({"already_answered": True}, "already_answered"),
        ({"last_person_reply_at": ago(days=3)}, "person_active"),
        (
            {"last_person_reply_at": NOW + timedelta(seconds=1), "is_handed_back": True},
            "person_active",
        ),
        ({"is_assigned_to_person": True}, "assigned_to_person"),
        ({"is_assigned_to_person": True, "is_handed_back": True}, "assigned_to_person"),
        ({"earlier_auto_reply": True}, "followup"),
        ({"policy_refusal": "opted_out"}, "policy_refused"),
        ({"is_over_bound": True}, "spending_limit"),
        ({"model": ModelOpinion(failure=ModelFailure.INVALID)}, "schema_invalid_fail_closed"),
        ({"model": ModelOpinion(failure=ModelFailure.UNREACHABLE)}, "vendor_error_fail_closed"),
        ({"classification": about(RETURN, has_text=False)}, "modifier_present"),
        ({"classification": about(RETURN, is_resolution=True)}, "modifier_present"),
        ({"classification": about((Intent.RETURN_REQUEST, 0.69))}, "low_confidence"),
        ({"classification": about((Intent.PHONE_SUPPORT_REQUEST, 0.96))}, "no_template"),
    ],
)
def test_the_state_of_the_ticket_can_prevent_the_reply(change: dict[str, Any], reason: str) -> None:
    decision = outcome(turn(**change))

    assert (decision.reply, decision.tier, decision.reason) == (None, None, reason)
    assert shut(decision) == [reason]


@pytest.mark.parametrize(
    "change",
    [
        {"newest": Newest.AUTOMATION},
        {"message_at": ago(hours=24)},
        {"message_at": NOW + timedelta(seconds=60)},
        {"channel": Channel.LIVECHAT, "message_at": ago(minutes=30)},
        {"classification": about((Intent.RETURN_REQUEST, 0.70))},
        {"last_person_reply_at": ago(days=3), "is_handed_back": True},
        {"model": ModelOpinion()},
    ],
)
def test_at_the_limit_of_a_gate_there_is_a_reply(change: dict[str, Any]) -> None:
    assert outcome(turn(**change)).reason == "tier1_safe_assist"


@pytest.mark.parametrize(
    ("replied_at", "reason"),
    [(ago(hours=2), "tier1_safe_assist"), (ago(minutes=59), "person_active")],
)
def test_only_replies_of_agents_since_the_last_hand_back_count(
    replied_at: datetime, reason: str
) -> None:
    memory = Memory(handed_back_at=ago(hours=1))

    assert outcome(turn(last_person_reply_at=replied_at), memory).reason == reason


@each("modifier", list(Modifier))
def test_every_modifier_prevents_the_reply(modifier: Modifier) -> None:
    decision = outcome(about(RETURN, modifiers=frozenset({modifier})))

    assert (decision.reply, decision.reason) == (None, "modifier_present")
    assert decision.intent == "return_request"


@pytest.mark.parametrize(
    "flag", [RiskFlag.PRIVACY_REQUEST, RiskFlag.SECURITY_SENSITIVE, RiskFlag.OTHER_HIGH_RISK]
)
def test_a_stored_risk_flag_prevents_replies_until_an_operator_removes_it(flag: RiskFlag) -> None:
    decision = outcome(turn(), Memory(risk_flags=frozenset({flag})))

    assert (decision.reply, decision.tier, decision.reason) == (None, None, "modifier_present")


@pytest.mark.parametrize(
    ("rival", "margin", "reason"),
    [(0.86, 0.10, "tier1_safe_assist"), (0.87, 0.09, "ambiguous")],
)
def test_two_intents_of_one_level_close_to_each_other_are_ambiguous(
    rival: float, margin: float, reason: str
) -> None:
    decision = outcome(
        about((Intent.MISSING_ITEMS_IN_SHIPMENT, 0.96), (Intent.DAMAGED_ITEM, rival))
    )

    assert (decision.margin, decision.reason) == (margin, reason)


def test_an_account_without_an_author_for_replies_sends_none() -> None:
    assert outcome(turn(), shop=replace(SHOP, bot_author_id=None)).reason == "author_missing"


def test_only_recipients_on_the_allowlist_get_replies() -> None:
    allowed = switches(outbound_scope=OutboundScope.ALLOWLIST)

    assert outcome(turn(recipient_is_listed=True), allowed=allowed).reply is not None


@pytest.mark.parametrize(
    "channel", [Channel.SOCIAL, Channel.TIKTOK, Channel.PHONE, Channel.UNKNOWN]
)
def test_no_switch_opens_a_channel_that_is_only_routed(channel: Channel) -> None:
    allowed = switches(automation_enabled_channels=frozenset(Channel))

    assert outcome(turn(channel=channel), allowed=allowed).reason == "channel_disabled"


def test_no_switch_enables_a_template_for_agents() -> None:
    allowed = Switches(template_enabled={"t_fraud_ack": True, "t_return_request_intake": True})

    assert not allowed.may_send("t_fraud_ack")
    assert allowed.may_send("t_return_request_intake")


def test_a_failed_order_lookup_routes_only() -> None:
    decision = outcome(status(), order_facts=NoOrder.LOOKUP_FAILED)

    assert (decision.reply, decision.reason) == (None, "vendor_error_fail_closed")
    assert "mw-order-lookup-failed" in decision.tags
    assert "mw-order-lookup-needed" not in decision.tags


def test_an_order_without_tracking_and_method_goes_to_an_agent() -> None:
    bare = order(tracking_number=None, tracking_company=None, shipping_method=None)

    decision = outcome(status(), order_facts=bare)

    assert (decision.reply, decision.reason) == (None, "order_context_missing")
    assert decision.route_tag == "route-email-support-team"
    assert "mw-order-lookup-failed" in decision.tags


def test_an_order_that_lacks_a_required_variable_gets_no_reply() -> None:
    late = order(
        tracking_number=None,
        fulfillment_status=None,
        created_at=ago(days=60),
        shipping_method="Standard",
    )

    decision = outcome(status(), order_facts=late)

    assert (decision.reply, decision.reason) == (None, "variable_missing")
    assert "mw-escalated-human" in decision.tags


def test_the_number_is_not_requested_a_third_time() -> None:
    decision = outcome(about(), Memory(pending_flow=pending_request(attempts=2)))

    assert (decision.reply, decision.reason) == (None, "flow_exhausted")


def test_a_number_whose_order_was_found_is_not_requested_again() -> None:
    answer = about(
        (Intent.ORDER_STATUS_TRACKING, 0.96),
        (Intent.TECHNICAL_SUPPORT, 0.96),
        order_numbers=("1001",),
    )

    decision = outcome(answer, order_facts=order())

    assert (decision.reply, decision.reason) == (None, "tier2_verifier_failed")


FIRST_FAILURES: list[tuple[Gate, Turn, Memory, Switches]] = [
    (Gate.SAFE_MODE, turn(ticket_is_open=False), Memory(), Switches()),
    (Gate.AUTOMATION, turn(), Memory(), Switches(safe_mode=False)),
    (
        Gate.TIER0,
        turn(about((Intent.LEGAL_THREAT, 0.96)), ticket_is_open=False),
        Memory(),
        switches(),
    ),
    (Gate.NO_PERSON, turn(about(), newest=Newest.PERSON), Memory(), switches()),
    (
        Gate.RATE,
        turn(),
        Memory(auto_reply_times=(ago(minutes=1),), last_auto_reply=auto_reply(minutes=1)),
        switches(),
    ),
]


@pytest.mark.parametrize(("gate", "this", "memory", "allowed"), FIRST_FAILURES)
def test_of_several_shut_gates_the_first_is_the_reason(
    gate: Gate, this: Turn, memory: Memory, allowed: Switches
) -> None:
    decision = outcome(this, memory, allowed=allowed)

    assert decision.reason == gate.value
    assert len(shut(decision)) > 1


def test_a_doubted_intent_is_routed_and_not_answered() -> None:
    sure = about(RETURN)
    doubted = outcome(turn(replace(sure, is_doubted=True)))

    assert (doubted.reply, doubted.reason) == (None, "low_confidence")
    assert doubted.team == outcome(turn(sure)).team
