"""Analytics of accounts, their datasets, and conversion events, at both providers."""

import base64
import json
import re
import secrets
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.responses import json_response

_AWS_ACCOUNT = "waba-0123456789abcdef0123456789abcdef"
_GRANULARITIES = {
    "analytics": {"HALF_HOUR", "DAY", "MONTH"},
    "conversation_analytics": {"HALF_HOUR", "DAILY", "MONTHLY"},
    "pricing_analytics": {"HALF_HOUR", "DAILY", "MONTHLY"},
    "call_analytics": {"HALF_HOUR", "DAILY", "MONTHLY"},
}
_FILTER = re.compile(r"\.([a-z_]+)\(([^()]*)\)")
_EXPRESSION = re.compile(rf"({'|'.join(_GRANULARITIES)})((?:{_FILTER.pattern})+)")
_LISTS = {"phone_numbers", "dimensions"}
_DAY_SECONDS = 86_400
_EVENT = {"event_name", "event_time", "action_source", "messaging_channel", "user_data"}


def _asks_for_analytics(call: Call, node: str) -> bool:
    asked = call.request.query_params.get("fields", "")
    names = tuple(f"{name}." for name in _GRANULARITIES)
    return asked.startswith(names) and any(n.waba == node for n in call.sandbox.config.numbers)


async def get_analytics(call: Call) -> Answer:
    """`GET /{version}/{waba}?fields={field}.start().end().granularity()`: one point for each day, without counts."""
    waba = call.request.path_params["node"]
    found = _EXPRESSION.fullmatch(call.request.query_params["fields"])
    if found is None:
        raise meta_graph.invalid("Param fields: syntax error")
    field = found.group(1)
    filters = dict(_FILTER.findall(found.group(2)))
    if {"start", "end", "granularity"} - filters.keys() or filters.keys() - {
        "start",
        "end",
        "granularity",
        *_LISTS,
    }:
        raise meta_graph.invalid("Param fields: start, end and granularity are required")
    if filters["granularity"] not in _GRANULARITIES[field]:
        raise meta_graph.invalid("Param granularity: is invalid")
    start, end = int(filters["start"]), int(filters["end"])
    if start >= end:
        raise meta_graph.invalid("Param end: must be after start")
    numbers = json.loads(filters.get("phone_numbers", "[]"))
    own = {n.display for n in call.sandbox.config.numbers if n.waba == waba}
    if set(numbers) - own:
        raise meta_graph.invalid("Param phone_numbers: not numbers of the account")
    points = [
        {"start": at, "end": at + _DAY_SECONDS, "sent": 0, "delivered": 0}
        for at in range(start, end, _DAY_SECONDS)
    ]
    answer: dict[str, Any] = {"granularity": filters["granularity"], "data_points": points}
    if field == "analytics":
        answer["phone_numbers"] = sorted(own)
    else:
        answer = {"data": [{"data_points": points}]}
    return Answer(json_response({field: answer, "id": waba}))


def _dataset_of(call: Call, waba: str) -> str:
    """Return the account's dataset, created once. Its id follows from the account's, for repeatable runs."""
    number = str(10**14 + int(waba) % 10**14)
    return str(call.sandbox.objects["dataset"].setdefault(waba, number))


async def create_dataset(call: Call) -> Answer:
    """`POST /{version}/{waba}/dataset`: the account's dataset."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    waba = call.request.path_params["waba"]
    if not any(number.waba == waba for number in call.sandbox.config.numbers):
        raise meta_graph.no_such_object(waba)
    return Answer(json_response({"id": _dataset_of(call, waba)}), _object(call))


async def send_event(call: Call) -> Answer:
    """`POST /{version}/{dataset}/events`: conversion events of an account."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    dataset, body = call.request.path_params["dataset"], _object(call)
    if dataset not in call.sandbox.objects["dataset"].values():
        raise meta_graph.no_such_object(dataset)
    problem = _problem_of(call, dataset, body)
    if problem:
        raise meta_graph.invalid(problem)
    answer = {"events_received": len(body["data"]), "fbtrace_id": secrets.token_urlsafe(16)}
    return Answer(json_response(answer), body)


async def create_aws_dataset(call: Call) -> Answer:
    """CreateWhatsAppDataset."""
    aws_social.check_signature(call)
    body = _object(call)
    return Answer(json_response({"datasetId": _dataset_of(call, _account(call, body))}), body)


async def send_aws_event(call: Call) -> Answer:
    """SendWhatsAppConversionEvent: the same events, as JSON in base64."""
    aws_social.check_signature(call)
    body = _object(call)
    dataset = call.sandbox.objects["dataset"].get(_account(call, body))
    if dataset is None or dataset != body.get("datasetId"):
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no such dataset"))
    try:
        events = parse_json(base64.b64decode(str(body.get("eventData", "")), validate=True))
    except ValueError:
        raise Refused(aws_social.aws_error("ValidationException", "eventData")) from None
    problem = _problem_of(call, dataset, events)
    if problem:
        raise Refused(aws_social.aws_error("InvalidParametersException", problem))
    return Answer(json_response({"requestId": secrets.token_urlsafe(16)}), body)


def _problem_of(call: Call, dataset: str, body: object) -> str:
    """Return what is wrong with conversion events; empty if nothing is."""
    events = body.get("data") if isinstance(body, dict) else None
    if not isinstance(events, list) or not events:
        return "Param data: must be a list of events"
    for event in events:
        if _EVENT - event.keys():
            return f"Param data: {min(_EVENT - event.keys())} is required"
        user = event["user_data"]
        waba = user.get("whatsapp_business_account_id")
        if call.sandbox.objects["dataset"].get(waba) != dataset or not user.get("ctwa_clid"):
            return "Param user_data: whatsapp_business_account_id and ctwa_clid are required"
        if (event["action_source"], event["messaging_channel"]) != (
            "business_messaging",
            "whatsapp",
        ):
            return "Param action_source: must be business_messaging"
        if (
            event["event_name"] == "Purchase"
            and not {"value", "currency"} <= event.get("custom_data", {}).keys()
        ):
            return "Param custom_data: value and currency are required"
    return ""


def _account(call: Call, body: dict[str, Any]) -> str:
    """Return Meta's id of the account that a request to AWS names. Raises Refused."""
    wabas = [n.waba for n in call.sandbox.config.numbers if n.aws_id is not None]
    if body.get("id") != _AWS_ACCOUNT or not wabas:
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no account with this id"))
    return wabas[0]


def _object(call: Call) -> dict[str, Any]:
    try:
        body = parse_json(call.raw or b"{}")
    except ValueError:
        raise meta_graph.invalid("Body: not JSON") from None
    if not isinstance(body, dict):
        raise meta_graph.invalid("Body: not an object")
    return body


NODES = (Node("GET", "get_analytics", _asks_for_analytics, get_analytics),)
GRAPH = (
    Endpoint("POST", "/{version}/{waba}/dataset", ("create_dataset",), create_dataset),
    Endpoint("POST", "/{version}/{dataset}/events", ("send_conversion_event",), send_event),
)
AWS = (
    Endpoint("POST", "/v1/whatsapp/waba/dataset", ("CreateWhatsAppDataset",), create_aws_dataset),
    Endpoint(
        "POST", "/v1/whatsapp/waba/dataset/events",
        ("SendWhatsAppConversionEvent",), send_aws_event,
    ),
)  # fmt: skip
