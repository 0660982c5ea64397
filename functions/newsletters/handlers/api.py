"""
HTTP API of newsletters: configuration, steps, review, exports, settings, sources; parked events, dead letters.

The function also answers calls of requests about a person over all contexts.
"""

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from newsletters.api import access, changes, reviews, steps
from newsletters.api.company.routes import CompanyRoutes
from newsletters.api.company.tries.routes import TryRoutes
from newsletters.api.company.versions import OtherVersionLive
from newsletters.api.queries import ApiDependencies
from newsletters.api.routes import NewsletterRoutes
from newsletters.configuration.resources import Resources
from newsletters.drafting.drafts import changes as draft_changes
from newsletters.issues import public_pages
from newsletters.issues.api import control
from newsletters.issues.api.list_routes import ListRoutes
from newsletters.issues.api.routes import IssueRoutes
from newsletters.issues.api.template_routes import TemplateInUse, TemplateRoutes
from newsletters.issues.api.trials import TooManyTests
from newsletters.issues.api.warm_up_routes import WarmUpRoutes
from newsletters.issues.checklist import ChecklistFailed
from newsletters.issues.dependencies import IssueDependencies
from newsletters.jobs import requests
from newsletters.privacy.requests import jobs_of, subject_of
from newsletters.privacy.routes import PrivacyRoutes
from newsletters.recovery.bootstrap import recovery_of
from newsletters.series.routes import SeriesRoutes
from newsletters.store.bucket.objects import Store
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import StoredAnswer
from newsletters.store.readers.templates import TooManyTemplates
from newsletters.store.series import TooManySeries
from shared.ai.evaluation.sets import calls as sets
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.retrieval import CorpusTooLarge
from shared.ai.versions.stored import NoVersion
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.idempotency import Requests
from shared.api.routing.routes import Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.stored_objects import ObjectUnusable
from shared.contacts.lists import ListNotFound
from shared.contacts.person import Sources
from shared.events.recovery.routes import ERRORS, RecoveryRoutes
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from shared.privacy import PART
from shared.privacy import settings as privacy_settings
from shared.providers.email.identities import Identities
from shared.providers.email.tenants import Tenants
from shared.runtime.settings import Origin

if TYPE_CHECKING:
    from newsletters.api.company.tries.playground import TrialDependencies


@dataclass(frozen=True, kw_only=True)
class ApiSettings(AuditedSettings):
    """The environment of this function."""

    table_name: str
    newsletters_bucket_name: str
    newsletter_steps_queue_url: str
    newsletter_exports_queue_url: str
    newsletter_steps_dead_letters_url: str
    newsletter_exports_dead_letters_url: str
    api_seal_secret_id: str
    conversation_log_table_name: str
    contacts_table_name: str
    inbox_table_name: str
    identifier_keys_secret_id: str
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
table = Table(dynamodb, settings.table_name)
seal_secret = JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id)
resources = Resources(
    store=Store(
        table,
        Bucket(lambda: boto3.client("s3", config=signing), settings.newsletters_bucket_name),
    ),
    steps=FifoQueue(sqs, settings.newsletter_steps_queue_url),
    exports=FifoQueue(sqs, settings.newsletter_exports_queue_url),
)
deps = ApiDependencies(
    resources,
    seal_secret,
    Table(dynamodb, settings.conversation_log_table_name),
    settings.single_company,
)
keyed_hashes.configure(
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.identifier_keys_secret_id
    )
)
issue_deps = IssueDependencies(
    resources=resources,
    seal_secret=seal_secret,
    log=deps.log,
    people=Sources(
        contacts=Table(dynamodb, settings.contacts_table_name),
        inbox=Table(dynamodb, settings.inbox_table_name),
        consents=Consents(deps.log),
    ),
    identities=Identities(lambda: boto3.client("sesv2", config=quick)),
    tenants=Tenants(lambda: boto3.client("sesv2", config=quick)),
)
recovery = recovery_of(
    table=table,
    steps=resources.steps,
    exports=resources.exports,
    steps_dead_letters=DeadLetters(sqs, settings.newsletter_steps_dead_letters_url),
    exports_dead_letters=DeadLetters(sqs, settings.newsletter_exports_dead_letters_url),
)
routes = Routes(
    title="Parley: newsletters",
    document="/newsletters/openapi.json",
    errors={
        **ERRORS,
        **privacy_settings.ERRORS,
        access.NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        StaleVersion: (HTTPStatus.CONFLICT, "stale_version"),
        NoVersion: (HTTPStatus.NOT_FOUND, "not_found"),
        OtherVersionLive: (HTTPStatus.CONFLICT, "other_version_live"),
        ModelUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "model_unavailable"),
        ModelUnusable: (HTTPStatus.UNPROCESSABLE_ENTITY, "model_unusable"),
        **sets.ERRORS,
        requests.StepProcessing: (HTTPStatus.CONFLICT, "step_processing"),
        changes.NoContent: (HTTPStatus.CONFLICT, "no_content"),
        steps.NotReady: (HTTPStatus.CONFLICT, "not_ready"),
        steps.NothingToDraft: (HTTPStatus.CONFLICT, "nothing_to_draft"),
        steps.UpstreamStale: (HTTPStatus.CONFLICT, "upstream_stale"),
        steps.HasUserEdits: (HTTPStatus.CONFLICT, "has_user_edits"),
        reviews.WrongReviewState: (HTTPStatus.CONFLICT, "wrong_review_state"),
        draft_changes.DraftRefused: (HTTPStatus.CONFLICT, "section_not_found"),
        draft_changes.TextTooLarge: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large"),
        control.WrongState: (HTTPStatus.CONFLICT, "wrong_state"),
        TooManySeries: (HTTPStatus.CONFLICT, "too_many_series"),
        TooManyTemplates: (HTTPStatus.CONFLICT, "too_many_templates"),
        TemplateInUse: (HTTPStatus.CONFLICT, "template_in_use"),
        TooManyTests: (HTTPStatus.TOO_MANY_REQUESTS, "too_many_tests"),
        ListNotFound: (HTTPStatus.NOT_FOUND, "list_not_found"),
        ChecklistFailed: (HTTPStatus.CONFLICT, "checklist_failed"),
        ObjectUnusable: (HTTPStatus.INTERNAL_SERVER_ERROR, "content_lost"),
        CorpusTooLarge: (HTTPStatus.CONFLICT, "corpus_too_large"),
    },
    requests=Requests(table, StoredAnswer),
    audit_log=settings.audit_log(dynamodb),
    is_personal=True,
)
# Before the routes of one newsletter, whose code stands where these have a word.
RecoveryRoutes(recovery=recovery, seal_secret=seal_secret).declare(
    routes, read=(Scope.NEWSLETTERS_READ,), replay=(Scope.NEWSLETTERS_ADMIN,)
)
routes.add(CompanyRoutes(deps))


@cache
def _tries() -> "TrialDependencies":
    from newsletters.api.company.tries.bootstrap import trial_dependencies  # noqa: PLC0415 - of the playground only

    return trial_dependencies(
        resources.store.bucket, deps.log, settings.spending_table_name, settings.openai_base_url
    )


routes.add(TryRoutes(deps, _tries))
privacy_jobs = jobs_of(resources)
routes.add(PrivacyRoutes(privacy_jobs, Table(dynamodb, settings.contacts_table_name)))
routes.add(ListRoutes(issue_deps))
routes.add(IssueRoutes(issue_deps))
routes.add(TemplateRoutes(issue_deps))
routes.add(WarmUpRoutes(issue_deps))
routes.add(SeriesRoutes(issue_deps))
routes.add(NewsletterRoutes(deps))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """
    API Gateway proxy event in, proxy response out. The pages of signed links have no caller; a call of a request about
    a person has an answer of its own.
    """
    if PART in event:
        from shared.privacy import part_calls  # noqa: PLC0415 - of rare calls
        from shared.privacy.parts import JobsPart  # noqa: PLC0415 - as above

        part = JobsPart(context="newsletters", jobs=privacy_jobs, subject_of=subject_of)
        return part_calls.answer(part, None, event[PART])
    if event.get("resource") in public_pages.RESOURCES:
        return public_pages.respond(issue_deps, event)
    return routes.respond(event, context)
