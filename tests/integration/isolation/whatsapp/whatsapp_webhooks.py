"""Attacks on the webhook, the topic, the forms and the payment gateways of WhatsApp."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from events.whatsapp import gateway, payloads
from events.whatsapp.actions.flows import TOKEN
from events.whatsapp.direct import payment_report, payu_form, razorpay_body, razorpay_signature
from events.whatsapp.sample_data import ADA, COUNTER, WORKSHOP, BusinessNumber
from local.demo.flows.client import encrypted, request
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.whatsapp.whatsapp_events import MISMATCH, Attack
from tests.integration.isolation.whatsapp.whatsapp_setup import (
    APP_SECRET_B,
    COUNTER_B,
    ODD,
    WORKSHOP_B,
    TwoCompanies,
    said,
)
from tests.simulation.whatsapp.event_builders import TIMELINE

TOPIC = "WhatsAppSocial <- Publication"
FORMS, GATEWAYS = "POST /webhooks/whatsapp/flows", "POST /webhooks/payments/{}"
WEBHOOK, HANDSHAKE = "POST /webhooks/whatsapp", "GET /webhooks/whatsapp"
# Parked for A: the gateways' secrets are the deployment's, so that a verified report is about the company of the order.
OF_THE_ORDER = frozenset({"amount_mismatch"})


def webhook(number: BusinessNumber, secret: str, **arrays: Any) -> Callable[[TwoCompanies], None]:
    """A webhook about a number, signed with a key."""

    def make(companies: TwoCompanies) -> None:
        companies.deliver(payloads.change("messages", number, **arrays), number, secret)

    return make


def sns_notification(number: BusinessNumber, topic: str | None) -> Callable[[TwoCompanies], None]:
    """A record of an SNS topic: the deployment's own topic or another one."""

    def make(companies: TwoCompanies) -> None:
        change = payloads.messages_change(number, [said("wamid.attack", "Hello")], [ADA])
        body = gateway.social_message(
            "attack",
            TIMELINE.at(770),
            WORKSHOP_B,
            json.dumps(payloads.entry(WORKSHOP_B.waba, change)),
        )
        chosen = {} if topic is None else {"topic": topic}
        companies.system.deliver(gateway.sns("attack", TIMELINE.at(770), body, **chosen))

    return make


def form_request(account: str, status: int) -> Callable[[TwoCompanies], None]:
    """A form's client answers with A's token, encrypted with B's key and signed by B's app."""

    def make(companies: TwoCompanies) -> None:
        asked = request("data_exchange", TOKEN, screen="SERVICE", data={"day": "forged"})
        event = encrypted(asked, companies.form_key).event(APP_SECRET_B, account)
        answer = companies.flows.handler(event, None)
        assert answer["statusCode"] == status, answer

    return make


def report(
    raw: bytes, signature: str = "", *, gateway_name: str = "razorpay", status: int = 200
) -> Callable[[TwoCompanies], None]:
    """A gateway reports a payment of A's order."""

    def make(companies: TwoCompanies) -> None:
        event = payment_report(gateway_name, TIMELINE.at(770), raw, signature)
        answer = companies.payments.handler(event, None)
        assert answer["statusCode"] == status, answer

    return make


CHEAP, FOREIGN = razorpay_body(amount=1), razorpay_body(currency="EUR")
STATUS = ODD | {"id": "wamid.canary", "status": "failed"}
FROM_PROVIDERS: list[Attack] = [
    EventAttack(
        surface=FORMS,
        type="data_exchange",
        names="A's token, by a form of B's account",
        make=form_request(COUNTER_B.waba, 427),
    ),
    EventAttack(
        surface=FORMS,
        type="data_exchange",
        names="A's token and account, with B's key",
        make=form_request(COUNTER.waba, 421),
    ),
    EventAttack(
        surface=GATEWAYS,
        type="payment",
        names="A's order, with another amount",
        make=report(CHEAP, razorpay_signature(CHEAP)),
        parked=OF_THE_ORDER,
    ),
    EventAttack(
        surface=GATEWAYS,
        type="payment",
        names="A's order, in another currency",
        make=report(FOREIGN, razorpay_signature(FOREIGN)),
        parked=OF_THE_ORDER,
    ),
    EventAttack(
        surface=GATEWAYS,
        type="payment",
        names="A's order, as a form with another amount",
        make=report(payu_form(amount="0.01"), gateway_name="payu"),
        parked=OF_THE_ORDER,
    ),
    EventAttack(
        surface=GATEWAYS,
        type="payment",
        names="A's order, with a forged signature",
        make=report(razorpay_body(), razorpay_signature(razorpay_body(), "forged"), status=403),
    ),
    EventAttack(
        surface=GATEWAYS,
        type="payment",
        names="A's order, as a form with a forged signature",
        make=report(payu_form(salt="forged"), gateway_name="payu", status=403),
    ),
    EventAttack(
        surface=WEBHOOK,
        type="messages",
        names="A's number, signed by B's app",
        make=webhook(COUNTER, APP_SECRET_B, messages=[said("wamid.attack", "Hello")]),
        parked=MISMATCH,
    ),
    EventAttack(
        surface=WEBHOOK,
        type="messages",
        names="A's number, with a forged signature",
        make=webhook(
            COUNTER, "not the secret of any app", messages=[said("wamid.attack", "Hello")]
        ),
    ),
    EventAttack(
        surface=WEBHOOK,
        type="statuses",
        names="A's message, at B's number",
        make=webhook(COUNTER_B, APP_SECRET_B, statuses=[STATUS]),
        parked=frozenset({"foreign_message", "tenant_mismatch"}),
    ),
    EventAttack(
        surface=HANDSHAKE,
        type="handshake",
        names="another verify token",
        make=lambda c: c.system.webhook.handler(
            gateway.handshake("attack", TIMELINE.at(770), "a token of company B"), None
        ),
    ),
    EventAttack(
        surface=TOPIC,
        type="messages",
        names="A's number, by an unknown topic",
        make=sns_notification(WORKSHOP, "arn:aws:sns:us-east-1:999999999999:of-company-b"),
    ),
    EventAttack(
        surface=TOPIC,
        type="messages",
        names="A's number at Meta, by the topic of AWS",
        make=sns_notification(COUNTER, None),
        parked=MISMATCH,
    ),
    EventAttack(
        surface=TOPIC,
        type="messages",
        names="A's number at AWS, in an entry of B's account",
        make=sns_notification(WORKSHOP, None),
        parked=MISMATCH,
    ),
]
