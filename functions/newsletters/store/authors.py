"""The authors of a company's items, which an erasure replaces."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsletters.store.items import MailTemplate, PublicList, Series, WarmUp
    from shared.aws.dynamodb import Table

UPDATED_BY = "updated_by"


def replace(
    table: Table,
    items: Iterable[MailTemplate | PublicList | Series | WarmUp],
    user_id: str,
    name: str,
) -> None:
    """Replace a user who wrote *items* by *name*, unless another user has written or removed one since. Idempotent."""
    for item in items:
        if item.updated_by == user_id:
            with suppress(ConditionFailed):
                table.update(
                    {PARTITION_KEY: item.PK, SORT_KEY: item.SK},
                    put={UPDATED_BY: name},
                    when=Attr(UPDATED_BY).eq(user_id),
                )
