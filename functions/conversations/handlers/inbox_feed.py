"""Streams of both tables: shows changed conversations in the inbox over all contexts."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.inbox.feed import QUICK, FeedSettings, feed_of, process

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from conversations.store.annotations.added_notes import AddedNotes
from conversations.store.lists.inbox_heads import ConversationHeads
from shared.aws.dynamodb import Table

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxFeedSettings(FeedSettings):
    """The environment of this function."""

    conversations_table_name: str
    conversation_log_table_name: str


settings = InboxFeedSettings.load()
dynamodb = boto3.client("dynamodb", config=QUICK)
log = Table(dynamodb, settings.conversation_log_table_name)
inbox_feed = feed_of(
    settings,
    dynamodb,
    ConversationHeads(Table(dynamodb, settings.conversations_table_name), log),
    additions=AddedNotes(log),
)


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the sequence numbers of the records to retry."""
    return process(inbox_feed, event, context)
