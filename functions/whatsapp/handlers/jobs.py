"""
Worker of the queues of jobs and of campaigns: one download, page or other step of longer work per invocation, with its
own retries.
"""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.client_configs import PATIENT
from shared.aws.tables.attempts import Attempts
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Runs, Sharing, Waiting
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.observability import metrics
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time
from whatsapp import store
from whatsapp.configuration.settings import ActionsSettings
from whatsapp.inbound.event import (
    CAMPAIGN_CUT,
    CAMPAIGN_PAGE,
    REFRESH,
    SEQUENCE_STEP,
    TRANSCRIPTION,
    Event,
    Outcome,
)
from whatsapp.inbound.queued_events import parse_event
from whatsapp.jobs import number_refresh
from whatsapp.recovery import parking
from whatsapp.worker.bootstrap import InboxSettings, resources_of, worker_of
from whatsapp.worker.dispatcher import Handled, process_file

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.ai.files.spoken_words import Transcribers
    from shared.aws.workers.sqs_worker import Record
    from whatsapp.actions.calls.call import ActionResources


@dataclass(frozen=True, kw_only=True)
class JobSettings(InboxSettings):
    """
    The environment of this function.

    *media_max_concurrency*, *campaign_max_concurrency*: so many events of the queue of jobs, and of campaigns, are
    processed at once. *single_company*: as of actions. *openai_base_url*: of transcriptions.
    """

    whatsapp_campaigns_queue_url: str
    media_max_concurrency: int
    campaign_max_concurrency: int
    openai_base_url: Origin
    single_company: str = ""


settings = JobSettings.load()
settings_of_actions = ActionsSettings.load()
resources = resources_of(settings, provider_seconds=60)
# A file that waits this long for its first attempt shows that more files arrive than are downloaded; a page of a
# campaign that waits this long after its delay, that more campaigns run than their concurrency permits.
LATE_MS = 900 * clock.SECOND_MS
# So long an event of a campaign waits if its company is above its share. Longer waits slow many slow campaigns.
POSTPONED_MS = 5 * clock.SECOND_MS


def _handle(record: Record) -> Handled:
    event = parse_event(record.body)
    is_of_campaign = event.kind in {CAMPAIGN_CUT, CAMPAIGN_PAGE}
    due_ms = event.accepted_at if is_of_campaign else record.sent_at_ms
    if record.attempt == 1 and clock.now_ms() - due_ms > LATE_MS:
        metrics.add_metric("CampaignsLate" if is_of_campaign else "FilesLate", MetricUnit.Count, 1)
    if is_of_campaign:
        return _of_campaign(event, record)
    if event.kind == SEQUENCE_STEP:
        return _of_sequence(event, record)
    if event.kind == REFRESH:
        return _of_refresh(event, record)
    if event.kind == TRANSCRIPTION:
        return _of_recording(event, record)
    return process_file(resources, record.body)


def _of_campaign(event: Event, record: Record) -> Handled:
    """Read a part of a campaign's list, or send one of its pages."""
    # Downloads start faster without them.
    from whatsapp.actions.campaigns.pages import engine  # noqa: PLC0415 - see above

    remaining_ms = record.context.get_remaining_time_in_millis
    # Not the message id: the ledger takes a repeated owner for the same attempt.
    owner = record.context.aws_request_id
    outcome = engine.handle(_resources_of_actions(), event, owner, remaining_ms)
    return Handled(event, None, outcome)


def _of_sequence(event: Event, record: Record) -> Handled:
    """Send the next message of a customer's sequence."""
    from whatsapp.actions.accounts.analytics import sequence_runs  # noqa: PLC0415 - see above

    remaining_ms = record.context.get_remaining_time_in_millis
    owner = record.context.aws_request_id  # as of a campaign's page
    outcome = sequence_runs.handle(
        _resources_of_actions(), resources.spending, event, owner, remaining_ms
    )
    return Handled(event, None, outcome)


def _of_refresh(event: Event, record: Record) -> Handled:
    """Refresh some numbers; another event continues with the others."""
    from whatsapp.actions.accounts.numbers import refresh  # noqa: PLC0415 - see above

    at_ms = int((event.payload or {})["at"])
    remaining_ms = record.context.get_remaining_time_in_millis
    done = refresh.refresh_due(_resources_of_actions(), at_ms, remaining_ms)
    if done.is_left:
        # A minute later, so that a rate limit of the provider can end; the hour stays the same.
        _resources_of_actions().jobs.send([number_refresh.entry_of(at_ms)])
    return Handled(event, None, Outcome.PERSISTED)


def _of_recording(event: Event, record: Record) -> Handled:
    """Transcribe a voice note."""
    from whatsapp.worker.media import transcripts  # noqa: PLC0415 - see above

    delivery = transcripts.Delivery(
        attempt=record.attempt,
        is_last=record.is_last,
        remaining_ms=record.context.get_remaining_time_in_millis,
    )
    outcome = transcripts.handle(resources, _transcribers(), event, delivery)
    parking.resolve(resources, event)
    return Handled(event, None, outcome)


@cache
def _transcribers() -> Transcribers:
    from shared.ai.files.spoken_words import Transcribers  # noqa: PLC0415 - see above

    secrets = CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT))
    return Transcribers(
        credentials=secrets,
        openai_url=f"{settings.openai_base_url}/v1",
        spending=resources.spending,
    )


@cache
def _resources_of_actions() -> ActionResources:
    from whatsapp.actions.dispatch import bootstrap  # noqa: PLC0415 - see above

    return bootstrap.resources_of(settings_of_actions)


def _waiting_job(record: Record) -> Waiting | None:
    event = parse_event(record.body)
    # A refresh is of the numbers of all companies.
    phone = None if event.kind == REFRESH else store.phones.get(resources.table, event.phone)
    return Waiting(str(phone.company), fair_shares.since_ms(record)) if phone else None


def _postponed_job(record: Record) -> Handled:
    resources.files.send([fair_shares.postponed(record.body)])
    return Handled(parse_event(record.body), None, Outcome.PERSISTED)


def _waiting_page(record: Record) -> Waiting | None:
    event = parse_event(record.body)
    phone = store.phones.get(resources.table, event.phone)
    return Waiting(str(phone.company), event.accepted_at) if phone else None


def _postponed_page(record: Record) -> Handled:
    from whatsapp.actions.campaigns.progress import job_events  # noqa: PLC0415 - see above

    event = parse_event(record.body)
    campaign = job_events.campaign_of(resources.table, event)
    if campaign is not None:
        job_events.postpone(_resources_of_actions(), campaign, event, POSTPONED_MS)
    return Handled(event, None, Outcome.PERSISTED)


attempts = Attempts.of(settings)
JOBS, CAMPAIGNS = (
    url.rpartition("/")[2]
    for url in (settings.whatsapp_jobs_queue_url, settings.whatsapp_campaigns_queue_url)
)
SHARING = {
    JOBS: Sharing(
        Runs(attempts, JOBS, settings.media_max_concurrency),
        _waiting_job,
        _postponed_job,
        fair_shares.LATE_MS,
    ),
    CAMPAIGNS: Sharing(
        Runs(attempts, CAMPAIGNS, settings.campaign_max_concurrency),
        _waiting_page,
        _postponed_page,
        fair_shares.LATE_MS,
    ),
}


def _share(record: Record) -> Handled:
    return (
        _handle(record)
        if settings.single_company
        else SHARING[record.queue].handled(record, _handle)
    )


worker = worker_of(
    resources,
    # An earlier release has put events of campaigns on the queue of jobs.
    queue_urls=(settings.whatsapp_jobs_queue_url, settings.whatsapp_campaigns_queue_url),
    attempts=attempts,
    handle=_share,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch of one record in, the id of the failed record out."""
    return sqs_worker.process(worker, event, context)
