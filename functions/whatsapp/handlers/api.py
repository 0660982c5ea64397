"""HTTP API of the inbox for agents and their software: numbers, conversations, messages, notes, changes, analytics."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from whatsapp.api import analytics, changes, inputs, message_views, queries, views
from whatsapp.api.conversations import conversation_lists, opened_conversation
from whatsapp.api.queries import NotFound, PhoneRequired
from whatsapp.store.conversations.agent_changes import StateConflict
from whatsapp.store.items.sending.requests import Idempotency


@dataclass(frozen=True, kw_only=True)
class ApiSettings(AuditedSettings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    api_seal_secret_id: str
    conversation_log_table_name: str
    identifier_keys_secret_id: str


settings = ApiSettings.load()
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = Config(signature_version="s3v4")
dynamodb = boto3.client("dynamodb")
deps = queries.ApiDependencies(
    table=Table(dynamodb, settings.messages_table_name),
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
keyed_hashes.configure(
    JsonSecret(lambda: boto3.client("secretsmanager"), settings.identifier_keys_secret_id)
)
opening = opened_conversation.OpeningDependencies(
    inbox=deps, consents=Consents(Table(dynamodb, settings.conversation_log_table_name))
)
routes = Routes(
    title="Parley: WhatsApp inbox",
    document="/whatsapp/openapi.json",
    errors={
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        PhoneRequired: (HTTPStatus.BAD_REQUEST, "phone_required"),
        StateConflict: (HTTPStatus.CONFLICT, "state_conflict"),
    },
    requests=Requests(deps.table, Idempotency),
    audit_log=settings.audit_log(dynamodb),
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads("GET /whatsapp/numbers", Scope.WHATSAPP_READ)
def list_numbers(request: Request[NoInput]) -> Page[views.Numbers]:
    """List the company's numbers with their settings and what the provider reported about them."""
    return queries.numbers(deps.table, request.caller.company)


@routes.reads("GET /whatsapp/conversations", Scope.WHATSAPP_READ)
def list_conversations(request: Request[inputs.ConversationsQuery]) -> Page[views.Conversations]:
    """List the conversations of one number, or of an assignee, newest first."""
    return conversation_lists.conversations(deps, request.caller.company, request.input)


@routes.reads("GET /whatsapp/conversations/{key}", Scope.WHATSAPP_READ)
def get_conversation(
    request: Request[inputs.ConversationQuery], key: str
) -> message_views.OpenedConversation:
    """Return one conversation in its present state, with its newest messages, notes, changes and consent if asked."""
    return opened_conversation.conversation(opening, request.caller, key, request.input)


@routes.changes("PATCH /whatsapp/conversations/{key}", Scope.WHATSAPP_WRITE)
def change_conversation(
    request: Request[inputs.ChangeInput], key: str
) -> Callable[[], views.StateView]:
    """Archive, assign, label, resolve, snooze or reopen a conversation."""
    head = queries.head_of(deps, request.caller.company, key)
    return lambda: changes.change(deps.table, head, request)


@routes.changes("POST /whatsapp/conversations/{key}/read", Scope.WHATSAPP_WRITE)
def mark_conversation_read(
    request: Request[inputs.ReadInput], key: str
) -> Callable[[], views.StateView]:
    """Mark a conversation as read up to the position that the agent saw."""
    head = queries.head_of(deps, request.caller.company, key)
    return lambda: changes.mark_read(deps.table, head, request)


@routes.reads("GET /whatsapp/conversations/{key}/notes", Scope.WHATSAPP_READ)
def list_notes(request: Request[inputs.NotesQuery], key: str) -> Page[views.Notes]:
    """List the internal notes of one conversation, newest first."""
    return queries.notes(deps, request.caller.company, key, request.input)


@routes.changes(
    "POST /whatsapp/conversations/{key}/notes", Scope.WHATSAPP_WRITE, status=HTTPStatus.CREATED
)
def add_note(request: Request[inputs.NoteInput], key: str) -> Callable[[], views.WrittenNote]:
    """Write an internal note, which the customer never sees."""
    head = queries.head_of(deps, request.caller.company, key)
    return lambda: changes.add_note(deps.table, head, request)


@routes.reads("GET /whatsapp/conversations/{key}/changes", Scope.WHATSAPP_READ)
def list_changes(request: Request[inputs.ChangesQuery], key: str) -> Page[views.Changes]:
    """List who changed one conversation, when and how, newest first."""
    return queries.changes(deps, request.caller.company, key, request.input)


@routes.reads("GET /whatsapp/conversations/{key}/messages", Scope.WHATSAPP_READ)
def list_messages(
    request: Request[inputs.MessagesQuery], key: str
) -> Page[message_views.ConversationMessages]:
    """List the messages of one conversation, newest first."""
    return queries.messages(deps, request.caller, key, request.input)


@routes.reads("GET /whatsapp/analytics", Scope.WHATSAPP_READ)
def list_analytics(request: Request[inputs.AnalyticsQuery]) -> Page[views.AnalyticsDays]:
    """List the counted days of one account, oldest first."""
    return analytics.analytics(deps.table, request.caller.company, request.input)
