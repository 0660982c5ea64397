"""Composition root of the admin API, for its function and for the commands of operators."""

from dataclasses import dataclass
from functools import cache, partial

import boto3

from richpanel.api.access import ApiDependencies
from richpanel.configuration.bootstrap import SourcesSettings, quick, sources
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import EventQueues
from richpanel.store.items import TTL_ATTRIBUTE
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.policy.kill_switches import parameter_store


@dataclass(frozen=True, kw_only=True)
class AdminSettings(SourcesSettings):
    """The environment of the admin function."""

    idempotency_table_name: str
    audit_actions_table_name: str
    richpanel_queue_url: str
    richpanel_live_queue_url: str
    richpanel_dead_letters_url: str
    switches_path: str
    api_seal_secret_id: str
    richpanel_webhook_secret_id: str
    media_bucket_name: str  # of exports
    spending_table_name: str
    contacts_table_name: str  # has what companies have set, and tickets of contacts


def dependencies(settings: AdminSettings) -> ApiDependencies:
    """Return the dependencies for an environment. Raises SettingInvalid."""
    dynamodb = boto3.client("dynamodb", config=quick)
    sqs = cache(lambda: boto3.client("sqs", config=quick))
    table = partial(Table, dynamodb, ttl_attribute=TTL_ATTRIBUTE)
    return sources(
        ApiDependencies,
        settings,
        dynamodb,
        idempotency=table(settings.idempotency_table_name),
        audit=table(settings.audit_actions_table_name),
        spent=Table(dynamodb, settings.spending_table_name),
        contacts=Table(dynamodb, settings.contacts_table_name),
        switchboard=SwitchBoard(
            parameter_store(lambda: boto3.client("ssm", config=quick)), settings.switches_path
        ),
        queues=EventQueues(
            mail=FifoQueue(sqs, settings.richpanel_queue_url),
            live=FifoQueue(sqs, settings.richpanel_live_queue_url),
        ),
        dead_letters=DeadLetters(sqs, settings.richpanel_dead_letters_url),
        seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
    )
