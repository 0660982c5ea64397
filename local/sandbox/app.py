"""The sandbox's ASGI application: applies faults, then the provider's rules, then records the request."""

import json
from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from local.sandbox.control import ROUTES
from local.sandbox.faults import Fault, Operations
from local.sandbox.providers.bedrock import converse, retrieve
from local.sandbox.providers.email import mail_routes, ses
from local.sandbox.providers.helpdesk import richpanel, shipstation, shopify, ticket_routes
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused
from local.sandbox.providers.openai import api
from local.sandbox.providers.sms import aws_sms, text_routes, twilio
from local.sandbox.providers.whatsapp import business_routes
from local.sandbox.providers.whatsapp import providers as whatsapp
from local.sandbox.responses import bad_input, json_response
from local.sandbox.state import Sandbox, Sent

# One line per provider. Paths are tried in this order: paths that begin with a wildcard come last.
PROVIDERS: tuple[Provider, ...] = (
    whatsapp.AWS,
    ses.PROVIDER,
    richpanel.PROVIDER,
    shopify.PROVIDER,
    shipstation.PROVIDER,
    api.PROVIDER,
    converse.PROVIDER,
    retrieve.PROVIDER,
    twilio.PROVIDER,
    aws_sms.PROVIDER,
    whatsapp.GRAPH,
)


def operations() -> Operations:
    """Return the names of the simulated operations of each provider."""
    return {
        provider.name: tuple(
            name for endpoint in provider.endpoints for name in endpoint.operations
        )
        for provider in PROVIDERS
    }


def application(sandbox: Sandbox) -> Starlette:
    """Return the ASGI application that serves *sandbox*."""
    routes = (
        ROUTES
        + ticket_routes.ROUTES
        + text_routes.ROUTES
        + mail_routes.ROUTES
        + business_routes.ROUTES
        + [
            Route(endpoint.path, _serve(sandbox, provider, endpoint), methods=[endpoint.method])
            for provider in PROVIDERS
            for endpoint in provider.endpoints
        ]
    )
    app = Starlette(routes=routes, exception_handlers={404: _unknown_path, 405: _unknown_path})
    app.state.sandbox = sandbox
    return app


def _serve(
    sandbox: Sandbox, provider: Provider, endpoint: Endpoint
) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        call = Call(sandbox, request, await request.body())
        operation = endpoint.operation(call)
        fault = sandbox.faults.take(provider.name, operation)
        if fault and fault.kind == "reset":
            return ClosedConnection(sandbox, reset=True)
        if fault and fault.status is not None:
            return _failed(provider.failure(fault.status), fault)
        if fault and fault.kind in _UNEXPECTED_BODIES:
            return _UNEXPECTED_BODIES[fault.kind]()
        try:
            answer = await endpoint.act(call)
        except Refused as refused:
            response = refused.response
        else:
            response = answer.response
            sandbox.record(_sent(call, provider.name, operation, answer))
        if fault and fault.seconds is not None:
            await sandbox.pause(fault.seconds)
        if fault and fault.kind == "lost_answer":
            return ClosedConnection(sandbox, instead_of=response)
        return response

    return serve


def _failed(response: Response, fault: Fault) -> Response:
    if fault.error is not None:
        content = json.loads(bytes(response.body))
        content.get("error", content).update(fault.error)
        response = json_response(content, response.status_code, _own_headers(response))
    if fault.retry_after is not None:
        response.headers["Retry-After"] = fault.retry_after
    return response


def _own_headers(response: Response) -> dict[str, str]:
    """Return the headers of an error that are the provider's own, such as the name of AWS's error."""
    return {name: text for name, text in response.headers.items() if name.startswith("x-")}


# HTTP 200 responses of a proxy, or of an API during a migration, instead of the provider's JSON.
_UNEXPECTED_BODIES: Mapping[str, Callable[[], Response]] = {
    "html": lambda: HTMLResponse("<!doctype html><title>Please wait</title>"),
    "empty": Response,
}


def _sent(call: Call, provider: str, operation: str, answer: Answer) -> Sent:
    is_json = answer.response.media_type == "application/json"
    return Sent(
        provider=provider,
        operation=operation,
        path=call.request.url.path,
        query=dict(call.request.query_params),
        body=answer.body,
        answer=json.loads(bytes(answer.response.body)) if is_json else None,
        at=call.sandbox.timestamp(),
        headers=call.headers_without_credentials(),
    )


async def _unknown_path(request: Request, _: Exception) -> Response:
    rule = f"the sandbox has no route {request.method} {request.url.path}"
    return bad_input(("path", rule), status=404)


class ClosedConnection(Response):
    """Closes the connection instead of sending *instead_of*, but runs the background task of that response."""

    def __init__(
        self, sandbox: Sandbox, *, reset: bool = False, instead_of: Response | None = None
    ) -> None:
        super().__init__(background=instead_of.background if instead_of else None)
        self._sandbox = sandbox
        self._reset = reset

    async def __call__(self, scope: Scope, receive: Receive, _: Send) -> None:
        """Close the connection, then run the background task."""
        self._sandbox.close_connection(scope["client"], reset=self._reset)
        # If the application returned before the server noticed the disconnect, the server would send a 500.
        while (await receive())["type"] != "http.disconnect":
            pass
        if self.background is not None:
            await self.background()
