"""Composition root of the context: settings that name its resources, and the clients that access them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from conversations.configuration.projects import Companies
from conversations.configuration.resources import Resources
from conversations.store.items.base import key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import ACTION_PK_PATTERN
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.identity import keyed_hashes
from shared.providers.action_ledger import Action, Ledger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from botocore.config import Config


@dataclass(frozen=True, kw_only=True)
class ConnectedSettings(Settings):
    """Environment of a function that uses the tables, the channel and reply queues, and the bucket."""

    conversations_table_name: str
    conversation_log_table_name: str
    company_data_table_name: str
    whatsapp_channel_queue_url: str
    sms_channel_queue_url: str
    email_channel_queue_url: str
    conversations_replies_queue_url: str
    conversations_agents_queue_url: str
    media_bucket_name: str
    identifier_keys_secret_id: str


def resources_of(
    settings: ConnectedSettings, config: Config, *, of_bucket: Config | None = None
) -> Resources:
    """
    Create all resources with clients of one *config*; *of_bucket* overrides it for the S3 client.

    Also configures the identifier keys of the process.
    """
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=config),
            settings.identifier_keys_secret_id,
        )
    )
    dynamodb = boto3.client("dynamodb", config=config)
    sqs = boto3.client("sqs", config=config)
    log = Table(dynamodb, settings.conversation_log_table_name)
    return Resources(
        table=Table(dynamodb, settings.conversations_table_name),
        log=log,
        companies=Companies(Table(dynamodb, settings.company_data_table_name)),
        channels={
            ChannelMethod.WHATSAPP: FifoQueue(lambda: sqs, settings.whatsapp_channel_queue_url),
            ChannelMethod.SMS: FifoQueue(lambda: sqs, settings.sms_channel_queue_url),
            ChannelMethod.EMAIL: FifoQueue(lambda: sqs, settings.email_channel_queue_url),
        },
        replies=FifoQueue(lambda: sqs, settings.conversations_replies_queue_url),
        agents=FifoQueue(lambda: sqs, settings.conversations_agents_queue_url),
        bucket=Bucket(
            lambda: boto3.client("s3", config=of_bucket or config), settings.media_bucket_name
        ),
        ledger=ledger_of(log),
    )


def ledger_of(log: Table) -> Ledger[Action]:
    """Return the action ledger of this context, stored in its log table."""
    return Ledger(log, lambda action: key(ACTION_PK_PATTERN.format(action_id=action)), Action)
