"""Tickets of strangers cause a bounded number of model calls and order look-ups; beyond it, rules route them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from richpanel.worker.cases.costs import HELP_DESK
from shared.ai.spending import usage
from shared.ai.spending.bounds import DEFAULTS, Kind
from tests.integration.richpanel.worker.test_model_path import answers, decision, judge_of

if TYPE_CHECKING:
    from tests.integration.richpanel.harness import Harness

RETURN = "Hi, I want to return my order, how do I do that?"
WHERE = "Hi, where is my order #1001?"


def bound(harness: Harness, kind: Kind, percent: int) -> None:
    """Settings of the company."""
    spending = harness.resources.spending
    assert spending is not None
    usage.set_percents(spending.table, HELP_DESK, {kind: percent}, by="a person")


def day(harness: Harness, kind: Kind) -> dict[str, Any]:
    """Today's count of the company."""
    spending = harness.resources.spending
    assert spending is not None
    items = harness.dynamodb.scan(TableName=spending.table.name)["Items"]
    found = [
        item for item in items if item["pk"]["S"].startswith("DAY#") and item["sk"]["S"] == kind
    ]
    return {name: int(value["N"]) for item in found for name, value in item.items() if "N" in value}


def asked(harness: Harness) -> int:
    """How often the model was asked."""
    return len([one for one in harness.sandbox.sent if one.provider == "openai"])


@pytest.fixture(autouse=True)
def _model(harness: Harness) -> None:
    harness.resources.judge = judge_of("openai", harness.sandbox)


def tickets(harness: Harness, number: int, text: str = RETURN) -> None:
    """Tickets of as many strangers, each handled."""
    for n in range(number):
        answers(harness.sandbox, "openai", decision("return_request"))
        address = f"stranger{n}@host{n}.example"
        harness.ticket(text, ticket=f"t-{n}", sender=address, profile_email=address)
        harness.handle(harness.event(f"t-{n}"))


def test_strangers_cause_at_most_the_bound_of_model_calls(harness: Harness) -> None:
    bound(harness, Kind.TICKET_MODEL, 20)
    most = DEFAULTS[Kind.TICKET_MODEL].part(20).of(is_known=False).address

    tickets(harness, most.units + 2)

    # The price of the model is not known, so its dollars are reached before its units.
    counted = day(harness, Kind.TICKET_MODEL)
    assert 0 < asked(harness) == counted["units"] <= most.units
    assert counted["micros"] <= most.micros
    assert {tag for n in range(most.units + 2) for tag in harness.tags(f"t-{n}")} >= {
        "route-returns-admin"
    }


def test_beyond_the_bound_rules_route_the_ticket_and_an_agent_answers(harness: Harness) -> None:
    bound(harness, Kind.TICKET_MODEL, 0)
    harness.ticket(RETURN)

    assert harness.handle().outcome == "processed"

    assert (asked(harness), harness.replies()) == (0, [])
    assert harness.decided()["reason"] == "spending_limit"
    assert "route-returns-admin" in harness.tags()


def test_a_delivery_again_counts_once_and_a_call_has_its_real_price(harness: Harness) -> None:
    answers(harness.sandbox, "openai", decision("return_request"))
    harness.ticket(RETURN)
    harness.handle()
    harness.handle()

    counted = day(harness, Kind.TICKET_MODEL)
    assert counted["units"] == 1
    assert 0 < counted["micros"] < DEFAULTS[Kind.TICKET_MODEL].sender.micros


def test_order_lookups_are_bounded(harness: Harness) -> None:
    harness.resources.judge = None
    bound(harness, Kind.ORDER_LOOKUP, 0)
    harness.order()
    harness.ticket(WHERE)

    harness.handle()

    assert [one for one in harness.sandbox.sent if one.provider == "shopify"] == []
    assert (harness.replies(), harness.decided()["reason"]) == ([], "spending_limit")


def test_an_order_lookup_is_counted(harness: Harness) -> None:
    harness.resources.judge = None
    harness.order()
    harness.ticket(WHERE)

    harness.handle()

    assert len(harness.replies()) == 1
    assert day(harness, Kind.ORDER_LOOKUP)["units"] == 1
