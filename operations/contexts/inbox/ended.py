"""
Lists AI conversations that had ended before their project had a list of ended ones.

The whole table is read, page by page; an interrupted run begins again. Conversations that are opened meanwhile are
shown as open, whether or not they are listed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

from conversations.lifecycle import transitions
from conversations.store.items import identifiers
from conversations.store.items.conversation import Conversation
from conversations.store.lists import open_list
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Table

_deserialize = TypeDeserializer().deserialize


def list_ended(client: DynamoDBClient, conversations: str, log: Table, *, apply: bool) -> int:
    """List ended conversations and return how many were not listed; without *apply* return their number. Idempotent."""
    found = 0
    for item in _conversations(client, conversations):
        # Another system's conversation has no key until it is imported, and then it is in a list.
        if not identifiers.has_key(item) or transitions.is_listed_as_open(item):
            continue
        entry = transitions.ended(identifiers.ref_of_item(item), item)
        of_project = log, item.company_id, item.project_id
        found += open_list.add_ended(*of_project, entry) if apply else 1
    return found


def _conversations(client: DynamoDBClient, table: str) -> Iterator[Conversation]:
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for stored in page["Items"]:
            item: dict[str, Any] = {name: _deserialize(value) for name, value in stored.items()}
            if not clock.is_over(item.get("ttl")):
                yield Conversation.read(item)
