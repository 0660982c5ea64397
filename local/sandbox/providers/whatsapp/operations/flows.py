"""
Forms (WhatsApp Flows) at Graph and at AWS End User Messaging Social, and the public keys that encrypt them.

    DRAFT --publish--> PUBLISHED --deprecate--> DEPRECATED

Only a DRAFT can be changed or deleted; one with validation errors cannot be published. AWS's id of an account has the
hexadecimal digits of its number's id.
"""

from __future__ import annotations

import base64
import json
from email import message_from_bytes
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from local.sandbox.providers.interface import (
    Answer,
    Call,
    Endpoint,
    Refused,
    json_response,
    parse_json,
)
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.node import Node

_CATEGORIES = frozenset(
    {
        *("SIGN_UP", "SIGN_IN", "APPOINTMENT_BOOKING", "LEAD_GENERATION", "SHOPPING", "CONTACT_US"),
        *("CUSTOMER_SUPPORT", "SURVEY", "OTHER"),
    }
)
_KEY_BITS = 2_048
_LONGEST_NAME = 200
_EXPIRES = "2030-01-01T00:00:00+0000"
_CANNOT_UPDATE, _CANNOT_PUBLISH, _CANNOT_DEPRECATE, _CANNOT_DELETE = 139001, 139002, 139003, 139004

type Form = dict[str, Any]


class _Broken(Exception):
    """A form breaks a rule: Graph's code and text of it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _flows(call: Call) -> dict[str, Form]:
    return call.sandbox.objects["flows"]


def _keys(call: Call) -> dict[str, str]:
    return call.sandbox.objects["flow keys"]


# The rules, for both providers.


def _create(call: Call, account: str, given: dict[str, Any]) -> Form:
    name, categories = given.get("name"), given.get("categories")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise _Broken(100, "name: is required")
    _check_categories(categories)
    if any(one["account"] == account and one["name"] == name for one in _flows(call).values()):
        raise _Broken(100, "Flow name is not unique")
    source = given.get("clone")
    if source is not None and source not in _flows(call):
        raise _Broken(100, "clone_flow_id: no such form")
    document = given.get("document")
    if source is not None:
        document = _flows(call)[source]["document"]
    form: Form = {
        "id": str(700_000_000_000_000 + len(_flows(call))),
        "account": account,
        "name": name,
        "categories": categories,
        "status": "DRAFT",
        "document": document,
        "errors": _errors(document),
        "endpoint": given.get("endpoint"),
    }
    _flows(call)[form["id"]] = form
    if given.get("publish") and not form["errors"]:
        _publish(form)
    return form


def _update(form: Form, given: dict[str, Any]) -> None:
    _require_draft(form, _CANNOT_UPDATE)
    if "categories" in given:
        _check_categories(given["categories"])
    form |= given


def _replace(form: Form, document: str) -> None:
    _require_draft(form, _CANNOT_UPDATE)
    form |= {"document": document, "errors": _errors(document)}


def _publish(form: Form) -> None:
    _require_draft(form, _CANNOT_PUBLISH)
    if form["errors"] or form["document"] is None:
        raise _Broken(_CANNOT_PUBLISH, "the form has validation errors")
    form["status"] = "PUBLISHED"


def _deprecate(form: Form) -> None:
    if form["status"] != "PUBLISHED":
        raise _Broken(_CANNOT_DEPRECATE, "the form is not published")
    form["status"] = "DEPRECATED"


def _delete(call: Call, form: Form) -> None:
    _require_draft(form, _CANNOT_DELETE)
    del _flows(call)[form["id"]]


def _require_draft(form: Form, code: int) -> None:
    if form["status"] != "DRAFT":
        raise _Broken(code, f"the form is {form['status']}")


def _check_categories(categories: object) -> None:
    if not isinstance(categories, list) or not categories or not {*categories} <= _CATEGORIES:
        raise _Broken(100, "categories: must be a list of known categories")


def _errors(document: str | None) -> list[dict[str, Any]]:
    """Return the validation errors of a form's JSON, as far as the sandbox checks it: version and screens."""
    if document is None:
        return []
    parsed = json.loads(document)
    missing = [name for name in ("version", "screens") if not parsed.get(name)]
    titles = [s.get("id") for s in parsed.get("screens", []) if "title" not in s]
    return [
        {
            "error": "MISSING_REQUIRED_PROPERTY",
            "error_type": "FLOW_JSON_ERROR",
            "message": f"The required property is missing at {where}.",
        }
        for where in (*missing, *(f"screens/{one}/title" for one in titles))
    ]


def _check_public_key(pem: object) -> str:
    try:
        key = load_pem_public_key(str(pem).encode())
    except ValueError:
        raise _Broken(100, "business_public_key: must be a PEM") from None
    if not isinstance(key, RSAPublicKey) or key.key_size != _KEY_BITS:
        raise _Broken(100, "business_public_key: must be an RSA key of 2048 bits")
    return str(pem)


# Graph


def _refused(broken: _Broken) -> Refused:
    return Refused(meta_graph.graph_error(400, broken.code, str(broken)))


def _form_fields(call: Call) -> dict[str, str]:
    """Return the fields of a multipart form, with the content of its file as `file`. Raises Refused."""
    content_type = call.request.headers.get("content-type", "")
    if not content_type.startswith("multipart/form-data"):
        raise _refused(_Broken(100, "the body must be multipart/form-data"))
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
    found = _flows(call).get(flow)
    if found is None or found["account"].startswith("waba-"):
        raise meta_graph.no_such_object(flow)
    return found


def _changes(fields: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {"name": fields["name"]} if "name" in fields else {}
    if "categories" in fields:
        try:
            given["categories"] = json.loads(fields["categories"])
        except ValueError:
            raise _Broken(100, "categories: must be a JSON list") from None
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
        form = _create(call, account, given)
    except _Broken as broken:
        raise _refused(broken) from None
    answer = {"id": form["id"], "success": True, "validation_errors": form["errors"]}
    return Answer(json_response(answer), fields)


async def graph_list(call: Call) -> Answer:
    """`GET /{waba}/flows`: pages of `limit`, by a cursor that is a number here."""
    account, query = _graph_account(call), call.request.query_params
    own = [one for one in _flows(call).values() if one["account"] == account]
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
        "preview": {"preview_url": f"https://preview.test/{form['id']}", "expires_at": _EXPIRES},
        "health_status": {"can_send_message": "AVAILABLE", "entities": []},
        "whatsapp_business_account": {"id": form["account"], "name": "Acme Bikes"},
    }
    return {name: value for name, value in shown.items() if value is not None}


async def graph_update(call: Call) -> Answer:
    """`POST /{flow}`: other metadata."""
    form, fields = _graph_form(call, "node"), _form_fields(call)
    try:
        _update(form, _changes(fields))
    except _Broken as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}), fields)


async def graph_delete(call: Call) -> Answer:
    """`DELETE /{flow}`."""
    try:
        _delete(call, _graph_form(call, "node"))
    except _Broken as broken:
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
        raise _refused(_Broken(100, "name and asset_type: must be flow.json and FLOW_JSON"))
    try:
        _replace(form, fields.get("file", ""))
    except _Broken as broken:
        raise _refused(broken) from None
    except ValueError:
        raise _refused(_Broken(100, "file: must be JSON")) from None
    return Answer(json_response({"success": True, "validation_errors": form["errors"]}), fields)


async def graph_publish(call: Call) -> Answer:
    """`POST /{flow}/publish`."""
    _checked(call)
    try:
        _publish(_graph_form(call))
    except _Broken as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}))


async def graph_deprecate(call: Call) -> Answer:
    """`POST /{flow}/deprecate`."""
    _checked(call)
    try:
        _deprecate(_graph_form(call))
    except _Broken as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}))


async def graph_set_key(call: Call) -> Answer:
    """`POST /{phone}/whatsapp_business_encryption`."""
    _checked(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    fields = _form_fields(call)
    try:
        _keys(call)[number.phone_number_id] = _check_public_key(fields.get("business_public_key"))
    except _Broken as broken:
        raise _refused(broken) from None
    return Answer(json_response({"success": True}), fields)


async def graph_get_key(call: Call) -> Answer:
    """`GET /{phone}/whatsapp_business_encryption`."""
    _checked(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    found = _keys(call).get(number.phone_number_id)
    shown = {"business_public_key": found, "business_public_key_signature_status": "VALID"}
    return Answer(json_response({"data": [shown] if found else []}))


# AWS


def _aws_refused(broken: _Broken) -> Refused:
    name = "ValidationException" if broken.code == 100 else "InvalidParametersException"  # noqa: PLR2004 - Graph's code
    return Refused(aws_social.aws_error(name, str(broken)))


def _check_signed(call: Call) -> None:
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(
            aws_social.aws_error("MissingAuthenticationTokenException", "the request is not signed")
        )


def _aws_account(call: Call, account: object) -> str:
    known = {
        "waba-" + n.aws_id.removeprefix("phone-number-id-")
        for n in call.sandbox.config.numbers
        if n.aws_id is not None
    }
    bare = "waba-" + str(account).rpartition("/")[2].removeprefix("waba-")
    if bare not in known:
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no account with this id"))
    return bare


def _aws_form(call: Call, account: object, flow: object) -> Form:
    found = _flows(call).get(str(flow))
    if found is None or found["account"] != _aws_account(call, account):
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no form with this id"))
    return found


def _aws_body(call: Call) -> dict[str, Any]:
    _check_signed(call)
    body = parse_json(call.raw)
    assert isinstance(body, dict)  # noqa: S101 - boto3 sends objects only
    return body


def _decoded(body: dict[str, Any]) -> dict[str, Any]:
    """Return what a request changes. Blobs are base64."""
    names = {"flowName": "name", "categories": "categories", "endpointUri": "endpoint"}
    return {ours: body[theirs] for theirs, ours in names.items() if theirs in body}


async def aws_create(call: Call) -> Answer:
    """CreateWhatsAppFlow."""
    body = _aws_body(call)
    document = base64.b64decode(body["flowJson"]).decode() if "flowJson" in body else None
    try:
        form = _create(
            call,
            _aws_account(call, body["id"]),
            _decoded(body)
            | {
                "document": document,
                "publish": body.get("publish", False),
                "clone": body.get("cloneFlowId"),
            },
        )
    except _Broken as broken:
        raise _aws_refused(broken) from None
    answer = {"flowId": form["id"], "validationErrors": [e["message"] for e in form["errors"]]}
    return Answer(json_response(answer), body)


async def aws_list(call: Call) -> Answer:
    """ListWhatsAppFlows."""
    _check_signed(call)
    query = call.request.query_params
    account = _aws_account(call, query.get("id"))
    own = [one for one in _flows(call).values() if one["account"] == account]
    start, limit = int(query.get("nextToken", "0")), int(query.get("maxResults", "100"))
    shown = [
        {
            "flowId": one["id"],
            "flowName": one["name"],
            "flowStatus": one["status"],
            "flowCategories": one["categories"],
            "validationErrors": [error["message"] for error in one["errors"]],
        }
        for one in own[start : start + limit]
    ]
    more = {"nextToken": str(start + limit)} if start + limit < len(own) else {}
    return Answer(json_response({"flows": shown} | more))


async def aws_get(call: Call) -> Answer:
    """GetWhatsAppFlow."""
    _check_signed(call)
    query = call.request.query_params
    form = _aws_form(call, query.get("id"), query.get("flowId"))
    document = json.loads(form["document"] or "{}")
    shown = {
        "flowId": form["id"],
        "flowName": form["name"],
        "flowStatus": form["status"],
        "categories": form["categories"],
        "validationErrors": [error["message"] for error in form["errors"]],
        "jsonVersion": document.get("version"),
        "dataApiVersion": document.get("data_api_version"),
        "endpointUri": form["endpoint"],
        "preview": {"previewUrl": f"https://preview.test/{form['id']}", "expiresAt": _EXPIRES},
        "healthStatus": {"canSendMessage": "AVAILABLE", "entities": []},
    }
    return Answer(json_response({name: v for name, v in shown.items() if v is not None}))


async def aws_update(call: Call) -> Answer:
    """UpdateWhatsAppFlow."""
    body = _aws_body(call)
    try:
        _update(_aws_form(call, body["id"], body["flowId"]), _decoded(body))
    except _Broken as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_replace(call: Call) -> Answer:
    """UpdateWhatsAppFlowAssets."""
    body = _aws_body(call)
    form = _aws_form(call, body["id"], body["flowId"])
    try:
        _replace(form, base64.b64decode(body["flowJson"]).decode())
    except _Broken as broken:
        raise _aws_refused(broken) from None
    answer = {"validationErrors": [error["message"] for error in form["errors"]]}
    return Answer(json_response(answer), body)


async def aws_publish(call: Call) -> Answer:
    """PublishWhatsAppFlow."""
    body = _aws_body(call)
    try:
        _publish(_aws_form(call, body["id"], body["flowId"]))
    except _Broken as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_deprecate(call: Call) -> Answer:
    """DeprecateWhatsAppFlow."""
    body = _aws_body(call)
    try:
        _deprecate(_aws_form(call, body["id"], body["flowId"]))
    except _Broken as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_delete(call: Call) -> Answer:
    """DeleteWhatsAppFlow."""
    _check_signed(call)
    query = call.request.query_params
    try:
        _delete(call, _aws_form(call, query.get("id"), query.get("flowId")))
    except _Broken as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), dict(query))


async def aws_assets(call: Call) -> Answer:
    """ListWhatsAppFlowAssets."""
    _check_signed(call)
    query = call.request.query_params
    form = _aws_form(call, query.get("id"), query.get("flowId"))
    url = f"https://assets.test/{form['id']}/flow.json"
    asset = {"name": "flow.json", "assetType": "FLOW_JSON", "downloadUrl": url}
    return Answer(json_response({"flowAssets": [asset] if form["document"] else []}))


async def aws_preview(call: Call) -> Answer:
    """GetWhatsAppFlowPreview."""
    _check_signed(call)
    query = call.request.query_params
    form = _aws_form(call, query.get("id"), query.get("flowId"))
    preview = {"previewUrl": f"https://preview.test/{form['id']}", "expiresAt": _EXPIRES}
    return Answer(json_response({"flowId": form["id"], "preview": preview}))


def _aws_number(call: Call, origination: object) -> str:
    number = call.sandbox.config.aws_number(str(origination))
    if number is None:
        raise Refused(
            aws_social.aws_error("ResourceNotFoundException", "no phone number with this id")
        )
    return number.phone_number_id


async def aws_set_key(call: Call) -> Answer:
    """PutWhatsAppBusinessPublicKey."""
    body = _aws_body(call)
    number = _aws_number(call, body["originationPhoneNumberId"])
    try:
        _keys(call)[number] = _check_public_key(body.get("businessPublicKey"))
    except _Broken as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_get_key(call: Call) -> Answer:
    """GetWhatsAppBusinessPublicKey."""
    _check_signed(call)
    number = _aws_number(call, call.request.query_params.get("originationPhoneNumberId"))
    found = _keys(call).get(number)
    shown = {"businessPublicKey": found, "businessPublicKeySignatureStatus": "VALID"}
    return Answer(json_response(shown if found else {}))


def _owns(call: Call, node: str) -> bool:
    return node in _flows(call)


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
_KEY = "/v1/whatsapp/business-public-key"
AWS = (
    Endpoint("POST", "/v1/whatsapp/flow/create", ("CreateWhatsAppFlow",), aws_create),
    Endpoint("GET", "/v1/whatsapp/flow/list", ("ListWhatsAppFlows",), aws_list),
    Endpoint("GET", "/v1/whatsapp/flow", ("GetWhatsAppFlow",), aws_get),
    Endpoint("DELETE", "/v1/whatsapp/flow", ("DeleteWhatsAppFlow",), aws_delete),
    Endpoint("POST", "/v1/whatsapp/flow/update", ("UpdateWhatsAppFlow",), aws_update),
    Endpoint("POST", "/v1/whatsapp/flow/publish", ("PublishWhatsAppFlow",), aws_publish),
    Endpoint("POST", "/v1/whatsapp/flow/deprecate", ("DeprecateWhatsAppFlow",), aws_deprecate),
    Endpoint("POST", "/v1/whatsapp/flow/assets/update", ("UpdateWhatsAppFlowAssets",), aws_replace),
    Endpoint("GET", "/v1/whatsapp/flow/assets", ("ListWhatsAppFlowAssets",), aws_assets),
    Endpoint("GET", "/v1/whatsapp/flow/preview", ("GetWhatsAppFlowPreview",), aws_preview),
    Endpoint("PUT", _KEY, ("PutWhatsAppBusinessPublicKey",), aws_set_key),
    Endpoint("GET", _KEY, ("GetWhatsAppBusinessPublicKey",), aws_get_key),
)
