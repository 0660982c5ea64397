"""The answers of actions: the envelope of a failure, and the proxy response of API Gateway."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from shared.api.auth import RateLimited
from shared.api.errors import InvalidInput, KeyReused
from shared.api.routing import responses
from shared.api.routing.responses import INTERNAL
from shared.aws.sqs_fifo import to_json
from shared.privacy import settings
from shared.runtime.observability import describe, logger
from whatsapp.actions.calls import failures, remote
from whatsapp.actions.dispatch import catalogue
from whatsapp.actions.dispatch.envelope import (
    FailedCall,
    Failure,
    OpenOutcome,
    Problem,
    provider_of,
)
from whatsapp.api.queries import NotFound, PhoneRequired
from whatsapp.sending import failures as sending
from whatsapp.store.conversations import agent_changes

if TYPE_CHECKING:
    from shared.api.routing.responses import Errors

_OWN: Errors = {
    **settings.ERRORS,
    catalogue.UnknownAction: (HTTPStatus.NOT_FOUND, "unknown_action"),
    NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
    PhoneRequired: (HTTPStatus.BAD_REQUEST, "phone_required"),
    KeyReused: (HTTPStatus.CONFLICT, "idempotency_key_reused"),
    failures.SecretGiven: (HTTPStatus.BAD_REQUEST, "secret_not_accepted"),
    failures.SignatureRefused: (HTTPStatus.FORBIDDEN, "invalid_signature"),
    failures.StateConflict: (HTTPStatus.CONFLICT, "state_conflict"),
    agent_changes.StateConflict: (HTTPStatus.CONFLICT, "state_conflict"),
    failures.ManagedByTemplate: (HTTPStatus.CONFLICT, "managed_by_template"),
    failures.Unsupported: (HTTPStatus.NOT_IMPLEMENTED, "not_supported"),
    sending.NotSupported: (HTTPStatus.NOT_IMPLEMENTED, "not_supported"),
    sending.PolicyRefused: (HTTPStatus.UNPROCESSABLE_ENTITY, "policy_refused"),
    sending.ProviderRejected: (HTTPStatus.UNPROCESSABLE_ENTITY, "provider_rejected"),
    sending.TemplateNotSendable: (HTTPStatus.CONFLICT, "template_not_sendable"),
    sending.NotConfigured: (HTTPStatus.CONFLICT, "not_configured"),
    sending.ProviderUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "provider_unavailable"),
    remote.AnswerIncomplete: (HTTPStatus.SERVICE_UNAVAILABLE, "provider_unavailable"),
}
_RETRYABLE = {HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE}


def row_of(error: Exception) -> tuple[HTTPStatus, str]:
    """Return the status and the code of an exception."""
    if isinstance(error, failures.LeftInDoubt):
        return HTTPStatus.ACCEPTED, "in_doubt"
    if isinstance(error, failures.BadEnvelope):
        return error.status, error.code
    return responses.row_of(error, _OWN)


def refusal(error: Exception, action: str, request_id: str) -> dict[str, Any]:
    """Return the envelope of a failed call. Texts of unexpected exceptions are not shown."""
    status, code = row_of(error)
    if isinstance(error, failures.LeftInDoubt):
        outcome = OpenOutcome(action_id=error.action_id, message=str(error))
        return {
            "statusCode": int(status),
            "operation": action,
            "requestId": request_id,
            "mode": catalogue.find(action).mode,
            "result": outcome.model_dump(mode="json", by_alias=True),
        }
    message = str(error)
    if (status, code) == INTERNAL:
        logger.error("action failed", extra=describe(error))
        message = "the call could not be handled"
    retry_after = error.retry_after if isinstance(error, RateLimited) else None
    failure = Failure(
        code=code,
        message=message,
        retryable=retry_after is not None or status in _RETRYABLE,
        retry_after_seconds=retry_after,
        reason=error.reason if isinstance(error, sending.PolicyRefused) else None,
        details=[Problem(**one) for one in error.problems]
        if isinstance(error, InvalidInput)
        else None,
        provider=provider_of(error),
    )
    failed = FailedCall(status_code=status, operation=action, request_id=request_id, error=failure)
    return failed.model_dump(mode="json", by_alias=True, exclude_none=True)


def as_proxy_response(content: dict[str, Any]) -> dict[str, Any]:
    """Return an envelope as API Gateway takes it."""
    headers = {
        "Content-Type": ["application/json"],
        "Cache-Control": ["no-store"],
        "X-Request-Id": [str(content["requestId"])],
    }
    retry_after = content.get("error", {}).get("retryAfterSeconds")
    if retry_after is not None:
        headers["Retry-After"] = [str(retry_after)]
    return {
        "statusCode": content["statusCode"],
        "multiValueHeaders": headers,
        "body": to_json(content),
        "isBase64Encoded": False,
    }
