"""Orders are stored before they are sent, once per reference, and only if their sums add up."""

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, WABA, Actions
from tests.integration.whatsapp.actions.payments.conftest import (
    REFERENCE,
    an_order,
    configured,
    payment_order,
)
from tests.integration.whatsapp.conftest import NOW, PHONE

ORDER = f"ORDER#acme:{REFERENCE}"


def parameters(actions: Actions) -> dict[str, Any]:
    body: Any = actions.wire[-1].body
    found: dict[str, Any] = body["interactive"]["action"]["parameters"]
    return found


def money(value: int) -> dict[str, int]:
    return {"value": value, "offset": 100}


def test_an_order_is_stored_as_pending_sent_and_linked_with_its_message(shop: Actions) -> None:
    answer = shop.send(
        "send_payment_order", payment_order(expirationSeconds=300, body="Pay, please")
    )

    assert (answer.status, answer.result["state"]) == (200, "sent")
    stored = shop.item(ORDER)
    assert {name: stored[name] for name in (
        "itemType", "company", "tenantId", "orderId", "referenceId", "configName", "customerPhone", "currency",
        "totalAmount", "status", "paymentStatus", "phone", "messagePk",
    )} == {
        "itemType": "PAYMENT_ORDER", "company": "acme", "tenantId": "acme", "orderId": REFERENCE,
        "referenceId": REFERENCE, "configName": "shop", "customerPhone": ADA, "currency": "INR", "totalAmount": 2_500,
        "status": "pending", "paymentStatus": "pending", "phone": PHONE, "messagePk": answer.result["messagePk"],
    }  # fmt: skip
    assert stored["createdAt"] == clock.to_text(NOW)
    # Meta's document has these messages as examples only, not in its schema.
    assert shop.wire[0].path == f"/v23.0/{PHONE}/messages"
    sent = parameters(shop)
    assert sent["payment_settings"] == [
        {
            "type": "payment_gateway",
            "payment_gateway": {
                "type": "razorpay",
                "configuration_name": "shop",
                "razorpay": {"receipt": REFERENCE, "notes": {"reference_id": REFERENCE}},
            },
        }
    ]
    assert (sent["reference_id"], sent["type"], sent["currency"]) == (
        REFERENCE,
        "digital-goods",
        "INR",
    )
    assert sent["total_amount"] == money(2_500)
    assert sent["order"] == {
        "status": "pending",
        "items": [
            {
                "retailer_id": "bell",
                "name": "Bell",
                "amount": money(1_200),
                "sale_amount": money(1_000),
                "quantity": 2,
            }
        ],
        "subtotal": money(2_000),
        "tax": money(360),
        "shipping": money(240),
        "discount": money(100),
        "expiration": {
            "timestamp": str(NOW // 1000 + 310),
            "description": "The order can no longer be paid.",
        },
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"totalAmount": 2_501}, "totalAmount"),
        ({"order": an_order(subtotal=2_400)}, "order.subtotal"),
        ({"order": an_order(total=2_600)}, "order.total"),
        ({"order": an_order(tax=0, shipping=0, discount=2_000), "totalAmount": 0}, "totalAmount"),
        ({"totalAmount": 2_500.5}, "totalAmount"),
        ({"totalAmount": "2500"}, "totalAmount"),
        ({"order": an_order(tax=-1)}, "order.tax"),
        ({"currency": "EUR"}, "currency"),
        ({"expirationSeconds": 299}, "expirationSeconds"),
        ({"referenceId": "r" * 36}, "referenceId"),
        ({"order": an_order(referenceId="other")}, "order.referenceId"),
        ({"order": an_order(items=[])}, "order.items"),
        ({"paymentType": "UPI_INTENT"}, "body"),
        ({"beneficiary": {"name": "Ada"}}, "beneficiary.address_line1"),
    ],
)
def test_an_order_that_breaks_a_rule_is_refused_before_anything_is_written(
    shop: Actions, change: dict[str, Any], field: str
) -> None:
    answer = shop.send("send_payment_order", payment_order(**change))

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert field in answer.fields
    assert (shop.item(ORDER), shop.wire) == ({}, [])


def test_the_same_reference_with_other_content_is_refused(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())

    other = shop.send(
        "send_payment_order", payment_order(order=an_order(tax=361), totalAmount=2_501)
    )
    assert (other.status, other.error) == (409, "state_conflict")
    again = shop.send("send_payment_order", payment_order())
    assert (again.status, again.error) == (409, "state_conflict")
    assert len(shop.wire) == 1


def test_the_reference_of_another_company_is_refused_without_revealing_it(shop: Actions) -> None:
    shop.harness.resources.table.put(
        {"pk": ORDER, "itemType": "PAYMENT_ORDER", "company": "globex", "orderId": "o", "referenceId": REFERENCE,
         "currency": "INR", "totalAmount": 1, "status": "pending", "createdAt": "2026-01-01T00:00:00.000Z"}
    )  # fmt: skip

    taken = shop.send("send_payment_order", payment_order())
    own = shop.send("send_payment_order", payment_order(referenceId="ref-2"))
    other = shop.send(
        "send_payment_order",
        payment_order(referenceId="ref-2", order=an_order(tax=361), totalAmount=2_501),
    )

    assert own.status == 200
    assert (taken.status, taken.body["error"]) == (409, other.body["error"])
    assert shop.item(ORDER)["company"] == "globex"


def test_a_repeat_with_the_same_key_finds_order_and_message(shop: Actions) -> None:
    first = shop.send("send_payment_order", payment_order(expirationSeconds=600), key="key-order-1")
    again = shop.send("send_payment_order", payment_order(expirationSeconds=600), key="key-order-1")

    assert again.result == first.result
    assert len(shop.wire) == 1


def test_a_lost_answer_is_never_sent_again_by_any_key(shop: Actions) -> None:
    shop.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    first = shop.send("send_payment_order", payment_order(), key="key-order-1")
    assert (first.status, first.result["state"]) == (202, "in_doubt")

    assert shop.send("send_payment_order", payment_order(), key="key-order-1").status in {202, 409}
    assert shop.send("send_payment_order", payment_order(), key="key-order-2").status == 409
    assert len(shop.wire) == 1
    assert shop.item(ORDER)["paymentStatus"] == "pending"


def test_an_order_that_certainly_was_not_sent_can_be_sent_by_another_call(shop: Actions) -> None:
    shop.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=400)
    refused = shop.send("send_payment_order", payment_order())
    assert (refused.status, refused.error) == (422, "provider_rejected")

    sent = shop.send("send_payment_order", payment_order())
    assert sent.status == 200
    assert shop.item(ORDER)["messagePk"] == sent.result["messagePk"]


def test_a_dry_run_shows_the_order_and_stores_nothing(shop: Actions) -> None:
    before = shop.harness.keys()
    answer = shop.send("send_payment_order", payment_order(dryRun=True))

    assert answer.result["state"] == "dry_run"
    shown = answer.result["payload"]["interactive"]["action"]["parameters"]
    assert shown["total_amount"] == money(2_500)
    assert (shop.harness.keys(), shop.wire) == (before, [])


def test_physical_goods_have_a_recipient(shop: Actions) -> None:
    beneficiary = {
        "name": "Ada", "address_line1": "1 Road", "city": "Pune", "state": "MH", "country": "India",
        "postal_code": "411001",
    }  # fmt: skip
    answer = shop.send(
        "send_payment_order", payment_order(goodsType="physical-goods", beneficiary=beneficiary)
    )

    assert answer.status == 200
    assert parameters(shop)["beneficiaries"] == [beneficiary]


def test_a_upi_link_needs_no_configuration(actions: Actions) -> None:
    link = "upi://pay?pa=shop@icici&tr=ref-1"
    answer = actions.send(
        "send_payment_order", payment_order(paymentType="UPI_INTENT", upiIntentLink=link)
    )

    assert answer.status == 200
    assert parameters(actions)["payment_settings"] == [
        {"type": "upi_intent_link", "upi_intent_link": {"link": link}}
    ]
    assert "configName" not in actions.item(ORDER)


def test_an_order_with_a_upi_link_is_of_the_tenant_that_the_call_names(actions: Actions) -> None:
    tenant = {"tenantId": "bikes", "displayName": "Acme Bikes", "metaWabaId": WABA}
    order = payment_order(
        paymentType="UPI_INTENT", upiIntentLink="upi://pay?pa=shop@icici&tr=ref-1", tenantId="bikes"
    )
    unknown = actions.send("send_payment_order", order)
    actions.run("save_tenant", tenant)
    known = actions.send("send_payment_order", order)

    assert (unknown.error, known.status) == ("not_found", 200)
    assert actions.item(ORDER)["tenantId"] == "bikes"


def test_a_upi_configuration_is_named_by_payment_type(shop: Actions) -> None:
    configured(shop, "vpa", type="UPI", provider_name="upi_vpa", upi_id="shop@icici")
    shop.send("send_payment_order", payment_order(paymentConfigurationName="vpa"))

    sent = parameters(shop)
    assert (sent["payment_type"], sent["payment_configuration"]) == ("upi", "vpa")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"paymentConfigurationName": "none"}, 404, "not_found"),
        ({"paymentConfigurationName": "draft"}, 409, "not_configured"),
        ({"paymentType": "PG_PAYU", "paymentConfigurationName": "shop"}, 400, "invalid_input"),
        ({"tenantId": "globex"}, 404, "not_found"),
    ],
)
def test_a_configuration_must_be_active_and_of_the_tenant_and_gateway(
    shop: Actions, change: dict[str, Any], status: int, code: str
) -> None:
    configured(shop, "draft", status="pending")

    answer = shop.send("send_payment_order", payment_order(**change))

    assert (answer.status, answer.error) == (status, code)
    assert shop.wire == []


def test_terms_that_are_not_accepted_are_an_operators_task(
    shop: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    from local.sandbox.providers.whatsapp import meta_graph  # noqa: PLC0415 - the one test that changes it

    monkeypatch.setitem(meta_graph._FAILURES, 403, (131005, "Access denied"))
    shop.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=403)

    answer = shop.send("send_payment_order", payment_order())

    assert (answer.status, answer.error) == (409, "not_configured")
    assert "terms of service" in answer.body["error"]["message"]


@pytest.mark.parametrize("step", ["delivery.send", "store.payments.link_message"])
def test_a_crash_between_two_writes_is_repaired_by_a_repeat(
    shop: Actions, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def die(*_: object) -> None:
        raise OSError

    body = payment_order(expirationSeconds=600)
    with monkeypatch.context() as patch:
        patch.setattr(f"whatsapp.actions.commerce.payments.requests.checkouts.{step}", die)
        assert shop.send("send_payment_order", body, key="key-crash-1").status == 500
    assert shop.item(ORDER)["paymentStatus"] == "pending"

    sent = shop.send("send_payment_order", body, key="key-crash-1")

    assert (sent.status, sent.result["state"]) == (200, "sent")
    assert shop.item(ORDER)["messagePk"] == sent.result["messagePk"]
    assert len(shop.wire) == 1


def test_another_call_waits_until_the_first_one_has_certainly_ended(
    shop: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr("whatsapp.actions.commerce.payments.requests.checkouts.delivery.send", die)
        shop.send("send_payment_order", payment_order())

    soon = shop.send("send_payment_order", payment_order())
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 61_000)
    later = shop.send("send_payment_order", payment_order())

    assert (soon.status, soon.error) == (409, "request_in_progress")
    assert later.status == 200
    assert len(shop.wire) == 1
