"""The team of a ticket, and its tags."""

from dataclasses import replace

import pytest

from richpanel.classification.taxonomy import Intent, Modifier, RiskFlag, Team
from richpanel.decisions.facts import Memory, ModelFailure, ModelOpinion, Shop, Turn
from richpanel.decisions.outcome import Rule
from richpanel.decisions.routing import tier0_flags_of
from richpanel.inbound.channels import Channel
from tests.cases import each
from tests.unit.richpanel.situations import (
    SHOP,
    about,
    ago,
    order,
    outcome,
    pending_request,
    status,
    turn,
)

ROUTES = {
    Intent.CHARGEBACK_DISPUTE: "route-chargebacks-disputes",
    Intent.LEGAL_THREAT: "route-leadership-team",
    Intent.HARASSMENT_THREATS: "route-leadership-team",
    Intent.FRAUD_SUSPECTED: "route-leadership-team",
    Intent.CANCEL_ORDER: "route-email-support-team",
    Intent.ADDRESS_CHANGE_ORDER_EDIT: "route-email-support-team",
    Intent.CANCEL_SUBSCRIPTION: "route-email-support-team",
    Intent.BILLING_ISSUE: "route-email-support-team",
    Intent.DELIVERED_NOT_RECEIVED: "route-returns-admin",
    Intent.MISSING_ITEMS_IN_SHIPMENT: "route-returns-admin",
    Intent.WRONG_ITEM_RECEIVED: "route-returns-admin",
    Intent.DAMAGED_ITEM: "route-returns-admin",
    Intent.EXCHANGE_REQUEST: "route-returns-admin",
    Intent.RETURN_REQUEST: "route-returns-admin",
    Intent.REFUND_REQUEST: "route-returns-admin",
    Intent.SHIPPING_DELAY_NOT_SHIPPED: "route-email-support-team",
    Intent.ORDER_STATUS_TRACKING: "route-email-support-team",
    Intent.TECHNICAL_SUPPORT: "route-technical-support-team",
    Intent.PHONE_SUPPORT_REQUEST: "route-phone-support-team",
    Intent.TIKTOK_SUPPORT_REQUEST: "route-tiktok-support",
    Intent.SOCIAL_MEDIA_SUPPORT_REQUEST: "route-socialmedia-team",
    Intent.PROMO_DISCOUNT_ISSUE: "route-sales-team",
    Intent.INFLUENCER_MARKETING_INQUIRY: "route-socialmedia-team",
    Intent.PRE_PURCHASE_QUESTION: "route-sales-team",
    Intent.UNKNOWN_OTHER: "route-email-support-team",
}
ALWAYS = ("mw-processed", "mw-routing-applied")


def without(*missing: Team) -> Shop:
    return replace(SHOP, available_teams=frozenset(Team) - frozenset(missing))


@each("intent", list(Intent))
def test_each_intent_goes_to_its_team(intent: Intent) -> None:
    decision = outcome(about((intent, 0.96)))

    assert decision.route_tag == ROUTES[intent]
    assert [tag for tag in decision.tags if tag.startswith("route-")] == [ROUTES[intent]]


@pytest.mark.parametrize(
    ("intent", "tags"),
    [
        (Intent.RETURN_REQUEST, ("route-returns-admin", "mw-intent-return")),
        (
            Intent.TECHNICAL_SUPPORT,
            ("route-technical-support-team", "mw-intent-tech-support", "mw-needs-tech-support"),
        ),
        (Intent.PROMO_DISCOUNT_ISSUE, ("route-sales-team", "mw-intent-promo", "mw-needs-sales")),
        (
            Intent.PRE_PURCHASE_QUESTION,
            ("route-sales-team", "mw-intent-prepurchase", "mw-needs-sales"),
        ),
        (
            Intent.LEGAL_THREAT,
            ("route-leadership-team", "mw-intent-legal", "mw-escalated-human"),
        ),
        (
            Intent.SHIPPING_DELAY_NOT_SHIPPED,
            ("route-email-support-team", "mw-intent-shipping-delay", "mw-order-lookup-needed"),
        ),
    ],
)
def test_a_decision_lists_all_its_tags(intent: Intent, tags: tuple[str, ...]) -> None:
    assert outcome(about((intent, 0.96))).tags == ALWAYS + tags


@pytest.mark.parametrize(
    ("confidence", "route_tag", "doubt"),
    [
        (0.0, "route-email-support-team", "mw-needs-manual-triage"),
        (0.49, "route-email-support-team", "mw-needs-manual-triage"),
        (0.50, "route-email-support-team", "mw-uncertain"),
        (0.59, "route-email-support-team", "mw-uncertain"),
        (0.60, "route-returns-admin", None),
        (0.96, "route-returns-admin", None),
    ],
)
def test_confidence_decides_between_triage_doubt_and_the_intents_team(
    confidence: float, route_tag: str, doubt: str | None
) -> None:
    decision = outcome(about((Intent.RETURN_REQUEST, confidence)))

    assert decision.route_tag == route_tag
    assert {"mw-needs-manual-triage", "mw-uncertain"} & set(decision.tags) == (
        {doubt} if doubt else set()
    )


def test_a_p0_intent_goes_to_its_team_at_any_confidence() -> None:
    decision = outcome(about((Intent.FRAUD_SUSPECTED, 0.05), word_count=2))

    assert (decision.team, decision.tier, decision.reply) == (Team.LEADERSHIP, 0, None)
    assert "mw-needs-manual-triage" not in decision.tags


@pytest.mark.parametrize(
    ("flag", "team"),
    [
        (RiskFlag.CHARGEBACK, Team.CHARGEBACKS),
        (RiskFlag.LEGAL_THREAT, Team.LEADERSHIP),
        (RiskFlag.HARASSMENT, Team.LEADERSHIP),
        (RiskFlag.FRAUD_SUSPECTED, Team.LEADERSHIP),
    ],
)
def test_a_p0_flag_fixes_the_team(flag: RiskFlag, team: Team) -> None:
    decision = outcome(status(), Memory(risk_flags=frozenset({flag})), order_facts=order())

    assert (decision.team, decision.tier, decision.reply) == (team, 0, None)
    assert decision.reason == "tier0_always_handoff"
    assert decision.intent == "order_status_tracking"
    assert decision.risk_flags == frozenset()


def test_risk_flags_are_those_of_intents_and_modifiers_stored_or_not() -> None:
    answer = about(
        (Intent.LEGAL_THREAT, 0.96),
        (Intent.CHARGEBACK_DISPUTE, 0.96),
        modifiers=frozenset({Modifier.PRIVACY_REQUEST}),
    )

    decision = outcome(answer, Memory(risk_flags=frozenset({RiskFlag.LEGAL_THREAT})))

    assert decision.risk_flags == {
        RiskFlag.LEGAL_THREAT,
        RiskFlag.CHARGEBACK,
        RiskFlag.PRIVACY_REQUEST,
    }


@pytest.mark.parametrize(
    ("modifier", "route_tag", "tag"),
    [
        (Modifier.PRIVACY_REQUEST, "route-leadership-team", "mw-security-sensitive"),
        (Modifier.SECURITY_SENSITIVE, "route-returns-admin", "mw-security-sensitive"),
        (Modifier.OTHER_HIGH_RISK, "route-returns-admin", "mw-escalated-human"),
        (Modifier.WANTS_PERSON, "route-returns-admin", "mw-escalated-human"),
    ],
)
def test_modifiers_add_their_tags_and_privacy_sets_its_team(
    modifier: Modifier, route_tag: str, tag: str
) -> None:
    decision = outcome(about((Intent.RETURN_REQUEST, 0.96), modifiers=frozenset({modifier})))

    assert decision.route_tag == route_tag
    assert tag in decision.tags


@pytest.mark.parametrize(
    ("channel", "intent", "route_tag"),
    [
        (Channel.TIKTOK, Intent.TIKTOK_SUPPORT_REQUEST, "route-tiktok-support"),
        (Channel.SOCIAL, Intent.SOCIAL_MEDIA_SUPPORT_REQUEST, "route-socialmedia-team"),
        (Channel.PHONE, Intent.PHONE_SUPPORT_REQUEST, "route-phone-support-team"),
        (Channel.EMAIL, Intent.UNKNOWN_OTHER, "route-email-support-team"),
        (Channel.UNKNOWN, Intent.UNKNOWN_OTHER, "route-email-support-team"),
    ],
)
def test_a_message_without_a_recognised_intent_is_routed_by_its_channel(
    channel: Channel, intent: Intent, route_tag: str
) -> None:
    decision = outcome(turn(about(), channel=channel))

    assert (decision.intent, decision.route_tag) == (intent, route_tag)
    assert ("mw-needs-manual-triage" in decision.tags) == (intent is Intent.UNKNOWN_OTHER)


def test_a_known_intent_is_routed_by_itself_on_every_channel() -> None:
    decision = outcome(turn(channel=Channel.TIKTOK))

    assert (decision.intent, decision.team) == (Intent.RETURN_REQUEST, Team.RETURNS)


@pytest.mark.parametrize(
    ("intent", "missing", "route_tag", "extra"),
    [
        (Intent.PROMO_DISCOUNT_ISSUE, Team.SALES, "route-email-support-team", "mw-needs-sales"),
        (
            Intent.TECHNICAL_SUPPORT,
            Team.TECHNICAL,
            "route-email-support-team",
            "mw-needs-tech-support",
        ),
        (
            Intent.CHARGEBACK_DISPUTE,
            Team.CHARGEBACKS,
            "route-leadership-team",
            "mw-needs-chargebacks-queue",
        ),
    ],
)
def test_a_team_that_the_account_lacks_is_replaced(
    intent: Intent, missing: Team, route_tag: str, extra: str
) -> None:
    decision = outcome(about((intent, 0.96)), shop=without(missing))

    assert decision.route_tag == route_tag
    assert extra in decision.tags


def test_backend_and_livechat_get_tickets_by_setting_only() -> None:
    shop = replace(
        SHOP,
        intent_teams={Intent.BILLING_ISSUE: Team.BACKEND},
        channel_teams={Channel.LIVECHAT: Team.LIVECHAT},
    )
    in_chat = turn(status(), channel=Channel.LIVECHAT)

    assert outcome(about((Intent.BILLING_ISSUE, 0.96)), shop=shop).team is Team.BACKEND
    assert outcome(in_chat, shop=shop).team is Team.LIVECHAT
    assert outcome(turn(channel=Channel.LIVECHAT), shop=shop).team is Team.RETURNS
    assert outcome(in_chat).team is Team.EMAIL


def test_a_follow_up_to_our_reply_goes_to_email_support_and_an_agent() -> None:
    decision = outcome(turn(), Memory(auto_reply_times=(ago(hours=2),)))

    assert (decision.reason, decision.team) == ("followup", Team.EMAIL)
    assert "mw-escalated-human" in decision.tags


def test_a_follow_up_that_is_p0_goes_to_its_own_team() -> None:
    memory = Memory(auto_reply_times=(ago(hours=2),))

    assert outcome(about((Intent.LEGAL_THREAT, 0.96)), memory).team is Team.LEADERSHIP


def test_a_message_without_text_is_tagged_as_an_attachment() -> None:
    decision = outcome(about(has_text=False, word_count=0))

    assert decision.reason == "modifier_present"
    assert {"mw-attachment-only", "mw-needs-manual-triage"} <= set(decision.tags)


def test_a_failed_model_call_is_tagged_and_does_not_change_the_route() -> None:
    decision = outcome(turn(model=ModelOpinion(failure=ModelFailure.UNREACHABLE)))

    assert decision.route_tag == "route-returns-admin"
    assert "mw-model-failure" in decision.tags


def test_only_other_route_tags_of_parley_are_removed() -> None:
    present = ["route-sales-team", "route-returns-admin", "route-66", "vip", "mw-processed"]

    assert outcome(turn()).tags_to_remove(present) == ("route-sales-team",)


def test_secondary_intents_are_two_at_most_and_not_the_primary() -> None:
    answer = about(
        (Intent.CANCEL_ORDER, 0.96),
        (Intent.DAMAGED_ITEM, 0.9),
        (Intent.REFUND_REQUEST, 0.8),
        (Intent.TECHNICAL_SUPPORT, 0.7),
    )

    assert outcome(answer).secondary == (Intent.DAMAGED_ITEM, Intent.REFUND_REQUEST)


def test_reply_tags_are_added_only_with_the_reply() -> None:
    decision = outcome(status(), order_facts=order())

    assert decision.reply is not None
    assert decision.reply.tags_when_sent == ("mw-auto-replied", "mw-order-status-answered")
    assert not set(decision.reply.tags_when_sent) & set(decision.tags)


def test_beside_a_model_only_strong_patterns_of_other_messages_flag_the_conversation() -> None:
    legal = Intent.LEGAL_THREAT
    weak, strong = about((legal, 0.8)), about((legal, 0.96), strong_tier0=frozenset({legal}))

    assert tier0_flags_of(weak, of_strong_patterns=False) == {RiskFlag.LEGAL_THREAT}
    assert tier0_flags_of(weak, of_strong_patterns=True) == frozenset()
    assert tier0_flags_of(strong, of_strong_patterns=True) == {RiskFlag.LEGAL_THREAT}


ASKED = Memory(pending_flow=pending_request(), auto_reply_times=(ago(hours=1),))
LEGAL = Intent.LEGAL_THREAT


@each(
    ("situation", "memory", "rule"),
    [
        (turn(about((LEGAL, 0.96), strong_tier0=frozenset({LEGAL}))), Memory(), "tier0_pattern"),
        (turn(about(order_numbers=("1001",), word_count=1)), ASKED, "pending_flow"),
        (turn(status()), ASKED, "word_model"),
        (turn(about((Intent.TECHNICAL_SUPPORT, 0.96))), ASKED, "word_model"),
        (turn(about(), channel=Channel.SOCIAL), Memory(), "channel"),
        (turn(about()), Memory(), "none"),
        (turn(status(), model=ModelOpinion()), Memory(), "model"),
        (turn(status(), model=ModelOpinion(failure=ModelFailure.INVALID)), Memory(), "word_model"),
        (turn(status()), Memory(), "word_model"),
    ],
)
def test_the_decision_names_the_rule_that_decided_the_intent(
    situation: Turn, memory: Memory, rule: str
) -> None:
    assert outcome(situation, memory).rule is Rule(rule)
