"""Message templates at AWS: creating, editing, deleting, listing, the library, and samples of headers."""

import base64
from hashlib import sha256
from typing import Any

from starlette.responses import Response

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social
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

_LARGEST_DEFINITION, _LARGEST_UPDATE = 6_000, 3_000


def _refused(name: str, message: str) -> Refused:
    return Refused(aws_social.aws_error(name, message))


def _aws_object(call: Call) -> Template:
    aws_social.check_signature(call)
    try:
        body = parse_json(call.raw or b"{}")
    except ValueError:
        raise _refused("ValidationException", "body: not JSON") from None
    return dict(body)


def _decoded(text: str, largest: int) -> Any:  # noqa: ANN401 - JSON
    try:
        raw = base64.b64decode(text, validate=True)
        found = parse_json(raw)
    except ValueError:
        raise _refused("ValidationException", "not base64 of JSON") from None
    if len(raw) > largest:
        raise _refused("ValidationException", f"over {largest} bytes")
    return found


def _aws_template(call: Call, given: dict[str, Any]) -> Template:
    """Return the template that a request names. Raises Refused."""
    wanted_id = given.get("metaTemplateId")
    named = (given.get("templateName"), given.get("templateLanguageCode"))
    for one in call.sandbox.templates:
        if one["waba"] == given["id"] and (
            one.get("id") == wanted_id if wanted_id else (one["name"], one["language"]) == named
        ):
            return one
    raise _refused("ResourceNotFoundException", "no template with this id or name")


def _created(template: Template) -> Response:
    return json_response(
        {
            "metaTemplateId": template["id"],
            "templateStatus": template["status"],
            "category": template["category"],
        }
    )


async def aws_create(call: Call) -> Answer:
    """CreateWhatsAppMessageTemplate."""
    body = _aws_object(call)
    definition = _decoded(body["templateDefinition"], _LARGEST_DEFINITION)
    try:
        created = added(call, definition, body["id"])
    except Invalid as broken:
        raise _refused("InvalidParametersException", str(broken)) from None
    return Answer(_created(created), body | {"templateDefinition": definition})


async def aws_create_from_library(call: Call) -> Answer:
    """CreateWhatsAppMessageTemplateFromLibrary."""
    body = _aws_object(call)
    given = body["metaLibraryTemplate"]
    named = {
        "name": given["templateName"],
        "library_template_name": given["libraryTemplateName"],
        "category": given["templateCategory"],
        "language": given["templateLanguage"],
    }
    try:
        created = added(call, from_library(call, named), body["id"])
    except Invalid as broken:
        raise _refused("InvalidParametersException", str(broken)) from None
    return Answer(_created(created), body)


async def aws_upload_sample(call: Call) -> Answer:
    """CreateWhatsAppMessageTemplateMedia. The sandbox does not read the file."""
    body = _aws_object(call)
    key = body.get("sourceS3File", {}).get("key")
    if not key:
        raise _refused("ValidationException", "sourceS3File: is required")
    return Answer(
        json_response({"metaHeaderHandle": f"4::{sha256(key.encode()).hexdigest()}"}), body
    )


async def aws_update(call: Call) -> Answer:
    """UpdateWhatsAppMessageTemplate."""
    body = _aws_object(call)
    template = _aws_template(call, body)
    names = {"templateCategory": "category", "parameterFormat": "parameter_format",
             "ctaUrlLinkTrackingOptedOut": "cta_url_link_tracking_opted_out"}  # fmt: skip
    change = {ours: body[name] for name, ours in names.items() if name in body}
    if "templateComponents" in body:
        body["templateComponents"] = _decoded(body["templateComponents"], _LARGEST_UPDATE)
        change["components"] = body["templateComponents"]
    try:
        edited(template, change)
    except Invalid as broken:
        raise _refused("InvalidParametersException", str(broken)) from None
    return Answer(json_response({}), body)


async def aws_delete(call: Call) -> Answer:
    """DeleteWhatsAppMessageTemplate: one translation by id, or all."""
    aws_social.check_signature(call)
    query = call.request.query_params
    template_id, everything = query.get("metaTemplateId"), query.get("deleteAllTemplates") == "true"
    if (template_id is None) == (not everything):
        raise _refused("InvalidParametersException", "metaTemplateId or deleteAllLanguages")
    gone = [
        one
        for one in call.sandbox.templates
        if (one["waba"], one["name"]) == (query["id"], query["templateName"])
        and template_id in {None, one["id"]}
    ]
    if not gone:
        raise _refused("ResourceNotFoundException", "no template with this name")
    call.sandbox.templates[:] = [one for one in call.sandbox.templates if one not in gone]
    return Answer(json_response({}), dict(query))


async def aws_list(call: Call) -> Answer:
    """ListWhatsAppMessageTemplates: without components."""
    aws_social.check_signature(call)
    query = call.request.query_params
    found = [one for one in call.sandbox.templates if one["waba"] == query["id"]]
    page, token = paged(found, query.get("nextToken"), int(query.get("maxResults", "25")))
    names = {"name": "templateName", "id": "metaTemplateId", "status": "templateStatus",
             "language": "templateLanguage", "category": "templateCategory",
             "quality_score": "templateQualityScore"}  # fmt: skip
    shown = [{ours: one[name] for name, ours in names.items() if name in one} for one in page]
    following = {"nextToken": token} if token else {}
    return Answer(json_response({"templates": shown, **following}), dict(query))


async def aws_list_library(call: Call) -> Answer:
    """ListWhatsAppTemplateLibrary."""
    body = _aws_object(call)
    found = library(call, body.get("filters", {}))
    page, token = paged(found, body.get("nextToken"), int(body.get("maxResults", 25)))
    shown = [
        {
            "templateName": one["name"],
            "templateLanguage": one["language"],
            "templateCategory": one["category"],
            "templateTopic": one["topic"],
            "templateUseCase": one["usecase"],
            "templateIndustry": one.get("industry", []),
            "templateBody": one["body"],
            "templateId": one["id"],
        }
        for one in page
    ]
    following = {"nextToken": token} if token else {}
    return Answer(json_response({"metaLibraryTemplates": shown, **following}), body)


AWS = (
    Endpoint("POST", "/v1/whatsapp/template/put", ("CreateWhatsAppMessageTemplate",), aws_create),
    Endpoint(
        "POST",
        "/v1/whatsapp/template/create",
        ("CreateWhatsAppMessageTemplateFromLibrary",),
        aws_create_from_library,
    ),
    Endpoint(
        "POST",
        "/v1/whatsapp/template/media",
        ("CreateWhatsAppMessageTemplateMedia",),
        aws_upload_sample,
    ),
    Endpoint("POST", "/v1/whatsapp/template", ("UpdateWhatsAppMessageTemplate",), aws_update),
    Endpoint("DELETE", "/v1/whatsapp/template", ("DeleteWhatsAppMessageTemplate",), aws_delete),
    Endpoint("GET", "/v1/whatsapp/template/list", ("ListWhatsAppMessageTemplates",), aws_list),
    Endpoint(
        "POST", "/v1/whatsapp/template/library", ("ListWhatsAppTemplateLibrary",), aws_list_library
    ),
)
