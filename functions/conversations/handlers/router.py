"""Handler of `POST /initiate-conversation`: a company's software requests a conversation with a recipient."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config

from conversations.configuration.ownership import Claims
from conversations.configuration.projects import Companies
from conversations.initiation import acceptance, requests
from conversations.initiation.json_body import RequestRefused, read_json
from conversations.store.items.conversation import ChannelMethod
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Forbidden, RateLimited, Unauthenticated, caller_of
from shared.api.errors import InvalidInput, error_body
from shared.api.proxy_event import raw_body
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.identity import keyed_hashes
from shared.runtime import clock, tracing
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class RouterSettings(AuditedSettings):
    """Environment variables of this function."""

    conversation_log_table_name: str
    company_data_table_name: str
    whatsapp_channel_queue_url: str
    sms_channel_queue_url: str
    email_channel_queue_url: str
    router_version: str
    identifier_keys_secret_id: str
    request_max_age_seconds: int = 0
    cors_origin: Origin | None


settings = RouterSettings.load()
quick = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 2})
dynamodb = boto3.client("dynamodb", config=quick)
sqs = boto3.client("sqs", config=quick)
keyed_hashes.configure(
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.identifier_keys_secret_id
    )
)
log = Table(dynamodb, settings.conversation_log_table_name)
deps = acceptance.RouterDependencies(
    log=log,
    companies=Companies(Table(dynamodb, settings.company_data_table_name)),
    claims=Claims(log),
    queues={
        ChannelMethod.WHATSAPP: FifoQueue(lambda: sqs, settings.whatsapp_channel_queue_url),
        ChannelMethod.SMS: FifoQueue(lambda: sqs, settings.sms_channel_queue_url),
        ChannelMethod.EMAIL: FifoQueue(lambda: sqs, settings.email_channel_queue_url),
    },
    audit_log=settings.audit_log(dynamodb),
    router_version=settings.router_version,
    max_age_ms=settings.request_max_age_seconds * clock.SECOND_MS,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle an API Gateway proxy event and return the proxy response."""
    with tracing.step("request", method=event["httpMethod"]):
        answer = _answer(event, context)
        tracing.annotate(outcome=str(answer["statusCode"]))
    return answer


def _without_access(
    error: Unauthenticated | Forbidden | InvalidInput | RateLimited,
) -> RequestRefused:
    """Return the refusal of a call whose caller the authorizer did not find, or found above its rate."""
    if isinstance(error, RateLimited):
        status = HTTPStatus.TOO_MANY_REQUESTS
        return RequestRefused(
            "RATE_LIMIT_EXCEEDED", str(error), status, retry_after=error.retry_after
        )
    if isinstance(error, InvalidInput):
        (problem,) = error.problems
        return RequestRefused("INVALID_REQUEST", problem["problem"], field=problem["field"])
    if isinstance(error, Forbidden):
        return RequestRefused("AUTHORIZATION_ERROR", str(error), HTTPStatus.FORBIDDEN)
    return RequestRefused("UNAUTHORIZED", str(error), HTTPStatus.UNAUTHORIZED)


def _answer(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    if event["httpMethod"] == "OPTIONS":
        metrics.add_metric("Preflight", MetricUnit.Count, 1)
        return _response(
            HTTPStatus.NO_CONTENT if settings.cors_origin else HTTPStatus.NOT_FOUND, {}
        )
    metrics.add_metric("Requested", MetricUnit.Count, 1)
    request_id = "unknown"
    try:
        caller = acceptance.authorised(caller_of(event))
        payload = read_json(raw_body(event))
        request_id = requests.request_id_of(payload)
        call = acceptance.Call(
            caller=caller,
            payload=payload,
            correlation_id=event["requestContext"]["requestId"],
            remaining_ms=context.get_remaining_time_in_millis(),
        )
        answer = acceptance.initiate(deps, call)
    except RequestRefused as refusal:
        return _refused(refusal, request_id)
    except (Unauthenticated, Forbidden, InvalidInput, RateLimited) as refusal:
        return _refused(_without_access(refusal), request_id)
    except Exception as failure:  # noqa: BLE001 - the caller needs an error response in the same format as all others
        logger.error("request failed", extra=describe(failure))
        message = "the request could not be accepted; retry it"
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return _refused(RequestRefused("INTERNAL_ERROR", message, status), request_id)
    metrics.add_metric("Accepted", MetricUnit.Count, 1)
    tracing.annotate(conversation=answer["conversation_ref"])
    about = {"conversation": answer["conversation_ref"], "change": acceptance.CHANGE}
    actor = {"company": caller.company, "principal": caller.principal}
    logger.info("request accepted", extra=about | actor)
    return _response(HTTPStatus.OK, answer)


def _refused(refusal: RequestRefused, request_id: str) -> dict[str, Any]:
    metrics.add_metric("Refused", MetricUnit.Count, 1)
    logger.info("request refused", extra={"code": refusal.code, "field": refusal.field})
    details = [{"field": refusal.field, "problem": refusal.message}] if refusal.field else []
    body = error_body(
        refusal.code,
        refusal.message,
        request_id,
        retryable=refusal.retry_after is not None
        or refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        details=details,
        retry_after=refusal.retry_after,
    )
    wait = None if refusal.retry_after is None else str(refusal.retry_after)
    return _response(refusal.status, body, {"Retry-After": wait} if wait else {})


def _response(
    status: HTTPStatus, body: dict[str, Any], more: dict[str, str] | None = None
) -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Cache-Control": "no-store", **(more or {})}
    if settings.cors_origin:
        headers |= {
            "Access-Control-Allow-Origin": settings.cors_origin,
            "Access-Control-Allow-Methods": "POST,OPTIONS",
            "Access-Control-Allow-Headers": "Content-Type,X-Api-Key",
        }
    return {"statusCode": int(status), "headers": headers, "body": json.dumps(body) if body else ""}
