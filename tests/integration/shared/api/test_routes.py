"""The routes that the functions declare, compared with template.yaml and the OpenAPI documents."""

from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from shared.api import openapi
from shared.aws.sqs_fifo import to_json
from tests.integration.logs import recorded
from tests.simulation.processes import imported
from tests.template import environment, properties

if TYPE_CHECKING:
    from shared.api.routing.routes import Routes

FUNCTIONS = ["WhatsAppApi", "WhatsAppAdmin", "RichpanelAdmin", "ConversationsAdmin"]


@cache
def routes_of(function: str) -> Routes:
    handler = properties(function)["Handler"].rpartition(".")[0]
    routes: Routes = imported(handler, environment(function)).routes
    return routes


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_declares_the_routes_that_the_template_gives_it(function: str) -> None:
    """
    Each route has one event source, which may be a `{proxy+}`; and each source has a route, but the pages of signed
    links, which have no caller.
    """
    routes = routes_of(function)
    sources = [event["Properties"] for event in properties(function)["Events"].values()]
    lines = {
        f"{source['Method']} {source['Path']}"
        for source in sources
        if source.get("Auth", {}).get("Authorizer") != "NONE"
    }

    declared = {f"{one.method} {one.path}" for one in routes.operations}
    through = {line: source_of(line, lines) for line in declared | {f"GET {routes.document}"}}
    assert None not in through.values(), through
    assert set(through.values()) == lines


def source_of(route: str, sources: set[str]) -> str | None:
    """The event source that API Gateway chooses for a route: an exact one, or a `{proxy+}` above it; of any method."""
    path = route.partition(" ")[2]
    named = (route, f"ANY {path}")
    if exact := next((one for one in named if one in sources), None):
        return exact
    proxies = (one for one in sources if one.endswith("{proxy+}"))
    above = (
        one
        for one in proxies
        if any(each.startswith(one.removesuffix("{proxy+}")) for each in named)
    )
    return next(above, None)


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/conversations/search", "/conversations/search"),
        ("/conversations/c-1/messages", "/conversations/{ref}/messages"),
        ("/conversations/parked/e-1/replay", "/conversations/parked/{event_id}/replay"),
        ("/conversations/c-1/none", "/conversations/{proxy+}"),
    ],
)
def test_a_log_line_has_the_declared_path_of_a_call_and_an_unknown_path_gets_404(
    path: str, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = recorded(monkeypatch)
    event = {
        "resource": "/conversations/{proxy+}",
        "path": path,
        "httpMethod": "POST",
        "headers": {},
        "requestContext": {"requestId": "r-1"},
    }

    context: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
    answer = routes_of("ConversationsAdmin").respond(event, context)

    (line,) = (json.loads(line) for line in log.getvalue().splitlines() if "answered" in line)
    assert line["route"] == route
    is_unknown = route.endswith("{proxy+}")
    assert answer["statusCode"] == (404 if is_unknown else 401)
    assert json.loads(answer["body"])["error"]["code"] == (
        "not_found" if is_unknown else "unauthenticated"
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_document_has_every_route_its_scopes_its_key_and_all_schemas(function: str) -> None:
    routes = routes_of(function)
    document = openapi.document(routes.title, "1", routes.operations)

    assert document["openapi"] == "3.1.0"
    entries = {
        f"{method.upper()} {path}": entry
        for path, methods in document["paths"].items()
        for method, entry in methods.items()
    }
    assert len(entries) == len({one["operationId"] for one in entries.values()})
    for operation in routes.operations:
        entry = entries.pop(f"{operation.method} {operation.path}")
        assert entry["description"] == f"Needs the scope {' or '.join(operation.scopes)}."
        names = [one["name"] for one in entry["parameters"]]
        reads = ("/search", "/preview", "/playground", "/knowledge/results")
        is_change = operation.method != "GET" and not operation.path.endswith(reads)
        assert ("Idempotency-Key" in names) == is_change
        assert entry["responses"].keys() >= {str(int(operation.status)), "default"}
    assert entries == {}
    schemas = document["components"]["schemas"]
    pointers = {part.partition('"')[0] for part in to_json(document).split('"$ref":"')[1:]}
    assert pointers <= {f"#/components/schemas/{name}" for name in schemas}
