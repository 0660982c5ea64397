"""The inbox over HTTP: GET /whatsapp/conversations, /whatsapp/conversations/{key}/messages, /whatsapp/analytics."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from pydantic import BaseModel, ValidationError

from shared.auth import Caller, Forbidden, Scope, Unauthenticated, caller_of
from shared.cursors import InvalidCursor
from shared.dynamodb import Table
from shared.objects import Bucket
from shared.observability import describe, logger
from shared.queues import to_json
from shared.secrets import JsonSecret
from shared.settings import Settings
from whatsapp import reading, reports
from whatsapp.reading import ConversationsQuery, MessagesQuery, NotFound, Page, PhoneRequired
from whatsapp.reports import AnalyticsQuery

LONGEST_NAME_SHOWN = 64


class InvalidInput(Exception):
    """Parameters break rules; *problems* says which: {field, problem} of each, never a value."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{entry['field']}: {entry['problem']}" for entry in problems))
        self.problems = problems


@dataclass(frozen=True, kw_only=True)
class ApiSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    api_seal_secret_id: str


# Whatever is not here is ours to repair: 500, and its text stays inside.
REFUSALS: Mapping[type[Exception], tuple[HTTPStatus, str]] = {
    InvalidInput: (HTTPStatus.BAD_REQUEST, "invalid_input"),
    PhoneRequired: (HTTPStatus.BAD_REQUEST, "phone_required"),
    InvalidCursor: (HTTPStatus.BAD_REQUEST, "invalid_cursor"),
    Unauthenticated: (HTTPStatus.UNAUTHORIZED, "unauthenticated"),
    Forbidden: (HTTPStatus.FORBIDDEN, "forbidden"),
    NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
    NotFoundError: (HTTPStatus.NOT_FOUND, "not_found"),  # Powertools: no such route
}

settings = ApiSettings.load()
# Links must be signed with version 4: what boto3 makes by itself, newer buckets and regions refuse.
signing = Config(signature_version="s3v4")
source = reading.Source(
    table=Table(boto3.client("dynamodb"), settings.messages_table_name),
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
app = APIGatewayRestResolver()


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; one log line per call, without the path: it addresses people."""
    answer = app.resolve(event, context)
    facts = event["requestContext"].get("authorizer") or {}
    logger.info(
        "call answered",
        extra={
            "correlation_id": event["requestContext"]["requestId"],
            "route": event["resource"],
            "status": answer["statusCode"],
            "company": facts.get("company"),
            "principal": facts.get("principal"),
        },
    )
    return answer


@app.get("/whatsapp/conversations")
def list_conversations() -> Response[str]:
    """Conversations of one number, newest first. Query: phone, archived, limit, cursor."""
    caller = _caller(Scope.WHATSAPP_READ)
    return _page(reading.conversations(source, caller.company, _query(ConversationsQuery)))


@app.get("/whatsapp/conversations/<key>/messages")
def list_messages(key: str) -> Response[str]:
    """Messages of one conversation, newest first. Query: limit, cursor."""
    caller = _caller(Scope.WHATSAPP_READ)
    return _page(reading.messages(source, caller.company, key, _query(MessagesQuery)))


@app.get("/whatsapp/analytics")
def list_analytics() -> Response[str]:
    """Counted days of one account, oldest first. Query: waba, from, to."""
    caller = _caller(Scope.WHATSAPP_READ)
    return _page(reports.analytics(source.table, caller.company, _query(AnalyticsQuery)))


@app.exception_handler(Exception)  # type: ignore[untyped-decorator] # Powertools gives it no types
def refuse(error: Exception) -> Response[str]:
    """The answer to a call that failed."""
    status, code = REFUSALS.get(type(error), (HTTPStatus.INTERNAL_SERVER_ERROR, "internal"))
    shown: dict[str, Any] = {"code": code, "message": str(error), "retryable": False}
    if isinstance(error, InvalidInput):
        shown["details"] = error.problems
    elif isinstance(error, NotFoundError):
        shown["message"] = "there is no such route"
    elif code == "internal":
        logger.error("call failed", extra=describe(error))
        shown |= {"message": "the call could not be handled", "retryable": True}
    return _answer(status, {"statusCode": status, "error": shown})


def _caller(scope: Scope) -> Caller:
    """The caller, if they have *scope*. Raises Unauthenticated and Forbidden."""
    caller = caller_of(app.current_event.raw_event)
    caller.require(scope)
    return caller


def _query[Q: BaseModel](model: type[Q]) -> Q:
    """The query parameters of this call. Raises InvalidInput."""
    repeated = [
        {"field": name[:LONGEST_NAME_SHOWN], "problem": "must be given once"}
        for name, values in app.current_event.multi_value_query_string_parameters.items()
        if len(values) > 1
    ]
    if repeated:
        raise InvalidInput(repeated)
    try:
        return model.model_validate(app.current_event.query_string_parameters)
    except ValidationError as refusal:
        errors = refusal.errors(include_input=False, include_url=False, include_context=False)
    raise InvalidInput(
        [{"field": str(e["loc"][0])[:LONGEST_NAME_SHOWN], "problem": e["msg"]} for e in errors]
    )


def _page(page: Page[Any]) -> Response[str]:
    result = page.result.model_dump(mode="json", by_alias=True, exclude_none=True)
    cursor = {"cursor": page.cursor} if page.cursor else {}
    return _answer(HTTPStatus.OK, {"result": result, **cursor})


def _answer(status: HTTPStatus, body: dict[str, Any]) -> Response[str]:
    request_id = app.current_event.request_context.request_id
    return Response(
        status_code=status,
        content_type=content_types.APPLICATION_JSON,
        headers={"X-Request-Id": request_id, "Cache-Control": "no-store"},
        body=to_json({"requestId": request_id, **body}),
    )
