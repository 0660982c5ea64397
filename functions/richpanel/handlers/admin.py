"""The admin API of the help-desk middleware over HTTP: switches, conversations, dead letters, health."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import unquote

import boto3
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ConfigDict, Field

from richpanel.api import conversations, health_check, replays, switches
from richpanel.api.access import ApiDependencies, Erased, Instruction, NotFound
from richpanel.api.dry_run import NothingToDecide
from richpanel.api.replays import HelpDeskFailed, NotSetUp
from richpanel.api.switches import SwitchesRefused
from richpanel.api.views import action_view, state_view
from richpanel.bootstrap import SourcesSettings, quick, sources
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import EventQueues
from richpanel.recovery import dead_letters
from richpanel.recovery.dead_letters import Redriven
from richpanel.store.items import TTL_ATTRIBUTE
from shared import clock
from shared.api import rest
from shared.api.auth import Caller, Forbidden, Scope
from shared.api.cursors import Listing
from shared.api.opaque_ids import seal_of
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.aws.sqs_fifo import FifoQueue, NotEnqueued
from shared.policy.kill_switches import SwitchNotSet
from shared.runtime.observability import logger, metrics

# Time reserved for sending the response.
SPARE_MS = 4 * clock.SECOND_MS


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


class _Input(BaseModel):
    # Unknown fields are refused: a misspelt field must not be ignored.
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class SwitchesInput(BaseModel):
    """Switches by name, as JSON or as stored texts. `richpanel.api.switches` checks the names."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)


class DecisionsQuery(_Input):
    """Which page of a conversation's audit."""

    limit: int = Field(default=50, ge=1, le=50)
    cursor: str | None = None


class ReplayInput(_Input):
    """How to replay a conversation: decide only (`dry_run`), or continue unfinished work (`repair`)."""

    mode: Literal["dry_run", "repair"]


class RedriveInput(_Input):
    """Maximum number of dead letters."""

    limit: int = Field(default=50, ge=1, le=100)


class NoInput(_Input):
    """An empty body."""


settings = AdminSettings.load()
dynamodb = boto3.client("dynamodb", config=quick)
sqs = boto3.client("sqs", config=quick)
deps = sources(
    ApiDependencies,
    settings,
    idempotency=Table(dynamodb, settings.idempotency_table_name, TTL_ATTRIBUTE),
    audit=Table(dynamodb, settings.audit_actions_table_name, TTL_ATTRIBUTE),
    switchboard=SwitchBoard(
        SSMProvider(boto3_client=boto3.client("ssm", config=quick)), settings.switches_path
    ),
    lanes=EventQueues(
        mail=FifoQueue(lambda: sqs, settings.richpanel_queue_url),
        live=FifoQueue(lambda: sqs, settings.richpanel_live_queue_url),
    ),
    dead_letters=DeadLetters(sqs, settings.richpanel_dead_letters_url),
)
seal_secret = JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id)
app = rest.resolver(
    {
        NotFound: rest.NOT_FOUND,
        Erased: (HTTPStatus.CONFLICT, "erased"),
        NotSetUp: (HTTPStatus.CONFLICT, "not_set_up"),
        NothingToDecide: (HTTPStatus.CONFLICT, "nothing_to_decide"),
        HelpDeskFailed: (HTTPStatus.SERVICE_UNAVAILABLE, "help_desk_failed"),
        SwitchNotSet: (HTTPStatus.SERVICE_UNAVAILABLE, "switch_not_set"),
        SecretUnreadable: (HTTPStatus.SERVICE_UNAVAILABLE, "secret_unreadable"),
        NotEnqueued: (HTTPStatus.SERVICE_UNAVAILABLE, "not_enqueued"),
    }
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return rest.respond(app, event, context)


@app.get("/admin/richpanel/switches")
def get_switches() -> Response[str]:
    """Return each switch's current value and the newest changes first, with their callers."""
    _caller(Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
    return _switches(changed=None)


@app.put("/admin/richpanel/switches")
def put_switches() -> Response[str]:
    """Set some switches. Body: switches by name."""
    given = _instruction()
    wanted = rest.body(app, SwitchesInput).model_extra or {}
    try:
        changed = switches.set_switches(deps, wanted, given)
    except SwitchesRefused as refusal:
        raise rest.InvalidInput(refusal.problems) from None
    for name in changed:
        _log(given, "switch set", {"switch": name})
    return _switches(changed=changed)


@app.get("/admin/richpanel/conversations/<ticket_id>")
def get_conversation(ticket_id: str) -> Response[str]:
    """Return a conversation's state and its audit, newest first. Query: limit, cursor."""
    caller = _caller(Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
    query, conversation_id = rest.query(app, DecisionsQuery), _id(ticket_id)
    listing = Listing(caller.company, "audit_actions", (conversation_id,))
    start = listing.position(seal_of(seal_secret), query.cursor) if query.cursor else None
    seen = conversations.look_up(deps, conversation_id, limit=query.limit, start=start)
    state = state_view(seen.state) if seen.state else None
    cursor = listing.cursor(seal_of(seal_secret), seen.last) if seen.last else None
    result = {
        "conversation_id": conversation_id,
        "state": state,
        "decisions": [action_view(action) for action in seen.actions],
    }
    return rest.answer(app, {"result": result, **({"cursor": cursor} if cursor else {})})


@app.post("/admin/richpanel/conversations/<ticket_id>/replay")
def replay(ticket_id: str) -> Response[str]:
    """Return a dry-run decision on the newest message, or queue unfinished work for the worker. Body: mode."""
    given = _instruction()
    mode, conversation_id = rest.body(app, ReplayInput).mode, _id(ticket_id)
    result: dict[str, Any] = {"conversation_id": conversation_id, "mode": mode}
    if mode == "dry_run":
        rehearsed = replays.dry_run(deps, conversation_id, _deadline_ms())
        result |= {"message_id": rehearsed.message_id, "decision": rehearsed.decision}
        return rest.answer(app, {"result": json.loads(json.dumps(result, default=str))})
    reopened = replays.repair(deps, conversation_id, given, _deadline_ms())
    metrics.add_metric("Replayed", MetricUnit.Count, 1)
    facts = {"correlation_id": conversation_id, "reopened": len(reopened)}
    _log(given, "conversation replayed", facts)
    return rest.answer(app, {"result": result | {"reopened": reopened}}, HTTPStatus.ACCEPTED)


@app.post("/admin/richpanel/conversations/<ticket_id>/clear-risk")
def clear_risk(ticket_id: str) -> Response[str]:
    """Remove all risk flags from a conversation."""
    given = _instruction()
    rest.body(app, NoInput)
    conversation_id = _id(ticket_id)
    cleared = conversations.clear_risk(deps, conversation_id, given)
    _log(given, "risk cleared", {"correlation_id": conversation_id, "flags": cleared})
    return rest.answer(app, {"result": {"conversation_id": conversation_id, "cleared": cleared}})


@app.delete("/admin/richpanel/conversations/<ticket_id>")
def erase(ticket_id: str) -> Response[str]:
    """Erase a conversation. Its tombstone stays; event and action rows, without personal data, stay until expiry."""
    given = _instruction()
    rest.body(app, NoInput)
    conversation_id = _id(ticket_id)
    erased_at = conversations.erase(deps, conversation_id, given)
    _log(given, "conversation erased", {"correlation_id": conversation_id})
    result = {
        "conversation_id": conversation_id,
        "erased_at": erased_at,
        "kept": "ids, hashes and codes of events and actions, for at most 30 days",
    }
    return rest.answer(app, {"result": result})


@app.post("/admin/richpanel/dlq/redrive")
def redrive() -> Response[str]:
    """Redrive dead letters to their queues. Body: limit."""
    given = _instruction()
    limit = rest.body(app, RedriveInput).limit
    done: list[Redriven] = []

    def tell(one: Redriven) -> None:
        done.append(one)
        facts = {"letter": one.id, "correlation_id": one.conversation_id}
        _log(given, "dead letter redriven", facts)
        metrics.add_metric("Redriven", MetricUnit.Count, 1)

    dead_letters.redrive(deps, given, limit=limit, tell=tell, is_over=_is_over())
    shown = [{"id": one.id, "conversation_id": one.conversation_id} for one in done]
    result = {"letters": shown, "waiting": deps.dead_letters.count()}
    return rest.answer(app, {"result": result}, HTTPStatus.ACCEPTED)


@app.get("/admin/richpanel/health")
def health() -> Response[str]:
    """Return whether tables, queues, keys, switches and the help desk answer. Status 200 even if they do not."""
    _caller(Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
    found = health_check.examine(deps, _deadline_ms())
    result = {
        "healthy": found.is_healthy,
        "checks": found.checks,
        "waiting": found.waiting,
        "keys": found.keys,
        "swept_at": found.swept_at,
    }
    return rest.answer(app, {"result": result})


def _switches(changed: list[str] | None) -> Response[str]:
    standing = switches.standing(deps)
    result: dict[str, Any] = {
        "switches": {
            name: {"text": one.text, "in_force": one.in_force} for name, one in standing.items()
        },
        "readable": any(one.text is not None for one in standing.values()),
        "changes": [action_view(action) for action in switches.newest_changes(deps)],
    }
    return rest.answer(app, {"result": result | ({} if changed is None else {"changed": changed})})


def _caller(*scopes: Scope) -> Caller:
    """Return the caller, if the help desk belongs to their company. Raises Unauthenticated and Forbidden."""
    caller = rest.caller(app, *scopes)
    if deps.account.company not in {None, caller.company}:
        raise Forbidden("company: this help desk belongs to another company")
    return caller


def _instruction() -> Instruction:
    """Return the caller of a change and the request id. Raises Unauthenticated and Forbidden."""
    caller = _caller(Scope.RICHPANEL_OPERATE)
    return Instruction(caller, app.current_event.request_context.request_id)


def _id(ticket_id: str) -> str:
    """Return the conversation id of a path. API Gateway passes paths unchanged: ids in them are URL-encoded."""
    return conversations.id_of(unquote(ticket_id))


def _deadline_ms() -> int:
    return clock.now_ms() + int(app.lambda_context.get_remaining_time_in_millis()) - SPARE_MS


def _is_over() -> Callable[[], bool]:
    context = app.lambda_context
    return lambda: bool(context.get_remaining_time_in_millis() < SPARE_MS)


def _log(given: Instruction, message: str, facts: dict[str, Any]) -> None:
    """Log one line per change, with its caller."""
    who = {"company": given.caller.company, "principal": given.caller.principal}
    logger.info(message, extra=facts | who)
