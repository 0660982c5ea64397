"""Stream of the messages table: shows changed conversations in the inbox over all contexts."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.inbox.feed import QUICK, FeedSettings, feed_of, process

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from shared.api.opaque_ids import seal_of
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.inbox.references import key_of
from whatsapp.store.campaigns.ended_campaigns import EndedCampaigns
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads
from whatsapp.store.inbox.added_notes import AddedNotes

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxFeedSettings(FeedSettings):
    """The environment of this function."""

    messages_table_name: str
    api_seal_secret_id: str


settings = InboxFeedSettings.load()
dynamodb = boto3.client("dynamodb", config=QUICK)
seal_secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=QUICK), settings.api_seal_secret_id
)
messages = Table(dynamodb, settings.messages_table_name)
inbox_feed = feed_of(
    settings,
    dynamodb,
    WhatsAppHeads(messages),
    lambda change: key_of(
        change.context, change.company_id, change.reference, lambda: seal_of(seal_secret)
    ),
    AddedNotes(messages),
    campaigns=EndedCampaigns(messages),
)


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the sequence numbers of the records to retry."""
    return process(inbox_feed, event, context)
