"""
HTTP API of e-mail threads: threads, mails, attachments, changes, mailboxes; parked events and dead letters.

The function also answers calls of requests about a person over all contexts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from email_threads.api import changes, inputs, queries, satisfaction, views
from email_threads.api.changes import Conflict, InvalidTransition
from email_threads.api.drafts import opened_thread
from email_threads.api.drafts.actions import TooManyDrafts
from email_threads.api.drafts.routes import DraftRoutes
from email_threads.api.drafts.signatures import SignatureRoutes
from email_threads.api.macros.routes import MacroRoutes
from email_threads.api.mailboxes.routes import MailboxRoutes
from email_threads.api.mailboxes.set_routes import MailboxSetRoutes
from email_threads.api.mailboxes.trials.routes import MailboxTrialRoutes
from email_threads.api.merges.routes import MergeRoutes
from email_threads.api.people import admission, join_requests, spam
from email_threads.api.queries import ApiDependencies, AttachmentBlocked, NotFound
from email_threads.privacy.requests import jobs_of, subject_of
from email_threads.privacy.routes import PrivacyRoutes
from email_threads.recovery.bootstrap import recovery_of
from email_threads.replies.approval import review
from email_threads.store.configuration import macros, mailboxes
from email_threads.store.items import StoredAnswer
from shared.ai.evaluation.sets import calls as sets
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.trials import calls as trial_calls
from shared.ai.versions.stored import NoVersion
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.seen import ChangedMeanwhile
from shared.events.recovery.routes import ERRORS, RecoveryRoutes
from shared.identity import keyed_hashes
from shared.inbox.canned_replies.items import CannedReplies
from shared.privacy import PART
from shared.privacy import settings as privacy_settings
from shared.runtime.settings import Origin

if TYPE_CHECKING:
    from shared.ai.providers.model_creation import ModelDependencies


@dataclass(frozen=True, kw_only=True)
class ApiSettings(AuditedSettings):
    """The environment of this function."""

    email_conversations_table_name: str
    email_bucket_name: str
    email_threads_queue_url: str
    email_inbound_queue_url: str
    email_threads_dead_letters_url: str
    email_inbound_dead_letters_url: str
    api_seal_secret_id: str
    identifier_keys_secret_id: str
    conversation_log_table_name: str
    canned_replies_table_name: str
    contacts_table_name: str
    openai_base_url: Origin
    spending_table_name: str
    single_company: str = ""


settings = ApiSettings.load()
# boto3's default timeout is a minute, and API Gateway's half of that.
quick = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2})
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
sqs = cache(lambda: boto3.client("sqs", config=quick))
dynamodb = boto3.client("dynamodb", config=quick)
table = Table(dynamodb, settings.email_conversations_table_name)
seal_secret = JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id)
keyed_hashes.configure(
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.identifier_keys_secret_id
    )
)
deps = ApiDependencies(
    table=table,
    log=Table(dynamodb, settings.conversation_log_table_name),
    single_company=settings.single_company,
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.email_bucket_name),
    queue=FifoQueue(sqs, settings.email_threads_queue_url),
    delayed=StandardQueue(sqs, settings.email_inbound_queue_url),
    seal_secret=seal_secret,
    canned=CannedReplies(Table(dynamodb, settings.canned_replies_table_name)),
)
recovery = recovery_of(
    table=table,
    queue=deps.queue,
    inbound=deps.delayed,
    dead_letters=DeadLetters(sqs, settings.email_threads_dead_letters_url),
    inbound_dead_letters=DeadLetters(sqs, settings.email_inbound_dead_letters_url),
)
routes = Routes(
    title="Parley: e-mail threads",
    document="/email-threads/openapi.json",
    errors={
        **ERRORS,
        **privacy_settings.ERRORS,
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        NoVersion: (HTTPStatus.NOT_FOUND, "not_found"),
        ModelUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "model_unavailable"),
        ModelUnusable: (HTTPStatus.UNPROCESSABLE_ENTITY, "model_unusable"),
        AttachmentBlocked: (HTTPStatus.FORBIDDEN, "attachment_blocked"),
        **sets.ERRORS,
        **trial_calls.ERRORS,
        Conflict: (HTTPStatus.CONFLICT, "conflict"),
        ChangedMeanwhile: (HTTPStatus.CONFLICT, "version_conflict"),
        InvalidTransition: (HTTPStatus.CONFLICT, "invalid_transition"),
        spam.DomainBlocked: (HTTPStatus.CONFLICT, "domain_blocked"),
        mailboxes.TooMany: (HTTPStatus.CONFLICT, "mailbox_refused"),
        review.StaleVersion: (HTTPStatus.CONFLICT, "stale_version"),
        review.StaleDraft: (HTTPStatus.CONFLICT, "stale_draft"),
        review.WrongState: (HTTPStatus.CONFLICT, "invalid_transition"),
        review.NotTheAuthor: (HTTPStatus.FORBIDDEN, "not_the_author"),
        macros.TooManyMacros: (HTTPStatus.CONFLICT, "list_full"),
        TooManyDrafts: (HTTPStatus.CONFLICT, "too_many_drafts"),
    },
    requests=Requests(table, StoredAnswer),
    audit_log=settings.audit_log(dynamodb),
)
RecoveryRoutes(recovery=recovery, seal_secret=seal_secret).declare(
    routes, read=(Scope.EMAIL_READ,), replay=(Scope.EMAIL_ADMIN,)
)
routes.add(DraftRoutes(deps))


@cache
def _models() -> "ModelDependencies":
    from shared.ai.providers.model_creation import (  # noqa: PLC0415 - of the playground only
        ModelDependencies,
    )
    from shared.aws.client_configs import PATIENT  # noqa: PLC0415 - as above
    from shared.providers.company_secrets import CompanySecrets  # noqa: PLC0415 - as above

    return ModelDependencies(
        openai_url=f"{settings.openai_base_url}/v1",
        credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
        make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
    )


routes.add(MailboxRoutes(deps, _models, Table(dynamodb, settings.spending_table_name)))
routes.add(MailboxSetRoutes(deps))
routes.add(MailboxTrialRoutes(deps))
routes.add(SignatureRoutes(deps))
routes.add(MacroRoutes(deps))
routes.add(MergeRoutes(deps))
privacy_jobs = jobs_of(table, deps.bucket, deps.queue)
routes.add(PrivacyRoutes(privacy_jobs, Table(dynamodb, settings.contacts_table_name)))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out. The page of a signed link has no caller."""
    if PART in event:
        return _answered(event[PART])
    if event.get("resource") == satisfaction.RESOURCE:
        return satisfaction.respond(table, event)
    return routes.respond(event, context)


def _answered(call: object) -> dict[str, Any]:
    from email_threads.store.lists.inbox_heads import (  # noqa: PLC0415 - of rare calls
        EmailHeads,
    )
    from shared.privacy import part_calls  # noqa: PLC0415 - as above
    from shared.privacy.parts import JobsPart  # noqa: PLC0415 - as above

    part = JobsPart(context="email_threads", jobs=privacy_jobs, subject_of=subject_of)
    return part_calls.answer(part, EmailHeads(table), call)


@routes.reads("GET /email-threads", Scope.EMAIL_READ)
def list_threads(request: Request[inputs.ThreadsQuery]) -> Page[views.Threads]:
    """List threads by status or by participant, newest change first."""
    return queries.list_threads(deps, request.caller.company, request.input)


@routes.reads("GET /email-threads/{conversation_id}", Scope.EMAIL_READ)
def get_thread(
    request: Request[inputs.ThreadQuery], conversation_id: str
) -> opened_thread.OpenedThread:
    """Return one thread with its newest mails, notes and open drafts if asked; for a merged one, what it is part of."""
    company = request.caller.company
    return opened_thread.opened_thread(table, company, conversation_id, request.input)


@routes.changes("PATCH /email-threads/{conversation_id}", Scope.EMAIL_WRITE)
def change_thread(
    request: Request[inputs.ThreadChange], conversation_id: str
) -> Callable[[], views.Changed]:
    """Change status, automation, assignee, priority, tags or consent of a thread."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: changes.change(table, thread, request)


@routes.changes("POST /email-threads/{conversation_id}/archive", Scope.EMAIL_WRITE)
def archive_thread(request: Request[NoInput], conversation_id: str) -> Callable[[], views.Changed]:
    """Archive a thread."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: changes.archive(table, thread, request)


@routes.changes("POST /email-threads/{conversation_id}/spam", Scope.EMAIL_WRITE)
def mark_as_spam(request: Request[NoInput], conversation_id: str) -> Callable[[], views.Changed]:
    """Archive a thread as spam; further mail of its sender to this mailbox is left out."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: spam.mark(deps, thread, request)


@routes.changes("POST /email-threads/{conversation_id}/not-spam", Scope.EMAIL_WRITE)
def unmark_as_spam(request: Request[NoInput], conversation_id: str) -> Callable[[], views.Changed]:
    """Undo the mark: the thread is active, and mail of its sender is received again."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: spam.unmark(deps, thread, request)


@routes.reads("GET /email-threads/{conversation_id}/emails", Scope.EMAIL_READ)
def list_mails(request: Request[inputs.NumberedQuery], conversation_id: str) -> views.Mails:
    """List the mails of a thread, newest first."""
    return queries.mails(table, request.caller.company, conversation_id, request.input)


@routes.reads("GET /email-threads/{conversation_id}/emails/{n}", Scope.EMAIL_READ)
def get_mail(request: Request[inputs.MailQuery], conversation_id: str, n: str) -> views.MailView:
    """Return a whole mail, with its sanitised HTML if asked."""
    return queries.mail(deps, request.caller.company, conversation_id, n, request.input)


@routes.reads(
    "GET /email-threads/{conversation_id}/emails/{n}/attachments/{index}", Scope.EMAIL_READ
)
def get_attachment(
    request: Request[NoInput], conversation_id: str, n: str, index: str
) -> views.Link:
    """Return a link that downloads a file of a mail."""
    return queries.attachment(deps, request.caller.company, conversation_id, n, index)


@routes.changes("POST /email-threads/{conversation_id}/emails/{n}/admit", Scope.EMAIL_APPROVE)
def admit_mail(
    request: Request[NoInput], conversation_id: str, n: str
) -> Callable[[], views.Admission]:
    """Let a mail with weak evidence, or a held verification mail, count as any other."""
    queries.mail_of(table, request.caller.company, conversation_id, n)
    return lambda: admission.admit(deps, request, conversation_id, n)


@routes.changes("POST /email-threads/{conversation_id}/emails/{n}/withhold", Scope.EMAIL_APPROVE)
def withhold_mail(
    request: Request[NoInput], conversation_id: str, n: str
) -> Callable[[], views.Admission]:
    """Undo the admission of a mail; answers that were sent stay."""
    queries.mail_of(table, request.caller.company, conversation_id, n)
    return lambda: admission.withhold(deps, request, conversation_id, n)


@routes.changes(
    "POST /email-threads/{conversation_id}/join-requests/{requester}/admit",
    Scope.EMAIL_APPROVE,
    status=HTTPStatus.ACCEPTED,
)
def admit_thread(
    request: Request[NoInput], conversation_id: str, requester: str
) -> Callable[[], views.Joining]:
    """Let the author of another thread, who named this one, join it with their mails."""
    join_requests.requested(table, request.caller.company, conversation_id, requester)
    return lambda: join_requests.admit(deps, request, conversation_id, requester)


@routes.changes(
    "POST /email-threads/{conversation_id}/join-requests/{requester}/decline", Scope.EMAIL_APPROVE
)
def decline_thread(
    request: Request[NoInput], conversation_id: str, requester: str
) -> Callable[[], views.Joining]:
    """Remove a request to join a thread."""
    join_requests.requested(table, request.caller.company, conversation_id, requester)
    return lambda: join_requests.decline(deps, request, conversation_id, requester)


@routes.changes(
    "POST /email-threads/{conversation_id}/analysis", Scope.EMAIL_WRITE, status=HTTPStatus.ACCEPTED
)
def request_analysis(
    request: Request[NoInput], conversation_id: str
) -> Callable[[], views.Requested]:
    """Let the model read the customer's newest mail again, after it was skipped or has failed."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: changes.request_analysis(deps, thread, request)


@routes.reads("GET /email-threads/{conversation_id}/notes", Scope.EMAIL_READ)
def list_notes(request: Request[inputs.NumberedQuery], conversation_id: str) -> views.Notes:
    """List the internal notes of a thread, newest first."""
    return queries.notes(table, request.caller.company, conversation_id, request.input)


@routes.changes(
    "POST /email-threads/{conversation_id}/notes", Scope.EMAIL_WRITE, status=HTTPStatus.CREATED
)
def add_note(
    request: Request[inputs.NoteInput], conversation_id: str
) -> Callable[[], views.WrittenNote]:
    """Write an internal note, which the customer never sees."""
    thread = queries.head_of(table, request.caller.company, conversation_id)
    return lambda: changes.add_note(table, thread, request)


@routes.reads("GET /email-threads/{conversation_id}/changes", Scope.EMAIL_READ)
def list_changes(request: Request[inputs.NumberedQuery], conversation_id: str) -> views.Changes:
    """List the changes of a thread with their authors and times, newest first."""
    return queries.changes(table, request.caller.company, conversation_id, request.input)
