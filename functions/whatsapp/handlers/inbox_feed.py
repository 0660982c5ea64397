"""Stream of the messages table: shows changed conversations in the inbox over all contexts."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.inbox import feed

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from shared.api.opaque_ids import seal_of
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.inbox.references import key_of
from shared.live.hints import Announcer
from shared.live.posts import Live
from shared.runtime.settings import Settings, Url
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxFeedSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    inbox_table_name: str
    live_table_name: str
    api_keys_table_name: str
    live_endpoint: Url
    api_seal_secret_id: str


settings = InboxFeedSettings.load()
dynamodb = boto3.client("dynamodb", config=feed.QUICK)
seal_secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=feed.QUICK), settings.api_seal_secret_id
)
announcer = Announcer(
    live=Live(
        Table(dynamodb, settings.live_table_name),
        Table(dynamodb, settings.api_keys_table_name),
        settings.live_endpoint,
    ),
    key_of=lambda change: key_of(
        change.context, change.company_id, change.reference, lambda: seal_of(seal_secret)
    ),
)
inbox_feed = feed.Feed(
    table=Table(dynamodb, settings.inbox_table_name),
    heads=WhatsAppHeads(Table(dynamodb, settings.messages_table_name)),
    announce=announcer.announce,
)


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the sequence numbers of the records to retry."""
    return feed.process(inbox_feed, event, context)
