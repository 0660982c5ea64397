"""Responses of the HTTP APIs: results, and the table of exceptions with their statuses and codes."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from shared.api.auth import Forbidden, RateLimited, Unauthenticated
from shared.api.cursors import InvalidCursor, Page
from shared.api.errors import (
    InvalidInput,
    KeyReused,
    Outdated,
    Repeatable,
    StillRunning,
    Unprocessable,
    error_body,
)
from shared.api.models.views import Text, View
from shared.aws.secrets import SecretUnreadable
from shared.aws.sqs_fifo import NotEnqueued, to_json
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

type Result = Page[Any] | View
type Errors = Mapping[type[Exception], tuple[HTTPStatus, str]]

# Exception, or base class of one, to status and code. An exception that is neither here nor in the table of its API is
# an internal error: its text is not exposed.
ERRORS: Errors = {
    InvalidInput: (HTTPStatus.BAD_REQUEST, "invalid_input"),
    Unprocessable: (HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_input"),
    InvalidCursor: (HTTPStatus.BAD_REQUEST, "invalid_cursor"),
    Unauthenticated: (HTTPStatus.UNAUTHORIZED, "unauthenticated"),
    Forbidden: (HTTPStatus.FORBIDDEN, "forbidden"),
    NotFoundError: (HTTPStatus.NOT_FOUND, "not_found"),  # raised by Powertools: unknown route
    KeyReused: (HTTPStatus.CONFLICT, "idempotency_key_conflict"),
    StillRunning: (HTTPStatus.CONFLICT, "request_in_progress"),
    RateLimited: (HTTPStatus.TOO_MANY_REQUESTS, "rate_limited"),
    NotEnqueued: (HTTPStatus.SERVICE_UNAVAILABLE, "not_enqueued"),
    SecretUnreadable: (HTTPStatus.SERVICE_UNAVAILABLE, "secret_unreadable"),
    Transient: (HTTPStatus.SERVICE_UNAVAILABLE, "busy"),
}
INTERNAL = (HTTPStatus.INTERNAL_SERVER_ERROR, "internal")


def answer(content: dict[str, Any], request_id: str, status: HTTPStatus) -> Response[str]:
    """Build a response with the request id."""
    return Response(
        status_code=status,
        content_type=content_types.APPLICATION_JSON,
        headers={"X-Request-Id": request_id, "Cache-Control": "no-store"},
        body=to_json({"request_id": request_id, **content}),
    )


def content_of(result: Result) -> dict[str, Any]:
    """Return the part of a response that a result is."""
    page = result if isinstance(result, Page) else Page(result)
    view = page.result
    shown = view.model_dump(mode="json", by_alias=True, exclude_none=view.omits_none)
    return {"result": shown, **({"cursor": page.cursor} if page.cursor else {})}


def text_answer(text: Text, request_id: str) -> Response[str]:
    """Build a response that is no JSON."""
    return Response(
        status_code=HTTPStatus.OK,
        content_type=text.media_type,
        headers={
            "X-Request-Id": request_id,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Disposition": "attachment",
        },
        body=text.body,
    )


def row_of(error: Exception, own: Errors) -> tuple[HTTPStatus, str]:
    """Return the status and the code of an exception. *own*: the exceptions of the API that are not in `ERRORS`."""
    table = {**ERRORS, **own}
    return next((table[kind] for kind in type(error).__mro__ if kind in table), INTERNAL)


def refusal(error: Exception, own: Errors, request_id: str) -> Response[str]:
    """Build the response for a failed call. *own*: the exceptions of the API that are not in `ERRORS`."""
    status, code = row_of(error, own)
    message = str(error)
    if isinstance(error, NotFoundError):
        message = "there is no such route"
    elif (status, code) == INTERNAL:
        logger.error("call failed", extra=describe(error))
        message = "the call could not be handled"
    retry_after = error.retry_after if isinstance(error, RateLimited) else None
    content = error_body(
        code,
        message,
        request_id,
        retryable=retry_after is not None
        or isinstance(error, Repeatable)
        or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED),
        details=error.problems if isinstance(error, InvalidInput) else (),
        retry_after=retry_after,
        newer=error.newer if isinstance(error, Outdated) else None,
    )
    refused = answer(content, request_id, status)
    if retry_after is not None:
        refused.headers["Retry-After"] = str(retry_after)
    return refused
