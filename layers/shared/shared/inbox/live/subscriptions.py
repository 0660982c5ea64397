"""Access patterns of browsers that get pushes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import ConditionFailed
from shared.inbox.live.items import (
    PARTITION_KEY,
    PRINCIPAL_INDEX,
    SORT_KEY,
    SUBSCRIBED_DAYS,
    Connection,
    PushSubscription,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes, Table

MOST_OF_PERSON: Final = 10


def add(table: Table, company: str, principal: str, teams: Iterable[str], endpoint: str) -> None:
    """
    Store a browser of a person, or that it is still used. Safe to repeat. The person's oldest ones are removed if there
    are more than MOST_OF_PERSON. *teams*: principals of teams.
    """
    key = PushSubscription.key(company, principal, endpoint)
    found = of_principal(table, principal)
    known = next((one for one in found if one.own_key == key), None)
    now = clock.to_text(clock.now_ms())
    stored = PushSubscription(
        pk=str(key[PARTITION_KEY]),
        sk=str(key[SORT_KEY]),
        company=company,
        principal=principal,
        owners={principal, *teams},
        endpoint=endpoint,
        pushed_to=known.pushed_to if known else now,
        ttl=clock.expires_in(SUBSCRIBED_DAYS * clock.DAY_SECONDS),
    )
    table.put(stored.attributes())
    others = sorted((one for one in found if one.own_key != key), key=lambda one: one.ttl)
    for oldest in others[: max(0, len(others) - MOST_OF_PERSON + 1)]:
        remove(table, oldest.own_key)


def remove(table: Table, key: Attributes) -> None:
    """Delete a browser. Safe to repeat."""
    table.delete(key)


def of_company(table: Table, company: str) -> list[PushSubscription]:
    """Return the browsers of a company that get pushes: one read unit for about ten."""
    partition = Key(PARTITION_KEY).eq(Connection.partition(company))
    condition = partition & Key(SORT_KEY).begins_with(PushSubscription.sort_key(""))
    items, _ = table.query(None, condition)
    return [one for one in map(PushSubscription.read, items) if not clock.is_over(one.ttl)]


def of_principal(table: Table, principal: str) -> list[PushSubscription]:
    """Return the browsers of a person in all companies, except ones younger than the index (about a second)."""
    is_theirs = Key(PushSubscription.name_of("principal")).eq(principal)
    condition = is_theirs & Key(SORT_KEY).begins_with(PushSubscription.sort_key(""))
    items, _ = table.query(PRINCIPAL_INDEX, condition)
    keys = [{name: item[name] for name in (PARTITION_KEY, SORT_KEY)} for item in items]
    return [PushSubscription.read(item) for item in table.get_many(keys)]


def get_many(table: Table, keys: Iterable[Attributes]) -> list[PushSubscription]:
    """Return the browsers with these keys that are still subscribed."""
    return [PushSubscription.read(item) for item in table.get_many(list(keys))]


def claim(table: Table, one: PushSubscription, pushed_to: str) -> bool:
    """Take the push up to a notification's time; False if another run has taken one since *one* was read."""
    after = one.model_copy(update={"pushed_to": pushed_to})
    try:
        table.put(after.attributes(), when=PushSubscription.attr("pushed_to").eq(one.pushed_to))
    except ConditionFailed:
        return False
    return True
