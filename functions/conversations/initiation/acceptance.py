"""`POST /initiate-conversation`: accepts a request and enqueues a Context Object for its channel, once per id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from conversations.configuration import ownership
from conversations.configuration.projects import (
    Companies,
    Company,
    ConfigurationInvalid,
    ProjectStatus,
)
from conversations.initiation import requests
from conversations.initiation.context_object import (
    ContextObject,
    ConversationData,
    Metadata,
    as_json,
    context_hash,
)
from conversations.initiation.json_body import RequestRefused
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.records import Answered
from conversations.store.items.routes import Open
from conversations.store.limits import quotas
from conversations.store.lists import open_list
from shared.api import idempotency
from shared.api.auth import Caller, Forbidden, Scope
from shared.api.errors import KeyReused, StillRunning
from shared.api.idempotency import RequestedChange, Requests
from shared.aws.sqs_fifo import Entry, FifoQueue, NotEnqueued, digest
from shared.aws.tables.rate_limits.limit import Limit
from shared.identity.keyed_hashes import KeysUnreadable
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.configuration.ownership import Claims
    from conversations.initiation.requests import Request
    from conversations.store.items.conversation import ChannelMethod
    from shared.api.audit_log.log import AuditLog
    from shared.aws.dynamodb import Table

MINUTE_SECONDS = 60
CHANGE = "initiate_conversation"  # in the audit log


@dataclass(slots=True, kw_only=True, eq=False)
class RouterDependencies:
    """Log table, company data, sender claims, a queue per channel, and the audit log."""

    log: Table
    companies: Companies
    claims: Claims
    queues: Mapping[ChannelMethod, FifoQueue]
    audit_log: AuditLog
    router_version: str
    max_age_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One API call: caller, payload, correlation id and the remaining time of the invocation."""

    caller: Caller
    payload: dict[str, Any]
    correlation_id: str
    remaining_ms: int


def initiate(deps: RouterDependencies, call: Call) -> dict[str, Any]:
    """Accept a request and return the response; a repeat returns the same response. Raises RequestRefused."""
    try:
        region_of = partial(_default_region, deps, call.caller)
        request = requests.parse(call.payload, region_of, deps.max_age_ms)
        company = _checked(deps, call.caller, request)
        return _once(deps, call, request, company)
    except ConfigurationInvalid as fault:
        raise RequestRefused(
            "CONFIGURATION_ERROR",
            "the project is not set up for this channel",
            HTTPStatus.INTERNAL_SERVER_ERROR,
            field=fault.attribute,
        ) from None
    except NotEnqueued:
        raise RequestRefused(
            "QUEUE_ERROR",
            "the request could not be queued; retry it",
            HTTPStatus.SERVICE_UNAVAILABLE,
        ) from None
    except KeysUnreadable as failure:
        raise RequestRefused(
            "INTERNAL_ERROR",
            "the request could not be accepted; retry it",
            HTTPStatus.SERVICE_UNAVAILABLE,
        ) from failure
    except (ClientError, BotoCoreError, Transient) as failure:  # All other calls are to tables.
        raise RequestRefused(
            "DATABASE_ERROR",
            "the request could not be accepted; retry it",
            HTTPStatus.INTERNAL_SERVER_ERROR,
        ) from failure


def _default_region(
    deps: RouterDependencies, caller: Caller, company_id: str, project_id: str
) -> str | None:
    # Callers without access to the project must not learn even its country.
    if not caller.may_use(company_id, project_id):
        return None
    item = deps.companies.item(company_id, project_id)
    region = (item or {}).get("default_region")
    return region if isinstance(region, str) and re.fullmatch("[A-Z]{2}", region) else None


def _checked(deps: RouterDependencies, caller: Caller, request: Request) -> Company:
    """Return the project if the caller may use it and it accepts this conversation. Raises RequestRefused."""
    if not caller.may_use(request.company_id, request.project_id):
        raise RequestRefused(
            "AUTHORIZATION_ERROR",
            "this API key belongs to another company or project",
            HTTPStatus.FORBIDDEN,
            field="company_data",
        )
    company = deps.companies.project(request.company_id, request.project_id)
    if company is None:
        message = "company or project not found"
        raise RequestRefused(
            "COMPANY_NOT_FOUND", message, HTTPStatus.NOT_FOUND, field="company_data"
        )
    if company.project_status is not ProjectStatus.ACTIVE:
        raise RequestRefused("PROJECT_INACTIVE", "the project is inactive", HTTPStatus.FORBIDDEN)
    if request.channel_method not in company.allowed_channels:
        message = "the project does not allow this channel"
        raise RequestRefused(
            "CHANNEL_NOT_ALLOWED",
            message,
            HTTPStatus.FORBIDDEN,
            field="request_data.channel_method",
        )
    method = request.channel_method
    ownership.check_credentials(company, method)
    sender = company.sender(method, request.recipient.primary(method))
    deps.claims.require(company, method, sender)
    return company


def _once(
    deps: RouterDependencies, call: Call, request: Request, company: Company
) -> dict[str, Any]:
    hashed = identifiers.request(request.company_id, request.project_id, request.request_id)
    attempt = RequestedChange(
        key=hashed,
        fingerprint=context_hash(request.payload),
        owner=call.correlation_id,
        remaining_ms=call.remaining_ms,
    )

    def accept() -> dict[str, Any]:
        _take_limits(deps, company)
        conversation_id = _conversation_id(request)
        ref = states.ref_in_use(deps.log, identifiers.refs_of(conversation_id))

        def begin() -> dict[str, Any]:
            _admit(deps, company, request, ref)
            return _enqueue(deps, call, request, hashed, ref)

        return deps.audit_log.record(
            begin,
            caller=call.caller,
            change=CHANGE,
            object_id=ref,
            request_id=call.correlation_id,
            status_of=_status_of,
        )

    try:
        return idempotency.once(Requests(deps.log, Answered), attempt, accept)
    except KeyReused:
        message = "this request_id was used for a request with other content"
        raise RequestRefused(
            "REQUEST_ID_CONFLICT", message, HTTPStatus.CONFLICT, field="request_data.request_id"
        ) from None
    except StillRunning:
        message = "the same request is still in progress"
        raise RequestRefused(
            "REQUEST_IN_PROGRESS", message, HTTPStatus.CONFLICT, retry_after=1
        ) from None


def _status_of(outcome: dict[str, Any] | Exception) -> int:
    if isinstance(outcome, RequestRefused):
        return outcome.status
    failed = isinstance(outcome, Exception)
    return HTTPStatus.INTERNAL_SERVER_ERROR if failed else HTTPStatus.OK


def _take_limits(deps: RouterDependencies, company: Company) -> None:
    """Count the request against the project's limits per minute and day. Raises RequestRefused."""
    limits = company.rate_limits
    quota = (
        Limit(limits.requests_per_minute, MINUTE_SECONDS),
        Limit(limits.requests_per_day, clock.DAY_SECONDS),
    )
    wait = quotas.take_request(deps.log, company.company_id, company.project_id, quota)
    if wait is not None:
        raise RequestRefused(
            "RATE_LIMIT_EXCEEDED",
            "the project has reached its request limit per minute or day",
            HTTPStatus.TOO_MANY_REQUESTS,
            retry_after=wait,
        )


def _admit(deps: RouterDependencies, company: Company, request: Request, ref: str) -> None:
    """List and count the conversation. Idempotent. Raises RequestRefused at the limit of active conversations."""
    company_id, project_id = company.company_id, company.project_id
    now = clock.to_text(clock.now_ms())
    opening = Open(
        ref=ref,
        conversation_status="initiated",  # as in the Context Object
        channel_method=request.channel_method,
        since=now,
        last_activity_at=open_list.hour_of(now),
        ttl=clock.expires_in(company.retention_days * clock.DAY_SECONDS),
    )
    most = company.rate_limits.concurrent_conversations
    if not open_list.admit(deps.log, company_id, project_id, opening, most):
        raise RequestRefused(
            "CONCURRENCY_LIMIT_EXCEEDED",
            "the project has reached its limit of active conversations",
            HTTPStatus.TOO_MANY_REQUESTS,
            retry_after=60,
        )


def _conversation_id(request: Request) -> str:
    recipient = request.recipient.in_id(request.channel_method)
    return identifiers.conversation_id(
        request.company_id, request.project_id, request.request_id, recipient
    )


def _enqueue(
    deps: RouterDependencies, call: Call, request: Request, hashed: str, ref: str
) -> dict[str, Any]:
    channel = request.channel_method
    item = deps.companies.item(request.company_id, request.project_id)
    conversation_id = _conversation_id(request)
    queued_at = clock.to_text(clock.now_ms())
    context = ContextObject(
        frontend_payload=request.payload,
        company_data_payload=as_json(item),
        conversation_data=ConversationData(
            conversation_id=conversation_id, conversation_ref=ref, fallback=0
        ),
        metadata=Metadata(
            router_version=deps.router_version,
            queued_at=queued_at,
            correlation_id=call.correlation_id,
        ),
    )
    entry = Entry(context.model_dump_json(ensure_ascii=True), digest(ref), hashed)
    try:
        deps.queues[channel].send([entry])
    except (ClientError, BotoCoreError) as failure:
        raise NotEnqueued(type(failure).__name__) from failure
    return {
        "status": "success",
        "request_id": request.request_id,
        "message": "Request accepted and queued for processing",
        "queue_timestamp": queued_at,
        "conversation_id": conversation_id,
        "conversation_ref": ref,
        "warnings": list(request.warnings),
    }


def authorised(caller: Caller) -> Caller:
    """Return the caller if they may start conversations. Raises RequestRefused."""
    try:
        caller.require(Scope.CONVERSATIONS_INITIATE)
    except Forbidden:
        message = f"the API key must have the scope {Scope.CONVERSATIONS_INITIATE}"
        raise RequestRefused("AUTHORIZATION_ERROR", message, HTTPStatus.FORBIDDEN) from None
    return caller
