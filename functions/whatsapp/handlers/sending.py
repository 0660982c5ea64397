"""HTTP API that sends: POST /whatsapp/conversations/{key}/messages, and canned replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue, to_json
from shared.aws.tables.seen import ChangedMeanwhile
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from shared.policy.kill_switches import KillSwitches, parameter_store
from shared.providers.action_ledger import Action, Ledger
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time
from whatsapp import transmission
from whatsapp.api import queries
from whatsapp.api.queries import ApiDependencies, NotFound
from whatsapp.configuration.resources import SendingResources
from whatsapp.sending import canned_replies, failures, files, inputs, messages, payloads, views
from whatsapp.sending.gate import Gate
from whatsapp.store.items import ACTION_PK_PATTERN, pk
from whatsapp.store.items.sending.requests import Idempotency
from whatsapp.store.sending.canned_replies import ListFull

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class SendingSettings(AuditedSettings):
    """The environment of this function."""

    messages_table_name: str
    conversation_log_table_name: str
    conversations_inbound_queue_url: str
    media_bucket_name: str
    whatsapp_tokens_secret_id: str
    identifier_keys_secret_id: str
    api_seal_secret_id: str
    switches_path: str
    graph_base_url: Origin
    graph_api_version: str
    eum_meta_api_version: str
    message_ttl_days: int


settings = SendingSettings.load()
# API Gateway answers for us after 29 seconds, of which the provider may take ten.
quick = Config(connect_timeout=2, read_timeout=4, retries={"total_max_attempts": 2})
# Forms and links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
# Neither Graph nor End User Messaging has idempotency keys: one attempt, and the ledger decides about the next.
once = Config(retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=10)


def _secret(name: str) -> JsonSecret:
    return JsonSecret(lambda: boto3.client("secretsmanager", config=quick), name)


_parameters = parameter_store(lambda: boto3.client("ssm", config=quick))


keyed_hashes.configure(_secret(settings.identifier_keys_secret_id))
dynamodb = boto3.client("dynamodb", config=quick)
table = Table(dynamodb, settings.messages_table_name)
resources = SendingResources(
    table=table,
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
    conversation_inbound=FifoQueue(
        lambda: boto3.client("sqs", config=quick), settings.conversations_inbound_queue_url
    ),
    ledger=Ledger(
        table, lambda action_id: pk(ACTION_PK_PATTERN.format(actionId=action_id)), Action
    ),
    graph=Graph(settings.graph_base_url, settings.graph_api_version),
    eum=Eum(lambda: boto3.client("socialmessaging", config=once), settings.eum_meta_api_version),
    tokens=_secret(settings.whatsapp_tokens_secret_id),
    message_ttl_days=settings.message_ttl_days,
)
gate = Gate(
    table=table,
    switches=KillSwitches(_parameters, settings.switches_path),
    consents=Consents(Table(dynamodb, settings.conversation_log_table_name)),
)
deps = ApiDependencies(
    table=table, bucket=resources.bucket, seal_secret=_secret(settings.api_seal_secret_id)
)
routes = Routes(
    title="Parley: WhatsApp sending",
    document="/whatsapp/sending/openapi.json",
    errors={
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        failures.PolicyRefused: (HTTPStatus.UNPROCESSABLE_ENTITY, "policy_refused"),
        failures.ProviderRejected: (HTTPStatus.UNPROCESSABLE_ENTITY, "provider_rejected"),
        failures.AnsweredMeanwhile: (HTTPStatus.CONFLICT, "answered_meanwhile"),
        failures.TemplateNotSendable: (HTTPStatus.CONFLICT, "template_not_sendable"),
        failures.NotConfigured: (HTTPStatus.CONFLICT, "not_configured"),
        ListFull: (HTTPStatus.CONFLICT, "list_full"),
        ChangedMeanwhile: (HTTPStatus.CONFLICT, "version_conflict"),
        failures.NotSupported: (HTTPStatus.NOT_IMPLEMENTED, "not_supported"),
        failures.ProviderUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "provider_unavailable"),
    },
    requests=Requests(table, Idempotency),
    audit_log=settings.audit_log(dynamodb),
    requires_key=True,
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.changes(
    "POST /whatsapp/conversations/{key}/messages",
    Scope.WHATSAPP_SEND,
    goes_on=lambda result: result["state"] == messages.IN_DOUBT,
)
def send_message(
    request: Request[inputs.MessageInput], key: str
) -> Callable[[], views.SentView] | views.SentView:
    """Send a message to the customer of a conversation, at most once per key."""
    company = request.caller.company
    conversation, phone = queries.conversation_of(deps, company, key)
    order = messages.Order(
        action_id=transmission.action_id(resources, "send", company, request.cause),
        principal=request.caller.principal,
        phone=phone,
        conversation=conversation,
        # The position is no part of the message: a retry may name another one.
        request=to_json(request.input.model_dump(mode="json", exclude={"position"})),
        written_at=request.input.position,
        draft=payloads.draft_of(table, company, request.input),
    )
    # The ledger outlives the stored answers, and knows what became of a message in doubt.
    sent = messages.earlier(resources, order)
    if sent is not None:
        return sent
    run = messages.Run(owner=request.id, remaining_ms=lambda: request.remaining_ms)
    return lambda: messages.send(resources, gate, order, run)


@routes.changes("POST /whatsapp/uploads", Scope.WHATSAPP_SEND)
def prepare_upload(request: Request[inputs.UploadInput]) -> views.UploadView:
    """Return a form that uploads a file to be sent."""
    company = request.caller.company
    upload = transmission.action_id(resources, "upload", company, request.cause)
    return files.upload_form(resources.bucket, company, upload, request.input)


@routes.reads(
    "GET /whatsapp/canned-replies", Scope.WHATSAPP_READ, Scope.WHATSAPP_SEND, Scope.EMAIL_READ
)
def list_canned_replies(request: Request[NoInput]) -> views.CannedRepliesView:
    """List the company's canned replies, by name."""
    return canned_replies.replies(table, request.caller.company)


@routes.changes("PUT /whatsapp/canned-replies/{name}", Scope.WHATSAPP_SEND, Scope.EMAIL_WRITE)
def save_canned_reply(
    request: Request[inputs.CannedReplyText], name: str
) -> Callable[[], views.CannedReplyView]:
    """Create a canned reply, or replace its text."""
    return lambda: canned_replies.save(table, request.caller, name, request.input)


@routes.changes("DELETE /whatsapp/canned-replies/{name}", Scope.WHATSAPP_SEND, Scope.EMAIL_WRITE)
def remove_canned_reply(request: Request[NoInput], name: str) -> Callable[[], views.RemovedView]:
    """Delete a canned reply; a missing one is no error."""
    return lambda: canned_replies.remove(table, request.caller.company, name)
