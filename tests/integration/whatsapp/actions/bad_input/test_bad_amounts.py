"""Amounts, references, claims and refunds that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions.payments.conftest import (
    REFERENCE,
    an_order,
    captured,
    payment_order,
    shop,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.whatsapp.actions.conftest import Actions

__all__ = ["captured", "shop"]  # fixtures


@pytest.mark.parametrize(
    "change",
    [
        {"totalAmount": 2_501},
        {"totalAmount": 2_500.5},
        {"order": an_order(tax=0.5)},
        {"expirationSeconds": 299},
    ],
    ids=["total", "fraction of the total", "fraction of the tax", "expiry"],
)
def test_amounts_that_do_not_add_up_fractions_and_short_expiries_are_refused(
    shop: Actions, change: dict[str, Any]
) -> None:
    answer = shop.send("send_payment_order", payment_order(**change))

    assert (answer.status, answer.error, shop.wire) == (400, "invalid_input", [])


def test_a_reference_is_not_used_for_a_second_order(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())
    other = payment_order(order=an_order(tax=361), totalAmount=2_501)
    answer = shop.send("send_payment_order", other)

    assert (answer.status, answer.error) == (409, "state_conflict")


def test_a_claim_of_another_amount_is_parked_and_moves_nothing(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())
    claim = {"referenceId": REFERENCE, "status": "captured", "amount": 2_400, "currency": "INR"}
    shop.run("process_payment_webhook", claim)

    assert shop.item(f"ORDER#acme:{REFERENCE}")["paymentStatus"] == "pending"


def test_a_refund_over_the_captured_amount_and_completing_an_unpaid_one_are_conflicts(
    captured: Callable[[], Actions],
) -> None:
    actions = captured()
    over = actions.run("create_refund", {"paymentId": REFERENCE, "amount": 2_501})
    opened = actions.run("create_refund", {"paymentId": REFERENCE, "amount": 1_000}).result
    completed = actions.run("complete_refund", {"refundId": opened["refundId"]})

    assert (over.status, over.error) == (409, "state_conflict")
    assert (completed.status, completed.error) == (409, "state_conflict")
    assert actions.run("get_refund", {"refundId": opened["refundId"]}).result["status"] == "pending"
