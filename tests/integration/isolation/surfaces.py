"""
All entry points, read from template.yaml and from the code: routes, queues, topics, and the types of events. A new one
is found without a declaration and fails `test_coverage.py` until a test attacks it.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from conversations.lifecycle.records import commands
from shared.api.routing.routes import Routes
from shared.events import exchange
from tests import template
from tests.simulation.processes import imported

if TYPE_CHECKING:
    from collections.abc import Iterator

# Types of event sources that outside callers can reach or that carry data of several companies.
REACHED = frozenset({"Api", "SNS", "SQS"})
# Started by a schedule: no input.
STARTED = frozenset({"Schedule"})
# Streams of Parley's own tables: a record names a head, whose company the feed reads (tests/integration/console).
STREAMED = frozenset({"DynamoDB"})
# Serves files that are the same for everyone, and can read nothing of a company (`test_coverage.py`).
FILES = "Console"
_PROXY = "{proxy+}"


def sources() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """All event sources: the function, the type of the source, its properties."""
    for function in template.resources("AWS::Serverless::Function"):
        for source in template.properties(function).get("Events", {}).values():
            yield function, source["Type"], source.get("Properties", {})


@cache
def routes() -> frozenset[str]:
    """All routes as `METHOD /path/{}`, without FILES: of the template, and of the `Routes` behind it."""
    found: set[str] = set()
    behind: dict[str, frozenset[str]] = {}
    for function, kind, properties in sources():
        if kind != "Api" or function == FILES:
            continue
        if function not in behind:
            behind[function] = _of_routes(function)
            found |= behind[function]
        path = properties["Path"]
        if path.endswith(_PROXY) and any(
            _is_below(line, path.removesuffix(_PROXY)) for line in behind[function]
        ):
            continue  # The routes in code define the paths behind the proxy.
        found.add(shape(f"{properties['Method'].upper()} {path}"))
    return frozenset(found)


def shape(line: str) -> str:
    """A route without the names of its parameters: template and code name them differently."""
    return re.sub(r"[{<][^}>]*[}>]", "{}", line)


def queues() -> frozenset[str]:
    """The queues that functions read, by logical id, with the function: `ConversationsIntake <- ...Queue`."""
    found = set()
    for function in template.resources("AWS::Serverless::Function"):
        events_ = template.template()["Resources"][function]["Properties"].get("Events", {})
        for source in events_.values():
            if source["Type"] == "SQS":
                name = source["Properties"]["Queue"]["Fn::GetAtt"].removesuffix(".Arn")
                found.add(f"{function} <- {name}")
    return frozenset(found)


def topics() -> frozenset[str]:
    """The functions that topics invoke, with the name of the event source."""
    return frozenset(
        f"{function} <- {name}"
        for function in template.resources("AWS::Serverless::Function")
        for name, source in template.template()["Resources"][function]["Properties"]
        .get("Events", {})
        .items()
        if source["Type"] == "SNS"
    )


def words_of(union: Any) -> frozenset[str]:
    """The values of `type` of a union of event classes, or of one class."""
    union = getattr(union, "__value__", union)
    if get_origin(union) is Annotated:
        union = get_args(union)[0]
    classes = get_args(union) or (union,)
    return frozenset(
        word
        for one in classes
        for word in get_args(get_type_hints(one, vars(_module_of(one)))["type"])
    )


def shared_events() -> frozenset[str]:
    """The types of all events between contexts."""
    return words_of(exchange.Event)


def channel_records() -> frozenset[str]:
    """The types of all records of a channel's queue."""
    return words_of(commands.Record)


def taken_by(function: str, adapter: str) -> frozenset[str]:
    """The types of events that a worker accepts, from the TypeAdapter of this name in its handler."""
    handler = template.properties(function)["Handler"].rpartition(".")[0]
    module = imported(handler, template.environment(function))
    return words_of(getattr(module, adapter)._type)


def _module_of(one: Any) -> Any:
    return importlib.import_module(one.__module__)


@cache
def routes_of(function: str) -> Routes | None:
    """The `Routes` of a function, None if it has none."""
    handler = template.properties(function)["Handler"].rpartition(".")[0]
    found = getattr(imported(handler, template.environment(function)), "routes", None)
    return found if isinstance(found, Routes) else None


def declared(function: str) -> Routes:
    """The `Routes` of a function that has them."""
    found = routes_of(function)
    assert found is not None, function
    return found


def _of_routes(function: str) -> frozenset[str]:
    found = routes_of(function)
    if found is None:
        return frozenset()
    lines = [f"{one.method} {one.path}" for one in found.operations]
    return frozenset(map(shape, [*lines, f"GET {found.document}"]))


def _is_below(line: str, folder: str) -> bool:
    return line.partition(" ")[2].startswith(shape(folder))
