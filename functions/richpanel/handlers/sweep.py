"""Every five minutes, finds open tickets that no webhook reported; every hour, teams and tags that are missing."""

from dataclasses import asdict, dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.clients.helpdesk import HelpDesk
from richpanel.configuration.account import StoredAccount
from richpanel.configuration.bootstrap import quick
from richpanel.configuration.resources import Endpoints, Sources
from richpanel.inbound.channels import channel_names
from richpanel.inbound.webhook import EventQueues
from richpanel.recovery import drift
from richpanel.recovery.sweep import Net, sweep
from richpanel.store.items import TTL_ATTRIBUTE
from richpanel.store.rate_limit import Limiter, Priority
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics, write_metrics
from shared.runtime.settings import Settings, Url

EVERY_MS = 5 * 60 * clock.SECOND_MS


@dataclass(frozen=True, kw_only=True)
class SweepSettings(Settings):
    """The environment of this function."""

    conversation_state_table_name: str
    richpanel_queue_url: str
    richpanel_live_queue_url: str
    richpanel_keys_id: str
    channel_names: tuple[str, ...]
    account_parameter: str
    help_desk_url: Url
    dead_letter_urls: tuple[str, ...]


settings = SweepSettings.load()
sqs = boto3.client("sqs", config=quick)
queues = EventQueues(
    mail=FifoQueue(lambda: sqs, settings.richpanel_queue_url),
    live=FifoQueue(lambda: sqs, settings.richpanel_live_queue_url),
)
state = Table(
    boto3.client("dynamodb", config=quick), settings.conversation_state_table_name, TTL_ATTRIBUTE
)
resources = Sources(
    state=state,
    limiter=Limiter(state),
    keys=JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.richpanel_keys_id
    ),
    stored_account=StoredAccount(
        lambda: boto3.client("ssm", config=quick),
        settings.account_parameter,
        channel_names(settings.channel_names),
        state,
    ),
    endpoints=Endpoints(
        help_desk=settings.help_desk_url, shopify=None, shopify_version="", shipstation=None
    ),
)


def handler(event: dict[str, Any], context: LambdaContext) -> None:
    """EventBridge event in, nothing out. Its `time` decides whether this run also checks for missing teams and tags."""
    try:
        _run(event, context)
    finally:
        write_metrics()


def _run(event: dict[str, Any], context: LambdaContext) -> None:
    count_dead_letters(sqs, settings.dead_letter_urls)
    deadline_ms = clock.now_ms() + context.get_remaining_time_in_millis()
    help_desk = resources.help_desk(Priority.BACKGROUND, deadline_ms)
    if help_desk is None:
        logger.info("sweep skipped: help desk API key missing")
        return
    swept = sweep(
        Net(state=state, help_desk=help_desk, queues=queues, channels=resources.account.channels)
    )
    # A metric that every run writes costs $0.30 a month.
    if swept.enqueued:
        metrics.add_metric("SweepEnqueued", MetricUnit.Count, swept.enqueued)
    if not swept.is_complete:
        metrics.add_metric("SweepIncomplete", MetricUnit.Count, 1)
    logger.info("swept", extra=asdict(swept))
    if clock.from_text(event["time"]) % clock.HOUR_MS < EVERY_MS:
        _look_for_drift(help_desk)


def _look_for_drift(help_desk: HelpDesk) -> None:
    """Count and log the teams and tags that decisions need and the account lacks. On failure, retries in an hour."""
    try:
        missing = drift.missing(help_desk, resources.account)
    except (Permanent, Transient) as failure:
        logger.warning("drift check failed", extra=describe(failure))
        return
    if missing.count:
        metrics.add_metric("Drift", MetricUnit.Count, missing.count)
        logger.error("help desk drift found", extra=asdict(missing))
