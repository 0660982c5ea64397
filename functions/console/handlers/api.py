"""
HTTP API of the inbox over all contexts, GET /inbox, of its saved views, of notifications, of changes of many
conversations, of the customers of a company, GET /contacts, of reports, /reports, of requests that erase or export a
person, /privacy/requests, of its people and teams, GET /people, of tickets for live updates, POST /live/tickets, and of
the end of sessions, POST /sign-out; webhooks of a company, /inbox/webhooks.

The function also does the jobs that go on after an answer (`console.jobs`): it starts itself, and a schedule starts
what has stopped. The inbox feeds start pushes to browsers (`console.notifications.pushes`) and deliveries to webhooks
(`console.notifications.webhooks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from console.api import inbox, live, people
from console.api.bulk import requests as bulk
from console.api.bulk import run as bulk_run
from console.api.bulk.calls import Functions
from console.api.routes import InboxRoutes
from console.contacts import contacts
from console.contacts.changes import merge, stored
from console.contacts.changes.contact_routes import ContactRoutes
from console.contacts.changes.record_routes import RecordRoutes
from console.contacts.exports.job import ExportDependencies, ExportSteps
from console.contacts.exports.routes import ExportNotFound, ExportRoutes
from console.contacts.imports.files import FileMissing
from console.contacts.imports.job import ImportDependencies, ImportSteps
from console.contacts.imports.routes import ImportNotFound, ImportRoutes, ImportStarted
from console.contacts.imports.undo import NotUndoable, UndoSteps
from console.contacts.lists.removals import Removal
from console.contacts.lists.routes import ListRoutes
from console.contacts.segments.routes import SegmentRoutes
from console.jobs.contact_work import ContactWork
from console.jobs.engine import Engine
from console.jobs.runs import STARTED, Runs
from console.notifications import digests, pushes
from console.notifications.recipients import Recipients
from console.notifications.routes import NotificationRoutes
from console.notifications.webhooks import run as webhook_run
from console.notifications.webhooks.changes import NotActive, TooManyWebhooks, WebhookNotFound
from console.notifications.webhooks.routes import WebhookRoutes
from console.privacy import retention
from console.privacy import run as privacy_run
from console.privacy.jobs import PersonDependencies
from console.privacy.retention_routes import RetentionRoutes
from console.privacy.routes import (
    NoSuchPerson,
    NoSuchRequest,
    NotWaiting,
    PrivacyRoutes,
    TooManyOpen,
)
from console.reports.routes import ReportRoutes
from console.store.bulk import changes as bulk_changes
from console.store.contacts import work as contact_work
from shared.access.logins import StoredLogins
from shared.api.audit_log.log import AuditedSettings
from shared.api.idempotency import Requests
from shared.api.routing.routes import Routes
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.contacts.lists import ListNotFound, ListRefused
from shared.contacts.segments import SegmentNotFound, SegmentRefused
from shared.identity import keyed_hashes
from shared.identity.contacts.details import TooManyValues, VersionConflict
from shared.identity.contacts.merges import MergeRefused, Missing
from shared.identity.contacts.notes import NoteRemoved
from shared.inbox.entries import Tables
from shared.inbox.items import Context, InboxRequest
from shared.inbox.live import announcements, push_starts
from shared.inbox.live.hints import Announcer
from shared.inbox.live.posts import Live
from shared.inbox.live.push_starts import PushStarts
from shared.inbox.notifications.webhooks import outbox
from shared.policy.consent.records import Consents
from shared.policy.consent.unreachable import NotUnreachable
from shared.privacy.part_calls import ContextFunction, RemoteHeads, RemotePart
from shared.runtime.observability import write_metrics
from shared.runtime.settings import Url  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.providers.email.ses import Ses


@dataclass(frozen=True, kw_only=True)
class InboxApiSettings(AuditedSettings):
    """
    The environment of this function. *functions*: this one and the contexts' APIs, *privacy_functions*: the ones that
    answer calls of requests about a person, newsletters and the help desk last; all with their alias.
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
    inbox_function: str
    digest_sender: str
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
cognito = cache(lambda: boto3.client("cognito-idp", config=quick))
logins = StoredLogins(
    lambda: boto3.client("ssm", config=quick), settings.login_settings_name, completes=False
)
colleagues = people.People(cognito, logins, keys)
# A repeated invocation would be another call: the run repeats what has no answer.
once = Config(connect_timeout=1, read_timeout=10, retries={"total_max_attempts": 1})
OWN, *OF_CONTEXTS = settings.functions
functions = Functions(
    cache(lambda: boto3.client("lambda", config=once)),
    OWN,
    dict(zip(Context, OF_CONTEXTS, strict=True)),
)
runs = Runs(functions.invoke_own)
bulk_deps = bulk_run.BulkDependencies(inbox=deps, keys=keys, functions=functions, runs=runs)
BESIDE_INBOX = ("newsletters", "richpanel")  # have parts, and no conversations in the inbox
OF_PARTS = dict(
    zip(
        (*Context, *BESIDE_INBOX),
        (ContextFunction(functions.client, one) for one in settings.privacy_functions),
        strict=True,
    )
)
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
exports = Bucket(
    cache(lambda: boto3.client("s3", config=Config(signature_version="s3v4"))),
    settings.media_bucket_name,
)


def person_dependencies() -> PersonDependencies:
    """Return what one run of a request about a person needs."""
    return PersonDependencies(
        tables=Tables(inbox=deps.table, contacts=deps.contacts),
        consents=consent_records.table,
        heads={context: RemoteHeads(context, OF_PARTS[context]) for context in Context},
        # Conversations after the inbox and the threads, which forward messages to them.
        parts={
            str(context): RemotePart(str(context), OF_PARTS[context])
            for context in (
                Context.WHATSAPP,
                Context.EMAIL_THREADS,
                Context.CONVERSATIONS,
                *BESIDE_INBOX,
            )
        },
        bucket=exports,
    )


audit_log = settings.audit_log(dynamodb)


@cache
def _ses() -> Ses:
    from shared.providers.email.ses import Ses  # noqa: PLC0415 - of the schedule

    return Ses(lambda: boto3.client("sesv2", config=once))


digest_deps = digests.DigestDependencies(
    inbox=deps,
    recipients=Recipients(cognito, logins),
    ses=_ses,
    sender=settings.digest_sender if settings.digest_sender.partition("@")[2] else "",
)
announcer = Announcer(
    live=sessions,
    key_of=lambda change: change.reference,
    pushes=PushStarts(live_table, settings.inbox_function),
)
push_deps = pushes.PushDependencies(inbox=deps, logins=logins)
imports = ImportDependencies(inbox=deps, consents=consent_records, bucket=exports)
contact_exports = ExportDependencies(inbox=deps, bucket=exports)
work_on_contacts = ContactWork(
    table=deps.contacts,
    steps={
        "list": lambda work: Removal(deps.contacts, work),
        "import": lambda work: ImportSteps(imports, work),
        "undo": lambda work: UndoSteps(imports.inbox.contacts, consent_records, work),
        "export": lambda work: ExportSteps(contact_exports, work),
    },
)
engine = Engine(
    runs,
    {
        bulk_run.KIND: bulk_run.BulkChanges(bulk_deps),
        **dict.fromkeys(work_on_contacts.steps, work_on_contacts),
        privacy_run.KIND: privacy_run.PersonRequests(person_dependencies),
        webhook_run.KIND: webhook_run.WebhookRuns(live_table, deps.table, lambda: deps.seal),
    },
)
routes = Routes(
    title="Parley: inbox over all contexts",
    document="/inbox/openapi.json",
    errors={
        people.Unsupported: (HTTPStatus.NOT_IMPLEMENTED, "unsupported"),
        contacts.ContactNotFound: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        bulk.NoSuchChange: (HTTPStatus.NOT_FOUND, "not_found"),
        bulk.NotUndone: (HTTPStatus.CONFLICT, "state_conflict"),
        bulk_changes.Running: (HTTPStatus.CONFLICT, "bulk_running"),
        stored.IdentifierNotFound: (HTTPStatus.NOT_FOUND, "identifier_not_found"),
        stored.IdentifierTaken: (HTTPStatus.CONFLICT, "identifier_taken"),
        VersionConflict: (HTTPStatus.CONFLICT, "version_conflict"),
        merge.MergeNotFound: (HTTPStatus.NOT_FOUND, "merge_not_found"),
        Missing: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        MergeRefused: (HTTPStatus.CONFLICT, "merge_refused"),
        NotUnreachable: (HTTPStatus.CONFLICT, "not_unreachable"),
        ListNotFound: (HTTPStatus.NOT_FOUND, "list_not_found"),
        ListRefused: (HTTPStatus.CONFLICT, "list_refused"),
        SegmentNotFound: (HTTPStatus.NOT_FOUND, "segment_not_found"),
        SegmentRefused: (HTTPStatus.CONFLICT, "segment_refused"),
        ImportNotFound: (HTTPStatus.NOT_FOUND, "import_not_found"),
        ImportStarted: (HTTPStatus.CONFLICT, "import_started"),
        NotUndoable: (HTTPStatus.CONFLICT, "not_undoable"),
        FileMissing: (HTTPStatus.NOT_FOUND, "file_not_found"),
        ExportNotFound: (HTTPStatus.NOT_FOUND, "export_not_found"),
        NoSuchRequest: (HTTPStatus.NOT_FOUND, "not_found"),
        NoSuchPerson: (HTTPStatus.NOT_FOUND, "contact_not_found"),
        NotWaiting: (HTTPStatus.CONFLICT, "not_waiting"),
        NoteRemoved: (HTTPStatus.NOT_FOUND, "note_not_found"),
        TooManyValues: (HTTPStatus.CONFLICT, "too_many_values"),
        TooManyOpen: (HTTPStatus.CONFLICT, "too_many_requests_open"),
        contact_work.TooManyOpen: (HTTPStatus.CONFLICT, "too_many_requests_open"),
        WebhookNotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        NotActive: (HTTPStatus.CONFLICT, "state_conflict"),
        TooManyWebhooks: (HTTPStatus.CONFLICT, "too_many_webhooks"),
    },
    requests=Requests(deps.table, InboxRequest, lambda: deps.seal),
    audit_log=audit_log,
)
routes.add(
    InboxRoutes(
        deps=deps, changes=bulk_deps, tickets=live_deps, sessions=sessions, colleagues=colleagues
    )
)
# Before /contacts/{contact_id}, which would take their paths.
routes.add(ListRoutes(deps, runs))
routes.add(SegmentRoutes(deps, consent_records))
routes.add(ImportRoutes(imports, runs))
routes.add(ExportRoutes(contact_exports, runs))
routes.add(PrivacyRoutes(person=person_dependencies, runs=runs, seal_secret=deps.seal_secret))
routes.add(NotificationRoutes(deps, digest_deps))
routes.add(WebhookRoutes(deps, runs))
routes.add(RetentionRoutes(person_dependencies))
routes.add(ContactRoutes(deps, consent_records))
routes.add(RecordRoutes(deps, consent_records))
routes.add(ReportRoutes(deps.table, colleagues))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; nothing for the schedule's event and for the start of a run."""
    if STARTED in event:
        engine.go_on(event[STARTED], context.get_remaining_time_in_millis)
        return {}
    if outbox.STARTED in event:
        run = webhook_run.first_run(event[outbox.STARTED])
        engine.go_on(run, context.get_remaining_time_in_millis)
        return {}
    if push_starts.STARTED in event:
        pushes.send(push_deps, event[push_starts.STARTED])
        write_metrics()
        return {}
    if announcements.ANNOUNCED in event:
        announcements.take(announcer, event[announcements.ANNOUNCED])
        write_metrics()
        return {}
    if "httpMethod" not in event:
        engine.start_opened()
        digests.send_due(digest_deps, context)
        retention.apply(
            person_dependencies(), audit_log, runs, context.get_remaining_time_in_millis
        )
        write_metrics()
        return {}
    return routes.respond(event, context)
