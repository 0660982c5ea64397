"""Blocked users of a number on Graph. Users in the objects `silent_users` have not written in 24 hours."""

from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.rules import digits_of
from local.sandbox.responses import json_response

BLOCKED, SILENT = "blocked_users", "silent_users"
_MOST = 1_000


async def block(call: Call) -> Answer:
    """`POST /{version}/{phone number id}/block_users`: all users who wrote in the last 24 hours."""
    number, body = _checked(call)
    return _changed(call, number, body, "added_users")


async def unblock(call: Call) -> Answer:
    """`DELETE /{version}/{phone number id}/block_users`."""
    number, body = _checked(call)
    return _changed(call, number, body, "removed_users")


async def list_blocked(call: Call) -> Answer:
    """`GET /{version}/{phone number id}/block_users`: a page, by WhatsApp id."""
    number = _number(call)
    query = call.request.query_params
    blocked = sorted(call.sandbox.objects[BLOCKED].get(number, set()))
    following = [each for each in blocked if each > query.get("after", "")]
    shown = following[: int(query.get("limit", "25"))]
    paging: dict[str, Any] = {"cursors": {"after": shown[-1]}} if shown else {}
    if len(shown) < len(following):
        paging["next"] = f"{call.base_url}{call.request.url.path}?after={shown[-1]}"
    data = [{"messaging_product": "whatsapp", "wa_id": each} for each in shown]
    return Answer(json_response({"data": data, "paging": paging}))


def _number(call: Call) -> str:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    number = str(call.request.path_params["phone_number_id"])
    meta_graph.number_of(call, number)
    return number


def _checked(call: Call) -> tuple[str, dict[str, Any]]:
    number, body = _number(call), parse_json(call.raw)
    users = body.get("block_users") if isinstance(body, dict) else None
    is_list = isinstance(users, list) and 1 <= len(users) <= _MOST
    if not is_list or body.get("messaging_product") != "whatsapp":
        raise Refused(meta_graph.graph_error(400, 100, "Invalid parameter"))
    return number, body


def _changed(call: Call, number: str, body: dict[str, Any], done: str) -> Answer:
    blocked = call.sandbox.objects[BLOCKED].setdefault(number, set())
    succeeded, failed = [], []
    for each in body["block_users"]:
        user = {"input": each["user"], "wa_id": digits_of(each["user"]) or each["user"]}
        if done == "removed_users":
            blocked.discard(user["wa_id"])
        elif user["wa_id"] in call.sandbox.objects[SILENT]:
            error = {"message": "Re-engagement required", "code": 131047}
            failed.append({**user, "errors": [error]})
            continue
        else:
            blocked.add(user["wa_id"])
        succeeded.append(user)
    lists = {done: succeeded} | ({"failed_users": failed} if failed else {})
    answer: dict[str, Any] = {"messaging_product": "whatsapp", "block_users": lists}
    if failed:
        answer["error"] = {
            "message": "(#139100) Failed to block/unblock users",
            "type": "OAuthException",
            "code": 139100,
        }
    return Answer(json_response(answer, 400 if failed else 200), body)


_PATH = "/{version}/{phone_number_id}/block_users"
GRAPH = (
    Endpoint("POST", _PATH, ("block_users",), block),
    Endpoint("DELETE", _PATH, ("unblock_users",), unblock),
    Endpoint("GET", _PATH, ("list_blocked_users",), list_blocked),
)
