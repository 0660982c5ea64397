"""Requests as API Gateway passes them to the functions of the REST API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.api.auth import Caller


def request(
    line: str,
    body: Any = None,
    caller: Caller | None = None,
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    resource: str | None = None,
    request_id: str = "request-1",
) -> dict[str, Any]:
    """
    The event of a call such as `GET /conversations/{ref}`; without *caller* it has passed no authorizer.

    *path* and *query* are parameters; a list is a repeated one. *resource* is the route of the template if it has a
    proxy behind which the function finds its own routes. A *body* that is a text is sent as it is.
    """
    method, route = line.split(" ", 1)
    given = {
        name: [str(one) for one in (value if isinstance(value, list) else [value])]
        for name, value in (query or {}).items()
    }
    named = {name: value for name, value in (path or {}).items() if f"{{{name}}}" in route}
    filled = route
    for name, value in named.items():
        filled = filled.replace(f"{{{name}}}", value)
    return {
        "resource": resource or route,
        "path": filled,
        "httpMethod": method,
        "headers": dict(headers or {}),
        "multiValueHeaders": {},
        "pathParameters": named or None,
        "queryStringParameters": {name: values[-1] for name, values in given.items()} or None,
        "multiValueQueryStringParameters": given or None,
        "requestContext": {
            "requestId": request_id,
            **({"authorizer": caller.as_context()} if caller else {}),
        },
        "body": body if isinstance(body, str | None) else json.dumps(body),
        "isBase64Encoded": False,
    }
