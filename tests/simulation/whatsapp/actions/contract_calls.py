"""Calls after the day of the samples, for the attributes and indexes that neither the day nor the scenarios use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from events.whatsapp.actions.administration import BODIES as ADMINISTRATION
from events.whatsapp.actions.flows import BODIES as FLOWS
from events.whatsapp.actions.messages import BODIES as MESSAGES
from events.whatsapp.actions.numbers import BODIES as NUMBERS
from events.whatsapp.sample_data import ADA, APP_SECRET, COMPANY, COUNTER, WORKSHOP
from local.demo.flows import client as form_client
from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from shared.runtime.clock import to_text
from tests import template
from tests.simulation.processes import imported
from tests.simulation.whatsapp.actions.actor import MINUTE_MS
from tests.simulation.whatsapp.actions.scenarios.flows import with_a_form
from tests.simulation.whatsapp.actions.scenarios.groups_and_calls import GROUP, a_group
from tests.simulation.whatsapp.actions.scenarios.messages import add_template
from tests.simulation.whatsapp.actions.scenarios.templates import prepared
from tests.simulation.whatsapp.event_builders import status_webhook

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.actions.actor import Actor

type Json = dict[str, Any]

COUNTERS: Json = {"phoneNumberId": COUNTER.phone}
ACCOUNT: Json = {"metaWabaId": COUNTER.waba}
TO_ADA: Json = COUNTERS | {"to": f"+{ADA.wa_id}"}
REFERENCE = "order-of-two-bells"
OF_SHOP: Json = {"tenantId": COMPANY, "configName": "shop"}
TENANT: Json = {
    "tenantId": COMPANY,
    "displayName": "Acme Bicycles",
    "wabaId": COUNTER.waba,
    "phoneE164": f"+{COUNTER.display}",
    "mcc": "4722",
    "purposeCode": "03",
}
GATEWAY: Json = ACCOUNT | {
    "configurationName": "shop",
    "provider": "razorpay",
    "mcc": "4722",
    "purposeCode": "03",
    "redirectUrl": "https://shop.example.com/back",
}
UPI: Json = ACCOUNT | {
    "configurationName": "upi",
    "mcc": "4722",
    "purposeCode": "03",
    "upiId": "shop@icici",
}
BELLS: Json = {"retailerId": "bell", "name": "Bell", "amount": 1_000, "quantity": 2}
ORDER: Json = {
    "referenceId": REFERENCE,
    "totalAmount": 2_000,
    "order": {"items": [BELLS], "subtotal": 2_000, "tax": 0},
}
HOME: Json = {
    "name": "Ada",
    "phoneNumber": "9876543210",
    "address": "1 High Street",
    "city": "Pune",
    "state": "MH",
    "postalCode": "411001",
    "country": "IN",
}
PROFILE: Json = {"address": "1 Mill Lane", "description": "Bikes, repairs and hire"}


@dataclass
class Client:
    """Makes calls, each with a key of its own. *begin* and *seen* look at the table before and after what happens."""

    actor: Actor
    begin: Callable[[], None]
    seen: Callable[[], None]
    calls: int = 0

    def call(self, action: str, body: Json) -> Json:
        """Return the result of a call that succeeds."""
        self.begin()
        self.calls += 1
        answer = self.actor.call(action, body, f"contract-{self.calls:04d}")
        assert answer is not None
        assert answer.status in {200, 202}, (action, answer.content)
        self.seen()
        return answer.result

    def pass_minutes(self, minutes: int) -> None:
        """Let the schedule and the workers run, and look at the table."""
        for _ in range(minutes):
            self.actor.wait(1)
            self.seen()


def payments(client: Client) -> None:
    """A tenant, its configurations, an order that is paid, and its refund."""
    sandbox = client.actor.system.sandbox
    client.call("save_tenant", TENANT)
    client.call("payment_onboarding", GATEWAY)
    client.call("meta_payment_onboarding", UPI)
    provider.configure(sandbox, COUNTER.waba, "shop")  # its owner follows the link
    client.call("validate_payment_config", OF_SHOP)
    client.call("set_default_payment_configuration", OF_SHOP)
    client.call("send_payment_order", TO_ADA | ORDER)
    provider.pay(sandbox, REFERENCE, 2_000)
    client.call("lookup_payment", {"referenceId": REFERENCE})
    order_id = client.call("get_payment_status", {"paymentId": REFERENCE})["orderId"]
    client.call("get_payment_status", {"orderId": order_id})
    client.call("get_payments", {"tenantId": COMPANY})
    client.call("get_payments", {"customerPhone": f"+{ADA.wa_id}"})
    client.call("get_payments", {"status": "captured"})
    asked = {"paymentId": REFERENCE, "amount": 500, "reason": "One bell is broken"}
    refund = {"refundId": client.call("create_refund", asked)["refundId"]}
    client.call("process_refund", refund)
    for made in sandbox.objects["payments"][REFERENCE]["refunds"]:
        made["status"] = "success"
    client.call("complete_refund", refund)
    client.call("get_refunds", {"orderId": order_id})


def account(client: Client) -> None:
    """Settings of the deployment, the account and its number."""
    client.call("set_webhook_config", ADMINISTRATION["set_webhook_config"])
    client.call("refresh_infra", {})
    client.call("refresh_media_types", {})
    client.call("update_business_profile", NUMBERS["update_business_profile"] | {"data": PROFILE})
    client.call("save_address", {"customerPhone": f"+{ADA.wa_id}", "address": HOME})


def templates(client: Client) -> None:
    """A template at AWS that has a quality."""
    aws_waba = f"waba-{WORKSHOP.waba_arn.rpartition('/')[2]}"
    prepared(waba=aws_waba, quality_score="GREEN")(client.actor.system)
    client.call("eum_sync_templates", {"metaWabaId": WORKSHOP.waba})


def groups(client: Client) -> None:
    """A group with a description, and its messages."""
    system = client.actor.system
    a_group(system)
    system.sandbox.objects["group"][GROUP]["description"] = "Routes and weather"
    client.call("get_group_info", {"groupId": GROUP})
    client.call("get_group_messages", {"groupId": GROUP})


def forms(client: Client) -> None:
    """A form that Ada completes over the data endpoint."""
    system = client.actor.system
    with_a_form(system)
    client.call("set_flow_routing", FLOWS["set_flow_routing"])
    client.call("set_flow_public_key", FLOWS["set_flow_public_key"])
    client.call("send_flow_message", FLOWS["send_flow_message"])
    (sent,) = [one.body for one in system.sandbox.sent if "flow_token" in json.dumps(one.body)]
    token = json.dumps(sent).partition('"flow_token": "')[2].partition('"')[0]
    key = system.sandbox.objects["flow keys"][COUNTER.phone]
    asked = form_client.request("data_exchange", token, screen="SERVICE", data={"service": "full"})
    endpoint = imported(
        "whatsapp.handlers.flows", template.environment("WhatsAppFlows", Stage="local")
    )
    event = form_client.encrypted(asked, key).event(APP_SECRET, COUNTER.waba)
    assert endpoint.handler(event, None)["statusCode"] == HTTPStatus.OK
    client.call(
        "flow_completion",
        {"flowToken": token, "responseJson": {"day": "Monday"}, "responseId": "answer-1"},
    )


def lists(client: Client) -> None:
    """Messages of a number, a customer and a conversation."""
    client.call("get_messages", COUNTERS)
    client.call("get_messages", COUNTERS | {"fromNumber": f"+{ADA.wa_id}"})
    client.call("get_messages", COUNTERS | {"toNumber": f"+{ADA.wa_id}"})


def campaign(client: Client) -> None:
    """A scheduled campaign to Ada, who reads its message; then the counts of the hour."""
    system = client.actor.system
    add_template(system)
    at = to_text(system.clock.ms + 2 * MINUTE_MS)
    body = MESSAGES["send_template"]
    given = {name: value for name, value in body.items() if name in {"templateName", "components"}}
    asked = COUNTERS | given | {"campaignName": "Spring", "scheduledAt": at}
    asked |= {"recipients": [f"+{ADA.wa_id}"]}
    made = {"campaignId": client.call("create_campaign", asked)["campaignId"]}
    client.pass_minutes(4)
    asked = made | {"outcome": "sent"}
    (sent,) = client.call("get_campaign_recipients", asked)["recipients"]
    system.deliver_until_accepted(status_webhook(sent["messageId"], "sent", "delivered", "read"))
    system.drain()
    client.pass_minutes(7)
    client.call("get_campaign", made)


SEQUENCES = (account, payments, templates, groups, forms, lists, campaign)
