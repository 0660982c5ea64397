"""Further ways to send an order, its receipt and its status."""

from typing import Any

from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.payments.conftest import (
    REFERENCE,
    an_order,
    configured,
    payment_order,
)
from tests.integration.whatsapp.actions.payments.test_payment_requests import (
    ORDER,
    money,
    parameters,
)
from tests.integration.whatsapp.conftest import NOW, text


def test_a_payment_request_is_an_order_of_one_line_found_by_its_order_id(shop: Actions) -> None:
    body = {
        "orderId": "SO/2026 #17",
        "amount": 50_000,
        "description": "Service",
        "provider": "razorpay",
    }
    answer = shop.send("create_payment_request", body)

    assert answer.status == 200
    sent = parameters(shop)
    assert sent["total_amount"] == money(50_000)
    assert sent["order"]["items"][0]["name"] == "Service"
    stored = shop.item(f"ORDER#acme:{sent['reference_id']}")
    assert (stored["orderId"], stored["totalAmount"]) == ("SO/2026 #17", 50_000)
    found = shop.run("get_payment_status", {"orderId": "SO/2026 #17"})
    assert found.result["referenceId"] == sent["reference_id"]
    zero = shop.send("create_payment_request", body | {"orderId": "x", "amount": 0})
    assert (zero.status, zero.fields) == (400, ["amount"])


def test_an_order_as_flat_fields_gets_its_missing_sums(shop: Actions) -> None:
    body = {"referenceId": REFERENCE, "items": an_order()["items"], "tax": 100}
    assert shop.send("send_order_details", body | {"total": 2_101}).fields == ["total"]
    answer = shop.send("send_order_details", body | {"total": 2_100, "orderStatus": "pending"})

    assert answer.status == 200
    assert parameters(shop)["order"]["subtotal"] == money(2_000)
    paid = shop.send("send_order_details", body | {"paymentStatus": "captured"})
    assert (paid.status, paid.error) == (409, "state_conflict")


def test_a_tenants_order_uses_its_number_and_default_configuration(shop: Actions) -> None:
    body = {"tenantId": "acme", "toPhone": f"+{ADA}", "order": an_order(referenceId=REFERENCE)}
    answer = shop.run("send_order_details_with_payment", body)

    assert answer.status == 200
    assert shop.item(ORDER)["configName"] == "shop"
    nameless = shop.run("send_order_details_with_payment", body | {"order": an_order()})
    assert nameless.fields == ["order.referenceId"]
    foreign = shop.run("send_order_details_with_payment", body, caller=GLOBEX)
    assert foreign.status == 404


def test_a_checkout_template_opens_the_order_with_its_button(shop: Actions) -> None:
    shop.sandbox.templates.append(
        {
            "id": "1", "waba": WABA, "name": "checkout", "language": "en_US", "status": "APPROVED",
            "category": "UTILITY",
            "components": [
                {"type": "BODY", "text": "Hello {{1}}"},
                {"type": "BUTTONS", "buttons": [{"type": "ORDER_DETAILS", "text": "Review and pay"}]},
            ],
        }
    )  # fmt: skip
    body = payment_order(
        templateName="checkout", bodyParams=["Ada"], paymentConfigurationName="shop"
    )
    answer = shop.send("send_checkout_template", body)

    assert answer.status == 200, answer.body
    sent: Any = next(one for one in shop.wire if one.operation == "send_message").body
    button = sent["template"]["components"][-1]
    assert (button["sub_type"], button["index"]) == ("order_details", "0")
    details = button["parameters"][0]["action"]["order_details"]
    assert details["total_amount"] == money(2_500)
    assert details["order"]["expiration"]["timestamp"] == str(NOW // 1000 + 310)
    assert shop.item(ORDER)["messagePk"] == answer.result["messagePk"]


def test_the_receipt_is_sent_once_and_only_for_a_captured_order(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())
    early = shop.run("send_payment_confirmation", {"paymentId": REFERENCE})
    assert (early.status, early.error) == (409, "state_conflict")

    provider.pay(shop.sandbox, REFERENCE, 2_500)
    shop.run("lookup_payment", {"referenceId": REFERENCE})
    first = shop.run("send_payment_confirmation", {"paymentId": REFERENCE})
    again = shop.run("send_payment_confirmation", {"paymentId": REFERENCE})

    assert first.result["messagePk"] == again.result["messagePk"]
    texts: list[Any] = [s.body for s in shop.wire if s.operation == "send_message"]
    assert [body["type"] for body in texts] == ["interactive", "text"]
    assert "INR 25.00" in texts[1]["text"]["body"]
    assert (
        shop.run("send_payment_confirmation", {"paymentId": REFERENCE}, caller=GLOBEX).status == 404
    )


def test_an_order_status_moves_until_it_is_final(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())
    body = {"referenceId": REFERENCE, "status": "shipped", "description": "By bike"}
    assert shop.send("send_order_status", body).status == 200

    sent: Any = shop.wire[-1].body
    assert sent["interactive"] == {
        "type": "order_status",
        "body": {"text": f"Order {REFERENCE}: shipped"},
        "action": {
            "name": "review_order",
            "parameters": {
                "reference_id": REFERENCE,
                "order": {"status": "shipped", "description": "By bike"},
            },
        },
    }
    assert shop.send("send_order_status", body | {"status": "completed"}).status == 200
    back = shop.send("send_order_status", body | {"status": "processing"})
    assert (back.status, back.error) == (409, "state_conflict")
    other = shop.send("send_order_status", body | {"to": "+447700900999"})
    assert (other.status, other.fields) == (400, ["referenceId"])


def test_a_number_on_aws_sends_the_order_through_aws(actions: Actions) -> None:
    actions.register_eum()
    configured(actions, account=EUM_WABA)
    value = {
        "metadata": {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"},
        "messages": [text("wamid.eum.1", at=NOW // 1000 - 60)],
    }
    actions.harness.take(value, waba=EUM_WABA, source="eum", app="")
    body = payment_order(phoneNumberId=EUM_PHONE, paymentConfigurationName="shop")

    answer = actions.send("send_payment_order", body)

    assert (answer.status, answer.result["state"]) == (200, "sent")
    (sent,) = actions.wire
    body_sent: Any = sent.body
    message = body_sent["message"]
    assert sent.operation == "SendWhatsAppMessage"
    assert message["interactive"]["action"]["parameters"]["reference_id"] == REFERENCE
    assert actions.item(ORDER)["phone"] == EUM_PHONE
