"""
HTTP API for agents and their software: conversation lists, messages, agent actions, labels and notes, unmatched
messages, consent; and for admins: projects and their versions, parked events and dead letters.

Software polls lists and messages. The code of the other calls is loaded by the first of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from conversations.api import inputs, opened_conversation, queries, views
from conversations.api.access import (
    Agent,
    AlreadyPlaced,
    AlreadyTaken,
    ApiDependencies,
    NotFound,
    NothingToRelease,
    NotOpen,
    NotUnknown,
    OtherChannel,
    StateConflict,
    opened_for,
    recipient_of,
)
from conversations.api.agents.annotation_routes import AnnotationRoutes
from conversations.api.projects.knowledge.routes import KnowledgeRoutes
from conversations.api.projects.routes import ProjectRoutes
from conversations.api.projects.sets.routes import EvaluationRoutes
from conversations.api.projects.trials.routes import TrialRoutes
from conversations.configuration.bootstrap import ConnectedSettings, resources_of
from conversations.configuration.projects import ConfigurationInvalid
from conversations.recovery.bootstrap import recovery_of
from conversations.recovery.destinations import Destinations
from conversations.store.items.records import Answered
from conversations.store.states import Gone
from shared.ai.evaluation.sets import calls as sets
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.trials import calls as trial_calls
from shared.ai.versions.stored import NoVersion
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.routing.routes import Request, Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.routes import ERRORS, RecoveryRoutes
from shared.identity.keyed_hashes import KeysUnreadable, KeyUnknown
from shared.inbox.satisfaction.links import CONVERSATIONS, PATHS
from shared.policy.consent.records import Consents
from shared.runtime.settings import Origin

if TYPE_CHECKING:
    from conversations.api.projects.tries.playground import PlaygroundDependencies


@dataclass(frozen=True, kw_only=True)
class AdminSettings(ConnectedSettings, AuditedSettings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    conversations_media_queue_url: str
    conversations_dead_letters_url: str
    conversations_media_dead_letters_url: str
    api_seal_secret_id: str
    contacts_table_name: str
    openai_base_url: Origin
    newsletters_bucket_name: str
    spending_table_name: str
    single_company: str = ""


SATISFACTION = f"{PATHS[CONVERSATIONS]}/{{token}}"

settings = AdminSettings.load()
quick = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 2})
# Presigned links need signature version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
sqs = cache(lambda: boto3.client("sqs", config=quick))
resources = resources_of(settings, quick, of_bucket=signing)
deps = ApiDependencies(
    resources=resources,
    contacts=resources.log.beside(settings.contacts_table_name),
    inbound=FifoQueue(sqs, settings.conversations_inbound_queue_url),
    consents=Consents(resources.log),
    seal_secret=JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.api_seal_secret_id
    ),
    single_company=settings.single_company,
)
recovery = recovery_of(
    Destinations(
        log=resources.log,
        inbound=deps.inbound,
        statuses=FifoQueue(sqs, settings.conversations_statuses_queue_url),
        replies=resources.replies,
        files=StandardQueue(sqs, settings.conversations_media_queue_url),
        channels=resources.channels,
    ),
    resources.bucket,
    DeadLetters(sqs, settings.conversations_dead_letters_url),
    DeadLetters(sqs, settings.conversations_media_dead_letters_url),
)
routes = Routes(
    title="Parley: conversations",
    document="/conversations/openapi.json",
    errors={
        **ERRORS,
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        NoVersion: (HTTPStatus.NOT_FOUND, "not_found"),
        Gone: (HTTPStatus.NOT_FOUND, "not_found"),  # the conversation was erased during the request
        # The identifier key of the conversation's `ref` was removed.
        KeyUnknown: (HTTPStatus.NOT_FOUND, "not_found"),
        NotOpen: (HTTPStatus.CONFLICT, "not_open"),
        AlreadyTaken: (HTTPStatus.CONFLICT, "already_taken"),
        StateConflict: (HTTPStatus.CONFLICT, "state_conflict"),
        **sets.ERRORS,
        **trial_calls.ERRORS,
        NothingToRelease: (HTTPStatus.CONFLICT, "nothing_to_release"),
        NotUnknown: (HTTPStatus.CONFLICT, "not_unknown"),
        AlreadyPlaced: (HTTPStatus.CONFLICT, "already_attached"),
        OtherChannel: (HTTPStatus.CONFLICT, "other_channel"),
        ConfigurationInvalid: (HTTPStatus.INTERNAL_SERVER_ERROR, "configuration_error"),
        KeysUnreadable: (HTTPStatus.SERVICE_UNAVAILABLE, "secret_unreadable"),
        ModelUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "model_unavailable"),
        ModelUnusable: (HTTPStatus.UNPROCESSABLE_ENTITY, "model_unusable"),
    },
    requests=Requests(resources.log, Answered),
    audit_log=settings.audit_log(boto3.client("dynamodb", config=quick)),
    requires_key=True,
    more_scopes=(Scope.CONVERSATIONS_INITIATE,),
)
RecoveryRoutes(recovery=recovery, seal_secret=deps.seal_secret).declare(
    routes, read=(Scope.CONVERSATIONS_ADMIN,), replay=(Scope.CONVERSATIONS_ADMIN,)
)
routes.add(AnnotationRoutes(deps))


@cache
def _playground() -> "PlaygroundDependencies":
    from conversations.api.projects.bootstrap import playground_dependencies  # noqa: PLC0415 - see the docstring

    return playground_dependencies(
        resources.log,
        resources.log.beside(settings.spending_table_name),
        settings.openai_base_url,
        settings.newsletters_bucket_name,
    )


routes.add(ProjectRoutes(deps, _playground))
routes.add(EvaluationRoutes(deps))
routes.add(TrialRoutes(deps))
routes.add(KnowledgeRoutes(deps, _playground))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out. The page of a signed link has no caller."""
    if event.get("resource") == SATISFACTION:
        from conversations.api import satisfaction  # noqa: PLC0415 - see the docstring of the module

        return satisfaction.respond(resources.log, event)
    return routes.respond(event, context)


@routes.reads("GET /conversations", Scope.CONVERSATIONS_READ)
def list_conversations(request: Request[inputs.ListQuery]) -> Page[views.ConversationsView]:
    """List conversations of one or all projects of the API key, newest first; open ones if no status is given."""
    return queries.of_company(deps, request.caller, request.input)


@routes.reads("POST /conversations/search", Scope.CONVERSATIONS_READ)
def search_conversations(request: Request[inputs.SearchInput]) -> Page[views.ConversationsView]:
    """Search conversations by recipient."""
    return queries.of_recipient(deps, request.caller, request.input)


@routes.reads("GET /conversations/{ref}", Scope.CONVERSATIONS_READ)
def get_conversation(
    request: Request[inputs.ConversationQuery], ref: str
) -> opened_conversation.OpenedConversationView:
    """Return a conversation with the history of its status changes, and its newest messages and notes if asked."""
    return opened_conversation.opened_conversation(deps, request.caller, ref, request.input)


@routes.reads("GET /conversations/{ref}/messages", Scope.CONVERSATIONS_READ)
def list_messages(request: Request[inputs.MessagesQuery], ref: str) -> views.MessagesView:
    """List messages of a conversation, newest first."""
    return queries.log_of(deps, request.caller, ref, request.input)


@routes.changes("POST /conversations/{ref}/take-over", Scope.CONVERSATIONS_REPLY)
def take_over(request: Request[inputs.TakeOverInput], ref: str) -> Callable[[], views.StandingView]:
    """Take a conversation over, or give it to an agent: from the model or, with `force`, from another agent."""
    from conversations.api.agents import agent_actions  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: agent_actions.take_over(
        resources, opened, Agent.of(request), request.input.assignee
    )


@routes.changes(
    "POST /conversations/{ref}/messages", Scope.CONVERSATIONS_REPLY, status=HTTPStatus.ACCEPTED
)
def write_message(
    request: Request[inputs.MessageInput], ref: str
) -> Callable[[], views.AcceptedView]:
    """Send a message to the customer; takes over a conversation that no agent holds."""
    from conversations.api.agents import agent_actions  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: agent_actions.write(resources, opened, Agent.of(request), request.input)


@routes.changes("POST /conversations/{ref}/hand-back", Scope.CONVERSATIONS_REPLY)
def hand_back(request: Request[inputs.HandBackInput], ref: str) -> Callable[[], views.StandingView]:
    """Hand a conversation back to the model; refuses a pending function call, answers pending messages on request."""
    from conversations.api.agents import agent_actions  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    pending = request.input.answer_pending
    return lambda: agent_actions.hand_back(
        resources, opened, Agent.of(request), answer_pending=pending
    )


@routes.changes(
    "POST /conversations/{ref}/release", Scope.CONVERSATIONS_REPLY, status=HTTPStatus.ACCEPTED
)
def release(request: Request[inputs.ReleaseInput], ref: str) -> Callable[[], views.AcceptedView]:
    """Release a held or failed first message, an unsent draft or a pending function call."""
    from conversations.api.agents import release_request  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: release_request.release(resources, opened, Agent.of(request), request.input)


@routes.changes("POST /conversations/{ref}/resolve", Scope.CONVERSATIONS_REPLY)
def resolve(request: Request[inputs.ResolveInput], ref: str) -> Callable[[], views.ResolvedView]:
    """Set the outcome of a message whose delivery is unknown."""
    from conversations.api.agents import resolve_unknown  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: resolve_unknown.resolve(resources, opened, Agent.of(request), request.input)


@routes.changes("POST /conversations/{ref}/close", Scope.CONVERSATIONS_MANAGE)
def close(request: Request[inputs.ActingInput], ref: str) -> Callable[[], views.StandingView]:
    """Close a conversation."""
    from conversations.api.agents import agent_actions  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: agent_actions.close(resources, opened, Agent.of(request))


@routes.changes("POST /conversations/{ref}/reopen", Scope.CONVERSATIONS_MANAGE)
def reopen(request: Request[inputs.ActingInput], ref: str) -> Callable[[], views.StandingView]:
    """Reopen a closed conversation in its previous status."""
    from conversations.api.agents import agent_actions  # noqa: PLC0415 - see the docstring of the module

    opened = opened_for(deps, request.caller, ref)
    return lambda: agent_actions.reopen(resources, opened, Agent.of(request))


@routes.reads("GET /unmatched", Scope.CONVERSATIONS_MANAGE)
def list_unmatched(request: Request[inputs.UnmatchedQuery]) -> Page[views.UnmatchedListView]:
    """List messages that belong to no conversation, newest first."""
    from conversations.api import unmatched  # noqa: PLC0415 - see the docstring of the module

    return unmatched.unmatched(deps, request.caller, request.input)


@routes.changes(
    "POST /unmatched/{unmatched_id}/attach", Scope.CONVERSATIONS_MANAGE, status=HTTPStatus.ACCEPTED
)
def attach(
    request: Request[inputs.AttachInput], unmatched_id: str
) -> Callable[[], views.AttachedView]:
    """Attach an unmatched message to a conversation, which then handles it as its own."""
    from conversations.api import unmatched  # noqa: PLC0415 - see the docstring of the module

    message = unmatched.message_with(deps, request.caller, unmatched_id)
    opened = opened_for(deps, request.caller, request.input.ref)
    return lambda: unmatched.attach(deps, request.caller, Agent.of(request), message, opened)


@routes.reads("POST /opt-outs/search", Scope.CONSENT_READ)
def get_consent(request: Request[inputs.ConsentQuery]) -> views.ConsentView:
    """Return the opt-out and opt-in status of a person for each channel."""
    from conversations.api.agents import consent  # noqa: PLC0415 - see the docstring of the module

    return consent.standing(deps, request.caller, request.input)


@routes.changes("POST /opt-outs", Scope.CONSENT_WRITE)
def opt_out(request: Request[inputs.OptOutInput]) -> Callable[[], views.RecordedView]:
    """Record an opt-out."""
    from conversations.api.agents import consent  # noqa: PLC0415 - see the docstring of the module

    recipient = recipient_of(request.input.recipient)
    return lambda: consent.opt_out(
        deps, request.caller, Agent.of(request), recipient, request.input
    )


@routes.changes("POST /opt-ins", Scope.CONSENT_WRITE)
def opt_in(request: Request[inputs.OptInInput]) -> Callable[[], views.RecordedView]:
    """Record an opt-in."""
    from conversations.api.agents import consent  # noqa: PLC0415 - see the docstring of the module

    recipient = consent.recipient_on(request.input.recipient, request.input.channels)
    return lambda: consent.opt_in(deps, request.caller, Agent.of(request), recipient, request.input)
