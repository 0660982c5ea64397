"""The routes that the functions declare, beside template.yaml and the OpenAPI documents."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from shared.api import openapi
from shared.aws.sqs_fifo import to_json
from tests.simulation.stage import imported
from tests.template import environment, properties

if TYPE_CHECKING:
    from shared.api.routing import Routes

FUNCTIONS = ["WhatsAppApi", "WhatsAppAdmin", "RichpanelAdmin", "ConversationsAdmin"]


@cache
def routes_of(function: str) -> Routes:
    handler = properties(function)["Handler"].rpartition(".")[0]
    routes: Routes = imported(handler, environment(function)).routes
    return routes


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_declares_the_routes_that_the_template_gives_it(function: str) -> None:
    routes = routes_of(function)
    sources = [event["Properties"] for event in properties(function)["Events"].values()]

    declared = [f"{one.method} {one.path}" for one in routes.operations]
    assert sorted([*declared, f"GET {routes.document}"]) == sorted(
        f"{source['Method']} {source['Path']}" for source in sources
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
        is_change = operation.method != "GET" and not operation.path.endswith("/search")
        assert ("Idempotency-Key" in names) == is_change
        assert entry["responses"].keys() >= {str(int(operation.status)), "default"}
    assert entries == {}
    schemas = document["components"]["schemas"]
    pointers = {part.partition('"')[0] for part in to_json(document).split('"$ref":"')[1:]}
    assert pointers <= {f"#/components/schemas/{name}" for name in schemas}
