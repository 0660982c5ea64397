"""What a caller reports about a payment is shown once a look-up has confirmed it, and kept with a parked report."""

import json
from typing import Any

import pytest

from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.actions.payments.conftest import REFERENCE, payment_order
from whatsapp.store.items.events.events import WebhookEvent

ORDER = f"ORDER#acme:{REFERENCE}"
EVENT: dict[str, Any] = {
    "referenceId": REFERENCE,
    "paymentStatus": "captured",
    "webhookType": "razorpay",
    "transactionId": "pay_of_the_gateway",
    "amount": 2_500,
    "currency": "INR",
}
FAILED = EVENT | {"paymentStatus": "failed", "errorMessage": "The card was declined."}


@pytest.fixture
def sent(shop: Actions) -> Actions:
    assert shop.send("send_payment_order", payment_order()).status == 200
    return shop


def attempts(actions: Actions) -> dict[str, str]:
    """The state of each attempt that the order shows."""
    return {one["id"]: one["state"] for one in actions.item(ORDER).get("transactions", [])}


def test_the_attempt_of_a_confirmed_event_is_stored_beside_those_of_the_look_up(
    sent: Actions,
) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    first = sent.run("process_payment_webhook", EVENT)
    before = sent.item(ORDER)
    again = sent.run("process_payment_webhook", EVENT)

    assert (first.status, again.status) == (200, 200)
    assert attempts(sent) == {f"pay_{REFERENCE}": "success", "pay_of_the_gateway": "captured"}
    stored = sent.item(f"{ORDER}#TX#pay_of_the_gateway")
    shown = (stored["kind"], stored["state"], stored["amount"], stored["currency"])
    assert shown == ("razorpay", "captured", 2_500, "INR")
    assert {one["id"] for one in first.result["transactions"]} == set(attempts(sent))
    assert before["transactionId"] == f"pay_{REFERENCE}"  # the look-up's
    assert sent.item(ORDER) == before


def test_the_attempt_of_a_confirmed_claim_is_stored(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    claim = {"paymentId": REFERENCE, "status": "captured", "providerPaymentId": "pay_claimed"}

    assert sent.run("update_payment_status", claim).status == 200
    assert attempts(sent) == {f"pay_{REFERENCE}": "success", "pay_claimed": "captured"}


def test_the_look_ups_word_for_an_attempt_is_kept(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)

    assert (
        sent.run("process_payment_webhook", EVENT | {"transactionId": f"pay_{REFERENCE}"}).status
        == 200
    )
    assert attempts(sent) == {f"pay_{REFERENCE}": "success"}


def test_the_attempt_of_an_event_that_is_not_confirmed_is_not_stored(sent: Actions) -> None:
    before = sent.item(ORDER)
    claim = {"paymentId": REFERENCE, "status": "captured", "providerPaymentId": "pay_claimed"}

    assert sent.run("process_payment_webhook", EVENT).error == "state_conflict"
    assert sent.run("process_payment_webhook", FAILED).error == "state_conflict"
    assert sent.run("update_payment_status", claim).error == "state_conflict"
    assert sent.item(ORDER) == before


def test_the_message_of_a_confirmed_failure_is_the_orders_reason(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500, status="failed", transactions=[])
    first = sent.run("process_payment_webhook", FAILED)
    second = sent.run("process_payment_webhook", FAILED | {"errorMessage": "Another text."})

    assert first.result["failureReason"] == "The card was declined."
    assert second.result["failureReason"] == "The card was declined."
    assert sent.item(ORDER)["failureReason"] == "The card was declined."
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    paid = sent.run("process_payment_webhook", EVENT | {"errorMessage": "Late."})
    assert "failureReason" not in paid.result


def test_a_parked_event_is_stored_whole(sent: Actions) -> None:
    body = FAILED | {"amount": 2_400}

    assert sent.run("process_payment_webhook", body).error == "state_conflict"

    keys = [key for key in sent.harness.keys() if key.startswith("WEBHOOK#")]
    (item,) = [one for key in keys if (one := sent.item(key))["webhookEventType"] == "parked"]
    event = WebhookEvent.read(item)
    assert event.full_event is not None
    kept = json.loads(sent.harness.resources.bucket.get(str(event.full_event["key"])))
    assert kept["payload"] == {
        "company": "acme",
        "reference": REFERENCE,
        "gateway": "razorpay",
        "status": "failed",
        "transactionId": "pay_of_the_gateway",
        "amount": 2_400,
        "currency": "INR",
        "errorMessage": "The card was declined.",
    }
