"""
Payments in India: configurations of an account, look-ups of payments, and refunds.

A payment exists once its order_details message was sent; `pay` plays the customer. The paths of look-ups and refunds
are in Meta's pages about payment gateways; Meta's OpenAPI document does not have them.
"""

import re
import secrets
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp.meta_graph import (
    check_token,
    check_version,
    graph_error,
    invalid,
    no_such_object,
)
from local.sandbox.responses import json_response
from local.sandbox.state import Sandbox

GATEWAYS = ("razorpay", "payu", "billdesk", "zaakpay", "upi_vpa")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
CONFIGS, PAYMENTS = "payment_configurations", "payments"


def configure(sandbox: Sandbox, waba: str, name: str, **facts: object) -> None:
    """Give an account a payment configuration, in state Active unless *facts* say otherwise."""
    sandbox.objects[CONFIGS][f"{waba}/{name}"] = {
        "configuration_name": name,
        "merchant_category_code": {"code": "4722", "description": "Travel agencies"},
        "purpose_code": {"code": "03", "description": "Travel"},
        "status": "Active",
        "provider_mid": "acc_1",
        "provider_name": "razorpay",
        "created_timestamp": 1720203204,
        "updated_timestamp": 1721088316,
    } | facts


def pay(sandbox: Sandbox, reference: str, paise: int, /, **facts: object) -> dict[str, Any]:
    """Play the customer's payment of an order in paise: captured, unless *facts* say otherwise."""
    money = {"value": paise, "offset": 100}
    transaction = {"id": f"pay_{reference}", "type": "razorpay", "status": "success"}
    payment: dict[str, Any] = {
        "reference_id": reference,
        "status": "captured",
        "currency": "INR",
        "amount": money,
        "transactions": [transaction | {"currency": "INR", "amount": money}],
        "refunds": [],
    } | facts
    sandbox.objects[PAYMENTS][reference] = payment
    return payment


def _authorised(call: Call) -> None:
    check_token(call.request)
    check_version(call.request)


def _account(call: Call) -> str:
    _authorised(call)
    waba = str(call.request.path_params["waba"])
    if not any(number.waba == waba for number in call.sandbox.config.numbers):
        raise no_such_object(waba)
    return waba


def _number(call: Call) -> None:
    _authorised(call)
    phone = call.request.path_params["phone"]
    if not any(number.phone_number_id == phone for number in call.sandbox.config.numbers):
        raise no_such_object(phone)


def _body(call: Call) -> dict[str, Any]:
    try:
        parsed = parse_json(call.raw)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise Refused(graph_error(400, 100, "Invalid parameter"))
    return parsed


def _config(call: Call, waba: str, name: object) -> dict[str, Any]:
    found: dict[str, Any] | None = call.sandbox.objects[CONFIGS].get(f"{waba}/{name}")
    if found is None:
        raise invalid("Param configuration_name: no such payment configuration")
    return found


async def list_configurations(call: Call) -> Answer:
    """`GET /{version}/{waba}/payment_configurations`."""
    waba = _account(call)
    found = [
        config
        for key, config in call.sandbox.objects[CONFIGS].items()
        if key.startswith(f"{waba}/")
    ]
    return Answer(json_response({"data": [{"payment_configurations": found}]}))


async def get_configuration(call: Call) -> Answer:
    """`GET /{version}/{waba}/payment_configuration/{name}`."""
    waba = _account(call)
    config = _config(call, waba, call.request.path_params["name"])
    return Answer(json_response({"data": [config]}))


async def create_configuration(call: Call) -> Answer:
    """`POST /{version}/{waba}/payment_configuration`: a gateway's has an OAuth link; UPI is usable at once."""
    waba, body = _account(call), _body(call)
    name, provider = str(body.get("configuration_name", "")), body.get("provider_name")
    if not _NAME.fullmatch(name):
        raise invalid("Param configuration_name: must have 1 to 60 letters, digits, _ or -")
    if provider not in GATEWAYS:
        raise invalid(f"Param provider_name: must be one of {', '.join(GATEWAYS)}")
    if (provider == "upi_vpa") != ("merchant_vpa" in body):
        raise invalid("Param merchant_vpa: is required for upi_vpa only")
    if f"{waba}/{name}" in call.sandbox.objects[CONFIGS]:
        raise invalid("Param configuration_name: exists already")
    configure(
        call.sandbox,
        waba,
        name,
        status="Active" if provider == "upi_vpa" else "Needs_Connecting",
        provider_name=provider,
        merchant_category_code={"code": body.get("merchant_category_code", "0000")},
        purpose_code={"code": body.get("purpose_code", "00")},
        **({"merchant_vpa": body["merchant_vpa"]} if "merchant_vpa" in body else {}),
    )
    if provider == "upi_vpa":
        return Answer(json_response({"success": True}), body)
    return Answer(json_response({"success": True} | _link()), body)


def _link() -> dict[str, Any]:
    token = secrets.token_urlsafe(8)
    return {
        "oauth_url": f"https://www.facebook.com/connect?state={token}",
        "expiration": 1721687287,
    }


async def link_configuration(call: Call) -> Answer:
    """`POST /{version}/{waba}/generate_payment_configuration_oauth_link`."""
    waba, body = _account(call), _body(call)
    config = _config(call, waba, body.get("configuration_name"))
    if config["provider_name"] == "upi_vpa":
        raise invalid("Param configuration_name: UPI needs no link")
    return Answer(json_response(_link()), body)


async def delete_configuration(call: Call) -> Answer:
    """`DELETE /{version}/{waba}/payment_configuration`."""
    waba, body = _account(call), _body(call)
    _config(call, waba, body.get("configuration_name"))
    del call.sandbox.objects[CONFIGS][f"{waba}/{body['configuration_name']}"]
    return Answer(json_response({"success": True}), body)


def is_ordered(sandbox: Sandbox, reference: str) -> bool:
    """Whether a message asked for this payment."""
    return any(f'"reference_id": "{reference}"' in _text(sent.body) for sent in sandbox.sent)


def _text(body: object) -> str:
    return str(body).replace("'", '"')


async def look_up(call: Call) -> Answer:
    """`GET /{version}/{phone}/payments/{configuration}/{reference}`."""
    _number(call)
    reference = call.request.path_params["reference"]
    payment = call.sandbox.objects[PAYMENTS].get(reference)
    if payment is None and not is_ordered(call.sandbox, reference):
        raise invalid("Param reference_id: no such payment")
    return Answer(
        json_response({"payments": [payment or {"reference_id": reference, "status": "new"}]})
    )


async def refund(call: Call) -> Answer:
    """`POST /{version}/{phone}/payments_refund`: never more than was captured."""
    _number(call)
    body = _body(call)
    payment = call.sandbox.objects[PAYMENTS].get(str(body.get("reference_id")))
    if payment is None or payment["status"] != "captured":
        raise invalid("Param reference_id: the payment is not captured")
    given = body.get("amount")
    amount: dict[str, Any] = given if isinstance(given, dict) else {}
    value = amount.get("value")
    if not isinstance(value, int) or value < 1 or amount.get("offset") != 100:  # noqa: PLR2004 - paise
        raise invalid("Param amount: must have value and offset 100")
    if body.get("speed", "normal") not in {"normal", "instant"}:
        raise invalid("Param speed: must be normal or instant")
    if not body.get("payment_config_id"):
        raise invalid("Param payment_config_id: is required")
    refunded = sum(
        one["amount"]["value"] for one in payment["refunds"] if one["status"] != "failed"
    )
    if refunded + value > payment["amount"]["value"]:
        raise invalid("Param amount: more than was captured")
    entry = {
        "id": f"rfnd_{secrets.token_hex(6)}",
        "amount": {"value": value, "offset": 100},
        "currency": "INR",
        "status": "pending",
        "speed_processed": body.get("speed", "normal"),
    }
    payment["refunds"].append(entry)
    return Answer(json_response({"id": entry["id"], "status": "pending"}), body)


GRAPH = (
    Endpoint(
        "GET",
        "/{version}/{waba}/payment_configurations",
        ("list_payment_configurations",),
        list_configurations,
    ),
    Endpoint(
        "GET",
        "/{version}/{waba}/payment_configuration/{name}",
        ("get_payment_configuration",),
        get_configuration,
    ),
    Endpoint(
        "POST",
        "/{version}/{waba}/payment_configuration",
        ("create_payment_configuration",),
        create_configuration,
    ),
    Endpoint(
        "POST",
        "/{version}/{waba}/generate_payment_configuration_oauth_link",
        ("link_payment_configuration",),
        link_configuration,
    ),
    Endpoint(
        "DELETE",
        "/{version}/{waba}/payment_configuration",
        ("delete_payment_configuration",),
        delete_configuration,
    ),
    Endpoint(
        "GET",
        "/{version}/{phone}/payments/{configuration}/{reference}",
        ("look_up_payment",),
        look_up,
    ),
    Endpoint("POST", "/{version}/{phone}/payments_refund", ("refund_payment",), refund),
)
