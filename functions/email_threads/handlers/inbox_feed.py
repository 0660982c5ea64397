"""Stream of the table of threads: shows changed threads in the inbox over all contexts."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.inbox import feed

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from email_threads.store.inbox_heads import EmailHeads
from shared.aws.dynamodb import Table
from shared.live.hints import Announcer
from shared.live.posts import Live
from shared.runtime.settings import Settings, Url

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


@dataclass(frozen=True, kw_only=True)
class InboxFeedSettings(Settings):
    """The environment of this function."""

    email_threads_table_name: str
    inbox_table_name: str
    live_table_name: str
    api_keys_table_name: str
    live_endpoint: Url


settings = InboxFeedSettings.load()
dynamodb = boto3.client("dynamodb", config=feed.QUICK)
announcer = Announcer(
    live=Live(
        Table(dynamodb, settings.live_table_name),
        Table(dynamodb, settings.api_keys_table_name),
        settings.live_endpoint,
    ),
    key_of=lambda change: change.reference,
)
inbox_feed = feed.Feed(
    table=Table(dynamodb, settings.inbox_table_name),
    heads=EmailHeads(Table(dynamodb, settings.email_threads_table_name)),
    announce=announcer.announce,
)


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle a batch of stream records and return the sequence numbers of the records to retry."""
    return feed.process(inbox_feed, event, context)
