"""Properties of every decision, for any message, memory, order and switches."""

from datetime import timedelta
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from richpanel.classification import Classification, Doubt, Language, Scored
from richpanel.classification.taxonomy import Intent, Level, Modifier, RiskFlag, intents, teams
from richpanel.decisions.engine import decide
from richpanel.decisions.facts import (
    AutoReply,
    Downgrade,
    MatchPath,
    Memory,
    ModelFailure,
    ModelOpinion,
    Newest,
    NoOrder,
    OrderFacts,
    PendingFlow,
    RouteOnly,
    Turn,
    Verdict,
    VerdictReason,
)
from richpanel.decisions.outcome import Decision
from richpanel.decisions.replies.renderer import BodyFormat, render
from richpanel.decisions.routing import ROUTE_TAGS
from richpanel.decisions.switches import OutboundScope, Switches
from richpanel.decisions.templates.catalogue import Tier, standard_wordings, templates
from richpanel.inbound.channels import Channel
from tests.unit.richpanel.situations import NOW, OPEN, SHOP, order

P0_FLAGS = {
    RiskFlag.CHARGEBACK,
    RiskFlag.LEGAL_THREAT,
    RiskFlag.HARASSMENT,
    RiskFlag.FRAUD_SUSPECTED,
}


def subset[Kind: StrEnum](kind: type[Kind]) -> st.SearchStrategy[frozenset[Kind]]:
    return st.frozensets(st.sampled_from(list(kind)), max_size=3)


def mostly[Value](likely: Value, other: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(st.just(likely), st.just(likely), other)


confidences = st.floats(0, 1).map(lambda value: round(value, 2))
moments = st.integers(-60, 60 * 24 * 20).map(lambda minutes: NOW - timedelta(minutes=minutes))
verdicts = st.builds(
    Verdict,
    st.booleans(),
    confidences,
    st.sampled_from(list(VerdictReason)),
    st.one_of(st.none(), st.sampled_from(list(Downgrade))),
)


@st.composite
def classifications(draw: st.DrawFn) -> Classification:
    found = draw(
        st.lists(
            st.builds(Scored, st.sampled_from(list(Intent)), confidences),
            min_size=1,
            max_size=4,
            unique_by=lambda scored: scored.intent,
        )
    )
    by_urgency = sorted(
        found,
        key=lambda each: (
            each.intent is Intent.UNKNOWN_OTHER
            or each.confidence < (0.01 if intents[each.intent].level is Level.P0 else 0.55),
            intents[each.intent].level,
            -each.confidence,
        ),
    )
    return Classification(
        language=draw(st.sampled_from(list(Language))),
        intents=tuple(by_urgency),
        risk_flags=draw(mostly(frozenset(), subset(RiskFlag))),
        modifiers=draw(mostly(frozenset(), subset(Modifier))),
        doubts=draw(mostly(frozenset(), subset(Doubt))),
        order_numbers=draw(st.sampled_from([(), ("1001",), ("2002",), ("1001", "2002")])),
        word_count=draw(st.integers(0, 30)),
        has_text=draw(mostly(True, st.booleans())),
        is_resolution=draw(mostly(False, st.booleans())),
        names_own_order=draw(mostly(True, st.booleans())),
    )


turns = st.builds(
    Turn,
    message_id=st.sampled_from(["m-1", "m-2"]),
    message_at=mostly(NOW, moments),
    channel=mostly(Channel.EMAIL, st.sampled_from(list(Channel))),
    classification=classifications(),
    ticket_is_open=mostly(True, st.booleans()),
    newest=mostly(Newest.CUSTOMER, st.sampled_from(list(Newest))),
    last_person_reply_at=st.one_of(st.none(), moments),
    route_only=mostly(None, st.sampled_from([None, *RouteOnly])),
    already_answered=mostly(False, st.booleans()),
    earlier_auto_reply=mostly(False, st.booleans()),
    recipient_is_listed=st.booleans(),
    policy_refusal=mostly(None, st.sampled_from([None, "opted_out"])),
    model=mostly(
        None,
        st.one_of(
            st.none(),
            st.builds(
                ModelOpinion,
                failure=st.one_of(st.none(), st.sampled_from(list(ModelFailure))),
                verdict=st.one_of(st.none(), verdicts),
            ),
        ),
    ),
)
memories = st.builds(
    Memory,
    pending_flow=st.one_of(st.none(), st.builds(PendingFlow, moments, st.integers(1, 3))),
    last_auto_reply=mostly(
        None,
        st.one_of(
            st.none(),
            st.builds(AutoReply, st.just("order_status"), moments, st.sampled_from(["m-1", "m-2"])),
        ),
    ),
    auto_reply_times=mostly((), st.lists(moments, max_size=3).map(tuple)),
    customer_reply_times=mostly((), st.lists(moments, max_size=5).map(tuple)),
    risk_flags=mostly(frozenset(), subset(RiskFlag)),
)
orders = st.one_of(
    st.sampled_from(list(NoOrder)),
    st.builds(
        order,
        path=st.sampled_from(list(MatchPath)),
        created_at=moments,
        fulfillment_status=st.sampled_from([None, "unfulfilled"]),
        shipping_method=st.sampled_from([None, "Standard", "Local pickup"]),
        tracking_number=st.sampled_from([None, "1Z999AA10123456784"]),
        is_cancelled=st.booleans(),
        is_preorder=st.booleans(),
    ),
)
allowed = st.one_of(
    st.just(Switches(**OPEN, auto_close_enabled=True)),
    st.builds(
        Switches,
        safe_mode=st.booleans(),
        automation_enabled=st.booleans(),
        automation_enabled_channels=subset(Channel),
        template_enabled=st.dictionaries(st.sampled_from(sorted(templates)), st.booleans()),
        tier2_channels=subset(Channel),
        tier2_paths=subset(MatchPath),
        auto_close_enabled=st.booleans(),
        outbound_scope=st.sampled_from(list(OutboundScope)),
        dry_run=st.booleans(),
    ),
)


def decided(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> Decision:
    return decide(this, memory, found, switches, NOW, shop=SHOP)


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_tier_0_never_sends_never_closes_and_is_handed_to_agents(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    is_p0 = any(
        intents[scored.intent].level is Level.P0 and scored.confidence > 0
        for scored in this.classification.intents
    )
    flags = memory.risk_flags | this.classification.risk_flags

    decision = decided(this, memory, found, switches)

    if is_p0 or flags & P0_FLAGS:
        assert (decision.tier, decision.reply) == (0, None)
        assert not decision.close_when_confirmed
        assert not decision.wants_order_lookup
        assert decision.route_tag in {"route-leadership-team", "route-chargebacks-disputes"}
        assert "mw-escalated-human" in decision.tags


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_there_is_exactly_one_route_tag_and_it_is_the_teams(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    decision = decided(this, memory, found, switches)

    assert [tag for tag in decision.tags if tag in ROUTE_TAGS] == [teams[decision.team].route_tag]
    assert len(set(decision.tags)) == len(decision.tags)
    assert set(decision.tags) >= {"mw-processed", "mw-routing-applied"}
    assert not set(decision.tags) & {
        "mw-auto-replied",
        "mw-order-status-answered",
        "mw-auto-closed",
    }


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_there_is_a_reply_exactly_when_every_gate_is_open(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    decision = decided(this, memory, found, switches)

    shut = [result.gate.value for result in decision.gates if not result.is_open]
    assert (decision.reply is not None) == (not shut)
    if shut:
        assert decision.reason == shut[0]
    assert (decision.tier in {Tier.ASSIST, Tier.VERIFIED}) == (decision.reply is not None)


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_every_reply_can_be_rendered_and_is_allowed(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    decision = decided(this, memory, found, switches)

    if decision.reply:
        reply = decision.reply
        assert switches.may_automate(this.channel)
        assert switches.template_enabled[reply.template]
        assert templates[reply.template].tier is reply.tier
        body = render(
            reply.template,
            standard_wordings[reply.template][reply.language][reply.variant],
            reply.values,
            signature="Your shop",
            first_name="Ana",
            body_format=BodyFormat.TEXT,
        )
        assert 0 < len(body) < 2_000


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_facts_are_stated_only_of_a_proved_order_by_mail_and_closing_needs_an_estimate(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    decision = decided(this, memory, found, switches)

    if decision.tier is Tier.VERIFIED:
        assert isinstance(found, OrderFacts)
        assert this.channel is Channel.EMAIL
        assert found.path in switches.tier2_paths
        assert set(this.classification.order_numbers) <= {"1001"}
        assert decision.routing_confidence >= 0.85
        assert decision.automation_confidence >= 0.80
        assert not this.classification.modifiers
    elif decision.reply:
        assert decision.reply.values == {}
    if decision.close_when_confirmed:
        assert switches.auto_close_enabled
        assert decision.considered == "t_order_eta_no_tracking_verified"


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_the_order_number_is_never_requested_a_third_time(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    decision = decided(this, memory, found, switches)

    for flow in (decision.pending_flow, decision.pending_flow_unsent):
        if flow and flow != memory.pending_flow:
            assert flow.attempts in {1, 2}


@pytest.mark.long
@given(turns, memories, orders, allowed)
def test_the_same_facts_give_the_same_decision(
    this: Turn, memory: Memory, found: OrderFacts | NoOrder, switches: Switches
) -> None:
    assert decided(this, memory, found, switches) == decided(this, memory, found, switches)
