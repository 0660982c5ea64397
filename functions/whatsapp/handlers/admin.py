"""HTTP API for events that could not be processed: lists and requeues parked events and dead letters."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

import boto3
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from pydantic import BaseModel, ConfigDict, Field

from shared import clock
from shared.api import rest
from shared.api.auth import Caller, Forbidden, Scope
from shared.api.cursors import Listing
from shared.api.opaque_ids import seal_of
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings
from whatsapp.api.queries import NotFound
from whatsapp.api.views import ParkedEvents, Redriven, parked_view
from whatsapp.recovery import dead_letters, replay
from whatsapp.recovery.replay import NotReplayable, Position, Replay, Wanted
from whatsapp.resources import Depot
from whatsapp.store.events import EVENT_INDEX

# One replay makes a handful of calls; this time is reserved for the response.
SPARE_MS = 8 * clock.SECOND_MS


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


class _Input(BaseModel):
    # Unknown names are rejected: a misspelled filter must not be ignored.
    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)

    limit: int = Field(default=50, ge=1, le=100)


class ParkedInput(_Input):
    """Filter for parked events. `company` is for operators; if absent: all companies, and events without one."""

    reason: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_]{1,64}$")
    company: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    cursor: str | None = None


class ParkedQuery(ParkedInput):
    """Filter for listing parked events. `waiting`: those not processed yet."""

    state: Literal["waiting", "all"] = "waiting"


class LettersQuery(_Input):
    """Limits the number of dead letters per queue."""


class RedriveInput(_Input):
    """Selects dead letters: those with the given ids, or up to `limit`."""

    ids: list[str] | None = Field(default=None, min_length=1, max_length=100)


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
seal_secret = JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id)
app = rest.resolver(
    {NotFound: rest.NOT_FOUND, NotReplayable: (HTTPStatus.CONFLICT, "not_replayable")}
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return rest.respond(app, event, context)


@app.get("/whatsapp/parked")
def list_parked() -> Response[str]:
    """List parked events, newest first. Query: reason, state, company, limit, cursor."""
    caller = rest.caller(app, Scope.WHATSAPP_READ, Scope.OPERATOR)
    query = rest.query(app, ParkedQuery)
    states = replay.WAITING if query.state == "waiting" else None
    wanted = Wanted(company=_company(caller, query.company), reason=query.reason, states=states)
    listing, start = _listing(caller, "parked", query, query.state)
    events, last = replay.parked(depot.table, wanted, limit=query.limit, start=start)
    views = ParkedEvents(events=[parked_view(event) for event in events])
    return rest.page(app, views, _cursor(listing, last))


@app.post("/whatsapp/parked/<event_id>/replay")
def replay_parked(event_id: str) -> Response[str]:
    """Queue one parked event again."""
    caller = rest.caller(app, Scope.WHATSAPP_ADMIN, Scope.OPERATOR)
    done = replay.replay(depot, event_id, _company(caller, None), by=caller.principal)
    _tell(caller, done)
    return rest.answer(app, {"result": parked_view(done.event)}, HTTPStatus.ACCEPTED)


@app.post("/whatsapp/parked/replay")
def replay_all() -> Response[str]:
    """Queue open parked events again, newest first. Body: reason, company, limit, cursor."""
    caller = rest.caller(app, Scope.WHATSAPP_ADMIN, Scope.OPERATOR)
    given = rest.body(app, ParkedInput)
    wanted = Wanted(company=_company(caller, given.company), reason=given.reason)
    listing, start = _listing(caller, "replay", given)
    done: list[Replay] = []

    def tell(one: Replay) -> None:
        done.append(one)
        _tell(caller, one)

    last = replay.replay_all(
        depot,
        wanted,
        limit=given.limit,
        start=start,
        tell=tell,
        is_over=_is_over(),
        by=caller.principal,
    )
    cursor = _cursor(listing, last)
    return rest.answer(
        app,
        {"result": _replayed(done), **({"cursor": cursor} if cursor else {})},
        HTTPStatus.ACCEPTED,
    )


@app.get("/whatsapp/dead-letters")
def list_dead_letters() -> Response[str]:
    """List dead letters of both queues. Query: limit."""
    rest.caller(app, Scope.OPERATOR)
    return rest.page(
        app, dead_letters.listed(depot, limit=rest.query(app, LettersQuery).limit), None
    )


@app.post("/whatsapp/dead-letters/redrive")
def redrive() -> Response[str]:
    """Redrive dead letters to their source. Body: ids, or limit."""
    caller = rest.caller(app, Scope.OPERATOR)
    given = rest.body(app, RedriveInput)
    done: list[Redriven] = []

    def tell(one: Redriven) -> None:
        done.append(one)
        _tell_redriven(caller, one)

    dead_letters.redrive(
        depot,
        ids=given.ids,
        limit=given.limit,
        tell=tell,
        is_over=_is_over(),
        by=caller.principal,
    )
    shown = [one.model_dump(by_alias=True, exclude_none=True) for one in done]
    missing = sorted(set(given.ids or ()) - {one.id for one in done})
    result = {"letters": shown, "missing": missing, "waiting": dead_letters.waiting(depot)}
    return rest.answer(app, {"result": result}, HTTPStatus.ACCEPTED)


def _company(caller: Caller, asked: str | None) -> str | None:
    """Return the company to filter by; None, meaning all and none, only for operators. Raises Forbidden."""
    if Scope.OPERATOR in caller.scopes:
        return asked
    if asked not in {None, caller.company}:
        raise Forbidden(f"company: requires the scope {Scope.OPERATOR}")
    return caller.company


def _listing(
    caller: Caller, use: str, given: ParkedInput, state: str = ""
) -> tuple[Listing, Position]:
    """Return the listing that a cursor is bound to, and the position of the given cursor. Raises InvalidCursor."""
    whose = _company(caller, given.company)
    # None means every company: `*` cannot be a company name.
    parts = (use, "*" if whose is None else whose, given.reason or "", state)
    listing = Listing(caller.company, EVENT_INDEX, parts)
    if given.cursor is None:
        return listing, None
    return listing, listing.position(seal_of(seal_secret), given.cursor)


def _cursor(listing: Listing, last: Position) -> str | None:
    return listing.cursor(seal_of(seal_secret), last) if last else None


def _is_over() -> Callable[[], bool]:
    context = app.lambda_context
    return lambda: bool(context.get_remaining_time_in_millis() < SPARE_MS)


def _replayed(done: list[Replay]) -> dict[str, Any]:
    return {
        "replayed": [
            {
                "eventId": one.event.event_id,
                "correlationId": one.event.correlation_id,
                "replay": one.number,
            }
            for one in done
            if one.number is not None
        ],
        "refused": [
            {"eventId": one.event.event_id, "why": one.refused} for one in done if one.refused
        ],
    }


def _tell(caller: Caller, one: Replay) -> None:
    _log(
        caller,
        "parked event refused" if one.refused else "parked event replayed",
        {
            "event_id": one.event.event_id,
            "correlation_id": one.event.correlation_id,
            "reason": one.refused or one.event.reason,
            "replay": one.number,
        },
    )
    metrics.add_metric("Replayed", MetricUnit.Count, int(one.number is not None))


def _tell_redriven(caller: Caller, one: Redriven) -> None:
    _log(
        caller,
        "dead letter refused" if one.refused else "dead letter redriven",
        {"letter": one.id, "correlation_id": one.correlation_id, "reason": one.refused},
    )
    metrics.add_metric("Redriven", MetricUnit.Count, int(one.refused is None))


def _log(caller: Caller, message: str, facts: dict[str, Any]) -> None:
    """Write one log line per requeued event, with its caller."""
    who = {"company": caller.company, "principal": caller.principal}
    logger.info(message, extra=facts | who)
