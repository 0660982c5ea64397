"""
Scheduled handler, every minute: enqueues due work and finds messages whose webhook was lost.

The function also answers calls of requests about a person over all contexts, and makes the turns of the context's own
job: it takes no event from outside, and its role alone may delete conversations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from conversations.recovery import gap_check, sweep
from conversations.store.items.conversation import ChannelMethod
from shared.aws.client_configs import PATIENT
from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.identity import keyed_hashes
from shared.privacy import PART
from shared.providers.twilio.messages import Twilio
from shared.runtime import clock
from shared.runtime.observability import logger, metrics, write_metrics
from shared.runtime.settings import Origin, Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class SweeperSettings(Settings):
    """Environment variables of this function."""

    conversation_log_table_name: str
    whatsapp_channel_queue_url: str
    sms_channel_queue_url: str
    email_channel_queue_url: str
    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    conversations_media_queue_url: str
    conversations_replies_queue_url: str
    channel_max_concurrency: int
    reply_max_concurrency: int
    attempts_table_name: str
    max_attempts: int
    twilio_webhook_secret_id: str
    twilio_base_url: Origin
    dead_letter_urls: tuple[str, ...]
    conversations_table_name: str
    media_bucket_name: str
    identifier_keys_secret_id: str
    openai_base_url: Origin


settings = SweeperSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
attempts = Attempts.of(settings)
replies = FifoQueue(lambda: sqs, settings.conversations_replies_queue_url)
channels = {
    ChannelMethod.WHATSAPP: FifoQueue(lambda: sqs, settings.whatsapp_channel_queue_url),
    ChannelMethod.SMS: FifoQueue(lambda: sqs, settings.sms_channel_queue_url),
    ChannelMethod.EMAIL: FifoQueue(lambda: sqs, settings.email_channel_queue_url),
}
most = dict.fromkeys((queue.name for queue in channels.values()), settings.channel_max_concurrency)
most[replies.name] = settings.reply_max_concurrency
deps = sweep.SweeperDependencies(
    log=Table(boto3.client("dynamodb", config=PATIENT), settings.conversation_log_table_name),
    channels=channels,
    replies=replies,
    runs={name: Runs(attempts, name, runs) for name, runs in most.items()},
    inbound=FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url),
    statuses=FifoQueue(lambda: sqs, settings.conversations_statuses_queue_url),
    files=StandardQueue(lambda: sqs, settings.conversations_media_queue_url),
    twilio=Twilio(settings.twilio_base_url),
    accounts=JsonSecret(
        lambda: boto3.client("secretsmanager", config=PATIENT), settings.twilio_webhook_secret_id
    ),
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any] | None:
    """
    Enqueue due work and run the gap check: every 15 minutes of all lists, every minute of unfinished ones.

    A call of a request about a person has an answer of its own.
    """
    try:
        if PART in event:
            return _answered(event[PART])
        _sweep(context)
    finally:
        write_metrics()
    return None


def _answered(call: object) -> dict[str, Any]:
    from conversations.configuration.bootstrap import ledger_of  # noqa: PLC0415 - of rare calls
    from conversations.privacy.dependencies import ErasureDependencies  # noqa: PLC0415 - as above
    from conversations.privacy.erasure import ConversationPart  # noqa: PLC0415 - as above
    from conversations.store.lists.inbox_heads import ConversationHeads  # noqa: PLC0415 - as above
    from shared.aws.s3 import Bucket  # noqa: PLC0415 - as above
    from shared.privacy import part_calls  # noqa: PLC0415 - as above
    from shared.providers.company_secrets import CompanySecrets  # noqa: PLC0415 - as above

    secrets = cache(lambda: boto3.client("secretsmanager", config=PATIENT))
    keyed_hashes.configure(JsonSecret(secrets, settings.identifier_keys_secret_id))
    own = ErasureDependencies(
        table=Table(boto3.client("dynamodb", config=PATIENT), settings.conversations_table_name),
        log=deps.log,
        bucket=Bucket(lambda: boto3.client("s3", config=PATIENT), settings.media_bucket_name),
        ledger=ledger_of(deps.log),
        credentials=CompanySecrets(secrets),
        openai_url=f"{settings.openai_base_url}/v1",
    )
    heads = ConversationHeads(own.table, own.log)
    return part_calls.answer(ConversationPart.of(own), heads, call)


def _sweep(context: LambdaContext) -> None:
    count_dead_letters(sqs, settings.dead_letter_urls)
    is_gap_check = gap_check.is_time_for_gaps(clock.now_ms())
    reserved_ms = sweep.GAP_CHECK_MS if is_gap_check else sweep.LAST_GROUP_MS
    enqueued = sweep.enqueue_due(deps, context.get_remaining_time_in_millis, reserved_ms)
    if enqueued:  # a metric that every run writes costs $0.30 a month
        metrics.add_metric("BroughtBack", MetricUnit.Count, enqueued)
    gaps = gap_check.close_gaps(
        deps, context.get_remaining_time_in_millis, continues=not is_gap_check
    )
    logger.info("sweep finished", extra={"brought": enqueued, "gaps": gaps})
