"""Calls of a number, and its settings of calls."""

import base64
import re
import secrets
from typing import Any

from local.sandbox.config import Number
from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.operations.numbers import (
    aws_number_of,
    body_of,
    number_of,
    succeeded,
)
from local.sandbox.responses import json_response

_NO_PERMISSION = 138006
_ACTIONS = frozenset({"connect", "pre_accept", "accept", "reject", "terminate"})
_CLOCK = re.compile(r"([01][0-9]|2[0-3])[0-5][0-9]")


async def get_permission(call: Call) -> Answer:
    """`GET /{version}/{phone}/call_permissions`."""
    number_of(call)
    query = call.request.query_params
    who = query.get("user_wa_id") or query.get("recipient")
    if not who:
        raise meta_graph.invalid("Param user_wa_id: is required")
    is_granted = who in call.sandbox.objects["call permission"]
    limits = [{"time_period": "24h", "current_usage": 1, "max_allowed": 5}]
    answer = {
        "messaging_product": "whatsapp",
        "permission": {"status": "granted", "expiration_time": 1_768_000_000}
        if is_granted
        else {"status": "pending"},
        "actions": [
            {"action_name": "start_call", "can_perform_action": is_granted, "limits": limits},
            {"action_name": "send_call_permission_request", "can_perform_action": not is_granted},
        ],
    }
    return Answer(json_response(answer))


async def post_call(call: Call) -> Answer:
    """`POST /{version}/{phone}/calls`."""
    number, body = number_of(call), body_of(call)
    problem = _problem_of_call(call, body)
    if problem:
        raise meta_graph.invalid(problem, _NO_PERMISSION if "permission" in problem else 100)
    call_id = _applied(call, number, body)
    if body["action"] == "connect":
        return Answer(
            json_response({"messaging_product": "whatsapp", "calls": [{"id": call_id}]}), body
        )
    return succeeded(body)


async def send_call_event(call: Call) -> Answer:
    """SendWhatsAppCallEvent: Meta's JSON of a call, in base64."""
    request = body_of(call)
    number = aws_number_of(call, str(request.get("originationPhoneNumberId")))
    body = parse_json(base64.b64decode(str(request.get("callEvent"))))
    problem = _problem_of_call(call, body)
    if problem:
        raise Refused(aws_social.aws_error("InvalidParametersException", problem))
    answer = json_response({"callId": _applied(call, number, body)})
    return Answer(answer, request | {"callEvent": body})


async def get_aws_permission(call: Call) -> Answer:
    """GetWhatsAppCallPermission."""
    request = body_of(call)
    aws_number_of(call, str(request.get("originationPhoneNumberId")))
    who = str(request.get("destinationPhoneNumber", request.get("endUserBsuid", ""))).removeprefix(
        "+"
    )
    is_granted = who in call.sandbox.objects["call permission"]
    limits = [{"timePeriod": "24h", "maxAllowed": 5, "currentUsage": 1}]
    answer = {
        "permission": {"status": "granted" if is_granted else "pending"},
        "actions": [{"actionName": "start_call", "canPerformAction": is_granted, "limits": limits}],
    }
    return Answer(json_response(answer), request)


async def get_settings(call: Call) -> Answer:
    """`GET /{version}/{phone}/settings`."""
    number = number_of(call)
    calling = call.sandbox.objects["call settings"].get(
        number.phone_number_id, {"status": "DISABLED"}
    )
    return Answer(json_response({"calling": calling}))


async def post_settings(call: Call) -> Answer:
    """`POST /{version}/{phone}/settings`: merged, apart from the hours, which are replaced."""
    number, body = number_of(call), body_of(call)
    calling = body.get("calling")
    if not isinstance(calling, dict) or calling.get("status") not in {"ENABLED", "DISABLED"}:
        raise meta_graph.invalid("Param calling.status: must be ENABLED or DISABLED")
    for day in calling.get("call_hours", {}).get("weekly_operating_hours", []):
        if not all(_CLOCK.fullmatch(str(day.get(name))) for name in ("open_time", "close_time")):
            raise meta_graph.invalid("Param open_time or close_time: must be such as 0900")
    call.sandbox.objects["call settings"].setdefault(number.phone_number_id, {}).update(calling)
    return succeeded(body)


async def update_linked_number(call: Call) -> Answer:
    """UpdateLinkedWhatsAppBusinessAccountPhoneNumber: the call settings of a number."""
    number, body = aws_number_of(call, call.request.query_params.get("id", "")), body_of(call)
    settings = body.get("callSettings")
    if not isinstance(settings, dict) or not isinstance(settings.get("callEnabled"), bool):
        raise Refused(
            aws_social.aws_error("ValidationException", "callSettings.callEnabled is required")
        )
    call.sandbox.objects["call settings"].setdefault(number.phone_number_id, {}).update(settings)
    return Answer(json_response({"phoneNumberId": number.aws_id}), body)


def _problem_of_call(call: Call, body: dict[str, Any]) -> str:
    """Return which rule a call event breaks; empty if none."""
    action = body.get("action")
    if body.get("messaging_product") != "whatsapp" or action not in _ACTIONS:
        return "Param action: is invalid"
    if action in {"connect", "pre_accept", "accept"}:
        session = body.get("session") or {}
        wanted = "offer" if action == "connect" else "answer"
        if session.get("sdp_type") != wanted or not session.get("sdp"):
            return "Param session: is invalid"
    if action == "connect":
        who = str(body.get("to") or body.get("recipient") or "").removeprefix("+")
        return "" if who in call.sandbox.objects["call permission"] else "no call permission"
    state = call.sandbox.objects["call"].get(str(body.get("call_id")))
    if state is None or state == "ended":
        return "Param call_id: is unknown or has ended"
    return ""


def _applied(call: Call, number: Number, body: dict[str, Any]) -> str:
    """Move the call, and return its id."""
    if body["action"] == "connect":
        call_id = f"wacid.{number.phone_number_id}{secrets.token_hex(6)}"
        call.sandbox.objects["call"][call_id] = "ringing"
        return call_id
    call_id = str(body["call_id"])
    is_end = body["action"] in {"reject", "terminate"}
    call.sandbox.objects["call"][call_id] = "ended" if is_end else body["action"]
    return call_id


GRAPH = (
    Endpoint(
        "GET", "/{version}/{phone}/call_permissions", ("get_call_permission",), get_permission
    ),
    Endpoint("POST", "/{version}/{phone}/calls", ("manage_call",), post_call),
    Endpoint("GET", "/{version}/{phone}/settings", ("get_settings",), get_settings),
    Endpoint("POST", "/{version}/{phone}/settings", ("update_settings",), post_settings),
)
AWS = (
    Endpoint("POST", "/v1/whatsapp/call/event", ("SendWhatsAppCallEvent",), send_call_event),
    Endpoint("POST", "/v1/whatsapp/call/permission/get", ("GetWhatsAppCallPermission",), get_aws_permission),
    Endpoint(
        "PUT", "/v1/whatsapp/waba/phone",
        ("UpdateLinkedWhatsAppBusinessAccountPhoneNumber",), update_linked_number,
    ),
)  # fmt: skip
