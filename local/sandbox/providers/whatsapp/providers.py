"""The two providers of WhatsApp: their messages and media, and the operations of each domain."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider
from local.sandbox.providers.whatsapp import aws_social, meta_graph, operations
from local.sandbox.providers.whatsapp.node import Node

_UNKNOWN = "unknown_object"


def _declared(name: str) -> list[Any]:
    """Return what the modules of `operations` declare under *name*."""
    found = pkgutil.walk_packages(operations.__path__, f"{operations.__name__}.")
    modules = [importlib.import_module(each.name) for each in found]
    return [entry for module in modules for entry in getattr(module, name, ())]


def _by_id(nodes: list[Node]) -> Iterator[Endpoint]:
    """Yield one endpoint for each method, which asks the nodes in turn."""
    for method in dict.fromkeys(node.method for node in nodes):
        yield _endpoint(method, [node for node in nodes if node.method == method])


def _endpoint(method: str, nodes: list[Node]) -> Endpoint:
    def node_of(call: Call) -> Node | None:
        return next((n for n in nodes if n.owns(call, call.request.path_params["node"])), None)

    async def act(call: Call) -> Answer:
        meta_graph.check_token(call.request)
        meta_graph.check_version(call.request)
        node = node_of(call)
        if node is None:
            raise meta_graph.no_such_object(call.request.path_params["node"])
        return await node.act(call)

    def choose(call: Call) -> str:
        node = node_of(call)
        return node.operation if node else _UNKNOWN

    names = dict.fromkeys([*(node.operation for node in nodes), _UNKNOWN])
    return Endpoint(method, "/{version}/{node}", tuple(names), act, choose)


# Media are what is left: their ids are not told apart from others.
_MEDIA = Node("GET", "get_media", lambda _call, _id: True, meta_graph.get_media)
GRAPH = Provider(
    name="meta",
    endpoints=(
        *meta_graph.ENDPOINTS,
        *_declared("GRAPH"),
        *_by_id([*_declared("NODES"), _MEDIA]),
    ),
    failure=meta_graph.failure,
)
AWS = Provider(
    name="socialmessaging",
    endpoints=(*aws_social.ENDPOINTS, *_declared("AWS")),
    failure=aws_social.failure,
)
