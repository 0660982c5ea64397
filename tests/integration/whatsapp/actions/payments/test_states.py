"""Claims and refreshes look the payment up; nothing else moves an order."""

from typing import Any

import pytest

from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.actions.payments.conftest import (
    REFERENCE,
    an_order,
    payment_order,
)
from tests.integration.whatsapp.conftest import NOW, PHONE

ORDER = f"ORDER#acme:{REFERENCE}"
CLAIM = {"referenceId": REFERENCE, "paymentStatus": "captured"}


@pytest.fixture
def sent(shop: Actions) -> Actions:
    assert shop.send("send_payment_order", payment_order()).status == 200
    return shop


def parked(actions: Actions) -> list[dict[str, Any]]:
    keys = [key for key in actions.harness.keys() if key.startswith("WEBHOOK#")]
    return [item for key in keys if (item := actions.item(key))["webhookEventType"] == "parked"]


def test_a_look_up_asks_for_the_reference_of_the_configuration_and_moves_the_order(
    sent: Actions,
) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)

    shown = sent.run("lookup_payment", {"referenceId": REFERENCE, "apply": False})
    assert shown.result["paymentStatus"] == "pending"
    assert shown.result["payment"]["status"] == "captured"
    assert sent.item(ORDER)["paymentStatus"] == "pending"
    applied = sent.run("lookup_payment", {"referenceId": REFERENCE})

    assert applied.result["paymentStatus"] == "captured"
    assert applied.result["transactionId"] == f"pay_{REFERENCE}"
    request = sent.wire[-1]
    assert (request.operation, request.path, dict(request.query)) == (
        "look_up_payment",
        f"/v23.0/{PHONE}/payments/shop/{REFERENCE}",
        {},
    )
    assert sent.item(f"{ORDER}#TX#pay_{REFERENCE}")["amount"] == 2_500


@pytest.mark.parametrize("action", ["update_payment_status", "process_payment_webhook"])
def test_a_claim_without_a_payment_is_refused_and_moves_nothing(sent: Actions, action: str) -> None:
    body = CLAIM if action == "process_payment_webhook" else {"paymentId": REFERENCE, "status": "captured"}  # fmt: skip
    answer = sent.run(action, body)

    assert (answer.status, answer.error) == (409, "state_conflict")
    assert sent.item(ORDER)["paymentStatus"] == "pending"


def test_a_true_claim_moves_the_order_and_repeats_change_nothing(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    body = {"paymentId": REFERENCE, "status": "captured", "providerData": {"any": "thing"}}
    assert sent.run("update_payment_status", body).result["paymentStatus"] == "captured"
    before = sent.item(ORDER)
    again = sent.run("update_payment_status", body)
    back = sent.run("update_payment_status", body | {"status": "failed"})

    assert again.result["paymentStatus"] == "captured"
    assert (back.status, back.error) == (409, "state_conflict")
    assert sent.item(ORDER) == before


@pytest.mark.parametrize(
    ("claim", "paid"),
    [({"amount": 2_400}, 2_500), ({"currency": "EUR"}, 2_500), ({}, 2_400), ({"amount": 0}, 1)],
)
def test_a_claim_or_payment_of_another_amount_is_parked(
    sent: Actions, claim: dict[str, Any], paid: int
) -> None:
    provider.pay(sent.sandbox, REFERENCE, paid, transactions=[])
    before = sent.item(ORDER)
    answer = sent.run("process_payment_webhook", CLAIM | claim)

    assert (answer.status, answer.error) == (409, "state_conflict")
    assert sent.item(ORDER) == before
    (event,) = parked(sent)
    assert (event["reason"], event["company"]) == ("amount_mismatch", "acme")


def test_a_handed_over_event_notifies_the_customer_once(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    first = sent.run("process_payment_webhook", CLAIM | {"notifyCustomer": True})
    second = sent.run("process_payment_webhook", CLAIM | {"notifyCustomer": True})

    assert first.result["confirmation"]["messagePk"] == second.result["confirmation"]["messagePk"]
    assert len([one for one in sent.wire if one.operation == "send_message"]) == 2


def test_a_receipt_that_could_not_be_sent_is_sent_by_the_repeated_call(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    notifying = CLAIM | {"notifyCustomer": True}
    sent.switch("true")
    refused = sent.run("process_payment_webhook", notifying, key="receipt-0001")
    sent.switch("false")
    repeated = sent.run("process_payment_webhook", notifying, key="receipt-0001")

    assert (refused.status, refused.body["error"]["reason"]) == (422, "safe_mode")
    assert repeated.result["confirmation"]["state"] == "sent"


def test_a_status_is_shown_with_its_message_and_refreshed_on_demand(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)

    stored = sent.run("get_payment_status", {"orderId": REFERENCE})
    fresh = sent.run("get_payment_status", {"paymentId": REFERENCE, "refresh": True})

    assert stored.result["paymentStatus"] == "pending"
    assert stored.result["messagePk"].startswith("MSG#")
    assert fresh.result["paymentStatus"] == "captured"
    both = sent.run("get_payment_status", {"orderId": "o", "paymentId": "p"})
    assert (both.status, both.fields) == (400, ["body"])
    assert sent.run("get_payment_status", {"orderId": "none"}).status == 404


def test_an_order_without_a_configuration_cannot_be_looked_up(shop: Actions) -> None:
    link = {"paymentType": "UPI_INTENT", "upiIntentLink": "upi://pay?pa=a@b"}
    shop.send("send_payment_order", payment_order(**link))

    refused = shop.run("lookup_payment", {"referenceId": REFERENCE})
    shown = shop.run("get_payment_status", {"paymentId": REFERENCE, "refresh": True})

    assert (refused.status, refused.error) == (409, "not_configured")
    assert "configuration" in shown.result["note"]


@pytest.mark.parametrize(
    ("status", "expected"), [(429, (429, "rate_limited")), (400, (422, "provider_rejected"))]
)
def test_a_refused_look_up_moves_nothing(
    sent: Actions, status: int, expected: tuple[int, str]
) -> None:
    sent.sandbox.faults.add(
        provider="meta", operation="look_up_payment", kind="status", status=status
    )
    answer = sent.run("lookup_payment", {"referenceId": REFERENCE})

    assert (answer.status, answer.error) == expected
    assert sent.item(ORDER)["paymentStatus"] == "pending"


def test_a_look_up_is_repeated_after_a_lost_answer(sent: Actions) -> None:
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    sent.sandbox.faults.add(provider="meta", operation="look_up_payment", kind="lost_answer")

    answer = sent.run("lookup_payment", {"referenceId": REFERENCE})

    assert answer.result["paymentStatus"] == "captured"


def test_an_expired_order_fails_by_a_look_up(
    sent: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent.send(
        "send_payment_order",
        payment_order(referenceId="ref-2", order=an_order(), expirationSeconds=300),
    )
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 400_000)

    answer = sent.run("lookup_payment", {"referenceId": "ref-2"})

    assert (answer.result["paymentStatus"], answer.result["failureReason"]) == ("failed", "expired")


def test_orders_of_another_company_do_not_exist(sent: Actions) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("lookup_payment", {"referenceId": REFERENCE}),
        ("get_payment_status", {"paymentId": REFERENCE}),
        ("get_payment_status", {"orderId": REFERENCE}),
        ("update_payment_status", {"paymentId": REFERENCE, "status": "captured"}),
        ("process_payment_webhook", CLAIM),
    ]

    assert {sent.run(name, body, caller=GLOBEX).status for name, body in calls} == {404}
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:r")
    assert {sent.run(name, body, caller=reader).status for name, body in calls} == {403}


def test_orders_are_listed_by_status_customer_and_tenant_page_by_page(sent: Actions) -> None:
    for number in range(2, 5):
        sent.send("send_payment_order", payment_order(referenceId=f"ref-{number}"))
    provider.pay(sent.sandbox, REFERENCE, 2_500)
    sent.run("lookup_payment", {"referenceId": REFERENCE})

    def references(**asked: Any) -> list[str]:
        answer = sent.run("get_payments", asked)
        assert answer.status == 200, answer.body
        found = [one["referenceId"] for one in answer.result["orders"]]
        cursor = answer.body.get("cursor")
        return found + (references(**{**asked, "cursor": cursor}) if cursor else [])

    assert references(status="captured") == [REFERENCE]
    assert sorted(references(status="pending", limit=2)) == ["ref-2", "ref-3", "ref-4"]
    assert len(references(customerPhone=f"+{ADA}")) == 4
    assert len(references(tenantId="acme", limit=3)) == 4
    assert sent.run("get_payments", {"status": "captured"}, caller=GLOBEX).result == {"orders": []}
    assert sent.run("get_payments", {"status": "captured", "tenantId": "acme"}).fields == ["body"]
