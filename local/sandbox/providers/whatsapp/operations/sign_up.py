"""
Embedded sign-up: the dialog, which a person has allowed at once, the exchange of its code, and what a token reaches.

The dialog grants all accounts of numbers at Graph. A code works once, for its app and the address that it returned to.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.operations.numbers import body_of
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from collections.abc import Mapping

CODES, TOKENS = "sign-up codes", "sign-up tokens"
_SCOPES = ("whatsapp_business_management", "whatsapp_business_messaging")
_WRONG_CODE = 100


async def open_dialog(call: Call) -> Answer:
    """`GET /{version}/dialog/oauth`: returns with a code, or with an error if the person has refused."""
    meta_graph.check_version(call.request)
    query = call.request.query_params
    needed = ("client_id", "config_id", "redirect_uri", "state")
    if missing := [name for name in needed if not query.get(name)]:
        raise meta_graph.invalid(f"{missing[0]}: is required")
    if query.get("response_type") != "code":
        raise meta_graph.invalid("response_type: must be code")
    found: dict[str, str] = {"error": "access_denied", "error_description": "Permissions error"}
    if not call.sandbox.objects[CODES].pop("refuse", None):
        code = secrets.token_urlsafe(24)
        call.sandbox.objects[CODES][code] = (query["client_id"], query["redirect_uri"])
        found = {"code": code}
    back = f"{query['redirect_uri']}?{urlencode(found | {'state': query['state']})}"
    return Answer(RedirectResponse(back, 302))


async def exchange(call: Call) -> Answer:
    """`POST /{version}/oauth/access_token`: the token for a code."""
    meta_graph.check_version(call.request)
    body = body_of(call)
    granted = call.sandbox.objects[CODES].get(str(body.get("code")))
    if granted != (body.get("client_id"), body.get("redirect_uri")) or not body.get(
        "client_secret"
    ):
        text = "Error validating verification code"
        raise Refused(meta_graph.graph_error(400, _WRONG_CODE, text))
    del call.sandbox.objects[CODES][str(body["code"])]
    token = f"EAAsignup{secrets.token_urlsafe(24)}"
    call.sandbox.objects[TOKENS][token] = body["client_id"]
    return Answer(json_response({"access_token": token, "token_type": "bearer"}))


async def debug(call: Call) -> Answer:
    """`GET /{version}/debug_token`: the app of a token, and the accounts that it reaches, unless it reaches all."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    app = call.sandbox.objects[TOKENS].get(call.request.query_params.get("input_token", ""))
    data: Mapping[str, Any] = {"is_valid": False}
    if app is not None:
        accounts = [one.waba for one in call.sandbox.config.numbers if one.aws_id is None]
        targets = list(dict.fromkeys(accounts))
        named = {} if call.sandbox.objects[CODES].get("all") else {"target_ids": targets}
        scopes = [{"scope": scope, **named} for scope in _SCOPES]
        data = {"is_valid": True, "app_id": app, "expires_at": 0, "granular_scopes": scopes}
    return Answer(json_response({"data": data}))


GRAPH = (
    Endpoint("GET", "/{version}/dialog/oauth", ("open_sign_up",), open_dialog),
    Endpoint("POST", "/{version}/oauth/access_token", ("exchange_code",), exchange),
    Endpoint("GET", "/{version}/debug_token", ("debug_token",), debug),
)
