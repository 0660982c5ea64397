"""Alternative ids of customers and messages: the first write wins."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from whatsapp.store.items import Alias, pk
from whatsapp.store.items.item import PARTITION_KEY


def add(table: Table, alias_pk: str, target: str, company: str) -> None:
    """Write an alias unless it exists. Only agents link two ids of one person."""
    alias = Alias(pk=alias_pk, target=target, company=company, created_at_ms=clock.now_ms())
    try:
        table.put(alias.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def claim(table: Table, alias_pk: str, target: str, company: str, *, ttl: int) -> str:
    """Write an alias that two events may create; return the target of the one that was written first."""
    alias = Alias(
        pk=alias_pk, target=target, company=company, created_at_ms=clock.now_ms(), ttl=ttl
    )
    try:
        table.put(alias.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Alias.read(refusal.existing).target
    return target


def target_of(table: Table, alias_pk: str) -> str | None:
    """Return the target of an alias (strongly consistent read); None when there is none."""
    item = table.get(pk(alias_pk))
    return Alias.read(item).target if item else None
