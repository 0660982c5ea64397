"""Stream of the messages table: shows changed conversations in the inbox over all contexts."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.inbox import feed

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from shared.aws.dynamodb import Table
from shared.runtime.settings import Settings
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxFeedSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    inbox_table_name: str


settings = InboxFeedSettings.load()
dynamodb = boto3.client("dynamodb", config=feed.QUICK)
inbox_feed = feed.Feed(
    table=Table(dynamodb, settings.inbox_table_name),
    heads=WhatsAppHeads(Table(dynamodb, settings.messages_table_name)),
)


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the numbers of those to retry."""
    return feed.process(inbox_feed, event, context)
