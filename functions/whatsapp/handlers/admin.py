"""HTTP API for events that could not be processed: lists and requeues parked events and dead letters."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.inputs import NoInput
from shared.api.routing import Request, Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime.settings import Settings
from whatsapp.api import inputs, views
from whatsapp.api.queries import NotFound
from whatsapp.recovery import dead_letters, requests
from whatsapp.recovery.replay import NotReplayable
from whatsapp.recovery.requests import RecoveryDependencies
from whatsapp.resources import Depot
from whatsapp.store.items.requests import Idempotency


@dataclass(frozen=True, kw_only=True)
class AdminSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    whatsapp_queue_url: str
    whatsapp_dead_letters_url: str
    whatsapp_social_dead_letters_url: str
    social_topic_arns: tuple[str, ...]
    api_seal_secret_id: str


settings = AdminSettings.load()
# boto3's default timeout is a minute, and API Gateway's half of that.
quick = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)
depot = Depot(
    table=Table(boto3.client("dynamodb", config=quick), settings.messages_table_name),
    bucket=Bucket(lambda: boto3.client("s3", config=quick), settings.media_bucket_name),
    queue=FifoQueue(lambda: sqs, settings.whatsapp_queue_url),
    dead_letters=DeadLetters(sqs, settings.whatsapp_dead_letters_url),
    social_dead_letters=DeadLetters(sqs, settings.whatsapp_social_dead_letters_url),
    social_topic_arns=settings.social_topic_arns,
)
deps = RecoveryDependencies(
    depot=depot,
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
routes = Routes(
    title="Parley: WhatsApp recovery",
    document="/whatsapp/recovery/openapi.json",
    errors={
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        NotReplayable: (HTTPStatus.CONFLICT, "not_replayable"),
    },
    requests=Requests(depot.table, Idempotency),
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads(
    "GET /whatsapp/parked",
    Scope.WHATSAPP_READ,
    Scope.OPERATOR,
    given=inputs.ParkedQuery,
    result=views.ParkedEvents,
)
def list_parked(request: Request[inputs.ParkedQuery]) -> Page[views.ParkedEvents]:
    """List parked events, newest first."""
    return requests.parked(deps, request)


@routes.changes(
    "POST /whatsapp/parked/{event_id}/replay",
    Scope.WHATSAPP_ADMIN,
    Scope.OPERATOR,
    given=NoInput,
    result=views.ParkedView,
    status=HTTPStatus.ACCEPTED,
)
def replay_parked(request: Request[NoInput], event_id: str) -> Callable[[], views.ParkedView]:
    """Queue one parked event again."""
    return lambda: requests.replay_one(deps, request.caller, event_id)


@routes.changes(
    "POST /whatsapp/parked/replay",
    Scope.WHATSAPP_ADMIN,
    Scope.OPERATOR,
    given=inputs.ParkedInput,
    result=views.ReplaysView,
    status=HTTPStatus.ACCEPTED,
)
def replay_all_parked(
    request: Request[inputs.ParkedInput],
) -> Callable[[], Page[views.ReplaysView]]:
    """Queue open parked events again, newest first."""
    return requests.replay_all(deps, request)


@routes.reads(
    "GET /whatsapp/dead-letters",
    Scope.OPERATOR,
    given=inputs.LettersQuery,
    result=views.DeadLetters,
)
def list_dead_letters(request: Request[inputs.LettersQuery]) -> views.DeadLetters:
    """List dead letters of both queues."""
    return dead_letters.listed(depot, limit=request.given.limit)


@routes.changes(
    "POST /whatsapp/dead-letters/redrive",
    Scope.OPERATOR,
    given=inputs.RedriveInput,
    result=views.RedrivenLetters,
    status=HTTPStatus.ACCEPTED,
)
def redrive_dead_letters(
    request: Request[inputs.RedriveInput],
) -> Callable[[], views.RedrivenLetters]:
    """Redrive dead letters to their source."""
    return lambda: requests.redrive(deps, request)
