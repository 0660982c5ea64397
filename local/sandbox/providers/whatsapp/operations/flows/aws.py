"""
Forms (WhatsApp Flows) at AWS End User Messaging Social, and the public keys of numbers.

AWS's id of an account has the hexadecimal digits of its number's id.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social
from local.sandbox.providers.whatsapp.operations.flows import rules
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from local.sandbox.providers.whatsapp.operations.flows.rules import Form


def _aws_refused(broken: rules.BrokenRule) -> Refused:
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
    found = rules.flows_of(call).get(str(flow))
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
        form = rules.create(
            call,
            _aws_account(call, body["id"]),
            _decoded(body)
            | {
                "document": document,
                "publish": body.get("publish", False),
                "clone": body.get("cloneFlowId"),
            },
        )
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    answer = {"flowId": form["id"], "validationErrors": [e["message"] for e in form["errors"]]}
    return Answer(json_response(answer), body)


async def aws_list(call: Call) -> Answer:
    """ListWhatsAppFlows."""
    _check_signed(call)
    query = call.request.query_params
    account = _aws_account(call, query.get("id"))
    own = [one for one in rules.flows_of(call).values() if one["account"] == account]
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
        "preview": {
            "previewUrl": f"https://preview.test/{form['id']}",
            "expiresAt": rules.EXPIRES,
        },
        "healthStatus": {"canSendMessage": "AVAILABLE", "entities": []},
    }
    return Answer(json_response({name: v for name, v in shown.items() if v is not None}))


async def aws_update(call: Call) -> Answer:
    """UpdateWhatsAppFlow."""
    body = _aws_body(call)
    try:
        rules.update(_aws_form(call, body["id"], body["flowId"]), _decoded(body))
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_replace(call: Call) -> Answer:
    """UpdateWhatsAppFlowAssets."""
    body = _aws_body(call)
    form = _aws_form(call, body["id"], body["flowId"])
    try:
        rules.replace(form, base64.b64decode(body["flowJson"]).decode())
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    answer = {"validationErrors": [error["message"] for error in form["errors"]]}
    return Answer(json_response(answer), body)


async def aws_publish(call: Call) -> Answer:
    """PublishWhatsAppFlow."""
    body = _aws_body(call)
    try:
        rules.publish(_aws_form(call, body["id"], body["flowId"]))
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_deprecate(call: Call) -> Answer:
    """DeprecateWhatsAppFlow."""
    body = _aws_body(call)
    try:
        rules.deprecate(_aws_form(call, body["id"], body["flowId"]))
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_delete(call: Call) -> Answer:
    """DeleteWhatsAppFlow."""
    _check_signed(call)
    query = call.request.query_params
    try:
        rules.delete(call, _aws_form(call, query.get("id"), query.get("flowId")))
    except rules.BrokenRule as broken:
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
    preview = {"previewUrl": f"https://preview.test/{form['id']}", "expiresAt": rules.EXPIRES}
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
        rules.keys_of(call)[number] = rules.checked_public_key(body.get("businessPublicKey"))
    except rules.BrokenRule as broken:
        raise _aws_refused(broken) from None
    return Answer(json_response({}), body)


async def aws_get_key(call: Call) -> Answer:
    """GetWhatsAppBusinessPublicKey."""
    _check_signed(call)
    number = _aws_number(call, call.request.query_params.get("originationPhoneNumberId"))
    found = rules.keys_of(call).get(number)
    shown = {"businessPublicKey": found, "businessPublicKeySignatureStatus": "VALID"}
    return Answer(json_response(shown if found else {}))


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
