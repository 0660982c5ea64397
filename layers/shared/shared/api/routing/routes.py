"""Declares the routes of an HTTP API: scopes, input, result and status of each route in one place."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types

from shared.api import openapi
from shared.api.auth import Caller, Forbidden, Scope, caller_of
from shared.api.errors import InvalidInput
from shared.api.models import inputs
from shared.api.models.views import View
from shared.api.openapi import Operation
from shared.api.routing import declarations, responses
from shared.api.routing.responses import Result, content_of
from shared.aws.observation import observed
from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock, tracing
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.api.audit_log.log import AuditLog
    from shared.api.idempotency import Answer, Requests
    from shared.api.routing.declarations import Signature
    from shared.api.routing.responses import Errors

KEY_HEADER = "Idempotency-Key"
KEY = re.compile(r"[!-~]{8,255}")
# The attribute of a marked method (`route_methods`): takes the routes and returns the decorator for the bound method.
DECLARE = "declare_route"
# Path parameters that name an object by an id without personal data: the audit log shows them. A test knows the others.
OBJECT_IDS: Final = frozenset(
    {
        *("ref", "conversation_id", "ticket_id", "unmatched_id", "event_id", "code"),
        *("contact_id", "merge_id", "list_id", "note_id", "request_id", "project_id", "number"),
        *("issue_id", "import_id", "person_id", "key_id", "series_id", "template_id", "webhook_id"),
    }
)

# `Read` changes nothing. `Change` checks the caller's access, then returns the change as a function.
type Read = Callable[..., Result]
type Change = Callable[..., Callable[[], Result] | Result]
# `Open` checks the credentials in its input itself.
type Open = Callable[..., View]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest[Input]:
    """A call without a caller: *input* is its body, which has other credentials, *id* API Gateway's request id."""

    input: Input
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request[Input]:
    """
    An authorised call: *input* is its query or body, *id* is API Gateway's request id.

    *api_url* is the address of this API as the call named it, without a slash at its end; empty if it named
    none.

    *cause* is a hash of the caller and the idempotency key. It makes the effects of a change idempotent: a retry under
    the same key has the same cause. Empty for reads.
    """

    caller: Caller
    input: Input
    id: str
    cause: str = ""
    api_url: str = ""
    context: LambdaContext

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until the function times out."""
        return int(self.context.get_remaining_time_in_millis())

    def deadline_ms(self, spare_ms: int) -> int:
        """Return the time at which work must end so that *spare_ms* are left to respond (ms since 1970)."""
        return clock.now_ms() + self.remaining_ms - spare_ms


@dataclass(frozen=True, kw_only=True)
class Routes:
    """
    The routes of one function. Declared routes appear in the OpenAPI document, which is served at *document*.

    *errors*: this API's own exceptions with status and code. *requests* stores the answers of changes, *audit_log* who
    made them; None if there are none. *requires_key*: changes without an `Idempotency-Key` are refused; otherwise the
    request id is the key. *is_personal*: objects belong to the caller, not to the company, and so do idempotency keys.
    *company* returns the only company whose keys have access, beside operators; None: all. *more_scopes* give access to
    the document as well.
    """

    title: str
    document: str
    errors: Errors
    requests: Requests | None = None
    audit_log: AuditLog | None = None
    requires_key: bool = False
    is_personal: bool = False
    company: Callable[[], str | None] = lambda: None
    more_scopes: tuple[Scope, ...] = ()
    app: APIGatewayRestResolver = field(default_factory=APIGatewayRestResolver)
    operations: list[Operation] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Add the error handler and the route of the OpenAPI document."""
        self.app.exception_handler(Exception)(self._refuse)
        self.app.get(self.document)(self._describe)

    def respond(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """
        Handle an API Gateway proxy event and return the proxy response. Flushes the metrics counted during the call.

        Writes one log line per call, without the path: paths contain personal data.
        """
        route = self._route_of(event)
        try:
            with tracing.step("request", route=route, method=event["httpMethod"]):
                response = self.app.resolve(event, context)
                tracing.annotate(outcome=str(response["statusCode"]))
        finally:
            if metrics.metric_set:  # Powertools warns if it flushes without metrics.
                metrics.flush_metrics()
        facts = event["requestContext"].get("authorizer") or {}
        logger.info(
            "call answered",
            extra={
                "correlation_id": event["requestContext"]["requestId"],
                "route": route,
                "status": response["statusCode"],
                "company": facts.get("company"),
                "principal": facts.get("principal"),
            },
        )
        return response

    def add(self, owner: object) -> None:
        """Declare the methods of *owner* that are marked as routes (`route_methods`), in their order."""
        for name, member in vars(type(owner)).items():
            if declare := getattr(member, DECLARE, None):
                declare(self)(getattr(owner, name))

    def reads(self, line: str, *scopes: Scope) -> Callable[[Read], Read]:
        """
        Declare a read route (`GET /path/{name}`) that needs one of *scopes*. Without any, its function checks the
        caller.

        Its function gets the `Request` and the path parameters, and returns a view or a page of it. Its signature
        declares the input model and the view: TypeError if it does not.
        """

        def declare(act: Read) -> Read:
            signature = declarations.signature_of(act, Request, View)
            operation = _operation(act, signature, line, scopes)

            def route(**names: str) -> Response[str]:
                result = act(self._request(operation), **_decoded(names))
                text = result.as_text() if isinstance(result, View) else None
                if text is not None:
                    return responses.text_answer(text, self._request_id)
                return self._answer(content_of(result))

            self._listen(operation, route)
            return act

        return declare

    def changes(
        self,
        line: str,
        *scopes: Scope,
        status: HTTPStatus = HTTPStatus.OK,
        goes_on: Callable[[Answer], bool] | None = None,
    ) -> Callable[[Change], Change]:
        """
        Declare a route whose change is made once per idempotency key.

        Its function loads the object of the call and returns the change. Access is thus checked before the stored
        answer: a caller without access learns nothing from a key that another caller used. The function may also return
        a result: it has changed nothing, and the response has status 200. *goes_on* tells from a result that its
        outcome is still open: the response then has status 202. The audit log records each change that is made; a
        repeat under its key makes none. Raises TypeError if the API stores no requests, or has no audit log.
        """
        if self.requests is None or self.audit_log is None:
            raise TypeError("an API with changes needs a table for its requests, and an audit log")

        def declare(act: Change) -> Change:
            signature = declarations.signature_of(act, Request, View)
            operation = _operation(
                act,
                signature,
                line,
                scopes,
                status=status,
                key="required" if self.requires_key else "optional",
                may_read=signature.returns_result,
                may_go_on=goes_on is not None,
            )

            def is_open(answer: Answer) -> bool:
                return goes_on is not None and goes_on(answer["result"])

            def route(**names: str) -> Response[str]:
                decoded = _decoded(names)
                request = self._request(operation)
                with observed():  # from the reads on: they have the state before
                    change = act(request, **decoded)
                    if not callable(change):
                        return self._answer(content_of(change))
                    content = self._once(operation, request, decoded, change, is_open)
                about = {"conversation": decoded["ref"]} if "ref" in decoded else {}
                actor = {"company": request.caller.company, "principal": request.caller.principal}
                logger.info(operation.name, extra={"change": operation.name} | about | actor)
                return self._answer(content, HTTPStatus.ACCEPTED if is_open(content) else status)

            self._listen(operation, route)
            return act

        return declare

    def opens(self, line: str) -> Callable[[Open], Open]:
        """
        Declare a route (`POST /path`) that passes no authorizer: its function checks the credentials in the body.

        The function gets the `OpenRequest` and returns a view. It must be safe to repeat.
        """

        def declare(act: Open) -> Open:
            signature = declarations.signature_of(act, OpenRequest, View)
            operation = _operation(act, signature, line, (), is_open=True)

            def route() -> Response[str]:
                event = self.app.current_event
                given = inputs.body(event.decoded_body, operation.input_model)
                return self._answer(content_of(act(OpenRequest(input=given, id=self._request_id))))

            self._listen(operation, route)
            return act

        return declare

    @property
    def scopes(self) -> list[Scope]:
        """All scopes that the routes require."""
        return sorted({Scope(scope) for operation in self.operations for scope in operation.scopes})

    def _route_of(self, event: Mapping[str, Any]) -> str:
        """Return the declared path of a call; its event source may be a `{proxy+}`, which stands for many."""
        if not event["resource"].endswith("{proxy+}"):
            return str(event["resource"])
        method, path = event["httpMethod"], event["path"]
        declared = [self.document, *(one.path for one in self.operations if one.method == method)]
        if path in declared:
            return str(path)
        patterns = (one for one in declared if re.fullmatch(re.sub(r"{\w+}", "[^/]+", one), path))
        return next(patterns, str(event["resource"]))

    def _listen(self, operation: Operation, route: Callable[..., Response[str]]) -> None:
        self.operations.append(operation)
        rule = operation.path.replace("{", "<").replace("}", ">")
        self.app.route(rule, method=operation.method)(route)

    def _caller(self, *scopes: Scope) -> Caller:
        """Return the caller if it has one of *scopes*, if any. Raises Unauthenticated, RateLimited and Forbidden."""
        caller = caller_of(self.app.current_event.raw_event)
        if scopes:
            caller.require(*scopes)
        is_operator = Scope.OPERATOR in scopes and Scope.OPERATOR in caller.scopes
        if not is_operator and self.company() not in {None, caller.company}:
            raise Forbidden("company: this API belongs to another company")
        return caller

    def _request(self, operation: Operation) -> Request[Any]:
        event = self.app.current_event
        caller = self._caller(*(Scope(scope) for scope in operation.scopes))
        if operation.method == "GET":
            parameters = event.multi_value_query_string_parameters
            call_input = inputs.query(parameters, operation.input_model)
        else:
            call_input = inputs.body(event.decoded_body, operation.input_model)
        request_id = event.request_context.request_id
        return Request(
            caller=caller,
            input=call_input,
            id=request_id,
            cause=self._cause(operation, caller, request_id) if operation.key else "",
            api_url=_api_url(event.raw_event["requestContext"]),
            context=self.app.lambda_context,
        )

    def _cause(self, operation: Operation, caller: Caller, request_id: str) -> str:
        """
        Return the hash that identifies a change. Raises InvalidInput without a valid `Idempotency-Key`.

        A stored answer may name objects of all the caller's projects, and those that one of its scopes gives access to.
        So keys are scoped to both: a caller with others neither gets the answer nor learns that it exists.
        """
        key = self.app.current_event.headers.get(KEY_HEADER)
        if key is None and not self.requires_key:
            key = request_id
        elif not KEY.fullmatch(key or ""):
            problem = "must be 8 to 255 visible ASCII characters"
            raise InvalidInput([{"field": KEY_HEADER, "problem": problem}])
        held = " ".join(sorted(caller.scopes.intersection(operation.scopes)))
        projects = " ".join(sorted(caller.projects))
        owner = (caller.principal,) if self.is_personal else ()
        return digest("api", caller.company, projects, held, *owner, operation.name, str(key))

    def _once(
        self,
        operation: Operation,
        request: Request[Any],
        names: Mapping[str, str],
        change: Callable[[], Result],
        is_open: Callable[[Answer], bool],
    ) -> Answer:
        """Make a change and record it, or return the stored answer of the call that made it."""
        from shared.api.routing.single_changes import SingleChange  # noqa: PLC0415 - functions without changes start faster

        if self.requests is None or self.audit_log is None:
            raise TypeError("`changes` has refused this route")

        def status_of(outcome: Answer | Exception) -> int:
            if isinstance(outcome, Exception):
                return responses.row_of(outcome, self.errors)[0]
            return HTTPStatus.ACCEPTED if is_open(outcome) else HTTPStatus.OK

        call = SingleChange(
            name=operation.name,
            caller=request.caller,
            names=names,
            body=request.input.model_dump(mode="json", by_alias=True),
            kind=_kind(operation.path),
            object_id=_object_id(names),
            given=request.input.model_dump(mode="json", by_alias=True, exclude_unset=True),
            id=request.id,
            key=request.cause,
            remaining_ms=request.remaining_ms,
        )
        return call.once(self.requests, self.audit_log, change, status_of)

    def _describe(self) -> Response[str]:
        """Return the OpenAPI document to any API key with a scope of this API."""
        self._caller(*self.more_scopes, *self.scopes)
        return Response(HTTPStatus.OK, content_types.APPLICATION_JSON, self._document_text)

    @cached_property
    def _document_text(self) -> str:
        return to_json(openapi.document(self.title, "1", self.operations))

    def _answer(self, content: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> Response[str]:
        return responses.answer(content, self._request_id, status)

    def _refuse(self, error: Exception) -> Response[str]:
        """Build the response for a failed call."""
        return responses.refusal(error, self.errors, self._request_id)

    @property
    def _request_id(self) -> str:
        return self.app.current_event.request_context.request_id


def _operation(
    act: Callable[..., Any],
    signature: Signature[View],
    line: str,
    scopes: tuple[Scope, ...],
    **more: Any,  # noqa: ANN401 - further fields of the operation
) -> Operation:
    method, path = line.split(" ")
    return Operation(
        name=act.__name__,
        summary=(inspect.getdoc(act) or "").partition("\n")[0],
        method=method,
        path=path,
        scopes=scopes,
        input_model=signature.input_model,
        result=signature.result,
        **more,
    )


def _api_url(about: Mapping[str, Any]) -> str:
    return f"https://{about['domainName']}/{about['stage']}" if "domainName" in about else ""


def _object_id(names: Mapping[str, str]) -> str | None:
    """Return the id of the object that a path names, None if it names none by an id."""
    return next((value for name, value in names.items() if name in OBJECT_IDS), None)


def _kind(path: str) -> str:
    """Return the kind of the objects of a path: `webhooks` of `/inbox/webhooks/{webhook_id}/rotate`."""
    parts = path.partition("/{")[0].removeprefix("/admin").strip("/").split("/")
    return parts[min(1, len(parts) - 1)]


def _decoded(names: Mapping[str, str]) -> dict[str, str]:
    """Decode path parameters: API Gateway passes paths URL-encoded."""
    return {name: unquote(value) for name, value in names.items()}
