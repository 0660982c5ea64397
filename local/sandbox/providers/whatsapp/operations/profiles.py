"""Public view of a number: its profile, QR codes and automatic greetings."""

import re
import secrets
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.operations.numbers import (
    body_of,
    edge_of,
    number_of,
    state_of,
    succeeded,
)
from local.sandbox.responses import json_response

_VERTICALS = frozenset(
    {
        "OTHER", "AUTO", "BEAUTY", "APPAREL", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GROCERY", "GOVT", "HOTEL",
        "HEALTH", "NONPROFIT", "PROF_SERVICES", "RETAIL", "TRAVEL", "RESTAURANT", "ALCOHOL", "ONLINE_GAMBLING",
        "PHYSICAL_GAMBLING", "OTC_DRUGS",
    }
)  # fmt: skip
_FORMAT = re.compile("(PNG|SVG)")
_IMAGE = re.compile(r"qr_image_url\.format\((PNG|SVG)\)")
_LONGEST = {"about": 139, "address": 256, "description": 512, "email": 128}


async def get_profile(call: Call) -> Answer:
    """`GET /{version}/{phone}/whatsapp_business_profile`."""
    number = number_of(call)
    profile = call.sandbox.objects["profile"].get(number.phone_number_id, {})
    wanted = call.request.query_params.get("fields", "about").split(",")
    entry = {name: profile[name] for name in wanted if name in profile}
    return Answer(json_response({"data": [entry | {"messaging_product": "whatsapp"}]}))


async def post_profile(call: Call) -> Answer:
    """`POST /{version}/{phone}/whatsapp_business_profile`."""
    number, body = number_of(call), body_of(call)
    if body.get("messaging_product") != "whatsapp":
        raise meta_graph.invalid("Param messaging_product: is required")
    for name, longest in _LONGEST.items():
        if len(str(body.get(name, ""))) > longest:
            raise meta_graph.invalid(f"Param {name}: must have at most {longest} characters")
    if body.get("about") == "" or body.get("vertical", "OTHER") not in _VERTICALS:
        raise meta_graph.invalid("Param about or vertical: is invalid")
    handle = body.get("profile_picture_handle")
    if handle is not None and handle not in call.sandbox.objects["handle"]:
        raise meta_graph.invalid("Param profile_picture_handle: is unknown")
    profile = call.sandbox.objects["profile"].setdefault(number.phone_number_id, {})
    profile |= {
        name: value for name, value in body.items() if name in {*_LONGEST, "websites", "vertical"}
    }
    if handle:
        profile["profile_picture_url"] = f"https://pps.whatsapp.net/{handle}"
    return succeeded(body)


async def open_upload(call: Call) -> Answer:
    """`POST /{version}/{app}/uploads`: opens a session of a resumable upload."""
    meta_graph.check_token(call.request)
    query = call.request.query_params
    if not query.get("file_length", "").isdecimal() or query.get("file_type") not in {
        "image/jpeg",
        "image/png",
    }:
        raise meta_graph.invalid("Param file_length or file_type: is invalid")
    session = f"upload:{secrets.token_urlsafe(12)}?sig={secrets.token_urlsafe(6)}"
    call.sandbox.objects["upload"][session.partition("?")[0]] = int(query["file_length"])
    return Answer(json_response({"id": session}))


async def continue_upload(call: Call) -> Answer:
    """`POST /{version}/upload:{session}`: the bytes of a file; the token is an OAuth one."""
    request, session = call.request, call.request.path_params["session"]
    if not request.headers.get("authorization", "").startswith(
        "OAuth "
    ) or not request.query_params.get("sig"):
        raise Refused(meta_graph.graph_error(401, 190, "Invalid OAuth access token"))
    length = call.sandbox.objects["upload"].get(f"upload:{session}")
    if request.headers.get("file_offset") != "0" or length != len(call.raw):
        raise meta_graph.invalid("Param file_offset: is invalid, or bytes are missing")
    handle = f"4::{secrets.token_urlsafe(12)}"
    call.sandbox.objects["handle"][handle] = length
    return Answer(json_response({"h": handle}))


async def list_codes(call: Call) -> Answer:
    """`GET /{version}/{phone}/message_qrdls`."""
    codes = list(_codes(call).values())
    limit = int(call.request.query_params.get("limit", "25"))
    start = int(call.request.query_params.get("after", "0"))
    end = start + limit
    following = {"cursors": {"after": str(end)}, "next": "https://graph.facebook.com/next"}
    paging = following if end < len(codes) else {}
    shown = [
        _with_image(one, _IMAGE.search(call.request.query_params.get("fields", "")))
        for one in codes
    ]
    return Answer(json_response({"data": shown[start:end], "paging": paging}))


async def post_code(call: Call) -> Answer:
    """`POST /{version}/{phone}/message_qrdls`: creates a code, or changes one."""
    codes, body = _codes(call), body_of(call)
    if not 1 <= len(str(body.get("prefilled_message", ""))) <= 140:  # noqa: PLR2004 - Meta's limits
        raise meta_graph.invalid("Param prefilled_message: must have 1 to 140 characters")
    code = body.get("code")
    if code is None:
        code = "".join(secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(14))
    elif code not in codes:
        raise meta_graph.no_such_object(str(code))
    entry = {
        "code": code,
        "prefilled_message": body["prefilled_message"],
        "deep_link_url": f"https://wa.me/message/{code}",
    }
    codes[code] = entry
    image = _FORMAT.fullmatch(str(body.get("generate_qr_image", "")))
    return Answer(json_response(_with_image(entry, image)), body)


def _with_image(entry: dict[str, str], asked: re.Match[str] | None) -> dict[str, str]:
    """Return a code with the link of its image, if one was asked for; its format is the first group."""
    link = f"https://scontent.example/{entry['code']}.{asked[1]}" if asked else None
    return entry | ({"qr_image_url": link} if link else {})


async def get_code(call: Call) -> Answer:
    """`GET /{version}/{phone}/message_qrdls/{code}`."""
    codes, code = _codes(call), call.request.path_params["code"]
    if code not in codes:
        raise meta_graph.no_such_object(code)
    image = _IMAGE.search(call.request.query_params.get("fields", ""))
    return Answer(json_response({"data": [_with_image(codes[code], image)]}))


async def delete_code(call: Call) -> Answer:
    """`DELETE /{version}/{phone}/message_qrdls/{code}`."""
    codes, code = _codes(call), call.request.path_params["code"]
    if code not in codes:
        raise meta_graph.no_such_object(code)
    del codes[code]
    return succeeded()


async def set_automation(call: Call) -> Answer:
    """`POST /{version}/{phone}/conversational_automation`."""
    number, body = number_of(call), body_of(call)
    if any(len(prompt) > 80 for prompt in body.get("prompts", [])):  # noqa: PLR2004 - Meta's limit
        raise meta_graph.invalid("Param prompts: must have at most 80 characters")
    if any(
        {"command_name", "command_description"} - one.keys() for one in body.get("commands", [])
    ):
        raise meta_graph.invalid(
            "Param commands: command_name and command_description are required"
        )
    state_of(call, number.phone_number_id).setdefault("automation", {}).update(body)
    return succeeded(body)


def _codes(call: Call) -> dict[str, Any]:
    phone = number_of(call).phone_number_id
    codes: dict[str, Any] = call.sandbox.objects["qr codes"].setdefault(phone, {})
    return codes


GRAPH = (
    edge_of("GET", "whatsapp_business_profile", "get_profile", get_profile),
    edge_of("POST", "whatsapp_business_profile", "update_profile", post_profile),
    edge_of("GET", "message_qrdls", "list_qr_codes", list_codes),
    edge_of("POST", "message_qrdls", "save_qr_code", post_code),
    edge_of("GET", "message_qrdls/{code}", "get_qr_code", get_code),
    edge_of("DELETE", "message_qrdls/{code}", "delete_qr_code", delete_code),
    edge_of("POST", "conversational_automation", "set_automation", set_automation),
    Endpoint("POST", "/{version}/{app}/uploads", ("open_upload",), open_upload),
    Endpoint("POST", "/{version}/upload:{session}", ("continue_upload",), continue_upload),
)
