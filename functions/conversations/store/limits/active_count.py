"""The number of a project's active conversations, and its changes with the list entries."""

from collections.abc import Iterable

from boto3.dynamodb.conditions import ConditionBase

from conversations.store.items.base import PARTITION_KEY, key
from conversations.store.items.routes import Active, ActiveShard, Open
from shared.aws.dynamodb import Attributes, Table, TransactionRefused


def change(  # noqa: PLR0917 - the key, and the change
    table: Table,
    company_id: str,
    project_id: str,
    ref: str,
    by: int,
    when: ConditionBase | None = None,
) -> Attributes:
    """Return the write of a change of the count, for the transaction with the list entry of a `ref`."""
    where = key(Active.partition(company_id, project_id))
    facts = {"item_type": Active.item_type}
    number, changes = Active.names_of(Active.part_of(ref))
    add = Active.named(active=by, changes=1) | {number: by, changes: 1}
    return table.to_update(where, put=facts, add=add, when=when)


def is_counted() -> ConditionBase:
    """Return the condition that an entry is counted."""
    return Open.attr("is_counted").eq(True)


def transact(table: Table, entries: list[Attributes], count: Attributes) -> bool:
    """Make all writes; return False if a condition does not hold."""
    try:
        table.transact(*entries, count)
    except TransactionRefused:
        return False
    return True


def read(table: Table, company_id: str, project_id: str) -> Active:
    """Return the count of a project, strongly consistent."""
    # In a batch, since the router's role does not allow GetItem.
    items = table.get_many([key(Active.partition(company_id, project_id))])
    return Active.read(items[0]) if items else Active()


def shards(table: Table, company_id: str, project_id: str, seen: Active) -> dict[str, ActiveShard]:
    """Return all shards of a count, by name, strongly consistent."""
    return shards_named(table, company_id, project_id, seen, ActiveShard.names)


def shards_named(
    table: Table, company_id: str, project_id: str, seen: Active, names: Iterable[str]
) -> dict[str, ActiveShard]:
    """Return some shards of a count, by name, strongly consistent."""
    if seen.most is None:
        return {}
    items = table.get_many(
        [key(ActiveShard.partition(company_id, project_id, name)) for name in names]
    )
    return {str(item[PARTITION_KEY]).rpartition("#")[2]: ActiveShard.read(item) for item in items}
