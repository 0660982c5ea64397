"""
HTTP API of the inbox over all contexts, GET /inbox, of its saved views, of changes of many conversations, of the
customers of a company, GET /contacts, of requests that erase or export a person, /privacy/requests, of its people and
teams, GET /people, of tickets for live updates, POST /live/tickets, and of the end of sessions, POST /sign-out.

The function also makes the changes of many conversations and runs the requests: it starts itself, and a schedule
starts what has stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
from botocore.config import Config

from console.api import contacts, inbox, inputs, live, people, saved_views, sign_out, views
from console.api.bulk import requests as bulk
from console.api.bulk import run as bulk_run
from console.api.bulk.calls import STARTED, Functions
from console.api.bulk.inputs import BulkChangeInput, StopInput
from console.api.bulk.views import BulkChangeState, NewestBulkChange
from console.api.contact_changes import merge, stored
from console.api.contact_changes.contact_routes import ContactRoutes
from console.api.contact_changes.record_routes import RecordRoutes
from console.api.reading_rights import SCOPES
from console.contacts import work as contact_work
from console.contacts.lists import ListRoutes
from console.privacy import run as privacy_run
from console.privacy.jobs import PersonDependencies
from console.privacy.routes import (
    NoSuchPerson,
    NoSuchRequest,
    NotWaiting,
    PrivacyRoutes,
    TooManyOpen,
)
from console.store import bulk_changes
from shared.access.logins import StoredLogins
from shared.api.audit_log.log import AuditedSettings
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import to_json
from shared.contacts.lists import ListNotFound, ListRefused
from shared.identity import keyed_hashes
from shared.identity.contacts.details import TooManyValues, VersionConflict
from shared.identity.contacts.merges import MergeRefused, Missing
from shared.identity.contacts.notes import NoteRemoved
from shared.inbox.entries import Tables
from shared.inbox.items import Context, InboxRequest
from shared.inbox.live.posts import Live
from shared.policy.consent.records import Consents
from shared.privacy.part_calls import ContextFunction, RemoteHeads, RemotePart, RemoteRows
from shared.runtime.observability import write_metrics
from shared.runtime.settings import Url  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxApiSettings(AuditedSettings):
    """
    The environment of this function. *functions*: this one and those of the contexts, *privacy_functions*: those that
    answer calls of requests about a person, the help desk's last; all with their alias.
    """

    functions: tuple[str, ...]
    privacy_functions: tuple[str, ...]
    media_bucket_name: str
    inbox_table_name: str
    contacts_table_name: str
    conversation_log_table_name: str  # stores consent
    identifier_keys_secret_id: str
    api_seal_secret_id: str
    live_table_name: str
    live_endpoint: Url
    live_url: str
    api_keys_table_name: str
    login_settings_name: str


settings = InboxApiSettings.load()
dynamodb = boto3.client("dynamodb")
live_table = Table(dynamodb, settings.live_table_name)
deps = inbox.InboxDependencies(
    table=Table(dynamodb, settings.inbox_table_name),
    contacts=Table(dynamodb, settings.contacts_table_name),
    live=live_table,
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
keyed_hashes.configure(
    JsonSecret(lambda: boto3.client("secretsmanager"), settings.identifier_keys_secret_id)
)
consent_records = Consents(Table(dynamodb, settings.conversation_log_table_name))
keys = Table(dynamodb, settings.api_keys_table_name)
sessions = Live(live_table, keys, settings.live_endpoint)
live_deps = live.TicketDependencies(table=live_table, live_url=settings.live_url)
# A person waits for the names of colleagues.
quick = Config(connect_timeout=1, read_timeout=3, retries={"total_max_attempts": 2})
colleagues = people.People(
    cache(lambda: boto3.client("cognito-idp", config=quick)),
    StoredLogins(
        lambda: boto3.client("ssm", config=quick), settings.login_settings_name, completes=False
    ),
)
# A repeated invocation would be another call: the run repeats what has no answer.
once = Config(connect_timeout=1, read_timeout=10, retries={"total_max_attempts": 1})
OWN, *OF_CONTEXTS = settings.functions
PRIVACY_RUN = "privacy_request"  # in the event of a run
bulk_deps = bulk_run.BulkDependencies(
    inbox=deps,
    keys=keys,
    functions=Functions(
        cache(lambda: boto3.client("lambda", config=once)),
        OWN,
        dict(zip(Context, OF_CONTEXTS, strict=True)),
    ),
)
work_on_contacts = contact_work.Work(table=deps.contacts, functions=bulk_deps.functions)
MOST_RUNS = 12  # that follow each other; the schedule starts the next ones
*OF_PARTS, HELP_DESK = (
    ContextFunction(bulk_deps.functions.client, name) for name in settings.privacy_functions
)
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
exports = Bucket(
    cache(lambda: boto3.client("s3", config=Config(signature_version="s3v4"))),
    settings.media_bucket_name,
)


def person_dependencies() -> PersonDependencies:
    """Return what one run of a request about a person needs."""
    parts = dict(zip(Context, OF_PARTS, strict=True))
    return PersonDependencies(
        tables=Tables(inbox=deps.table, contacts=deps.contacts),
        heads={context: RemoteHeads(context, function) for context, function in parts.items()},
        # Conversations last: the inbox and the threads forward messages to them.
        parts={
            str(context): RemotePart(str(context), parts[context])
            for context in (Context.WHATSAPP, Context.EMAIL_THREADS, Context.CONVERSATIONS)
        },
        help_desk=RemoteRows(HELP_DESK),
        bucket=exports,
    )


def start_privacy_run(company: str, request_id: str, run: int = 1) -> None:
    """Start a run of a request, without waiting for it. *run*: how many have followed each other."""
    event = {PRIVACY_RUN: {"company": company, "request": request_id, "run": run}}
    bulk_deps.functions.client().invoke(
        FunctionName=OWN, InvocationType="Event", Payload=to_json(event).encode()
    )


privacy = PrivacyRoutes(
    person=person_dependencies, start=start_privacy_run, seal_secret=deps.seal_secret
)
routes = Routes(
    title="Parley: inbox over all contexts",
    document="/inbox/openapi.json",
    errors={
        people.Unsupported: (HTTPStatus.NOT_IMPLEMENTED, "unsupported"),
        contacts.ContactNotFound: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        bulk.NoSuchChange: (HTTPStatus.NOT_FOUND, "not_found"),
        bulk_changes.Running: (HTTPStatus.CONFLICT, "bulk_running"),
        stored.IdentifierNotFound: (HTTPStatus.NOT_FOUND, "identifier_not_found"),
        stored.IdentifierTaken: (HTTPStatus.CONFLICT, "identifier_taken"),
        VersionConflict: (HTTPStatus.CONFLICT, "version_conflict"),
        merge.MergeNotFound: (HTTPStatus.NOT_FOUND, "merge_not_found"),
        Missing: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        MergeRefused: (HTTPStatus.CONFLICT, "merge_refused"),
        ListNotFound: (HTTPStatus.NOT_FOUND, "list_not_found"),
        ListRefused: (HTTPStatus.CONFLICT, "list_refused"),
        NoSuchRequest: (HTTPStatus.NOT_FOUND, "not_found"),
        NoSuchPerson: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        NotWaiting: (HTTPStatus.CONFLICT, "not_waiting"),
        NoteRemoved: (HTTPStatus.NOT_FOUND, "note_not_found"),
        TooManyValues: (HTTPStatus.CONFLICT, "too_many_values"),
        TooManyOpen: (HTTPStatus.CONFLICT, "too_many_requests_open"),
    },
    requests=Requests(deps.table, InboxRequest),
    audit_log=settings.audit_log(dynamodb),
)
# Before /contacts/{contact_id}, which would take their paths.
routes.add(ListRoutes(deps, work_on_contacts))
routes.add(privacy)
routes.add(ContactRoutes(deps))
routes.add(RecordRoutes(deps, consent_records))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; nothing for the schedule's event and for the start of a run."""
    if STARTED in event:
        return _run(event[STARTED], context)
    if PRIVACY_RUN in event:
        return _run_request(event[PRIVACY_RUN], context)
    if contact_work.STARTED in event:
        started = event[contact_work.STARTED]
        work_on_contacts.go_on(started, context.get_remaining_time_in_millis, MOST_RUNS)
        return {}
    if "httpMethod" not in event:
        bulk.start_opened(bulk_deps)
        work_on_contacts.start_opened()
        privacy.go_on_with_due()
        return {}
    return routes.respond(event, context)


def _run(started: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    company, principal, run = started["company"], started["principal"], int(started["run"])
    remaining_ms = context.get_remaining_time_in_millis
    # Lambda repeats a run that has died under its request id, which is no owner for this reason.
    try:
        goes_on = bulk_run.run(bulk_deps, company, principal, uuid4().hex, remaining_ms)
    finally:
        write_metrics()
    # AWS stops functions that start themselves again and again.
    if goes_on and run < MOST_RUNS:
        bulk_deps.functions.start(company, principal, run + 1)
    return {}


def _run_request(started: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    company, request_id, run = started["company"], started["request"], int(started["run"])
    remaining_ms = context.get_remaining_time_in_millis
    try:
        goes_on = privacy_run.go_on(person_dependencies(), company, request_id, remaining_ms)
    finally:
        write_metrics()
    if goes_on and run < MOST_RUNS:
        start_privacy_run(company, request_id, run + 1)
    return {}


@routes.reads("GET /inbox", *SCOPES.values())
def list_inbox(request: Request[inputs.InboxQuery]) -> Page[views.Inbox]:
    """List the conversations of all contexts that the key may read, newest first."""
    return inbox.conversations(deps, request.caller, request.input)


@routes.reads("GET /inbox/views", *SCOPES.values())
def list_views(request: Request[inputs.ViewsQuery]) -> views.SavedViews:
    """List the presets and the saved views of the caller and of teams, with counts."""
    return saved_views.listed(deps, request.caller, request.input)


@routes.changes("POST /inbox/views", *saved_views.SCOPES)
def save_view(request: Request[inputs.SaveViewInput]) -> Callable[[], views.SavedViewState]:
    """Save a view under its name, for the caller or a team, or remove it."""
    return saved_views.save(deps, request.caller, request.input)


@routes.reads("GET /inbox/bulk", *SCOPES.values())
def get_bulk_change(request: Request[NoInput]) -> NewestBulkChange:
    """Return the newest change of many conversations that the caller asked for, and its result so far."""
    return bulk.newest(bulk_deps, request.caller)


@routes.changes("POST /inbox/bulk", *bulk.SCOPES, status=HTTPStatus.ACCEPTED)
def change_many(request: Request[BulkChangeInput]) -> Callable[[], BulkChangeState]:
    """Change many conversations, chosen ones or all that match filters, one after the other."""
    return bulk.begin(bulk_deps, request)


@routes.changes("POST /inbox/bulk/stop", *bulk.SCOPES)
def stop_change(request: Request[StopInput]) -> Callable[[], BulkChangeState]:
    """Stop the caller's change of many conversations: what was changed stays."""
    return bulk.stop(bulk_deps, request)


@routes.reads("POST /live/tickets", *SCOPES.values())
def issue_live_ticket(request: Request[NoInput]) -> views.LiveTicket:
    """Issue a one-time ticket for a WebSocket connection that receives hints of changes."""
    return live.ticket(live_deps, request.caller)


@routes.reads("POST /sign-out")
def end_sessions(request: Request[NoInput]) -> views.SignedOut:
    """End all sessions of the person who calls: access tokens and live connections."""
    return sign_out.sign_out(sessions, request.caller)


@routes.reads("GET /people", *SCOPES.values())
def list_people(request: Request[NoInput]) -> views.CompanyPeople:
    """List the people and teams of the company, to whom conversations may be assigned."""
    return colleagues.of(request.caller)
