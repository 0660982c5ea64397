"""Numbers of both providers: reports and registration."""

import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from local.sandbox.config import Number
from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.responses import json_response

_NUMBER = "/{version}/{phone}"
_PIN = re.compile(r"[0-9]{6}")
_WRONG_PIN = 133005
_WRONG_CODE = 136025


def body_of(call: Call) -> dict[str, Any]:
    """Return the JSON object of a request. Raises Refused."""
    try:
        body = parse_json(call.raw or b"{}")
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise meta_graph.invalid("Body: not a JSON object")
    return body


def number_of(call: Call) -> Number:
    """Check a request to Graph about a number, and return the number. Raises Refused."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    path = call.request.path_params
    phone = path.get("phone") or path["node"]
    for number in call.sandbox.config.numbers:
        # Numbers on AWS are numbers of Meta's, too: their settings are on Graph.
        if number.phone_number_id == phone:
            return number
    raise meta_graph.no_such_object(phone)


def succeeded(body: object = None) -> Answer:
    """Return Graph's answer to a change."""
    return Answer(json_response({"success": True}), body)


def state_of(call: Call, phone: str) -> dict[str, Any]:
    """Return the state of a number: what tests and requests have set, over its initial state."""
    state: dict[str, Any] = call.sandbox.objects["number"].setdefault(
        phone, {"quality_rating": "GREEN", "level": "STANDARD", "limit": "TIER_1K", "pin": None}
    )
    return state


async def get_number(call: Call) -> Answer:
    """`GET /{version}/{phone}`: the requested fields of a number."""
    number = number_of(call)
    state = state_of(call, number.phone_number_id)
    known = {
        "id": number.phone_number_id,
        "display_phone_number": f"+{number.display}",
        "verified_name": state.get("verified_name", "Acme Bikes"),
        "quality_rating": state["quality_rating"],
        "throughput": {"level": state["level"]},
        "whatsapp_business_manager_messaging_limit": state["limit"],
        "name_status": "APPROVED",
        "code_verification_status": state.get("verification", "VERIFIED"),
        "platform_type": "CLOUD_API",
        "health_status": {"can_send_message": "AVAILABLE", "entities": []},
        "conversational_automation": state.get("automation", {}),
    }
    wanted = call.request.query_params.get("fields", "id,display_phone_number,verified_name")
    fields = {"id", *wanted.split(",")}
    if unknown := fields - known.keys():
        raise meta_graph.invalid(f"Tried accessing nonexisting field ({min(unknown)})")
    return Answer(json_response({name: known[name] for name in known if name in fields}))


async def post_number(call: Call) -> Answer:
    """`POST /{version}/{phone}`: sets the two-step verification pin."""
    number, body = number_of(call), body_of(call)
    if not _PIN.fullmatch(str(body.get("pin", ""))):
        raise meta_graph.invalid("Param pin: must have 6 digits")
    state_of(call, number.phone_number_id)["pin"] = body["pin"]
    return succeeded(body)


async def get_account(call: Call) -> Answer:
    """`GET /{version}/{account}`: id and name."""
    return Answer(json_response({"id": call.request.path_params["node"], "name": "Acme (Meta)"}))


async def list_numbers(call: Call) -> Answer:
    """`GET /{version}/{account}/phone_numbers`."""
    waba = _account(call)
    entries = [
        {
            "id": number.phone_number_id,
            "display_phone_number": f"+{number.display}",
            "verified_name": "Acme Bikes",
            "status": "LINKED",
            "quality_rating": state_of(call, number.phone_number_id)["quality_rating"],
        }
        for number in call.sandbox.config.numbers
        if number.waba == waba
    ]
    entries += [one for one in call.sandbox.objects["added number"].values() if one["waba"] == waba]
    return Answer(json_response({"data": entries, "paging": {}}))


async def add_number(call: Call) -> Answer:
    """`POST /{version}/{account}/phone_numbers`."""
    waba, body = _account(call), body_of(call)
    if not re.fullmatch(r"[1-9][0-9]{5,14}", str(body.get("phone_number", ""))):
        raise meta_graph.invalid("Param phone_number: must be digits")
    if not 2 <= len(str(body.get("verified_name", ""))) <= 75:  # noqa: PLR2004 - Meta's limits
        raise meta_graph.invalid("Param verified_name: must have 2 to 75 characters")
    phone = str(secrets.randbelow(10**14) + 10**14)
    call.sandbox.objects["added number"][phone] = {
        "id": phone,
        "display_phone_number": f"+{body.get('cc', '')}{body['phone_number']}",
        "status": "PENDING",
        "waba": waba,
    }
    return Answer(json_response({"id": phone}), body)


async def request_code(call: Call) -> Answer:
    """`POST /{version}/{phone}/request_code`: the code is always 123456."""
    number, body = number_of(call), body_of(call)
    if body.get("code_method") not in {"SMS", "VOICE"}:
        raise meta_graph.invalid("Param code_method: must be SMS or VOICE")
    if not re.fullmatch(r"[a-z]{2}_[A-Z]{2}", str(body.get("language", ""))):
        raise meta_graph.invalid("Param language: must be such as en_US")
    state_of(call, number.phone_number_id)["code"] = "123456"
    return succeeded(body)


async def verify_code(call: Call) -> Answer:
    """`POST /{version}/{phone}/verify_code`."""
    number, body = number_of(call), body_of(call)
    state = state_of(call, number.phone_number_id)
    if body.get("code") != state.get("code", ""):
        raise meta_graph.invalid("The code is wrong or has expired", _WRONG_CODE)
    state["verification"] = "VERIFIED"
    return succeeded(body)


async def register(call: Call) -> Answer:
    """`POST /{version}/{phone}/register`: the first pin becomes the number's; later ones must be the same."""
    number, body = number_of(call), body_of(call)
    if body.get("messaging_product") != "whatsapp" or not _PIN.fullmatch(str(body.get("pin", ""))):
        raise meta_graph.invalid("Param pin: must have 6 digits")
    state = state_of(call, number.phone_number_id)
    if state["pin"] not in {None, body["pin"]}:
        raise meta_graph.invalid("Two step verification PIN mismatch", _WRONG_PIN)
    state |= {"pin": body["pin"], "registered": True}
    return succeeded(body)


async def deregister(call: Call) -> Answer:
    """`POST /{version}/{phone}/deregister`."""
    state_of(call, number_of(call).phone_number_id)["registered"] = False
    return succeeded(body_of(call))


async def list_linked(call: Call) -> Answer:
    """ListLinkedWhatsAppBusinessAccounts: the accounts of the numbers on AWS."""
    wabas = dict.fromkeys(n.waba for n in call.sandbox.config.numbers if n.aws_id is not None)
    return Answer(json_response({"linkedAccounts": [_linked(waba) for waba in wabas]}))


async def get_linked(call: Call) -> Answer:
    """GetLinkedWhatsAppBusinessAccount: an account with its numbers."""
    for number in call.sandbox.config.numbers:
        if number.aws_id is not None and _linked(number.waba)[
            "id"
        ] == call.request.query_params.get("id"):
            account = _linked(number.waba) | {"phoneNumbers": [_aws_number(call, number)]}
            return Answer(json_response({"account": account}))
    raise Refused(aws_social.aws_error("ResourceNotFoundException", "no account with this id"))


async def get_linked_number(call: Call) -> Answer:
    """GetLinkedWhatsAppBusinessAccountPhoneNumber: a number with its call settings."""
    number = aws_number_of(call, call.request.query_params.get("id", ""))
    settings = call.sandbox.objects["call settings"].get(number.phone_number_id)
    answer = {"phoneNumber": _aws_number(call, number)}
    return Answer(json_response(answer | ({"callSettings": settings} if settings else {})))


def aws_number_of(call: Call, origination: str) -> Number:
    """Return the number on AWS with this id or ARN. Raises Refused."""
    number = call.sandbox.config.aws_number(origination)
    if number is None:
        raise Refused(
            aws_social.aws_error("ResourceNotFoundException", "no phone number with this id")
        )
    return number


def _linked(waba: str) -> dict[str, Any]:
    key = "0123456789abcdef0123456789abcdef"
    return {
        "arn": f"arn:aws:social-messaging:us-east-1:123456789012:waba/{key}",
        "id": f"waba-{key}",
        "wabaId": waba,
        "registrationStatus": "COMPLETE",
        "linkDate": 1_760_000_000,
        "wabaName": "Acme (AWS)",
        "eventDestinations": [],
    }


def _aws_number(call: Call, number: Number) -> dict[str, Any]:
    state = state_of(call, number.phone_number_id)
    key = str(number.aws_id).removeprefix("phone-number-id-")
    return {
        "arn": f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{key}",
        "phoneNumber": f"+{number.display}",
        "phoneNumberId": number.aws_id,
        "metaPhoneNumberId": number.phone_number_id,
        "displayPhoneNumberName": state.get("verified_name", "Acme Bikes"),
        "displayPhoneNumber": f"+{number.display}",
        "qualityRating": state["quality_rating"],
    }


def _account(call: Call) -> str:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    waba = call.request.path_params["waba"]
    if not _is_account(call, waba):
        raise meta_graph.no_such_object(waba)
    return str(waba)


def _is_account(call: Call, node: str) -> bool:
    added = call.sandbox.objects["added number"].values()
    known = [number.waba for number in call.sandbox.config.numbers]
    return node in {*known, *(one["waba"] for one in added)}


def _is_number(call: Call, node: str) -> bool:
    return any(number.phone_number_id == node for number in call.sandbox.config.numbers)


def edge_of(
    method: str, path: str, operation: str, act: Callable[[Call], Awaitable[Answer]]
) -> Endpoint:
    """Return an endpoint below the path of a number."""
    return Endpoint(method, f"{_NUMBER}/{path}", (operation,), act)


GRAPH = (
    edge_of("POST", "request_code", "request_code", request_code),
    edge_of("POST", "verify_code", "verify_code", verify_code),
    edge_of("POST", "register", "register_number", register),
    edge_of("POST", "deregister", "deregister_number", deregister),
    Endpoint("GET", "/{version}/{waba}/phone_numbers", ("list_numbers",), list_numbers),
    Endpoint("POST", "/{version}/{waba}/phone_numbers", ("add_number",), add_number),
)
NODES = (
    Node("GET", "get_number", _is_number, get_number),
    Node("POST", "update_number", _is_number, post_number),
    Node("GET", "get_account", _is_account, get_account),
)
AWS = (
    Endpoint("GET", "/v1/whatsapp/waba/list", ("ListLinkedWhatsAppBusinessAccounts",), list_linked),
    Endpoint("GET", "/v1/whatsapp/waba/details", ("GetLinkedWhatsAppBusinessAccount",), get_linked),
    Endpoint(
        "GET", "/v1/whatsapp/waba/phone/details",
        ("GetLinkedWhatsAppBusinessAccountPhoneNumber",), get_linked_number,
    ),
)  # fmt: skip
