"""Forms (WhatsApp Flows) at Graph, and the public keys of numbers."""

from __future__ import annotations

import json
from email import message_from_bytes
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.providers.whatsapp.operations.flows import rules
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from local.sandbox.providers.whatsapp.operations.flows.rules import Form


def _refused(broken: rules.BrokenRule) -> Refused:
    return Refused(meta_graph.graph_error(400, broken.code, str(broken)))


def _form_fields(call: Call) -> dict[str, str]:
    """Return the fields of a multipart form, with the content of its file as `file`. Raises Refused."""
    content_type = call.request.headers.get("content-type", "")
    if not content_type.startswith("multipart/form-data"):
        raise _refused(rules.BrokenRule(100, "the body must be multipart/form-data"))
    parsed = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + call.raw)
    fields = {}
    for part in parsed.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content.decode().removesuffix("\r\n")
    return fields


def _checked(call: Call) -> None:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)


def _graph_account(call: Call) -> str:
    _checked(call)
    waba = str(call.request.path_params["waba"])
    if not any(n.waba == waba and n.aws_id is None for n in call.sandbox.config.numbers):
        raise meta_graph.no_such_object(waba)
    return waba


def _graph_form(call: Call, name: str = "flow") -> Form:
    flow = str(call.request.path_params[name])
    found = rules.flows_of(call).get(flow)
    if found is None or found["account"].startswith("waba-"):
        raise meta_graph.no_such_object(flow)
    return found


def _changes(fields: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {"name": fields["name"]} if "name" in fields else {}
    if "categories" in fields:
        try:
            given["categories"] = json.loads(fields["categories"])
        except ValueError:
            raise rules.BrokenRule(100, "categories: must be a JSON list") from None
    if "endpoint_uri" in fields:
        given["endpoint"] = fields["endpoint_uri"]
    return given


async def graph_create(call: Call) -> Answer:
    """`POST /{waba}/flows`."""
    account, fields = _graph_account(call), _form_fields(call)
    try:
        given = _changes(fields) | {
            "document": fields.get("flow_json"),
            "publish": fields.get("publish") == "true",
            "clone": fields.get("clone_flow_id"),
        }
        form = rules.create(call, account, given)
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    answer = {"id": form["id"], "success": True, "validation_errors": form["errors"]}
    return Answer(json_response(answer), fields)


async def graph_list(call: Call) -> Answer:
    """`GET /{waba}/flows`: pages of `limit`, by a cursor that is a number here."""
    account, query = _graph_account(call), call.request.query_params
    own = [one for one in rules.flows_of(call).values() if one["account"] == account]
    start, limit = int(query.get("after", "0")), int(query.get("limit", "25"))
    names = ("id", "name", "status", "categories", "validation_errors")
    shown = [{name: _of_graph(one)[name] for name in names} for one in own[start : start + limit]]
    paging: dict[str, Any] = {"cursors": {"before": str(start), "after": str(start + limit)}}
    if start + limit < len(own):
        paging["next"] = "https://graph.facebook.com/next"
    return Answer(json_response({"data": shown, "paging": paging}))


async def graph_get(call: Call) -> Answer:
    """`GET /{flow}?fields=`."""
    form = _graph_form(call, "node")
    fields = call.request.query_params.get("fields", "id,name,status,categories,validation_errors")
    whole = _of_graph(form)
    wanted = {name.partition(".")[0] for name in fields.split(",")} | {"id"}
    return Answer(json_response({name: v for name, v in whole.items() if name in wanted}))


def _of_graph(form: Form) -> dict[str, Any]:
    document = json.loads(form["document"] or "{}")
    shown = {
        "id": form["id"],
        "name": form["name"],
        "status": form["status"],
        "categories": form["categories"],
        "validation_errors": form["errors"],
        "json_version": document.get("version"),
        "data_api_version": document.get("data_api_version"),
        "endpoint_uri": form["endpoint"],
        "preview": {
            "preview_url": f"https://preview.test/{form['id']}",
            "expires_at": rules.EXPIRES,
        },
        "health_status": {"can_send_message": "AVAILABLE", "entities": []},
        "whatsapp_business_account": {"id": form["account"], "name": "Acme Bikes"},
    }
    return {name: value for name, value in shown.items() if value is not None}


async def graph_update(call: Call) -> Answer:
    """`POST /{flow}`: other metadata."""
    form, fields = _graph_form(call, "node"), _form_fields(call)
    try:
        rules.update(form, _changes(fields))
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}), fields)


async def graph_delete(call: Call) -> Answer:
    """`DELETE /{flow}`."""
    try:
        rules.delete(call, _graph_form(call, "node"))
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}))


async def graph_assets(call: Call) -> Answer:
    """`GET /{flow}/assets`."""
    _checked(call)
    form = _graph_form(call)
    url = f"https://assets.test/{form['id']}/flow.json"
    asset = {"name": "flow.json", "asset_type": "FLOW_JSON", "download_url": url}
    return Answer(json_response({"data": [asset] if form["document"] else []}))


async def graph_replace(call: Call) -> Answer:
    """`POST /{flow}/assets`: the form's JSON as a file."""
    _checked(call)
    form, fields = _graph_form(call), _form_fields(call)
    if (fields.get("name"), fields.get("asset_type")) != ("flow.json", "FLOW_JSON"):
        raise _refused(
            rules.BrokenRule(100, "name and asset_type: must be flow.json and FLOW_JSON")
        )
    try:
        rules.replace(form, fields.get("file", ""))
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    except ValueError:
        raise _refused(rules.BrokenRule(100, "file: must be JSON")) from None
    return Answer(json_response({"success": True, "validation_errors": form["errors"]}), fields)


async def graph_publish(call: Call) -> Answer:
    """`POST /{flow}/publish`."""
    _checked(call)
    try:
        rules.publish(_graph_form(call))
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}))


async def graph_deprecate(call: Call) -> Answer:
    """`POST /{flow}/deprecate`."""
    _checked(call)
    try:
        rules.deprecate(_graph_form(call))
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}))


async def graph_set_key(call: Call) -> Answer:
    """`POST /{phone}/whatsapp_business_encryption`."""
    _checked(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    fields = _form_fields(call)
    try:
        rules.keys_of(call)[number.phone_number_id] = rules.checked_public_key(
            fields.get("business_public_key")
        )
    except rules.BrokenRule as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}), fields)


async def graph_get_key(call: Call) -> Answer:
    """`GET /{phone}/whatsapp_business_encryption`."""
    _checked(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    found = rules.keys_of(call).get(number.phone_number_id)
    shown = {"business_public_key": found, "business_public_key_signature_status": "VALID"}
    return Answer(json_response({"data": [shown] if found else []}))


def _owns(call: Call, node: str) -> bool:
    return node in rules.flows_of(call)


_ENCRYPTION = "/{version}/{phone_number_id}/whatsapp_business_encryption"
GRAPH = (
    Endpoint("POST", "/{version}/{waba}/flows", ("create_flow",), graph_create),
    Endpoint("GET", "/{version}/{waba}/flows", ("list_flows",), graph_list),
    Endpoint("GET", "/{version}/{flow}/assets", ("list_flow_assets",), graph_assets),
    Endpoint("POST", "/{version}/{flow}/assets", ("update_flow_json",), graph_replace),
    Endpoint("POST", "/{version}/{flow}/publish", ("publish_flow",), graph_publish),
    Endpoint("POST", "/{version}/{flow}/deprecate", ("deprecate_flow",), graph_deprecate),
    Endpoint("POST", _ENCRYPTION, ("set_public_key",), graph_set_key),
    Endpoint("GET", _ENCRYPTION, ("get_public_key",), graph_get_key),
)
NODES = (
    Node("GET", "get_flow", _owns, graph_get),
    Node("POST", "update_flow", _owns, graph_update),
    Node("DELETE", "delete_flow", _owns, graph_delete),
)
