"""Groups that a number manages, and calls."""

import base64
import re
import secrets
from typing import Any

from local.sandbox.config import Number
from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.providers.whatsapp.operations.numbers import (
    aws_number_of,
    body_of,
    number_of,
    succeeded,
)
from local.sandbox.responses import json_response

_LONGEST_SUBJECT, _LONGEST_DESCRIPTION = 128, 2_048
_NO_PERMISSION = 138006
_ACTIONS = frozenset({"connect", "pre_accept", "accept", "reject", "terminate"})
_CLOCK = re.compile(r"([01][0-9]|2[0-3])[0-5][0-9]")


def _invalid(details: str, code: int = 100) -> Refused:
    return Refused(meta_graph.graph_error(400, code, "Invalid parameter", details=details))


def _check_settings(body: dict[str, Any]) -> None:
    if body.get("messaging_product") != "whatsapp":
        raise _invalid("Param messaging_product: is required")
    for name, longest in (("subject", _LONGEST_SUBJECT), ("description", _LONGEST_DESCRIPTION)):
        if len(str(body.get(name, ""))) > longest:
            raise _invalid(f"Param {name}: must have at most {longest} characters")


async def create_group(call: Call) -> Answer:
    """`POST /{version}/{phone}/groups`: a request, whose outcome an event reports; tests send it."""
    number, body = number_of(call), body_of(call)
    _check_settings(body)
    if not body.get("subject"):
        raise _invalid("Param subject: is required")
    request_id, group_id = secrets.token_hex(8), f"Y2FwaV9ncm91cDo{secrets.token_hex(6)}"
    call.sandbox.objects["group"][group_id] = {
        "phone": number.phone_number_id,
        "subject": body["subject"],
        "description": body.get("description", ""),
        "join_approval_mode": body.get("join_approval_mode", "auto_approve"),
        "suspended": False,
        "creation_timestamp": 1_767_268_000,
        "participants": [],
        "requests": {},
        "link": _new_link(),
        "request_id": request_id,
    }
    return Answer(json_response({"messaging_product": "whatsapp", "request_id": request_id}), body)


async def list_groups(call: Call) -> Answer:
    """`GET /{version}/{phone}/groups`: the number's active groups."""
    number, query = number_of(call), call.request.query_params
    groups = [
        {
            "id": group_id,
            "subject": group["subject"],
            "created_at": str(group["creation_timestamp"]),
        }
        for group_id, group in sorted(call.sandbox.objects["group"].items())
        if group["phone"] == number.phone_number_id
    ]
    start, limit = int(query.get("after", "0")), int(query.get("limit", "25"))
    end = start + limit
    following = {"cursors": {"after": str(end)}, "next": "https://graph.facebook.com/next"}
    paging = following if end < len(groups) else {}
    return Answer(json_response({"data": {"groups": groups[start:end]}, "paging": paging}))


async def get_group(call: Call) -> Answer:
    """`GET /{version}/{group}`: the requested fields of a group."""
    group = _group(call)
    known = {
        name: group[name] for name in ("subject", "description", "suspended", "creation_timestamp")
    } | {
        "participants": [{"wa_id": who} for who in group["participants"]],
        "total_participant_count": len(group["participants"]),
        "join_approval_mode": group["join_approval_mode"],
    }
    fields = call.request.query_params.get("fields", "").split(",")
    shown = {name: known[name] for name in fields if name in known}
    return Answer(json_response({"id": _group_id(call), "messaging_product": "whatsapp", **shown}))


async def post_group(call: Call) -> Answer:
    """`POST /{version}/{group}`: texts as JSON, or the picture as a form."""
    group = _group(call)
    kind = call.request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        if b'name="file"' not in call.raw or b'name="messaging_product"' not in call.raw:
            raise _invalid("Param file: is required")
        group["picture"] = True
        return succeeded({"form": kind.partition(";")[0]})
    body = body_of(call)
    _check_settings(body)
    group |= {name: body[name] for name in ("subject", "description") if name in body}
    return succeeded(body)


async def delete_group(call: Call) -> Answer:
    """`DELETE /{version}/{group}`."""
    _group(call)
    del call.sandbox.objects["group"][_group_id(call)]
    return succeeded()


async def get_link(call: Call) -> Answer:
    """`GET /{version}/{group}/invite_link`."""
    link = {"messaging_product": "whatsapp", "invite_link": _group(call)["link"]}
    return Answer(json_response(link))


async def reset_link(call: Call) -> Answer:
    """`POST /{version}/{group}/invite_link`: a new link, and the old one ends."""
    group, body = _group(call), body_of(call)
    _check_settings(body)
    group["link"] = _new_link()
    answer = {"messaging_product": "whatsapp", "invite_link": group["link"]}
    return Answer(json_response(answer), body)


async def list_requests(call: Call) -> Answer:
    """`GET /{version}/{group}/join_requests`."""
    entries = [
        {"join_request_id": request_id, "wa_id": who, "creation_timestamp": 1_767_268_100}
        for request_id, who in _group(call)["requests"].items()
    ]
    return Answer(json_response({"data": entries, "paging": {}}))


async def approve_requests(call: Call) -> Answer:
    """`POST /{version}/{group}/join_requests`."""
    return _decide(call, "approved_join_requests")


async def reject_requests(call: Call) -> Answer:
    """`DELETE /{version}/{group}/join_requests`."""
    return _decide(call, "rejected_join_requests")


async def remove_participants(call: Call) -> Answer:
    """`DELETE /{version}/{group}/participants`."""
    group, body = _group(call), body_of(call)
    _check_settings(body)
    for entry in body.get("participants", []):
        if entry.get("user") not in group["participants"]:
            raise _invalid("Param participants: is no participant", 131204)
        group["participants"].remove(entry["user"])
    return succeeded(body)


def _decide(call: Call, field: str) -> Answer:
    group, body = _group(call), body_of(call)
    _check_settings(body)
    asked = body.get("join_requests")
    if not isinstance(asked, list) or not asked:
        raise _invalid("Param join_requests: is required")
    known = [one for one in asked if one in group["requests"]]
    for request_id in known:
        who = group["requests"].pop(request_id)
        if field.startswith("approved"):
            group["participants"].append(who)
    failed = [
        {"join_request_id": one, "errors": [{"code": 131203, "message": "unknown"}]}
        for one in asked
        if one not in known
    ]
    answer = {"messaging_product": "whatsapp", field: known, "failed_join_requests": failed}
    return Answer(json_response(answer), body)


async def get_permission(call: Call) -> Answer:
    """`GET /{version}/{phone}/call_permissions`."""
    number_of(call)
    query = call.request.query_params
    who = query.get("user_wa_id") or query.get("recipient")
    if not who:
        raise _invalid("Param user_wa_id: is required")
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
        raise _invalid(problem, _NO_PERMISSION if "permission" in problem else 100)
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
        raise _invalid("Param calling.status: must be ENABLED or DISABLED")
    for day in calling.get("call_hours", {}).get("weekly_operating_hours", []):
        if not all(_CLOCK.fullmatch(str(day.get(name))) for name in ("open_time", "close_time")):
            raise _invalid("Param open_time or close_time: must be such as 0900")
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


def _group_id(call: Call) -> str:
    path = call.request.path_params
    return str(path.get("group") or path["node"])


def _group(call: Call) -> dict[str, Any]:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    group: dict[str, Any] | None = call.sandbox.objects["group"].get(_group_id(call))
    if group is None:
        raise meta_graph.no_such_object(_group_id(call))
    return group


def _new_link() -> str:
    return f"https://chat.whatsapp.com/{secrets.token_hex(8)}"


def _is_group(call: Call, node: str) -> bool:
    # Deleted groups stay groups: Graph says that they do not exist.
    return node in call.sandbox.objects["group"] or node.startswith("Y2FwaV9ncm91cDo")


GRAPH = (
    Endpoint("POST", "/{version}/{phone}/groups", ("create_group",), create_group),
    Endpoint("GET", "/{version}/{phone}/groups", ("list_groups",), list_groups),
    Endpoint("GET", "/{version}/{group}/invite_link", ("get_invite_link",), get_link),
    Endpoint("POST", "/{version}/{group}/invite_link", ("reset_invite_link",), reset_link),
    Endpoint("GET", "/{version}/{group}/join_requests", ("list_join_requests",), list_requests),
    Endpoint("POST", "/{version}/{group}/join_requests", ("approve_requests",), approve_requests),
    Endpoint("DELETE", "/{version}/{group}/join_requests", ("reject_requests",), reject_requests),
    Endpoint(
        "DELETE", "/{version}/{group}/participants", ("remove_participants",), remove_participants
    ),
    Endpoint(
        "GET", "/{version}/{phone}/call_permissions", ("get_call_permission",), get_permission
    ),
    Endpoint("POST", "/{version}/{phone}/calls", ("manage_call",), post_call),
    Endpoint("GET", "/{version}/{phone}/settings", ("get_settings",), get_settings),
    Endpoint("POST", "/{version}/{phone}/settings", ("update_settings",), post_settings),
)
NODES = (
    Node("GET", "get_group", _is_group, get_group),
    Node("POST", "update_group", _is_group, post_group),
    Node("DELETE", "delete_group", _is_group, delete_group),
)
AWS = (
    Endpoint("POST", "/v1/whatsapp/call/event", ("SendWhatsAppCallEvent",), send_call_event),
    Endpoint("POST", "/v1/whatsapp/call/permission/get", ("GetWhatsAppCallPermission",), get_aws_permission),
    Endpoint(
        "PUT", "/v1/whatsapp/waba/phone",
        ("UpdateLinkedWhatsAppBusinessAccountPhoneNumber",), update_linked_number,
    ),
)  # fmt: skip
