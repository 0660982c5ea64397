"""The admin API of the help-desk middleware over HTTP: switches, conversations, parked events, dead letters, health."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.api import conversations, decisions, health_check, inputs, replays, switches, views
from richpanel.api.access import (
    SPARE_MS,
    ApiDependencies,
    Erased,
    Instruction,
    NotFound,
    NothingToDecide,
)
from richpanel.api.replays import HelpDeskFailed, NotSetUp
from richpanel.configuration.bootstrap import SourcesSettings, quick, sources
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import EventQueues
from richpanel.recovery.bootstrap import recovery_of
from richpanel.store.items import TTL_ATTRIBUTE, ApiRequest
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.inputs import NoInput
from shared.api.routing import Request, Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.policy.kill_switches import SwitchNotSet
from shared.recovery.routes import ERRORS, RecoveryRoutes

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SSMProvider


@dataclass(frozen=True, kw_only=True)
class AdminSettings(SourcesSettings):
    """The environment of this function."""

    idempotency_table_name: str
    audit_actions_table_name: str
    richpanel_queue_url: str
    richpanel_live_queue_url: str
    richpanel_dead_letters_url: str
    switches_path: str
    api_seal_secret_id: str


@cache
def _parameters() -> "SSMProvider":
    from aws_lambda_powertools.utilities.parameters import SSMProvider  # noqa: PLC0415 - see KillSwitches

    return SSMProvider(boto3_client=boto3.client("ssm", config=quick))


settings = AdminSettings.load()
dynamodb = boto3.client("dynamodb", config=quick)
sqs = boto3.client("sqs", config=quick)
deps = sources(
    ApiDependencies,
    settings,
    dynamodb,
    idempotency=Table(dynamodb, settings.idempotency_table_name, TTL_ATTRIBUTE),
    audit=Table(dynamodb, settings.audit_actions_table_name, TTL_ATTRIBUTE),
    switchboard=SwitchBoard(_parameters, settings.switches_path),
    queues=EventQueues(
        mail=FifoQueue(lambda: sqs, settings.richpanel_queue_url),
        live=FifoQueue(lambda: sqs, settings.richpanel_live_queue_url),
    ),
    dead_letters=DeadLetters(sqs, settings.richpanel_dead_letters_url),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
recovery = recovery_of(
    idempotency=deps.idempotency,
    state=deps.state,
    audit=deps.audit,
    queues=deps.queues,
    dead_letters=deps.dead_letters,
    company=lambda: deps.account.company,
)
routes = Routes(
    title="Parley: help desk",
    document="/admin/richpanel/openapi.json",
    errors={
        **ERRORS,
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        Erased: (HTTPStatus.CONFLICT, "erased"),
        NotSetUp: (HTTPStatus.CONFLICT, "not_set_up"),
        NothingToDecide: (HTTPStatus.CONFLICT, "nothing_to_decide"),
        HelpDeskFailed: (HTTPStatus.SERVICE_UNAVAILABLE, "help_desk_failed"),
        SwitchNotSet: (HTTPStatus.SERVICE_UNAVAILABLE, "switch_not_set"),
    },
    requests=Requests(deps.idempotency, ApiRequest),
    company=lambda: deps.account.company,
)
RecoveryRoutes(recovery=recovery, seal_secret=deps.seal_secret).declare(
    routes,
    read=(Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE),
    replay=(Scope.RICHPANEL_OPERATE,),
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads(
    "GET /admin/richpanel/switches",
    Scope.RICHPANEL_READ,
    Scope.RICHPANEL_OPERATE,
    input_model=NoInput,
    result=views.SwitchesView,
)
def get_switches(_request: Request[NoInput]) -> views.SwitchesView:
    """Return each switch's current value and the newest changes first, with their callers."""
    return switches.shown(deps)


@routes.changes(
    "PUT /admin/richpanel/switches",
    Scope.RICHPANEL_OPERATE,
    input_model=inputs.SwitchesInput,
    result=views.ChangedSwitchesView,
)
def put_switches(
    request: Request[inputs.SwitchesInput],
) -> Callable[[], views.ChangedSwitchesView]:
    """Set some switches."""
    texts = switches.checked(request.input.model_extra or {})
    return lambda: switches.set_switches(deps, texts, Instruction.of(request))


@routes.reads(
    "GET /admin/richpanel/decisions",
    Scope.RICHPANEL_READ,
    Scope.RICHPANEL_OPERATE,
    input_model=inputs.DecisionListQuery,
    result=views.DecisionListView,
)
def get_decisions(
    request: Request[inputs.DecisionListQuery],
) -> Page[views.DecisionListView]:
    """Return the decisions of a day that match, newest first."""
    return decisions.list_decisions(deps, request)


@routes.reads(
    "GET /admin/richpanel/conversations/{ticket_id}",
    Scope.RICHPANEL_READ,
    Scope.RICHPANEL_OPERATE,
    input_model=inputs.DecisionsQuery,
    result=views.ConversationView,
)
def get_conversation(
    request: Request[inputs.DecisionsQuery], ticket_id: str
) -> Page[views.ConversationView]:
    """Return a conversation's state and its audit, newest first."""
    return conversations.look_up(deps, request, ticket_id)


@routes.changes(
    "POST /admin/richpanel/conversations/{ticket_id}/replay",
    Scope.RICHPANEL_OPERATE,
    input_model=inputs.ReplayInput,
    result=views.ReplayView,
    status=HTTPStatus.ACCEPTED,
    may_read=True,
)
def replay(
    request: Request[inputs.ReplayInput], ticket_id: str
) -> views.DryRunView | Callable[[], views.RepairView]:
    """Return a dry-run decision on the newest message, or queue unfinished work for the worker."""
    conversation_id, deadline_ms = conversations.id_of(ticket_id), request.deadline_ms(SPARE_MS)
    if request.input.mode == "dry_run":
        return replays.dry_run(deps, conversation_id, deadline_ms)
    return lambda: replays.repair(deps, conversation_id, Instruction.of(request), deadline_ms)


@routes.changes(
    "POST /admin/richpanel/conversations/{ticket_id}/clear-risk",
    Scope.RICHPANEL_OPERATE,
    input_model=NoInput,
    result=views.ClearedView,
)
def clear_risk(request: Request[NoInput], ticket_id: str) -> Callable[[], views.ClearedView]:
    """Remove all risk flags from a conversation."""
    conversation_id = conversations.id_of(ticket_id)
    return lambda: conversations.clear_risk(deps, conversation_id, Instruction.of(request))


@routes.changes(
    "DELETE /admin/richpanel/conversations/{ticket_id}",
    Scope.RICHPANEL_OPERATE,
    input_model=NoInput,
    result=views.ErasedView,
)
def erase(request: Request[NoInput], ticket_id: str) -> Callable[[], views.ErasedView]:
    """Erase a conversation. Its tombstone stays; event and action rows, without personal data, stay until expiry."""
    conversation_id = conversations.id_of(ticket_id)
    return lambda: conversations.erase(deps, conversation_id, Instruction.of(request))


@routes.reads(
    "GET /admin/richpanel/health",
    Scope.RICHPANEL_READ,
    Scope.RICHPANEL_OPERATE,
    input_model=NoInput,
    result=views.HealthView,
)
def health(request: Request[NoInput]) -> views.HealthView:
    """Return whether tables, queues, keys, switches and the help desk answer. Status 200 even if they do not."""
    return health_check.examine(deps, request.deadline_ms(SPARE_MS))
