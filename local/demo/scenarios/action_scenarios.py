"""The scenarios of the demo of actions, in the order of the day."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import urllib3

from events.whatsapp.actions.flows import FLOW_JSON
from events.whatsapp.payloads import interactive
from events.whatsapp.sample_data import APP_SECRET, COMPANY, COUNTER
from local.demo.flows import client
from local.demo.scenarios.shop_software import NADIA
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE

if TYPE_CHECKING:
    from events.whatsapp.payloads import Json
    from local.demo.scenarios.shop_software import Shop

WITH_NADIA: Final = {"phoneId": COUNTER.phone, "fromNumber": f"+{NADIA.wa_id}"}
NUMBER: Final = {"phoneNumberId": COUNTER.phone}
ACCOUNT: Final = {"metaWabaId": COUNTER.waba}
STRANGER: Final = "+447700900177"
REPAIR_PAISE, TAX_PAISE, REFUND_PAISE = 120_000, 21_600, 20_000
TALLIES: Final = ("sent", "failed", "refused", "duplicate", "invalid", "cancelled", "inDoubt")
_http = urllib3.PoolManager(retries=False, timeout=60)


def discovery(shop: Shop) -> None:
    """Look up which actions there are, and what one of them needs."""
    listed = shop.get("/whatsapp/actions?limit=100")
    groups = sorted({one["group"] for one in listed.get("actions", [])})
    line = f"the first {len(listed.get('actions', []))} of the actions, in {len(groups)} groups"
    shop.report("GET /whatsapp/actions", 200, line, is_expected=bool(groups))
    described = shop.get("/whatsapp/actions/send_text")
    shop.report(
        "GET .../send_text",
        200,
        str(described.get("action", {}).get("summary"))[:74],
        is_expected=bool(described),
    )


def window(shop: Shop) -> None:
    """See that the customer's message opened the 24-hour window."""
    shop.until(
        "get_service_window", WITH_NADIA, lambda found: bool(found.get("open")), "open reason until"
    )


def conversation(shop: Shop, message_id: str) -> None:
    """React to the customer's message, and ask with buttons."""
    shop.send("send_reaction", {"messageId": message_id, "emoji": "\N{THUMBS UP SIGN}"})
    choices = [("today", "Today"), ("later", "Tomorrow")]
    buttons = [{"type": "reply", "reply": {"id": id_, "title": title}} for id_, title in choices]
    asked: Json = {
        "body": {"text": "It is ready. When do you collect it?"},
        "action": {"buttons": buttons},
    }
    sent = shop.send("send_interactive", {"interactiveType": "button", "interactive": asked})
    told = {"messageId": sent.get("messageId", "none")}
    shop.until("get_delivery_status", told, _is_delivered, "deliveryStatus deliveredAt")


def _is_delivered(found: Json) -> bool:
    return "delivered" in str(found)


def picture(shop: Shop) -> None:
    """Upload a picture of the bike with a form, and send it by its key."""
    status, content = shop.post("/whatsapp/uploads", {"type": "image", "mimeType": "image/jpeg"})
    form = content.get("result", {})
    shop.report("POST /whatsapp/uploads", status, str(form.get("upload")), is_expected=bool(form))
    if not form:
        return
    file = ("bike.jpg", BUILT_IN[JPEG_IMAGE].content, "image/jpeg")
    answer = _http.request("POST", form["url"], fields={**form["fields"], "file": file})
    shop.check("the picture is uploaded", answer.status in {200, 201, 204})
    shop.send("send_image", {"s3Key": form["fields"]["key"], "caption": "Your bike is ready"})


def payment(shop: Shop) -> None:
    """Take a payment and give a part of it back."""
    name, reference = f"shop-{shop.run}", f"repair-{shop.run}"
    tenant = {"tenantId": COMPANY, "displayName": "Acme Bicycles", "metaWabaId": COUNTER.waba}
    shop.result("save_tenant", tenant, shows="tenantId displayName wabaId")
    config = {"configName": name, "mcc": "7699", "purposeCode": "00"}
    upi = ACCOUNT | config | {"upiId": "acme.bicycles@okbank"}
    shop.result("meta_payment_onboarding", upi, shows="configName status")
    listed = shop.result("get_payment_configurations", ACCOUNT | {"refresh": True}, shows="-")
    active = [one for one in listed.get("configurations", []) if one.get("status") == "active"]
    shop.check("the configuration is active", name in {one["configName"] for one in active})
    total = REPAIR_PAISE + TAX_PAISE
    item = {"retailerId": "repair", "name": "Repair", "amount": REPAIR_PAISE, "quantity": 1}
    order = {"items": [item], "subtotal": REPAIR_PAISE, "tax": TAX_PAISE}
    shop.send(
        "send_payment_order",
        {
            "referenceId": reference,
            "totalAmount": total,
            "order": order,
            "configName": name,
            "body": "Your repair",
        },
    )
    shop.outside("/_payments", {"reference": reference, "paise": total})
    paid = {"referenceId": reference, "refresh": True}
    found = shop.result("get_payment_status", paid, shows="paymentStatus totalAmount status")
    shop.check("the payment is captured", found.get("paymentStatus") == "captured")
    _refund(shop, reference, total)


def _refund(shop: Shop, reference: str, total: int) -> None:
    """Refund a part of a payment, and check that the sums match."""
    asked = {"referenceId": reference, "amount": REFUND_PAISE, "reason": "A scratch"}
    refund = shop.result("create_refund", asked, shows="refundId amount status")
    named = {"refundId": refund.get("refundId", "none")}
    shop.result("process_refund", named, shows="status providerRefundId")
    shop.refused("complete_refund", named, 409, "state_conflict")
    shop.outside("/_paid_refunds", {"reference": reference})
    shop.result("complete_refund", named, shows="status amount")
    order = shop.result(
        "get_payment_status", {"referenceId": reference}, shows="paymentStatus totalAmount refunded"
    )
    sums = (order.get("totalAmount"), order.get("refunded"), order.get("refundOpen", 0))
    shop.check("the sums of the order match", sums == (total, REFUND_PAISE, 0))


def form(shop: Shop) -> None:
    """Make a form with the data endpoint, send it, and fill it in as WhatsApp's client does."""
    made = shop.result(
        "create_flow", _FORM | {"name": f"Service {shop.run}"}, shows="flowId status"
    )
    key = shop.result("set_flow_public_key", NUMBER, shows="version phones")
    flow = made.get("flowId")
    if flow is None or not key:
        return
    routes = {"SERVICE": "DATE", "DATE": "SUCCESS"}
    screens = {"DATE": {"days": ["Monday", "Tuesday"]}}
    shop.result(
        "set_flow_routing",
        {"flowId": flow, "firstScreen": "SERVICE", "routes": routes, "screenData": screens},
        shows="firstScreen screens",
    )
    token = f"booking-{shop.run}-{shop.run}"
    shop.send(
        "send_flow_message",
        {
            "flowId": flow,
            "flowToken": token,
            "body": "Book the next service",
            "flowAction": "data_exchange",
        },
    )
    shown = [
        _exchange(shop, key["publicKey"], client.request("INIT", token)),
        _exchange(shop, key["publicKey"], _submitted(token, "SERVICE", {"service": "full"})),
        _exchange(shop, key["publicKey"], _submitted(token, "DATE", {"day": "Monday"})),
    ]
    shop.check("the form shows its screens", shown == ["SERVICE", "DATE", "SUCCESS"])
    answer = {"name": "flow", "body": "Sent", "response_json": json.dumps({"flow_token": token})}
    shop.customer_writes("the form", interactive("nfm_reply", answer))
    _check_answers(shop, flow)


_FORM: Json = ACCOUNT | {
    "categories": ["APPOINTMENT_BOOKING"],
    # `useDataEndpoint` is missing: the emulator does not tell functions the address of their API.
    "flowJson": FLOW_JSON,
    "publish": True,
}


def _submitted(token: str, screen: str, data: Json) -> Json:
    return client.request("data_exchange", token, screen=screen, data=data)


def _exchange(shop: Shop, public_key: str, request: Json) -> str:
    """Send an encrypted request of the form and return the screen of the answer."""
    sealed = client.encrypted(request, public_key)
    answer = _http.request(
        "POST",
        f"{shop.stack.api_url}/webhooks/whatsapp/flows?account={COUNTER.waba}",
        body=sealed.body,
        headers=sealed.headers(APP_SECRET),
    )
    opened: dict[str, Any] = sealed.opened(answer.data.decode()) if answer.data else {}
    screen = str(opened.get("screen"))
    asked = request.get("screen") or request["action"]
    shop.report("(form)", answer.status, f"{asked} -> {screen}", is_expected=answer.status == 200)  # noqa: PLR2004 - OK  # fmt: skip
    return screen


def _check_answers(shop: Shop, flow: str) -> None:
    """Read what the customer entered."""
    found = shop.until(
        "get_flow_responses",
        {"flowId": flow, "customerPhone": f"+{NADIA.wa_id}"},
        lambda result: bool(result.get("responses")),
        "responses",
    )
    answers = [one["data"] for one in found.get("responses", [])]
    shop.check("the form has its answers", answers == [{"service": "full", "day": "Monday"}])


def template_and_campaign(shop: Shop) -> None:
    """Create a template, wait for its review, send it, and send it to a list of customers."""
    name = f"bike_ready_{shop.run}"
    body = {
        "type": "BODY",
        "text": "Hello {{1}}, your bike is ready.",
        "example": {"body_text": [["Ada"]]},
    }
    shop.result(
        "create_template_meta", ACCOUNT | {"name": name, "components": [body]}, shows="name status"
    )
    values = [{"type": "body", "parameters": [{"type": "text", "text": "cyclist"}]}]
    filled: Json = {"templateName": name, "components": values}
    early = NUMBER | {"to": f"+{NADIA.wa_id}"} | filled
    shop.refused("send_template", early, 409, "template_not_sendable")
    shop.outside("/_template_reviews", {"waba": COUNTER.waba, "name": name})
    shop.result("sync_templates_meta", ACCOUNT | {"names": [name]})
    shop.send("send_template", filled)
    customers = [f"+1202555{number:04}" for number in range(110, 120)]
    _record_consents(shop, customers)
    listed = [*customers, customers[0], "+12025"]
    started = shop.result(
        "bulk_send",
        NUMBER | filled | {"recipients": listed, "type": "template", "name": "Spring"},
        shows="campaignId status totalRecipients",
    )
    found = shop.until(
        "get_campaign",
        {"campaignId": started.get("campaignId", "none")},
        lambda result: result.get("status") == "completed",
        "status sent duplicate invalid failed refused",
    )
    sums = tuple(found.get(tally) for tally in TALLIES)
    shop.check("the campaign's counters add up", sums == (10, 0, 0, 1, 1, 0, 0))
    shop.check("the campaign had twelve recipients", found.get("totalRecipients") == len(listed))


def _record_consents(shop: Shop, customers: list[str]) -> None:
    """Record that the customers agreed to be written to, without which a campaign leaves them out."""
    agreed = {"purpose": "all", "state": "opted_in", "evidence": "Signed at the counter"}
    answers = [
        shop.post("/whatsapp/actions/set_consent", {"contact": number} | agreed)[0]
        for number in customers
    ]
    shop.calls += len(customers)
    shop.report(
        "set_consent",
        max(answers),
        f"{len(customers)} customers agreed",
        is_expected=set(answers) == {200},
    )


def search_and_export(shop: Shop) -> None:
    """Find a message, and export the conversation to a file."""
    found = shop.result("search_messages", WITH_NADIA | {"query": "IS MY BIKE"}, shows="lookedAt")
    shop.check("the message is found", found.get("messages"))
    job = shop.result("export_messages", WITH_NADIA, shows="jobId state", expects=202)
    done = shop.until(
        "get_action",
        {"actionId": job.get("jobId", "none")},
        lambda result: result.get("state") == "done",
        "kind state exported",
    )
    lines = [
        line
        for link in done.get("links", [])
        for line in _http.request("GET", link).data.splitlines()
    ]
    shop.check("the file has every exported message", len(lines) == done.get("exported") != 0)


def refusals(shop: Shop) -> None:
    """See why calls are refused."""
    stranger = NUMBER | {"to": STRANGER}
    shop.refused("send_text", stranger | {"text": "Hello"}, 422, "policy_refused")
    shop.refused("send_text", stranger | {"words": "Hello"}, 400, "invalid_input")
    without = ACCOUNT | {"flowId": "700000000000000", "useDataEndpoint": False}
    shop.refused("update_flow", without, 501, "not_supported")
    shop.refused("get_message", {"messageId": "wamid.of-another-shop"}, 404, "not_found")
