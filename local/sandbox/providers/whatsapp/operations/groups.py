"""Groups that a number manages."""

import secrets
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.providers.whatsapp.operations.numbers import (
    body_of,
    number_of,
    succeeded,
)
from local.sandbox.responses import json_response

_LONGEST_SUBJECT, _LONGEST_DESCRIPTION = 128, 2_048


def _check_settings(body: dict[str, Any]) -> None:
    if body.get("messaging_product") != "whatsapp":
        raise meta_graph.invalid("Param messaging_product: is required")
    for name, longest in (("subject", _LONGEST_SUBJECT), ("description", _LONGEST_DESCRIPTION)):
        if len(str(body.get(name, ""))) > longest:
            raise meta_graph.invalid(f"Param {name}: must have at most {longest} characters")


async def create_group(call: Call) -> Answer:
    """`POST /{version}/{phone}/groups`: a request, whose outcome an event reports; tests send it."""
    number, body = number_of(call), body_of(call)
    _check_settings(body)
    if not body.get("subject"):
        raise meta_graph.invalid("Param subject: is required")
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
            raise meta_graph.invalid("Param file: is required")
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
            raise meta_graph.invalid("Param participants: is no participant", 131204)
        group["participants"].remove(entry["user"])
    return succeeded(body)


def _decide(call: Call, field: str) -> Answer:
    group, body = _group(call), body_of(call)
    _check_settings(body)
    asked = body.get("join_requests")
    if not isinstance(asked, list) or not asked:
        raise meta_graph.invalid("Param join_requests: is required")
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
)
NODES = (
    Node("GET", "get_group", _is_group, get_group),
    Node("POST", "update_group", _is_group, post_group),
    Node("DELETE", "delete_group", _is_group, delete_group),
)
