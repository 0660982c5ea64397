"""
Catalogs and products of businesses at Graph, their connection to accounts, and the commerce settings of numbers.

An account has at most one connected catalog. Products are created and changed by their retailer id; one without a link,
an image or a price is refused in `validation_status`, and the others of its batch are taken.
"""

from __future__ import annotations

import re
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.responses import json_response

_MOST_IN_BATCH = 5_000
_PRICE = re.compile(r"(\d+(?:\.\d+)?) ([A-Z]{3})")
_REQUIRED = ("id", "title", "description", "availability", "condition", "price", "image_link", "link")  # fmt: skip
_AVAILABILITIES = frozenset({"in stock", "out of stock", "preorder", "available for order"})

type Object = dict[str, Any]


def _catalogs(call: Call) -> dict[str, Object]:
    return call.sandbox.objects["catalogs"]


def _connections(call: Call) -> dict[str, str]:
    """Account -> catalog."""
    return call.sandbox.objects["connected catalogs"]


def _settings(call: Call) -> dict[str, Object]:
    return call.sandbox.objects["commerce settings"]


def _check(call: Call) -> None:
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)


def _refused(text: str, code: int = 100) -> Refused:
    return Refused(meta_graph.graph_error(400, code, text))


def _body(call: Call) -> Object:
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _refused("the body must be a JSON object")
    return body


def _account(call: Call) -> str:
    _check(call)
    waba = str(call.request.path_params["waba"])
    if not any(n.waba == waba and n.aws_id is None for n in call.sandbox.config.numbers):
        raise meta_graph.no_such_object(waba)
    return waba


def _catalog(call: Call, name: str = "catalog") -> Object:
    _check(call)
    catalog = str(call.request.path_params[name])
    if catalog not in _catalogs(call):
        raise meta_graph.no_such_object(catalog)
    return _catalogs(call)[catalog]


def _shown(catalog: Object) -> Object:
    return {
        "id": catalog["id"],
        "name": catalog["name"],
        "product_count": len(catalog["products"]),
    }


def _page(call: Call, entries: list[Object]) -> Answer:
    """Return a page of `limit` entries, by a cursor that is a number here."""
    query = call.request.query_params
    start, limit = int(query.get("after", "0")), int(query.get("limit", "25"))
    fields = {"id", *query["fields"].split(",")} if "fields" in query else None
    shown = [
        {name: value for name, value in one.items() if fields is None or name in fields}
        for one in entries[start : start + limit]
    ]
    paging: Object = {"cursors": {"before": str(start), "after": str(start + limit)}}
    if start + limit < len(entries):
        paging["next"] = "https://graph.facebook.com/next"
    return Answer(json_response({"data": shown, "paging": paging}))


async def create(call: Call) -> Answer:
    """`POST /{business}/owned_product_catalogs`."""
    _check(call)
    body = _body(call)
    if not isinstance(body.get("name"), str) or not body["name"]:
        raise _refused("name: is required")
    business = str(call.request.path_params["business"])
    identity = str(800_000_000_000_000 + len(_catalogs(call)))
    _catalogs(call)[identity] = {
        "id": identity,
        "name": body["name"],
        "business": business,
        "products": {},
    }
    return Answer(json_response({"id": identity}), body)


async def list_owned(call: Call) -> Answer:
    """`GET /{business}/owned_product_catalogs`."""
    _check(call)
    business = str(call.request.path_params["business"])
    own = [_shown(one) for one in _catalogs(call).values() if one["business"] == business]
    return _page(call, own)


async def get(call: Call) -> Answer:
    """`GET /{catalog}`."""
    return Answer(json_response(_shown(_catalog(call, "node"))))


async def upload(call: Call) -> Answer:
    """`POST /{catalog}/items_batch`."""
    catalog, body = _catalog(call), _body(call)
    requests = body.get("requests")
    if body.get("item_type") != "PRODUCT_ITEM":
        raise _refused("item_type: must be PRODUCT_ITEM")
    if not isinstance(requests, list) or not 0 < len(requests) <= _MOST_IN_BATCH:
        raise _refused(f"requests: must be a list of 1 to {_MOST_IN_BATCH} requests")
    statuses = []
    for request in requests:
        if request.get("method") not in {"CREATE", "UPDATE"}:
            raise _refused("method: must be CREATE or UPDATE")
        problems = _problems(request.get("data", {}))
        if problems:
            errors = [{"message": problem} for problem in problems]
            retailer_id = request.get("data", {}).get("id", "")
            statuses.append({"retailer_id": retailer_id, "errors": errors, "warnings": []})
        else:
            _keep(catalog, request["data"])
    return Answer(json_response({"handles": ["handle"], "validation_status": statuses}), body)


def _problems(data: Object) -> list[str]:
    found = [f"{name}: is required" for name in _REQUIRED if not data.get(name)]
    if data.get("price") and not _PRICE.fullmatch(str(data["price"])):
        found.append("price: must be an amount and a currency")
    if data.get("availability") and data["availability"] not in _AVAILABILITIES:
        found.append("availability: is unknown")
    return found


def _keep(catalog: Object, data: Object) -> None:
    price = _PRICE.fullmatch(str(data["price"]))
    assert price is not None  # noqa: S101 - `_problems` has checked it
    catalog["products"][data["id"]] = {
        "id": f"9{len(catalog['products'])}",
        "retailer_id": data["id"],
        "name": data["title"],
        "description": data["description"],
        "price": f"{price[2]} {price[1]}",
        "currency": price[2],
        "image_url": data["image_link"],
        "availability": data["availability"],
        "product_type": data.get("product_type"),
        "url": data["link"],
    }


async def list_products(call: Call) -> Answer:
    """`GET /{catalog}/products`."""
    return _page(call, list(_catalog(call)["products"].values()))


async def connect(call: Call) -> Answer:
    """`POST /{waba}/product_catalogs`."""
    waba, body = _account(call), _body(call)
    if body.get("catalog_id") not in _catalogs(call):
        raise _refused("catalog_id: no such catalog")
    if waba in _connections(call):
        raise _refused("the account has a connected catalog")
    _connections(call)[waba] = body["catalog_id"]
    return Answer(json_response({"success": True}), body)


async def list_connected(call: Call) -> Answer:
    """`GET /{waba}/product_catalogs`."""
    catalog = _connections(call).get(_account(call))
    return _page(call, [_shown(_catalogs(call)[catalog])] if catalog else [])


async def disconnect(call: Call) -> Answer:
    """`DELETE /{waba}/product_catalogs`."""
    waba, body = _account(call), _body(call)
    if _connections(call).get(waba) != body.get("catalog_id"):
        raise _refused("catalog_id: is not connected")
    del _connections(call)[waba]
    return Answer(json_response({"success": True}), body)


async def get_settings(call: Call) -> Answer:
    """`GET /{phone}/whatsapp_commerce_settings`."""
    _check(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    settings = {"is_cart_enabled": True, "is_catalog_visible": False}
    kept = _settings(call).get(number.phone_number_id, {})
    return Answer(json_response({"data": [{"id": "527759822865714"} | settings | kept]}))


async def set_settings(call: Call) -> Answer:
    """`POST /{phone}/whatsapp_commerce_settings`: settings are query parameters."""
    _check(call)
    number = meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    given = dict(call.request.query_params)
    if not given or not given.keys() <= {"is_cart_enabled", "is_catalog_visible"}:
        raise _refused("is_cart_enabled or is_catalog_visible: is required")
    if not {*given.values()} <= {"true", "false"}:
        raise _refused("settings must be true or false")
    kept = _settings(call).setdefault(number.phone_number_id, {})
    kept |= {name: value == "true" for name, value in given.items()}
    return Answer(json_response({"success": True}))


def _owns(call: Call, node: str) -> bool:
    return node in _catalogs(call)


_OWNED = "/{version}/{business}/owned_product_catalogs"
_CONNECTED = "/{version}/{waba}/product_catalogs"
_COMMERCE = "/{version}/{phone_number_id}/whatsapp_commerce_settings"
GRAPH = (
    Endpoint("POST", _OWNED, ("create_catalog",), create),
    Endpoint("GET", _OWNED, ("list_owned_catalogs",), list_owned),
    Endpoint("POST", "/{version}/{catalog}/items_batch", ("upload_products",), upload),
    Endpoint("GET", "/{version}/{catalog}/products", ("list_products",), list_products),
    Endpoint("POST", _CONNECTED, ("connect_catalog",), connect),
    Endpoint("GET", _CONNECTED, ("list_connected_catalogs",), list_connected),
    Endpoint("DELETE", _CONNECTED, ("disconnect_catalog",), disconnect),
    Endpoint("GET", _COMMERCE, ("get_commerce_settings",), get_settings),
    Endpoint("POST", _COMMERCE, ("set_commerce_settings",), set_settings),
)
NODES = (Node("GET", "get_catalog", _owns, get),)
