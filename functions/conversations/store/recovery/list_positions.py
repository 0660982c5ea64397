"""Positions of the gap check in the lists of a Twilio account's messages: one item per account and list."""

from conversations.store.items.base import key
from conversations.store.items.records import ListPosition
from shared.aws.dynamodb import Attributes, Table


def get(table: Table, account: str, list_name: str) -> ListPosition | None:
    """Return the position, strongly consistent; None if the list was not read in the last week."""
    item = table.get(_position_key(account, list_name))
    return ListPosition.read(item) if item else None


def put(table: Table, account: str, list_name: str, position: ListPosition) -> None:
    """Replace the position."""
    facts = ListPosition.named(
        since=position.since,
        until=position.until,
        page=position.page,
        ttl=ListPosition.time_to_live(),
    )
    drop = [] if position.page else ["page"]
    table.update(
        _position_key(account, list_name),
        put={**facts, "item_type": ListPosition.item_type},
        drop=drop,
    )


def _position_key(account: str, list_name: str) -> Attributes:
    return key(ListPosition.partition(account), ListPosition.sk(list_name))
