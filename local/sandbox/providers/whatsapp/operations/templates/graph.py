"""Message templates at Graph: creating, editing, deleting, the library, analytics, and marketing messages."""

import json
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.providers.whatsapp.operations.templates.rules import (
    Invalid,
    Template,
    added,
    edited,
    from_library,
    library,
    paged,
)
from local.sandbox.responses import json_response

_MOST_ANALYSED = 10


def _graph_object(call: Call) -> Template:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    try:
        body = parse_json(call.raw)
    except ValueError:
        raise Refused(meta_graph.graph_error(400, 100, "Invalid parameter")) from None
    return body if isinstance(body, dict) else {}


def _graph_account(call: Call) -> str:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    waba = call.request.path_params["waba"]
    if not any(n.waba == waba and n.aws_id is None for n in call.sandbox.config.numbers):
        raise meta_graph.no_such_object(waba)
    return str(waba)


def _broken(broken: Invalid, subcode: int | None = None) -> Refused:
    details = str(broken)
    return Refused(
        meta_graph.graph_error(400, 100, "Invalid parameter", details=details, subcode=subcode)
    )


async def create_template(call: Call) -> Answer:
    """`POST /{version}/{waba}/message_templates`: a new template, or one of the library."""
    waba, body = _graph_account(call), _graph_object(call)
    try:
        given = from_library(call, body) if "library_template_name" in body else body
        created = added(call, given, waba)
    except Invalid as broken:
        raise _broken(broken) from None
    shown = {name: created[name] for name in ("id", "status", "category")}
    return Answer(json_response(shown), body)


async def delete_template(call: Call) -> Answer:
    """`DELETE /{version}/{waba}/message_templates?name=`: all translations, or the one with `hsm_id`."""
    waba, query = _graph_account(call), call.request.query_params
    name, template_id = query.get("name", ""), query.get("hsm_id")
    gone = [
        one
        for one in call.sandbox.templates
        if (one["waba"], one["name"]) == (waba, name) and template_id in {None, one["id"]}
    ]
    if not gone:
        raise _broken(Invalid("no template with this name"), 2_593_002)
    call.sandbox.templates[:] = [one for one in call.sandbox.templates if one not in gone]
    return Answer(json_response({"success": True}))


def _by_id(call: Call, template_id: str) -> Template | None:
    return next(
        (
            one
            for one in call.sandbox.templates
            if one.get("id") == template_id and str(one["waba"]).isdecimal()
        ),
        None,
    )


def _owns(call: Call, template_id: str) -> bool:
    return _by_id(call, template_id) is not None


async def get_template(call: Call) -> Answer:
    """`GET /{version}/{template}`: the fields that are asked for."""
    template = _by_id(call, call.request.path_params["node"])
    assert template is not None  # noqa: S101 - `_owns` found it
    asked = call.request.query_params.get("fields", "name,components,language,status,category")
    shown = {name: template[name] for name in ("id", *asked.split(",")) if name in template}
    return Answer(json_response(shown))


async def edit_template(call: Call) -> Answer:
    """`POST /{version}/{template}`: other components, category or time to live."""
    body = _graph_object(call)
    template = _by_id(call, call.request.path_params["node"])
    assert template is not None  # noqa: S101 - `_owns` found it
    fields = ("components", "category", "message_send_ttl_seconds")
    try:
        edited(template, {name: body[name] for name in fields if name in body})
    except Invalid as broken:
        raise _broken(broken, 2_593_107) from None
    return Answer(json_response({"success": True}), body)


async def list_library(call: Call) -> Answer:
    """`GET /{version}/message_template_library`: the library, filtered and in pages."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    query = call.request.query_params
    found = library(call, {**query, "searchKey": query.get("search", "")})
    page, after = paged(found, query.get("after"), int(query.get("limit", "25")))
    paging = {"cursors": {"after": after}} if after else {}
    return Answer(json_response({"data": page, "paging": paging}))


async def get_analytics(call: Call) -> Answer:
    """`GET /{version}/{waba}/template_analytics`: a point per template and day, without messages."""
    waba, query = _graph_account(call), call.request.query_params
    try:
        ids = json.loads(query["template_ids"])
        start, end = int(query["start"]), int(query["end"])
    except (KeyError, ValueError):
        raise _broken(Invalid("start, end and template_ids are required")) from None
    known = {one["id"] for one in call.sandbox.templates if one["waba"] == waba}
    if not 1 <= len(ids) <= _MOST_ANALYSED or not {str(one) for one in ids} <= known:
        raise _broken(Invalid("template_ids: 1 to 10 of the account"))
    if query.get("granularity", "").upper() != "DAILY" or start > end:
        raise _broken(Invalid("granularity: DAILY; start: before end"))
    counts: dict[str, Any] = call.sandbox.objects["template_analytics"]
    points = [
        {"template_id": str(one), "start": day, "end": day + 86_400}
        | counts.get(str(one), {"sent": 0, "delivered": 0, "read": 0})
        for one in ids
        for day in range(start, end + 1, 86_400)
    ]
    data = [{"granularity": "DAILY", "product_type": "cloud_api", "data_points": points}]
    return Answer(json_response({"data": data, "paging": {}}))


async def send_marketing_message(call: Call) -> Answer:
    """`POST /{version}/{phone}/marketing_messages`: a template, by the rules of messages."""
    if _graph_object(call).get("type") != "template":
        raise _broken(Invalid("type: must be template"))
    return await meta_graph.post_message(call)


GRAPH = (
    Endpoint("POST", "/{version}/{waba}/message_templates", ("create_template",), create_template),
    Endpoint(
        "DELETE", "/{version}/{waba}/message_templates", ("delete_template",), delete_template
    ),
    Endpoint(
        "GET", "/{version}/message_template_library", ("list_template_library",), list_library
    ),
    Endpoint(
        "GET", "/{version}/{waba}/template_analytics", ("get_template_analytics",), get_analytics
    ),
    Endpoint(
        "POST",
        "/{version}/{phone_number_id}/marketing_messages",
        ("send_marketing_message",),
        send_marketing_message,
    ),
)
NODES = (
    Node("GET", "get_template", _owns, get_template),
    Node("POST", "edit_template", _owns, edit_template),
)
