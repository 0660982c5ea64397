"""Every five minutes: sends one message over the whole path and checks its arrival."""

from dataclasses import dataclass

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings
from whatsapp import canary
from whatsapp.event import correlation_id_of


@dataclass(frozen=True, kw_only=True)
class CanarySettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    webhook_url: str
    whatsapp_canary_secret_id: str


settings = CanarySettings.load()
way = canary.Way(
    webhook_url=settings.webhook_url,
    secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.whatsapp_canary_secret_id),
    table=Table(boto3.client("dynamodb"), settings.messages_table_name),
)


@metrics.log_metrics
def handler(_event: object, _context: object) -> None:
    """Schedule in, no result. An error counts as lost too: the alarm treats a missing metric as a failure."""
    flight = canary.fly(way)
    metrics.add_metric("CanarySuccess", MetricUnit.Count, 0 if flight.lost else 1)
    facts = {"correlation_id": correlation_id_of(flight.message_id), "company": canary.COMPANY}
    if flight.lost:
        logger.error("canary lost", extra=facts | {"reason": flight.lost})
    else:
        logger.info("canary arrived", extra=facts)
