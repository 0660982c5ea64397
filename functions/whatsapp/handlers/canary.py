"""Every five minutes: sends one message over the whole path and checks its arrival."""

from dataclasses import dataclass

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings
from whatsapp.inbound.event import correlation_id_of
from whatsapp.jobs import canary


@dataclass(frozen=True, kw_only=True)
class CanarySettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    webhook_url: str
    whatsapp_canary_secret_id: str


settings = CanarySettings.load()
deps = canary.CanaryDependencies(
    webhook_url=settings.webhook_url,
    secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.whatsapp_canary_secret_id),
    table=Table(boto3.client("dynamodb"), settings.messages_table_name),
)


@metrics.log_metrics
def handler(_event: object, _context: object) -> None:
    """Schedule in, no result. An error counts as lost too: the alarm treats a missing metric as a failure."""
    result = canary.run(deps)
    metrics.add_metric("CanarySuccess", MetricUnit.Count, 0 if result.failure else 1)
    facts = {"correlation_id": correlation_id_of(result.message_id), "company": canary.COMPANY}
    if result.failure:
        logger.error("canary lost", extra=facts | {"reason": result.failure})
    else:
        logger.info("canary arrived", extra=facts)
