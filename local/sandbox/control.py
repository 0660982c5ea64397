"""
The sandbox's control routes: recorded requests, faults and health.

`GET /_sent[?provider=]`, `DELETE /_sent`; `GET /_faults`, `POST /_faults` (one `Fault` as JSON),
`DELETE /_faults`; `GET /_health`. Bad input gets 400 and `{"errors": [{"field", "rule"}]}`.
"""

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.sandbox.responses import bad_input, broken_rules, json_response
from local.sandbox.state import Sandbox


async def get_sent(request: Request) -> Response:
    """Return the requests that providers accepted, oldest first; of one provider if the query names it."""
    sandbox = _sandbox(request)
    providers = sorted(sandbox.operations)
    for name, value in request.query_params.multi_items():
        if name != "provider":
            return bad_input((name, "is unknown; the only parameter is provider"))
        if value not in providers:
            return bad_input((name, f"must be one of {', '.join(providers)}"))
    requested_provider = request.query_params.get("provider")
    return json_response(
        [vars(sent) for sent in sandbox.sent if requested_provider in (None, sent.provider)]
    )


async def delete_sent(request: Request) -> Response:
    """Delete the recorded requests."""
    _sandbox(request).forget_sent()
    return Response(status_code=204)


async def get_faults(request: Request) -> Response:
    """Return the queued faults."""
    return json_response([fault.model_dump() for fault in _sandbox(request).faults.pending()])


async def post_fault(request: Request) -> Response:
    """Queue a fault."""
    try:
        fault = _sandbox(request).faults.add_json(await request.body())
    except ValidationError as error:
        return bad_input(*broken_rules(error))
    return json_response(fault.model_dump(), 201)


async def delete_faults(request: Request) -> Response:
    """Delete all queued faults."""
    _sandbox(request).faults.clear()
    return Response(status_code=204)


async def get_health(request: Request) -> Response:
    """Return the status and the names of the simulated providers."""
    return json_response({"status": "ok", "providers": sorted(_sandbox(request).operations)})


def _sandbox(request: Request) -> Sandbox:
    sandbox: Sandbox = request.app.state.sandbox
    return sandbox


ROUTES = [
    Route("/_sent", get_sent, methods=["GET"]),
    Route("/_sent", delete_sent, methods=["DELETE"]),
    Route("/_faults", get_faults, methods=["GET"]),
    Route("/_faults", post_fault, methods=["POST"]),
    Route("/_faults", delete_faults, methods=["DELETE"]),
    Route("/_health", get_health, methods=["GET"]),
]
