"""The reply for a matched order, and the conditions that forbid it."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from richpanel.classification.taxonomy import Intent
from richpanel.decisions.facts import MatchPath, Memory, NoOrder
from richpanel.decisions.outcome import Decision
from richpanel.inbound.channels import Channel
from tests.cases import each
from tests.unit.richpanel.situations import (
    about,
    ago,
    order,
    outcome,
    pending_request,
    status,
    switches,
    turn,
)

STATUS, ETA = "t_order_status_verified", "t_order_eta_no_tracking_verified"
DELAY, ASK = "t_shipping_delay_verified", "t_order_status_ask_order_number"
UNTRACKED: dict[str, Any] = {"tracking_number": None, "tracking_company": None}


def template(decision: Decision) -> str | None:
    return decision.reply.template if decision.reply else None


@each(
    ("facts", "expected"),
    [
        ({}, STATUS),
        ({"created_at": ago(days=90)}, STATUS),  # the tracking page is more precise than our window
        ({"shipping_method": None}, STATUS),
        ({**UNTRACKED}, ETA),
        ({**UNTRACKED, "shipping_method": "Courier 4-6 days"}, ETA),
        ({**UNTRACKED, "created_at": datetime(2026, 2, 26, 15, tzinfo=UTC)}, DELAY),
        ({**UNTRACKED, "shipping_method": "Local pickup"}, DELAY),
        ({**UNTRACKED, "is_preorder": True}, DELAY),
        ({**UNTRACKED, "is_preorder": True, "ship_by": date(2026, 3, 20)}, ETA),
        ({**UNTRACKED, "is_cancelled": True}, DELAY),
        ({**UNTRACKED, "is_refunded": True}, DELAY),
        ({"is_cancelled": True}, DELAY),
    ],
)
def test_the_order_chooses_its_reply(facts: dict[str, Any], expected: str) -> None:
    decision = outcome(status(), order_facts=order(**facts))

    assert template(decision) == expected
    assert (decision.tier, decision.reason) == (2, "tier2_verified")
    assert ("mw-escalated-human" in decision.tags) == (expected == DELAY)


def test_a_status_reply_states_the_available_facts() -> None:
    found = order(
        tracking_url="https://www.ups.com/track?tracknum=1Z",
        status_url="https://shop.example/orders/1",
    )

    reply = outcome(status(), order_facts=found).reply

    assert reply is not None
    assert reply.type == "order_status"
    assert reply.values == {
        "order_id": "#1001",
        "order_status": "paid",
        "fulfillment_status": "shipped",
        "tracking_number": "1Z999AA10123456784",
        "tracking_company": "UPS",
        "tracking_url": "https://www.ups.com/track?tracknum=1Z",
    }


def test_an_estimate_states_method_days_and_the_orders_own_date() -> None:
    reply = outcome(status(), order_facts=order(**UNTRACKED)).reply

    assert reply is not None
    assert reply.values == {
        "order_id": "#1001",
        "shipping_bucket": "standard shipping",
        "eta_remaining_human": "1-3 business days",
        "order_created_date_human": "3 March 2026",
    }


def test_the_days_count_up_to_the_message_and_not_to_its_handling() -> None:
    this = turn(status(), message_at=ago(hours=23))

    reply = outcome(this, order_facts=order(**UNTRACKED)).reply

    assert reply is not None
    assert reply.values["eta_remaining_human"] == "2-4 business days"


@pytest.mark.parametrize(
    ("facts", "is_closed"),
    [(UNTRACKED, True), ({}, False), ({**UNTRACKED, "is_preorder": True}, False)],
)
def test_only_an_estimate_closes_and_only_with_its_switch(
    facts: dict[str, Any], is_closed: bool
) -> None:
    closing = outcome(
        status(), order_facts=order(**facts), allowed=switches(auto_close_enabled=True)
    )
    not_closing = outcome(status(), order_facts=order(**facts))

    assert closing.close_when_confirmed is is_closed
    assert closing.reply is not None
    assert ("will_close" in closing.reply.values) is is_closed
    assert not_closing.close_when_confirmed is False
    assert not_closing.reply is not None
    assert "will_close" not in not_closing.reply.values


def test_a_link_that_is_too_long_is_omitted_and_never_cut() -> None:
    url = "https://www.ups.com/" + "x" * 300

    reply = outcome(status(), order_facts=order(tracking_url=url)).reply

    assert reply is not None
    assert "tracking_url" not in reply.values


@pytest.mark.parametrize(
    ("path", "numbers", "expected"),
    [
        (MatchPath.LINKED, (), STATUS),
        (MatchPath.LINKED, ("1001",), STATUS),
        (MatchPath.NUMBER, ("1001",), STATUS),
        (MatchPath.LINKED, ("2002",), ASK),  # it is linked to one order and names another
        (MatchPath.LINKED, ("1001", "2002"), ASK),
        (MatchPath.NUMBER, (), ASK),
        (MatchPath.NUMBER, ("1001", "2002"), ASK),
    ],
)
def test_facts_are_stated_of_the_one_order_that_is_named(
    path: MatchPath, numbers: tuple[str, ...], expected: str
) -> None:
    decision = outcome(status(order_numbers=numbers), order_facts=order(path=path))

    assert template(decision) == expected
    assert decision.automation_confidence == (0.9 if expected == STATUS else 0.0)


@pytest.mark.parametrize(
    ("channel", "change"),
    [
        (Channel.LIVECHAT, {"tier2_channels": frozenset(Channel)}),
        (Channel.EMAIL, {"tier2_channels": frozenset()}),
        (Channel.EMAIL, {"tier2_paths": frozenset()}),
        (Channel.EMAIL, {"tier2_paths": frozenset({MatchPath.NUMBER})}),
    ],
)
def test_no_facts_if_the_switches_or_the_channel_forbid_them(
    channel: Channel, change: dict[str, Any]
) -> None:
    decision = outcome(
        turn(status(), channel=channel), order_facts=order(), allowed=switches(**change)
    )

    assert template(decision) == ASK
    assert decision.tier == 1


@pytest.mark.parametrize(("confidence", "expected"), [(0.85, STATUS), (0.84, None)])
def test_facts_need_eighty_five_percent_and_no_number_of_a_known_order_is_requested(
    confidence: float, expected: str | None
) -> None:
    assert template(outcome(status(confidence), order_facts=order())) == expected


@pytest.mark.parametrize(("confidence", "expected"), [(0.70, ASK), (0.69, None)])
def test_a_request_for_the_number_needs_seventy_percent(
    confidence: float, expected: str | None
) -> None:
    assert template(outcome(status(confidence))) == expected


@pytest.mark.parametrize(
    ("answer", "is_due"),
    [
        (status(), True),
        (status(0.70), True),
        (status(0.69), False),
        (status(order_numbers=("1", "2")), False),
        (about((Intent.RETURN_REQUEST, 0.96)), True),
        (about((Intent.RETURN_REQUEST, 0.96), order_numbers=("1001",)), False),
        (about((Intent.PRE_PURCHASE_QUESTION, 0.96)), False),
    ],
)
def test_an_order_is_looked_up_only_if_the_reply_depends_on_it(answer: Any, is_due: bool) -> None:
    assert outcome(answer, order_facts=NoOrder.NOT_LOOKED_UP).wants_order_lookup is is_due


@pytest.mark.parametrize(
    "change",
    [
        {"safe_mode": True},
        {"automation_enabled": False},
        {"tier2_channels": frozenset()},
        {"tier2_paths": frozenset()},
        {"tier2_paths": frozenset({MatchPath.NUMBER})},
        {"outbound_scope": "none"},
    ],
)
def test_switches_that_forbid_facts_forbid_the_lookup(change: dict[str, Any]) -> None:
    decision = outcome(status(), order_facts=NoOrder.NOT_LOOKED_UP, allowed=switches(**change))

    assert not decision.wants_order_lookup


def test_a_chat_gets_no_lookup_regardless_of_its_switch() -> None:
    in_chat = turn(status(), channel=Channel.LIVECHAT)
    allowed = switches(tier2_channels=frozenset(Channel))

    decision = outcome(in_chat, order_facts=NoOrder.NOT_LOOKED_UP, allowed=allowed)

    assert not decision.wants_order_lookup


def test_nothing_is_looked_up_twice() -> None:
    assert not outcome(status(), order_facts=NoOrder.NO_MATCH).wants_order_lookup
    assert not outcome(status(), order_facts=order()).wants_order_lookup


def test_a_number_in_a_flow_is_looked_up_even_after_the_second_request() -> None:
    answer = about(order_numbers=("1001",), word_count=1, names_own_order=False)

    decision = outcome(
        answer, Memory(pending_flow=pending_request(attempts=2)), order_facts=NoOrder.NOT_LOOKED_UP
    )

    assert decision.wants_order_lookup
