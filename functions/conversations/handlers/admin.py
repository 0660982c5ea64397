"""HTTP API for agents and their software: conversation lists, messages, agent actions, unmatched messages, consent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from conversations.api import inputs, queries, unmatched, views
from conversations.api.access import (
    Agent,
    AlreadyTaken,
    ApiDependencies,
    NotFound,
    NotOpen,
    opened_for,
    recipient_of,
)
from conversations.api.agents import agent_actions, consent, release_request, resolve_unknown
from conversations.api.idempotency import KeyReused, StillRunning
from conversations.api.queries import Page
from conversations.api.routing import Routes
from conversations.bootstrap import ConnectedSettings, resources_of
from conversations.projects import ConfigurationInvalid
from conversations.store.states import Gone
from shared.api import rest
from shared.api.auth import Caller, Scope
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.aws.sqs_fifo import FifoQueue, NotEnqueued, to_json
from shared.consent.records import Consents
from shared.failures import Transient
from shared.keyed_hashes import KeysUnreadable, KeyUnknown


@dataclass(frozen=True, kw_only=True)
class AdminSettings(ConnectedSettings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    api_seal_secret_id: str


settings = AdminSettings.load()
quick = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 2})
# Presigned links need signature version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
sqs = boto3.client("sqs", config=quick)
resources = resources_of(settings, quick, of_bucket=signing)
log = resources.log
deps = ApiDependencies(
    resources=resources,
    inbound=FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url),
    consents=Consents(log),
    seal_secret=JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.api_seal_secret_id
    ),
)
app = rest.resolver(
    {
        NotFound: rest.NOT_FOUND,
        Gone: rest.NOT_FOUND,  # the conversation was erased during the request
        NotOpen: (HTTPStatus.CONFLICT, "NOT_OPEN"),
        AlreadyTaken: (HTTPStatus.CONFLICT, "ALREADY_TAKEN"),
        release_request.NothingToRelease: (HTTPStatus.CONFLICT, "NOTHING_TO_RELEASE"),
        resolve_unknown.NotUnknown: (HTTPStatus.CONFLICT, "NOT_UNKNOWN"),
        unmatched.AlreadyPlaced: (HTTPStatus.CONFLICT, "ALREADY_ATTACHED"),
        unmatched.OtherChannel: (HTTPStatus.CONFLICT, "OTHER_CHANNEL"),
        KeyReused: (HTTPStatus.CONFLICT, "IDEMPOTENCY_KEY_CONFLICT"),
        StillRunning: (HTTPStatus.CONFLICT, "REQUEST_IN_PROGRESS"),
        ConfigurationInvalid: (HTTPStatus.INTERNAL_SERVER_ERROR, "CONFIGURATION_ERROR"),
        Transient: (HTTPStatus.SERVICE_UNAVAILABLE, "BUSY"),
        NotEnqueued: (HTTPStatus.SERVICE_UNAVAILABLE, "QUEUE_ERROR"),
        KeyUnknown: rest.NOT_FOUND,  # the identifier key of the conversation's `ref` was removed
        KeysUnreadable: (HTTPStatus.SERVICE_UNAVAILABLE, "secret_unreadable"),
        SecretUnreadable: (HTTPStatus.SERVICE_UNAVAILABLE, "secret_unreadable"),
    }
)
routes = Routes(app, log)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle an API Gateway proxy event and return the proxy response."""
    return rest.respond(app, event, context)


@cache
def openapi_document() -> str:
    """Return the OpenAPI document of this API as JSON, built once per process."""
    return to_json(routes.document("Parley: conversations", "1"))


@app.get("/conversations/openapi.json")
def get_openapi() -> Response[str]:
    """Return the OpenAPI document to any API key with a scope of this API."""
    rest.caller(app, Scope.CONVERSATIONS_INITIATE, *routes.scopes)
    return Response(HTTPStatus.OK, content_types.APPLICATION_JSON, openapi_document())


@routes.reads(
    "GET /conversations", Scope.CONVERSATIONS_READ, inputs.ListQuery, views.ConversationsView
)
def list_conversations(caller: Caller, query: inputs.ListQuery) -> Page[views.ConversationsView]:
    """List conversations of one or all projects of the API key, newest first; open ones if no status is given."""
    return queries.of_company(deps, caller, query)


@routes.reads(
    "POST /conversations/search",
    Scope.CONVERSATIONS_READ,
    inputs.SearchInput,
    views.ConversationsView,
)
def search_conversations(
    caller: Caller, given: inputs.SearchInput
) -> Page[views.ConversationsView]:
    """Search conversations by recipient."""
    return queries.of_recipient(deps, caller, given)


@routes.reads(
    "GET /conversations/{ref}", Scope.CONVERSATIONS_READ, inputs.NoInput, views.ConversationView
)
def get_conversation(
    caller: Caller, _query: inputs.NoInput, ref: str
) -> Page[views.ConversationView]:
    """Return a conversation with the history of its status changes."""
    return Page(queries.one(deps, caller, ref), None)


@routes.reads(
    "GET /conversations/{ref}/messages",
    Scope.CONVERSATIONS_READ,
    inputs.MessagesQuery,
    views.MessagesView,
)
def list_messages(
    caller: Caller, query: inputs.MessagesQuery, ref: str
) -> Page[views.MessagesView]:
    """List messages of a conversation, newest first."""
    return Page(queries.log_of(deps, caller, ref, query), None)


@routes.changes(
    "POST /conversations/{ref}/take-over",
    Scope.CONVERSATIONS_REPLY,
    inputs.TakeOverInput,
    views.StandingView,
)
def take_over(
    caller: Caller, _given: inputs.TakeOverInput, ref: str
) -> Callable[[Agent], views.StandingView]:
    """Take a conversation over from the model or, with `force`, from another agent."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: agent_actions.take_over(resources, opened, agent)


@routes.changes(
    "POST /conversations/{ref}/messages",
    Scope.CONVERSATIONS_REPLY,
    inputs.MessageInput,
    views.AcceptedView,
    HTTPStatus.ACCEPTED,
)
def write_message(
    caller: Caller, given: inputs.MessageInput, ref: str
) -> Callable[[Agent], views.AcceptedView]:
    """Send a message to the customer; takes over a conversation that no agent holds."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: agent_actions.write(resources, opened, agent, given)


@routes.changes(
    "POST /conversations/{ref}/hand-back",
    Scope.CONVERSATIONS_REPLY,
    inputs.HandBackInput,
    views.StandingView,
)
def hand_back(
    caller: Caller, given: inputs.HandBackInput, ref: str
) -> Callable[[Agent], views.StandingView]:
    """Hand a conversation back to the model; refuses a pending function call, answers pending messages on request."""
    opened = opened_for(deps, caller, ref)
    pending = given.answer_pending
    return lambda agent: agent_actions.hand_back(resources, opened, agent, answer_pending=pending)


@routes.changes(
    "POST /conversations/{ref}/release",
    Scope.CONVERSATIONS_REPLY,
    inputs.ReleaseInput,
    views.AcceptedView,
    HTTPStatus.ACCEPTED,
)
def release(
    caller: Caller, given: inputs.ReleaseInput, ref: str
) -> Callable[[Agent], views.AcceptedView]:
    """Release a held or failed first message, an unsent draft or a pending function call."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: release_request.release(resources, opened, agent, given)


@routes.changes(
    "POST /conversations/{ref}/resolve",
    Scope.CONVERSATIONS_REPLY,
    inputs.ResolveInput,
    views.ResolvedView,
)
def resolve(
    caller: Caller, given: inputs.ResolveInput, ref: str
) -> Callable[[Agent], views.ResolvedView]:
    """Set the outcome of a message whose delivery is unknown."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: resolve_unknown.resolve(resources, opened, agent, given)


@routes.changes(
    "POST /conversations/{ref}/close",
    Scope.CONVERSATIONS_MANAGE,
    inputs.ActingInput,
    views.StandingView,
)
def close(
    caller: Caller, _given: inputs.ActingInput, ref: str
) -> Callable[[Agent], views.StandingView]:
    """Close a conversation."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: agent_actions.close(resources, opened, agent)


@routes.changes(
    "POST /conversations/{ref}/reopen",
    Scope.CONVERSATIONS_MANAGE,
    inputs.ActingInput,
    views.StandingView,
)
def reopen(
    caller: Caller, _given: inputs.ActingInput, ref: str
) -> Callable[[Agent], views.StandingView]:
    """Reopen a closed conversation in its previous status."""
    opened = opened_for(deps, caller, ref)
    return lambda agent: agent_actions.reopen(resources, opened, agent)


@routes.reads(
    "GET /unmatched", Scope.CONVERSATIONS_MANAGE, inputs.UnmatchedQuery, views.UnmatchedListView
)
def list_unmatched(caller: Caller, query: inputs.UnmatchedQuery) -> Page[views.UnmatchedListView]:
    """List messages that belong to no conversation, newest first."""
    return unmatched.unmatched(deps, caller, query)


@routes.changes(
    "POST /unmatched/{unmatched_id}/attach",
    Scope.CONVERSATIONS_MANAGE,
    inputs.AttachInput,
    views.AttachedView,
    HTTPStatus.ACCEPTED,
)
def attach(
    caller: Caller, given: inputs.AttachInput, unmatched_id: str
) -> Callable[[Agent], views.AttachedView]:
    """Attach an unmatched message to a conversation, which then handles it as its own."""
    found = unmatched.one_for(deps, caller, unmatched_id)
    opened = opened_for(deps, caller, given.ref)
    return lambda agent: unmatched.attach(deps, caller, agent, found, opened)


@routes.reads("POST /opt-outs/search", Scope.CONSENT_READ, inputs.ConsentQuery, views.ConsentView)
def get_consent(caller: Caller, given: inputs.ConsentQuery) -> Page[views.ConsentView]:
    """Return the opt-out and opt-in status of a person for each channel."""
    return Page(consent.standing(deps, caller, given), None)


@routes.changes("POST /opt-outs", Scope.CONSENT_WRITE, inputs.OptOutInput, views.RecordedView)
def opt_out(caller: Caller, given: inputs.OptOutInput) -> Callable[[Agent], views.RecordedView]:
    """Record an opt-out."""
    recipient = recipient_of(given.recipient)
    return lambda agent: consent.opt_out(deps, caller, agent, recipient, given)


@routes.changes("POST /opt-ins", Scope.CONSENT_WRITE, inputs.OptInInput, views.RecordedView)
def opt_in(caller: Caller, given: inputs.OptInInput) -> Callable[[Agent], views.RecordedView]:
    """Record an opt-in."""
    recipient = consent.recipient_on(given.recipient, given.channels)
    return lambda agent: consent.opt_in(deps, caller, agent, recipient, given)
