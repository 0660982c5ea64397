"""
HTTP API of operations: queues, alarms, conservation, cost, switches, the audit log of changes, and the set-up by
administrators and operators. One route needs no login: it makes the first administrator, by a one-time link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from console.operations import actions, inputs, views
from console.operations.alarms import Alarms
from console.operations.conservation import Conservation
from console.operations.cost import Cost
from console.operations.measurements import CloudWatchMetrics, Unavailable
from console.operations.queues import Queues
from console.operations.setup.administrator import FirstAdministrators
from console.operations.setup.api_keys import ApiKeyNotFound
from console.operations.setup.email_domains import DomainNotFound, DomainSetup
from console.operations.setup.findings import Checks
from console.operations.setup.members import Administration, PersonNotFound
from console.operations.setup.people import PersonExists
from console.operations.setup.routes import SetupRoutes
from console.operations.setup.stored_switches import StoredSwitches
from console.operations.setup.switches import SwitchChanges
from console.operations.setup.whatsapp.aws_accounts import AwsAccountSetup
from console.operations.setup.whatsapp.credentials import WhatsAppSecrets
from console.operations.setup.whatsapp.sign_up import SignUp
from console.operations.spending import CompanySpending
from console.store import metric_reads
from shared.access.companies import ProfileConflict
from shared.access.company_keys import TooManyKeys
from shared.access.first_links import LinkRefused
from shared.access.logins import StoredLogins
from shared.access.user_pool import People, PoolMissing
from shared.ai.spending.configuration import SpendingSettings
from shared.ai.spending.usage import SettingsChanged
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.tables.seen import ChangedMeanwhile
from shared.inbox.items import InboxRequest
from shared.providers.email.identities import Identities
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class OperationsSettings(AuditedSettings, SpendingSettings):
    """
    The environment of this function. *first_queue_url*: any queue; *tables*: in the order of `INDEXES`.
    *whatsapp_app_secret_id*, *whatsapp_tokens_secret_id*: the secrets that it also writes.
    """

    stage: str
    alarm_prefix: str
    api_keys_table_name: str
    conversation_log_table_name: str  # stores owners of provider ids
    inbox_table_name: str  # stores requests
    login_settings_name: str
    whatsapp_tokens_secret_id: str
    whatsapp_app_secret_id: str
    graph_base_url: str
    graph_api_version: str
    first_queue_url: str
    live_table_name: str
    tables: tuple[str, ...]
    inbound_domain: str = ""  # whose mail SES receives for this deployment


settings = OperationsSettings.load()
# A person waits: a service that does not answer is shown as unavailable.
quick = Config(connect_timeout=1, read_timeout=4, retries={"total_max_attempts": 2})
cloudwatch = cache(lambda: boto3.client("cloudwatch", config=quick))
sqs = cache(lambda: boto3.client("sqs", config=quick))
ssm = cache(lambda: boto3.client("ssm", config=quick))
metrics = CloudWatchMetrics(cloudwatch)
queues = Queues(
    client=sqs, metrics=metrics, first_url=settings.first_queue_url, stage=settings.stage
)
alarms = Alarms(client=cloudwatch, prefix=settings.alarm_prefix)
conservation = Conservation(metrics=metrics, queues=queues, namespace=f"Parley/{settings.stage}")
cost = Cost(metrics=metrics, stage=settings.stage, tables=settings.tables)
switches = StoredSwitches(client=ssm, stage=settings.stage)
dynamodb = boto3.client("dynamodb", config=quick)
audit_log = Table(dynamodb, settings.audit_log_table_name)
api_keys = Table(dynamodb, settings.api_keys_table_name)
cognito = cache(lambda: boto3.client("cognito-idp", config=quick))
logins = StoredLogins(ssm, settings.login_settings_name, completes=False)
live_table = Table(dynamodb, settings.live_table_name)
spending = cache(
    lambda: CompanySpending(
        table=Table(dynamodb, settings.spending_table_name),
        percent=settings.spending_percent,
        most_percent=settings.spending_most_percent,
    )
)
routes = Routes(
    title="Parley: operations",
    document="/operations/openapi.json",
    errors={
        Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
        LinkRefused: (HTTPStatus.GONE, "link_refused"),
        PersonExists: (HTTPStatus.CONFLICT, "person_exists"),
        PersonNotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        ApiKeyNotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        DomainNotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        TooManyKeys: (HTTPStatus.CONFLICT, "too_many_keys"),
        PoolMissing: (HTTPStatus.NOT_IMPLEMENTED, "unsupported"),
        ProfileConflict: (HTTPStatus.CONFLICT, "version_conflict"),
        ChangedMeanwhile: (HTTPStatus.CONFLICT, "version_conflict"),
        SettingsChanged: (HTTPStatus.CONFLICT, "version_conflict"),
    },
    requests=Requests(Table(dynamodb, settings.inbox_table_name), InboxRequest),
    audit_log=settings.audit_log(dynamodb),
)


def people() -> People:
    """Return the user pool. Raises PoolMissing if people log in elsewhere, and Transient."""
    return People.of(cognito(), logins.value().user_pool)


owners = Table(dynamodb, settings.conversation_log_table_name)
identities = Identities(lambda: boto3.client("sesv2", config=quick))
domains = DomainSetup(
    identities=identities,
    owners=owners,
    region=dynamodb.meta.region_name,
    receiving=settings.inbound_domain,
)
whatsapp_secrets = WhatsAppSecrets(
    apps=settings.whatsapp_app_secret_id,
    tokens=settings.whatsapp_tokens_secret_id,
    owners=owners,
)
graph = Graph(settings.graph_base_url, settings.graph_api_version)
social = Eum(lambda: boto3.client("socialmessaging", config=quick), settings.graph_api_version)
lambda_functions = cache(lambda: boto3.client("lambda", config=quick))
routes.add(
    SetupRoutes(
        keys=api_keys,
        pool=people,
        administrators=FirstAdministrators(api_keys, people, settings.audit_log(dynamodb)),
        secrets=whatsapp_secrets,
        sign_up=SignUp(graph, whatsapp_secrets),
        aws_accounts=AwsAccountSetup(social, owners),
        switches=SwitchChanges(ssm, settings.stage),
        members=Administration(api_keys, people),
        domains=domains,
        checks=Checks(
            stage=settings.stage,
            functions=lambda_functions,
            secrets=whatsapp_secrets,
            switches=switches,
            queues=queues,
            alarms=alarms,
        ),
    )
)


def _count(kind: str) -> None:
    """Count a read of metrics, before it is made. Raises RateLimited and Unavailable."""
    try:
        metric_reads.take(live_table, kind)
    except (ClientError, BotoCoreError) as failure:
        raise Unavailable.of("DynamoDB", failure) from None


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads("GET /operations/queues", Scope.OPERATOR)
def list_queues(_request: Request[NoInput]) -> views.QueuesView:
    """List all queues of the deployment with their depths and ages."""
    _count(metric_reads.FLOWS)
    return queues.shown()


@routes.reads("GET /operations/alarms", Scope.OPERATOR)
def list_alarms(_request: Request[NoInput]) -> views.AlarmsView:
    """List the alarms of the deployment, alarms in ALARM first."""
    return alarms.shown()


@routes.reads("GET /operations/conservation", Scope.OPERATOR)
def get_conservation(request: Request[inputs.DaysQuery]) -> views.ConservationView:
    """Return the present places of the events that were accepted on these days."""
    _count(metric_reads.FLOWS)
    return conservation.shown(request.input)


@routes.reads("GET /operations/cost", Scope.OPERATOR)
def get_cost(request: Request[inputs.MonthQuery]) -> views.CostView:
    """Return an estimate of a month's cost from measured units."""
    _count(metric_reads.COST)
    return cost.shown(request.input.month)


@routes.reads("GET /operations/spending", Scope.OPERATOR)
def get_spending(request: Request[inputs.SpendingQuery]) -> views.SpendingView:
    """Return the costs that outsiders have caused for a company today, with the bounds."""
    return spending().shown(request.input.company or request.caller.company)


@routes.changes("POST /operations/spending", Scope.OPERATOR)
def set_spending(request: Request[inputs.SpendingInput]) -> Callable[[], views.SpendingView]:
    """Set the limits of a company on what models cost, and its bounds on costs that outsiders cause."""
    return spending().change(request.caller, request.input)


@routes.reads("GET /operations/switches", Scope.OPERATOR)
def list_switches(_request: Request[NoInput]) -> views.DeploymentSwitches:
    """List the switches that hold for all companies, with their changes."""
    return switches.shown()


@routes.reads("GET /operations/actions", Scope.AUDIT_READ, Scope.OPERATOR)
def list_actions(request: Request[inputs.ActionsQuery]) -> Page[views.ActionsView]:
    """List changes that people and programs of the company asked for, newest first."""
    return actions.made(audit_log, request.caller, request.input)
