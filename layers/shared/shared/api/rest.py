"""Shared code of all functions behind the API: caller, parameters, responses and error format."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ValidationError

from shared.api.auth import Caller, Forbidden, RateLimited, Scope, Unauthenticated, caller_of
from shared.api.cursors import InvalidCursor
from shared.aws.sqs_fifo import to_json
from shared.runtime import tracing
from shared.runtime.observability import describe, logger, metrics

LONGEST_NAME_SHOWN = 64

type Refusal = tuple[HTTPStatus, str]
type Refusals = Mapping[type[Exception], Refusal]

NOT_FOUND: Refusal = (HTTPStatus.NOT_FOUND, "not_found")


class InvalidInput(Exception):
    """Parameters are invalid; *problems* lists them as {field, problem}, without values."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{entry['field']}: {entry['problem']}" for entry in problems))
        self.problems = problems


# Exception to status and code. Exceptions neither listed here nor among a function's own are internal errors: status
# 500, and their text is not exposed.
REFUSALS: Refusals = {
    InvalidInput: (HTTPStatus.BAD_REQUEST, "invalid_input"),
    InvalidCursor: (HTTPStatus.BAD_REQUEST, "invalid_cursor"),
    Unauthenticated: (HTTPStatus.UNAUTHORIZED, "unauthenticated"),
    Forbidden: (HTTPStatus.FORBIDDEN, "forbidden"),
    RateLimited: (HTTPStatus.TOO_MANY_REQUESTS, "rate_limited"),
    NotFoundError: NOT_FOUND,  # raised by Powertools: unknown route
}


def resolver(own_refusals: Refusals) -> APIGatewayRestResolver:
    """Return an empty resolver with the error handling common to all functions."""
    app = APIGatewayRestResolver()
    refusals = {**REFUSALS, **own_refusals}

    @app.exception_handler(Exception)  # type: ignore[untyped-decorator] # Powertools gives it no types
    def refuse(error: Exception) -> Response[str]:
        """Build the response for a failed call."""
        status, code = refusals.get(type(error), (HTTPStatus.INTERNAL_SERVER_ERROR, "internal"))
        may_pass = isinstance(error, RateLimited) or status >= HTTPStatus.INTERNAL_SERVER_ERROR
        shown: dict[str, Any] = {"code": code, "message": str(error), "retryable": may_pass}
        if isinstance(error, InvalidInput):
            shown["details"] = error.problems
        elif isinstance(error, NotFoundError):
            shown["message"] = "there is no such route"
        elif code == "internal":
            logger.error("call failed", extra=describe(error))
            shown["message"] = "the call could not be handled"
        refused = answer(app, {"statusCode": status, "error": shown}, status)
        if isinstance(error, RateLimited):
            refused.headers["Retry-After"] = str(error.retry_after)
        return refused

    return app


def respond(
    app: APIGatewayRestResolver, event: dict[str, Any], context: LambdaContext
) -> dict[str, Any]:
    """
    Handle an API Gateway proxy event and return the proxy response. Flushes the metrics counted during the call.

    Writes one log line per call, without the path: paths contain personal data.
    """
    try:
        with tracing.step("request", route=event["resource"], method=event["httpMethod"]):
            given = app.resolve(event, context)
            tracing.annotate(outcome=str(given["statusCode"]))
    finally:
        if metrics.metric_set:  # Powertools warns if it flushes without metrics.
            metrics.flush_metrics()
    facts = event["requestContext"].get("authorizer") or {}
    logger.info(
        "call answered",
        extra={
            "correlation_id": event["requestContext"]["requestId"],
            "route": event["resource"],
            "status": given["statusCode"],
            "company": facts.get("company"),
            "principal": facts.get("principal"),
        },
    )
    return given


def caller(app: APIGatewayRestResolver, *scopes: Scope) -> Caller:
    """Return the caller if it has one of *scopes*. Raises Unauthenticated, RateLimited and Forbidden."""
    known = caller_of(app.current_event.raw_event)
    known.require(*scopes)
    return known


def query[Q: BaseModel](app: APIGatewayRestResolver, model: type[Q]) -> Q:
    """Return the validated query parameters. Raises InvalidInput."""
    repeated = [
        {"field": name[:LONGEST_NAME_SHOWN], "problem": "must be given once"}
        for name, values in app.current_event.multi_value_query_string_parameters.items()
        if len(values) > 1
    ]
    if repeated:
        raise InvalidInput(repeated)
    return _checked(app.current_event.query_string_parameters, model)


def body[B: BaseModel](app: APIGatewayRestResolver, model: type[B]) -> B:
    """Return the validated JSON body; an empty body counts as an empty object. Raises InvalidInput."""
    try:
        given = json.loads(app.current_event.decoded_body or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InvalidInput([{"field": "body", "problem": "must be a JSON object"}])
    return _checked(given, model)


def page(app: APIGatewayRestResolver, result: BaseModel, cursor: str | None) -> Response[str]:
    """Build the response for one page of a listing; `cursor` is absent on the last page."""
    return answer(app, {"result": result, **({"cursor": cursor} if cursor else {})})


def answer(
    app: APIGatewayRestResolver, content: dict[str, Any], status: HTTPStatus = HTTPStatus.OK
) -> Response[str]:
    """Build a response with the request id; models in *content* become JSON without None values."""
    request_id = app.current_event.request_context.request_id
    shown = {
        name: part.model_dump(mode="json", by_alias=True, exclude_none=True)
        if isinstance(part, BaseModel)
        else part
        for name, part in content.items()
    }
    return Response(
        status_code=status,
        content_type=content_types.APPLICATION_JSON,
        headers={"X-Request-Id": request_id, "Cache-Control": "no-store"},
        body=to_json({"requestId": request_id, **shown}),
    )


def _checked[M: BaseModel](given: object, model: type[M]) -> M:
    try:
        return model.model_validate(given)
    except ValidationError as refusal:
        errors = refusal.errors(include_input=False, include_url=False, include_context=False)
    raise InvalidInput(
        [
            # Errors of a rule about several fields have no location; they are reported for `body`.
            {"field": str((*e["loc"], "body")[0])[:LONGEST_NAME_SHOWN], "problem": e["msg"]}
            for e in errors
        ]
    )
