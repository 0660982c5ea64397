"""Payments: configurations, orders, look-ups, receipts, refunds and orders of a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from tests.simulation.whatsapp.actions.scenario import Body, Scenario
from whatsapp import store
from whatsapp.store.items import Phone, pk
from whatsapp.store.items.accounts.tenants import PaymentConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]
REFERENCE, CONFIG, OLD, PAISE = "ref-1", "shop", "old", 2_500
TO_ADA: Json = {"phoneNumberId": COUNTER.phone, "to": f"+{ADA.wa_id}"}
NAMED: Json = {"metaWabaId": COUNTER.waba, "configurationName": CONFIG}
ITEM: Json = {"retailerId": "bell", "name": "Bell", "amount": 1_250, "quantity": 2}
ORDER: Json = {"items": [ITEM], "subtotal": PAISE, "tax": 0}
PAYMENT_ORDER: Json = TO_ADA | {"referenceId": REFERENCE, "totalAmount": PAISE, "order": ORDER}
SEND = ("send_message",)
SENT: tuple[tuple[str, Body], ...] = (("send_payment_order", PAYMENT_ORDER),)
PAID = (*SENT, ("lookup_payment", {"referenceId": REFERENCE}))
OPENED = (*PAID, ("create_refund", {"paymentId": REFERENCE, "amount": 1_000}))
CHECKOUT: Json = {
    "id": "1",
    "waba": COUNTER.waba,
    "name": "checkout",
    "language": "en_US",
    "status": "APPROVED",
    "category": "UTILITY",
    "components": [
        {"type": "BODY", "text": "Hello {{1}}"},
        {"type": "BUTTONS", "buttons": [{"type": "ORDER_DETAILS", "text": "Review and pay"}]},
    ],
}
NEWS: Json = CHECKOUT | {
    "name": "order_news",
    "components": [{"type": "BODY", "text": "{{1}}: order {{2}}, {{3}}"}],
}


class Refunds(list[Json]):
    """The refunds of a payment at the provider: each has a fixed id, and is in *state* as soon as it was requested."""

    def __init__(self, state: str) -> None:
        super().__init__()
        self.state = state

    def append(self, entry: Json, /) -> None:
        """Add a refund."""
        entry |= {"id": f"rfnd_{len(self):012d}", "status": self.state}
        super().append(entry)


def a_shop(system: System) -> None:
    """An active configuration, the default of the counter."""
    _configure(system, CONFIG)
    system.table.update(
        pk(Phone.key(COUNTER.phone)), put=Phone.named(default_payment_config=CONFIG)
    )
    store.phones.forget()
    system.sandbox.templates += [CHECKOUT, NEWS]


def a_shop_with_an_old_configuration(system: System) -> None:
    a_shop(system)
    _configure(system, OLD)


def _configure(system: System, name: str) -> None:
    config = PaymentConfig(
        pk=PaymentConfig.key(COMPANY, name),
        company=COMPANY,
        tenant_id=COMPANY,
        config_name=name,
        type="PG",
        status="active",
        provider_name="razorpay",
        account=COUNTER.waba,
    )
    system.table.put(config.attributes())
    provider.configure(system.sandbox, COUNTER.waba, name)


def a_customer_who_pays(system: System) -> None:
    """The customer pays the order as soon as it is sent."""
    a_shop(system)
    provider.pay(system.sandbox, REFERENCE, PAISE)


def refunds_that_are(state: str) -> Callable[[System], None]:
    """Refunds of the paid order are in this state as soon as they were requested."""

    def prepare(system: System) -> None:
        a_shop(system)
        provider.pay(system.sandbox, REFERENCE, PAISE, refunds=Refunds(state))

    return prepare


def _refund(results: list[Json], **more: Any) -> Json:
    return {"refundId": results[2]["refundId"], **more}


PROCESSED = (*OPENED, ("process_refund", _refund))


def _of_shop(action: str, body: Body, *effect: str, **more: Any) -> Scenario:
    return Scenario(action=action, body=body, effect=effect, **({"prepare": a_shop} | more))


SCENARIOS = (
    _of_shop(
        "payment_onboarding",
        {"metaWabaId": COUNTER.waba, "provider": "razorpay", "configurationName": "new"},
        "create_payment_configuration",
    ),
    _of_shop(
        "meta_payment_onboarding",
        {
            "metaWabaId": COUNTER.waba,
            "configurationName": "vpa",
            "mcc": "4722",
            "purposeCode": "03",
            "upiId": "shop@icici",
        },
        "create_payment_configuration",
    ),
    _of_shop("get_payment_configurations", {"metaWabaId": COUNTER.waba}),
    _of_shop("verify_payment_configuration", NAMED),
    _of_shop("validate_payment_config", {"tenantId": COMPANY, "configName": CONFIG}),
    _of_shop("seed_payment_configs", {}),
    _of_shop(
        "get_payment_oauth_link",
        NAMED | {"redirectUrl": "https://shop.example.com"},
        "link_payment_configuration",
        repeatable=True,  # a second link replaces the first, which the caller has not received
    ),
    _of_shop(
        "delete_payment_configuration",
        NAMED | {"configurationName": OLD},
        "delete_payment_configuration",
        prepare=a_shop_with_an_old_configuration,
    ),
    _of_shop("send_payment_order", PAYMENT_ORDER, *SEND),
    _of_shop(
        "create_payment_request",
        TO_ADA
        | {"orderId": "17", "amount": PAISE, "description": "Service", "provider": "razorpay"},
        *SEND,
    ),
    _of_shop(
        "send_order_details",
        TO_ADA | {"referenceId": REFERENCE, "items": [ITEM], "tax": 100},
        *SEND,
    ),
    _of_shop(
        "send_order_details_with_payment",
        {
            "tenantId": COMPANY,
            "toPhone": f"+{ADA.wa_id}",
            "order": ORDER | {"referenceId": REFERENCE},
        },
        *SEND,
    ),
    _of_shop(
        "send_checkout_template",
        PAYMENT_ORDER
        | {
            "templateName": "checkout",
            "bodyParams": ["Ada"],
            "paymentConfigurationName": CONFIG,
        },
        *SEND,
    ),
    _of_shop(
        "send_order_status",
        TO_ADA | {"referenceId": REFERENCE, "status": "shipped", "description": "By bike"},
        *SEND,
        before=SENT,
    ),
    _of_shop(
        "send_payment_confirmation",
        {"paymentId": REFERENCE},
        *SEND,
        prepare=a_customer_who_pays,
        before=PAID,
    ),
    *(
        _of_shop(action, body, prepare=a_customer_who_pays, before=SENT)
        for action, body in (
            ("lookup_payment", {"referenceId": REFERENCE}),
            ("get_payment_status", {"paymentId": REFERENCE, "refresh": True}),
            ("update_payment_status", {"paymentId": REFERENCE, "status": "captured"}),
        )
    ),
    _of_shop(
        "process_payment_webhook",
        {"referenceId": REFERENCE, "paymentStatus": "captured", "notifyCustomer": True},
        *SEND,
        prepare=a_customer_who_pays,
        before=SENT,
    ),
    _of_shop(
        "process_refund",
        _refund,
        "refund_payment",
        prepare=refunds_that_are("pending"),
        before=OPENED,
    ),
    _of_shop("complete_refund", _refund, prepare=refunds_that_are("success"), before=PROCESSED),
    _of_shop("fail_refund", _refund, prepare=refunds_that_are("failed"), before=PROCESSED),
    _of_shop(
        "process_refund_webhook",
        lambda results: _refund(results, status="completed"),
        prepare=refunds_that_are("success"),
        before=PROCESSED,
    ),
    _of_shop(
        "process_wix_webhook",
        {
            "metaWabaId": COUNTER.waba,
            "templateName": "order_news",
            "wixEvent": {
                "eventType": "created",
                "orderId": "10007",
                "customerPhone": f"+{ADA.wa_id}",
                "customerName": "Ada",
                "orderTotal": PAISE,
                "currency": "INR",
                "items": [{"name": "Bell"}],
            },
        },
        *SEND,
    ),
)
